"""Shapes of operations of `keras.ops` that take tensors apart, or put parts of images elsewhere.

They matter where a file does not record them: at the end of a model, and where a size is open.
Leaves to others: what they cost, and what else arranges values (`rules_operations_shape`).
"""

from collections.abc import Callable

from advisor.network.call import Call, Shape
from advisor.network.fields import is_integer

# Results of one operation: more are files made to harm.
MAX_RESULTS = 1024
# The shapes of all results, None where they do not follow.
Shapes = tuple[Shape, ...] | None


def _axis(call: Call) -> int | None:
    """Return the axis of an operation as a position in a sample; None: the batch, or none."""
    axis, rank = call.fields.raw("axis", default=-1), len(call.input) + 1
    if not is_integer(axis) or not -rank <= axis < rank or axis % rank == 0:
        return None
    return int(axis % rank) - 1


def _unstacked(call: Call) -> Shapes:
    position = _axis(call)
    if position is None or call.input[position] > MAX_RESULTS:
        return None
    return ((*call.input[:position], *call.input[position + 1 :]),) * call.input[position]


def _taken_along(call: Call) -> Shapes:
    if len(call.inputs) != 2 or _axis(call) is None:
        return None
    return (call.inputs[1],)


def _side_by_side(call: Call) -> Shapes:
    """Return the shape of `hstack`: along the axis behind the batch."""
    rests = {shape[1:] for shape in call.inputs}
    if len(rests) != 1 or not all(call.inputs):
        return None
    return ((sum(shape[0] for shape in call.inputs), *rests.pop()),)


def _differences(call: Call) -> Shapes:
    position, often = _axis(call), call.fields.raw("n", default=1)
    if position is None or not is_integer(often) or not 0 <= often < call.input[position]:
        return None
    return ((*call.input[:position], call.input[position] - often, *call.input[position + 1 :]),)


def _is_first(call: Call) -> bool:
    return bool(call.fields.raw("data_format") == "channels_first")


def _with_sides(call: Call, sides: tuple[int, ...], channels: int) -> tuple[Shape]:
    return ((channels, *sides) if _is_first(call) else (*sides, channels),)


def _image(call: Call) -> tuple[tuple[int, int], int] | None:
    """Return the sides and the channels of an image."""
    if len(call.input) != 3:
        return None
    one, two, three = call.input
    return ((two, three), one) if _is_first(call) else ((one, two), three)


def _channels_to_sides(call: Call) -> Shapes:
    image, size = _image(call), call.fields.raw("block_size")
    if image is None or not is_integer(size) or size < 1 or image[1] % size**2:
        return None
    return _with_sides(call, tuple(side * size for side in image[0]), image[1] // size**2)


def _sides_to_channels(call: Call) -> Shapes:
    image, size = _image(call), call.fields.raw("block_size")
    if image is None or not is_integer(size) or size < 1 or any(s % size for s in image[0]):
        return None
    return _with_sides(call, tuple(side // size for side in image[0]), image[1] * size**2)


def _framed(what: str, sign: int) -> Callable[[Call], Shapes]:
    """Return the rule of what adds to the sides of an image or takes from them."""

    def rule(call: Call) -> Shapes:
        image = _image(call)
        if image is None:
            return None
        sides = []
        ends = (("top", "bottom", "height"), ("left", "right", "width"))
        for side, (before, after, name) in zip(image[0], ends, strict=True):
            target = call.fields.raw(f"target_{name}")
            if target is None:
                changes = [call.fields.raw(f"{end}_{what}") for end in (before, after)]
                if not all(is_integer(each) for each in changes):
                    return None
                target = side + sign * sum(changes)
            if not is_integer(target):
                return None
            sides.append(target)
        return _with_sides(call, tuple(sides), image[1])

    return rule


def _patches(call: Call) -> Shapes:
    """Return the shape of `extract_patches` of TensorFlow, which moves values."""
    sides = [call.fields.integers(name, length=2) for name in ("size", "strides", "dilation_rate")]
    is_same = call.fields.raw("padding") == "same"
    if len(call.input) != 3:
        return None
    *image, channels = call.input
    places = []
    for side, size, stride, rate in zip(image, *sides, strict=True):
        reach = (size - 1) * rate + 1
        places.append(-(-side // stride) if is_same else (side - reach) // stride + 1)
    return ((*places, sides[0][0] * sides[0][1] * channels),)


# Each returns None where the shape does not follow.
PARTS: dict[str, Callable[[Call], Shapes]] = {
    "unstack": _unstacked,
    "extractimagepatches": _patches,
    "takealongaxis": _taken_along,
    "hstack": _side_by_side,
    "diff": _differences,
    "depthtospace": _channels_to_sides,
    "spacetodepth": _sides_to_channels,
    "padimages": _framed("padding", 1),
    "cropimages": _framed("cropping", -1),
}
