"""Operations of `keras.ops` between signals and their spectra.

Their work is counted by value, once for each halving of a fast transform.
Leaves to others: the layers `STFTSpectrogram` and `MelSpectrogram` (`rules_audio`).
"""

from collections.abc import Callable

from advisor.network.call import Call, Result, Shape
from advisor.network.rules_audio import halvings


def _transformed(call: Call, output: Shape, *, length: int) -> Result:
    """Return real and imaginary parts of a spectrum of transforms of a length."""
    step = call.passes("fft", output, count=halvings(length))
    return Result(outputs=call.recorded or (output, output), steps=(step,))


def _along_last(call: Call) -> Result:
    return _transformed(call, call.input, length=call.input[-1])


def _of_planes(call: Call) -> Result | None:
    if len(call.input) < 2:
        return None
    return _transformed(call, call.input, length=call.input[-1] * call.input[-2])


def _real(call: Call) -> Result:
    length = call.fields.optional_integer("fft_length") or call.input[-1]
    return _transformed(call, (*call.input[:-1], length // 2 + 1), length=length)


def _to_real(call: Call) -> Result:
    length = call.fields.optional_integer("fft_length") or max(1, 2 * (call.input[-1] - 1))
    output = (*call.input[:-1], length)
    step = call.passes("fft", output, count=halvings(length))
    return Result(outputs=call.recorded[:1] or (output,), steps=(step,))


def _short(call: Call) -> Result:
    frame, stride, length = (
        call.fields.integer(name) for name in ("sequence_length", "sequence_stride", "fft_length")
    )
    size = call.input[-1] + (length if call.fields.flag("center", default=True) else 0)
    frames = max(1, 1 + (size - max(frame, length)) // stride)
    return _transformed(call, (*call.input[:-1], frames, length // 2 + 1), length=length)


def _from_short(call: Call) -> Result | None:
    if not call.recorded:
        return None
    length = call.fields.integer("fft_length")
    step = call.passes("fft", (*call.input[:-1], length), count=halvings(length))
    added = call.elementwise("add", call.recorded[0], n_inputs=2)
    return Result(outputs=call.recorded[:1], steps=(step, added))


_OPERATIONS: dict[str, Callable[[Call], Result | None]] = {
    "fft": _along_last,
    "fft2": _of_planes,
    "ifft2": _of_planes,
    "rfft": _real,
    "irfft": _to_real,
    "stft": _short,
    "istft": _from_short,
}


def find_spectrum(name: str, call: Call) -> Result | None:
    """Return a transform by its name; None: it is none, or the shape of its result is open."""
    rule = _OPERATIONS.get(name)
    return None if rule is None or not call.input else rule(call)
