"""The fastest way to compute a convolution on an OpenCL device, found by trying on fewer images.

Leaves to others: the ways (`opencl_conv`).
"""

import opencl_choices
import opencl_conv
import opencl_fastest
import opencl_gemm
import opencl_geometry

_TRIAL_MULTIPLY_ADDS = 1e8


# A transposed convolution is the gradient of the input of another one.
_TRANSPOSED = {
    "forward": "input_gradient",
    "input_gradient": "forward",
    "weight_gradient": "weight_gradient",
}


def prepare(device, shape, precision, direction):
    """Return the fastest way to compute a convolution; both gradients for "backward"."""
    device.numbers(precision)
    if direction == "backward":
        return opencl_gemm.Sequence(
            [
                lambda part=part: prepare(device, shape, precision, part)
                for part in ("input_gradient", "weight_gradient")
            ]
        )
    plain = _TRANSPOSED[direction] if shape["is_transposed"] else direction
    whole = opencl_conv.Convolution(device, shape, precision, plain)
    found, ways = whole.geometry, whole.ways()
    key = (
        "conv", precision, plain, found.taps, found.strides, found.groups > 1,
        *(opencl_choices.magnitude(value) for value in (*found.source, *found.target)),
    )  # fmt: skip
    per_image = opencl_geometry.multiply_adds(found) / found.n
    n = max(1, min(found.n, int(_TRIAL_MULTIPLY_ADDS / per_image)))
    if not device.is_cpu:
        n = found.n  # fewer would not fill the device
    few = whole.with_images(n)
    candidates = [lambda way=way: few.build(way) for way in ways]
    return opencl_fastest.Chosen(
        device, key, [lambda way=way: whole.build(way) for way in ways],
        lambda index, _trial: opencl_fastest.seconds_of(device, candidates[index]),
        lambda: opencl_fastest.try_all(device, candidates),
    )  # fmt: skip
