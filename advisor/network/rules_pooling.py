"""Pooling: over windows, adaptive, global.

Leaves to others: resizing and cropping (`rules_arrangement`).
"""

from advisor.model.kernel import PoolShape
from advisor.network.call import Call, Result, Shape, Step
from advisor.network.windows import Image, Window, read_image, read_rank, window_output


def _mode(call: Call) -> str:
    return "max" if "Max" in call.class_name else "average"


def _step(call: Call, image: Image, *, kernel: Shape, strides: Shape, output: Shape) -> Step:
    shape = PoolShape(
        mode=_mode(call),
        n=call.batch,
        c=image.channels,
        spatial=image.spatial,
        kernel=kernel,
        strides=strides,
        output=output,
    )
    return Step(shape=shape, elements=call.total((*output, image.channels)))


def windowed(call: Call) -> Result:
    """Rule of `MaxPooling*D` and `AveragePooling*D`."""
    rank = read_rank(call.class_name)
    image = read_image(call, rank)
    # Keras 2 wrote pool_size and strides of one-dimensional pools as lists or as numbers.
    kernel = call.fields.integers("pool_size", length=rank, default=2)
    strides = (
        kernel
        if call.fields.raw("strides") is None
        else call.fields.integers("strides", length=rank)
    )
    padding = call.fields.choice("padding", default="valid", allowed=("valid", "same"))
    window = Window(kernel=kernel, strides=strides, dilation=(1,) * rank, padding=padding)
    output = window_output(call, window, spatial=image.spatial)
    step = _step(call, image, kernel=kernel, strides=strides, output=output)
    return Result(outputs=(image.shape(output, channels=image.channels),), steps=(step,))


def adaptive(call: Call) -> Result:
    """Rule of `AdaptiveMaxPooling*D` and `AdaptiveAveragePooling*D`."""
    rank = read_rank(call.class_name)
    image = read_image(call, rank)
    output = call.fields.integers("output_size", length=rank)
    kernel = tuple(-(-size // out) for size, out in zip(image.spatial, output, strict=True))
    strides = tuple(max(1, size // out) for size, out in zip(image.spatial, output, strict=True))
    step = _step(call, image, kernel=kernel, strides=strides, output=output)
    return Result(outputs=(image.shape(output, channels=image.channels),), steps=(step,))


def whole(call: Call) -> Result:
    """Rule of `GlobalMaxPooling*D` and `GlobalAveragePooling*D`."""
    rank = read_rank(call.class_name)
    image = read_image(call, rank)
    ones = (1,) * rank
    step = _step(call, image, kernel=image.spatial, strides=image.spatial, output=ones)
    keeps = call.fields.flag("keepdims", default=False)
    output = image.shape(ones, channels=image.channels) if keeps else (image.channels,)
    return Result(outputs=(output,), steps=(step,))


_MODES = ("Max", "Average")
_RANKS = (1, 2, 3)
RULES = {
    **{f"{mode}Pooling{rank}D": windowed for mode in _MODES for rank in _RANKS},
    **{f"Adaptive{mode}Pooling{rank}D": adaptive for mode in _MODES for rank in _RANKS},
    **{f"Global{mode}Pooling{rank}D": whole for mode in _MODES for rank in _RANKS},
}
