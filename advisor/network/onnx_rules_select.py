"""ONNX operations that pick, sort, scatter or sample values: their cost is what they move.

Leaves to others: `Gather` and `Slice` (`onnx_rules_shape`).
"""

import math

from advisor.network.call import Result, Shape
from advisor.network.onnx_call import OnnxCall
from advisor.network.onnx_rules_layers import OnnxRule


def largest(call: OnnxCall) -> Result:
    """Rule of `TopK`: sorts along one axis and gives so many values with their places."""
    shape = call.shape()
    axis = call.axis(call.number("axis", default=-1), rank=len(shape))
    count = call.listed("k", index=1) or (call.number("k", default=0),)
    if len(count) != 1 or not 1 <= count[0] <= shape[axis]:
        described = call.first_described
        if described is None:
            raise call.refuse(f"takes {count} of {shape[axis]} values")
        count = (described[axis],)
    output = (*shape[:axis], count[0], *shape[axis + 1 :])
    outputs = (output, output)[: max(1, len(call.node.outputs))]
    return Result(outputs=outputs, steps=(call.elementwise("sort", shape),))


def picked(call: OnnxCall) -> Result:
    """Rule of `GatherElements`: one value for each place."""
    return _taken(call, call.shape(1))


def picked_rows(call: OnnxCall) -> Result:
    """Rule of `GatherND`: the places are lists of indices."""
    data, places = call.shape(0), call.shape(1)
    alike = call.number("batch_dims", default=0)
    depth = places[-1] if places else 0
    if not 0 <= alike <= len(data) or not 1 <= depth <= len(data) - alike:
        raise call.refuse(f"its indices {places} do not fit its input {data}")
    return _taken(call, (*places[:-1], *data[alike + depth :]))


def _taken(call: OnnxCall, output: Shape) -> Result:
    """Return values picked from a tensor, which may be weights."""
    return Result(
        outputs=(output,), steps=(call.elementwise("copy", output, weights=call.take(0)),)
    )


def scattered(call: OnnxCall) -> Result:
    """Rule of `ScatterND`, `ScatterElements`, `Scatter`: its input with some values replaced."""
    return call.copied(call.shape())


def one_hot(call: OnnxCall) -> Result:
    """Rule of `OneHot`: a new axis as deep as there are classes."""
    places, depth = call.shape(0), call.integers(1)
    described = call.first_described
    if depth is None and described is not None:
        return call.copied(described)
    if depth is None or len(depth) != 1 or depth[0] < 1:
        raise call.refuse("the number of classes is not in the file")
    axis = call.axis(call.number("axis", default=-1), rank=len(places) + 1)
    return call.copied((*places[:axis], depth[0], *places[axis:]))


def sampled(call: OnnxCall) -> Result:
    """Rule of `GridSample`: a value between its neighbours for each point of a grid."""
    samples, channels, *spatial = call.shape()
    grid = call.shape(1)
    if len(grid) != len(spatial) + 2:
        raise call.refuse(f"its grid {grid} does not fit its input {call.shape()}")
    output: Shape = (samples, channels, *grid[1:-1])
    step = call.elementwise("interpolate", output, n_inputs=2 ** len(spatial))
    return Result(outputs=(output,), steps=(step,))


def regions(call: OnnxCall) -> Result:
    """Rule of `RoiAlign`: as many windows as there are regions, each of a fixed size."""
    samples, channels, _height, _width = call.shape(rank=4)
    call.check_batch(samples)
    count = call.shape(1)[0]
    size = (
        call.number("output_height", default=1), call.number("output_width", default=1),
    )  # fmt: skip
    if min(size) < 1:
        raise call.refuse(f"its windows would be {size}")
    output = (count, channels, *size)
    step = call.elementwise("interpolate", output, n_inputs=4)
    return Result(outputs=(output,), steps=(step,))


def counted(call: OnnxCall) -> Result:
    """Rule of `Range`: as many values as fit between two numbers, where that is known."""
    numbers = [call.integers(index) or call.fractions(index) for index in range(3)]
    known = [values[0] for values in numbers if values is not None and len(values) == 1]
    if len(known) != 3 or known[2] == 0:
        described = call.first_described
        if described is None:
            raise call.refuse("how many numbers it makes is not in the file")
        return call.copied(described)
    return call.copied((max(1, math.ceil((known[1] - known[0]) / known[2])),))


def grid(call: OnnxCall) -> Result:
    """Rule of `AffineGrid`: a place for each point of images of a given size."""
    samples = call.shape(0, rank=3)[0]
    sizes = call.integers(1)
    if sizes is None:
        return call.copied(*call.all_described())
    if len(sizes) not in (4, 5) or min(sizes) < 1:
        raise call.refuse(f"its images would be {sizes}")
    output: Shape = (samples, *sizes[2:], len(sizes) - 2)
    return Result(outputs=(output,), steps=(call.elementwise("add", output),))


def turned(call: OnnxCall) -> Result:
    """Rule of `Hardmax`, `ReverseSequence` and others that give as many values as they read."""
    shape = call.shape()
    return Result(outputs=(shape,), steps=(call.elementwise("copy", (math.prod(shape),)),))


RULES: dict[str, OnnxRule] = {
    "TopK": largest,
    "Range": counted,
    "GatherElements": picked,
    "GatherND": picked_rows,
    **dict.fromkeys(("ScatterND", "ScatterElements", "Scatter"), scattered),
    "OneHot": one_hot,
    "GridSample": sampled,
    "RoiAlign": regions,
    "AffineGrid": grid,
    **dict.fromkeys(
        (
            "Hardmax", "ReverseSequence", "EyeLike", "RandomNormalLike", "RandomUniformLike",
            "Bernoulli",
        ),
        turned,
    ),
}  # fmt: skip
