"""ONNX operations between signals and their spectra: `DFT` and `STFT`.

Their work is counted by value, once for each halving of a fast transform.
Leaves to others: windows and scales (`onnx_rules_shape`).
"""

from advisor.network.call import Result, Shape
from advisor.network.onnx_call import OnnxCall
from advisor.network.onnx_rules_layers import OnnxRule
from advisor.network.rules_audio import halvings


def _transformed(call: OnnxCall, output: Shape, *, length: int) -> Result:
    step = call.passes("fft", output, count=halvings(length))
    return Result(outputs=(output,), steps=(step,))


def _single(call: OnnxCall, index: int) -> int | None:
    """Return an input of one whole number that is known from the file, else None."""
    values = call.integers(index)
    return values[0] if values is not None and len(values) == 1 else None


def transform(call: OnnxCall) -> Result:
    """Rule of `DFT`: along one axis; the last one holds real and imaginary parts."""
    shape = call.shape()
    given = _single(call, 2) if call.has(2) else call.number("axis", default=_usual_axis(call))
    described = call.first_described
    if given is None and described is not None:
        return _transformed(call, described, length=max(described))
    axis = call.axis(given if given is not None else -2, rank=len(shape))
    is_inverse = call.number("inverse", default=0) == 1
    is_half = call.number("onesided", default=0) == 1
    length = _single(call, 1) or (2 * (shape[axis] - 1) if is_inverse and is_half else shape[axis])
    if length < 1 or axis == len(shape) - 1:
        raise call.refuse(f"axis {axis} is outside its {len(shape) - 1} dimensions")
    output = list(shape)
    output[axis] = length // 2 + 1 if is_half and not is_inverse else length
    output[-1] = 1 if is_half and is_inverse else 2
    return _transformed(call, tuple(output), length=length)


def _usual_axis(call: OnnxCall) -> int:
    return 1 if call.opset < 20 else -2


def short_transform(call: OnnxCall) -> Result:
    """Rule of `STFT`: a spectrum for each frame of a signal."""
    samples, places, *_parts = call.shape()
    step = _single(call, 1)
    window = call.shape(2) if call.has(2) else ()
    length = _single(call, 3) or (window[0] if window else None)
    if step is None or length is None or not 1 <= length <= places or step < 1:
        raise call.refuse("the length of its frames is not in the file")
    is_half = call.number("onesided", default=1) == 1
    frames = (places - length) // step + 1
    output = (samples, frames, length // 2 + 1 if is_half else length, 2)
    return _transformed(call, output, length=length)


RULES: dict[str, OnnxRule] = {"DFT": transform, "STFT": short_transform}
