"""ONNX operations that give images another size: scaling, padding, and what undoes cutting.

Leaves to others: windows (`onnx_rules_layers`), cutting and joining (`onnx_rules_shape`).
"""

import math

from advisor.network.call import Result, Shape
from advisor.network.fields import MAX_DIMENSION, describe
from advisor.network.onnx_call import OnnxCall
from advisor.network.onnx_rules_layers import OnnxRule
from advisor.network.onnx_tensors import OnnxTensor


def _axes(call: OnnxCall, axes: Shape | None, *, rank: int) -> Shape:
    """Return the given axes as positions, all where none are given."""
    if not axes:
        return tuple(range(rank))
    positions = tuple(call.axis(axis, rank=rank) for axis in axes)
    if len(set(positions)) != len(positions):
        raise call.refuse(f"an axis stands twice in {axes}")
    return positions


def _bounded(call: OnnxCall, sizes: Shape) -> Shape:
    """Return sizes that a result can have."""
    if min(sizes, default=1) < 1 or max(sizes, default=1) > MAX_DIMENSION:
        raise call.refuse(f"its result would be {describe(sizes)}")
    return sizes


def pad(call: OnnxCall) -> Result:
    """Rule of `Pad`: values before and behind, of all axes or those given."""
    shape = call.shape()
    pads = call.listed("pads", index=1)
    chosen = call.integers(3) if call.has(3) else ()
    if pads is None or chosen is None:
        return call.copied(*call.all_described())
    axes = _axes(call, chosen, rank=len(shape))
    if len(pads) != 2 * len(axes):
        return call.copied(*call.all_described())
    sizes = list(shape)
    for place, axis in enumerate(axes):
        sizes[axis] += pads[place] + pads[place + len(axes)]
    if min(sizes, default=1) < 1:
        raise call.refuse("nothing is left of its input")
    return call.copied(_bounded(call, tuple(sizes)))


def resize(call: OnnxCall) -> Result:
    """Rule of `Resize`, `Upsample`: sizes or factors from the file, else what it describes."""
    shape = call.shape()
    axes = _axes(call, call.numbers("axes", default=()), rank=len(shape))
    output = list(shape)
    sizes, factors = call.integers(3), _factors(call)
    if sizes is not None and len(sizes) == len(axes):
        for axis, size in zip(axes, _fitted(call, sizes, axes), strict=True):
            # The first size is the batch, which may be another here.
            output[axis] = size if axis else shape[0]
        return call.copied(tuple(output))
    if factors is None or len(factors) != len(axes) or min(factors, default=0.0) <= 0.0:
        return call.copied(*call.all_described())
    for axis, factor in zip(axes, factors, strict=True):
        output[axis] = min(max(1, math.floor(shape[axis] * factor)), MAX_DIMENSION)
    return call.copied(tuple(output))


def _factors(call: OnnxCall) -> tuple[float, ...] | None:
    given = call.fractions(2 if call.has(2) else 1)
    listed = call.node.attributes.get("scales")
    if given is None and isinstance(listed, OnnxTensor):
        given = listed.fractions
    return None if given is None or not all(map(math.isfinite, given)) else given


def _fitted(call: OnnxCall, sizes: Shape, axes: Shape) -> Shape:
    """Return the sizes that are wanted, or those of the same proportions that fit in or around."""
    policy = call.text("keep_aspect_ratio_policy", default="stretch")
    if policy == "stretch":
        return _bounded(call, sizes)
    shape = call.shape()
    ratios = [size / shape[axis] for size, axis in zip(sizes, axes, strict=True)]
    _bounded(call, sizes)
    ratio = min(ratios) if policy == "not_larger" else max(ratios)
    return tuple(min(max(1, math.floor(shape[axis] * ratio + 0.5)), MAX_DIMENSION) for axis in axes)


def unpooled(call: OnnxCall) -> Result:
    """Rule of `MaxUnpool`: each value back in its place, the others zero."""
    samples, channels, *spatial = call.shape()
    rank = len(spatial)
    kernel = call.numbers("kernel_shape", default=None, length=rank)
    strides = call.numbers("strides", default=(1,) * rank, length=rank)
    pads = call.numbers("pads", default=(0,) * 2 * rank, length=2 * rank)
    stated = call.integers(2) if call.has(2) else None
    if call.has(2) and stated is None:
        return call.copied(*call.all_described())
    if stated is not None and len(stated) in (rank, rank + 2):
        sizes = stated[-rank:]
    else:
        sizes = tuple(
            (size - 1) * strides[i] + kernel[i] - pads[i] - pads[i + rank]
            for i, size in enumerate(spatial)
        )
    return call.copied(_bounded(call, (samples, channels, *sizes)))


def from_columns(call: OnnxCall) -> Result:
    """Rule of `Col2Im`: blocks that overlap are added up to an image."""
    samples, places, _count = call.shape(0, rank=3)
    image, block = call.integers(1), call.integers(2)
    if image is None or block is None:
        return call.copied(*call.all_described())
    size = math.prod(block)
    if len(image) != len(block) or min(*image, *block, 1) < 1 or places % size:
        raise call.refuse(f"its blocks {block} do not fit its input {call.shape()}")
    step = call.elementwise("add", call.shape())
    output = _bounded(call, (samples, places // size, *image))
    return Result(outputs=(output,), steps=(step,))


RULES: dict[str, OnnxRule] = {
    **dict.fromkeys(("Resize", "Upsample"), resize),
    "Pad": pad,
    "MaxUnpool": unpooled,
    "Col2Im": from_columns,
}
