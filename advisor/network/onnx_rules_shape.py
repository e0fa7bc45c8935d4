"""ONNX operations on single values and on arrangement.

Leaves to others: operations with weights (`onnx_rules_layers`), other sizes of images
(`onnx_rules_resize`), lists of sizes known from the file (`onnx_folding`).
"""

import math

from advisor.model.kernel import PoolShape
from advisor.network.call import Result, Step
from advisor.network.onnx_call import OnnxCall
from advisor.network.onnx_rules_layers import OnnxRule, broadcast, look_up

_UNARY = (
    "Relu", "Sigmoid", "Tanh", "LeakyRelu", "Elu", "Selu", "Gelu", "HardSigmoid", "HardSwish",
    "Mish", "Softplus", "Softsign", "ThresholdedRelu", "Celu", "Exp", "Log", "Sqrt", "Abs", "Neg",
    "Reciprocal", "Erf", "Floor", "Ceil", "Round", "Sign", "Sin", "Cos", "Tan", "Not", "IsNaN",
    "Asin", "Acos", "Atan", "Sinh", "Cosh", "Asinh", "Acosh", "Atanh", "BitwiseNot", "Shrink",
    "IsInf", "Clip", "Cast", "CastLike", "QuantizeLinear", "DequantizeLinear",
    "Swish", "CumSum", "CumProd", "Trilu",
)  # fmt: skip
_BINARY = (
    "Add", "Sub", "Mul", "Div", "Pow", "Mod", "And", "Or", "Xor", "Equal", "Greater", "Less",
    "GreaterOrEqual", "LessOrEqual", "Max", "Min", "Sum", "Mean", "Where", "BitShift",
    "BitwiseAnd", "BitwiseOr", "BitwiseXor",
)  # fmt: skip
_REDUCING = (
    "ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2",
    "ReduceLogSumExp", "ReduceSumSquare", "ReduceLogSum",
)  # fmt: skip
_NAMES = {"Gelu": "gelu", "Mul": "multiply", "Sub": "subtract", "Div": "divide"}


def _op(call: OnnxCall) -> str:
    return _NAMES.get(call.node.op_type, call.node.op_type.lower())


def unary(call: OnnxCall) -> Result:
    """Rule of operations on each value of one tensor."""
    shape = call.shape()
    return Result(outputs=(shape,), steps=(call.elementwise(_op(call), shape),))


def binary(call: OnnxCall) -> Result:
    """Rule of operations on values of several tensors; constants of the file are weights."""
    indices = tuple(index for index in range(len(call.inputs)) if call.has(index))
    output = broadcast(call, *indices)
    is_scalar = [
        math.prod(call.shape(index)) == 1 and not _is_bias(call, index) for index in indices
    ]
    weights = call.take(*(i for i, scalar in zip(indices, is_scalar, strict=True) if not scalar))
    n_inputs = max(1, len(indices) - sum(is_scalar))
    step = call.elementwise(_op(call), output, n_inputs=n_inputs, weights=weights)
    return Result(outputs=(output,), steps=(step,))


def _is_bias(call: OnnxCall, index: int) -> bool:
    """Whether an input is the bias of a product with one result, not just a number."""
    is_added = call.node.op_type == "Add" and call.shape(index) == (1,)
    others = (value for i, value in enumerate(call.inputs) if i != index and value is not None)
    return is_added and any(
        value.made_by.startswith("MatMul") and value.shape[-1:] == (1,) for value in others
    )


def prelu(call: OnnxCall) -> Result:
    """Rule of `PRelu`: a slope for each channel."""
    step = call.elementwise("prelu", call.shape(), weights=call.take(1))
    return Result(outputs=(call.shape(),), steps=(step,))


def reduced(call: OnnxCall) -> Result:
    """Rule of `ReduceMean` and its kind."""
    shape = call.shape()
    axes = call.listed("axes", index=1)
    keeps = call.number("keepdims", default=1) == 1
    if not axes and call.number("noop_with_empty_axes", default=0) == 1:
        return call.renamed(shape)
    positions = {call.axis(axis, rank=len(shape)) for axis in axes or range(len(shape))}
    output = tuple(
        1 if p in positions else size for p, size in enumerate(shape) if keeps or p not in positions
    )
    columns = math.prod(shape[p] for p in positions)
    rows = call.count(math.prod(shape) // max(columns, 1))
    samples = call.batch if rows % call.batch == 0 else 1
    pool = PoolShape(
        mode="max" if "Max" in call.node.op_type else "average", n=samples, c=rows // samples,
        spatial=(columns,), kernel=(columns,), strides=(columns,), output=(1,),
    )  # fmt: skip
    return Result(outputs=(output,), steps=(Step(shape=pool, elements=rows),))


def passing(call: OnnxCall) -> Result:
    """Rule of `Identity` and its kind."""
    return call.renamed(call.shape())


def dropout(call: OnnxCall) -> Result:
    """Rule of `Dropout`: at work only in training."""
    shape = call.shape()
    outputs = (shape,) * max(1, len(call.node.outputs))
    steps = (call.elementwise("dropout", shape),) if call.is_training else ()
    return Result(outputs=outputs, steps=steps)


def reshape(call: OnnxCall) -> Result:
    """Rule of `Reshape`."""
    shape = call.shape()
    target = call.listed("shape", index=1)
    if target is None:
        return call.renamed(*call.all_described())
    sizes = list(target)
    for position, size in enumerate(sizes):
        if size == 0 and call.number("allowzero", default=0) == 0 and position < len(shape):
            sizes[position] = shape[position]
    elements = math.prod(shape)
    known = math.prod(size for size in sizes if size != -1)
    if sizes.count(-1) == 1 and known > 0 and elements % known == 0:
        sizes[sizes.index(-1)] = elements // known
    if math.prod(sizes) != elements or min(sizes, default=1) < 1:
        raise call.refuse(f"cannot reshape {shape} to {target}")
    return call.renamed(tuple(sizes))


def flatten(call: OnnxCall) -> Result:
    """Rule of `Flatten`."""
    shape = call.shape()
    axis = call.number("axis", default=1)
    position = axis + len(shape) if axis < 0 else axis
    return call.renamed((math.prod(shape[:position]), math.prod(shape[position:])))


def transpose(call: OnnxCall) -> Result:
    """Rule of `Transpose`."""
    shape = call.shape()
    order = call.numbers("perm", default=tuple(reversed(range(len(shape)))))
    if sorted(order) != list(range(len(shape))):
        raise call.refuse(f"'perm' {order} does not fit its input {shape}")
    return call.copied(tuple(shape[p] for p in order))


def squeeze(call: OnnxCall) -> Result:
    """Rule of `Squeeze`."""
    shape = call.shape()
    axes = call.listed("axes", index=1)
    if axes is None:
        return call.renamed(tuple(size for size in shape if size != 1))
    positions = {call.axis(axis, rank=len(shape)) for axis in axes}
    return call.renamed(tuple(size for p, size in enumerate(shape) if p not in positions))


def unsqueeze(call: OnnxCall) -> Result:
    """Rule of `Unsqueeze`."""
    shape = call.shape()
    axes = call.listed("axes", index=1) or ()
    rank = len(shape) + len(axes)
    positions = {call.axis(axis, rank=rank) for axis in axes}
    rest = iter(shape)
    return call.renamed(tuple(1 if p in positions else next(rest) for p in range(rank)))


def concat(call: OnnxCall) -> Result:
    """Rule of `Concat`."""
    shapes = [call.shape(index) for index in range(len(call.inputs))]
    axis = call.axis(call.number("axis", default=0), rank=len(call.shape()))
    if any(len(shape) != len(shapes[0]) for shape in shapes):
        raise call.refuse(f"its inputs do not fit together: {shapes[0]}, {shapes[-1]}")
    output = list(shapes[0])
    output[axis] = sum(shape[axis] for shape in shapes)
    # A token that is learned; what is filled with one number is padding.
    learned = (i for i in range(len(shapes)) if not call.given(i).is_filled)
    return call.copied(tuple(output), weights=call.take(*learned))


def joined_list(call: OnnxCall) -> Result:
    """Rule of `ConcatFromSequence`: what a list holds, maybe along a new axis."""
    if call.number("new_axis", default=0) != 1:
        return concat(call)
    shapes = {call.shape(index) for index in range(len(call.inputs))}
    if len(shapes) != 1:
        raise call.refuse(f"its inputs do not fit together: {min(shapes)}, {max(shapes)}")
    shape = call.shape()
    axis = call.axis(call.number("axis", default=0), rank=len(shape) + 1)
    output = (*shape[:axis], len(call.inputs), *shape[axis:])
    return call.copied(output, weights=call.take(*range(len(call.inputs))))


def split(call: OnnxCall) -> Result:
    """Rule of `Split`: into the given sizes, or equal ones."""
    shape = call.shape()
    count = max(1, len(call.node.outputs))
    axis = call.axis(call.number("axis", default=0), rank=len(shape))
    if call.has(1) and call.integers(1) is None:
        return call.copied(*call.all_described())
    equal = -(-shape[axis] // count)
    sizes = call.listed("split", index=1) or (
        *(equal,) * (count - 1), shape[axis] - equal * (count - 1)
    )  # fmt: skip
    if len(sizes) != count or sum(sizes) != shape[axis] or min(sizes) < 1:
        raise call.refuse(f"cannot split {shape} into {sizes}")
    return call.copied(*((*shape[:axis], size, *shape[axis + 1 :]) for size in sizes))


def cut(call: OnnxCall) -> Result:
    """Rule of `Slice`, with sizes from the file; otherwise what the file says of its result."""
    shape = list(call.shape())
    starts, ends = call.listed("starts", index=1), call.listed("ends", index=2)
    axes = call.listed("axes", index=3)
    steps = call.listed("steps", index=4)
    if starts is None or ends is None:
        return call.copied(*call.all_described())
    axes = axes if axes is not None else tuple(range(len(starts)))
    steps = steps if steps is not None else (1,) * len(starts)
    if not len(starts) == len(ends) == len(axes) == len(steps) or 0 in steps:
        raise call.refuse("starts, ends, axes and steps do not fit together")
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        position = call.axis(axis, rank=len(shape))
        shape[position] = len(range(*slice(start, end, step).indices(shape[position])))
    if min(shape, default=1) < 1:
        raise call.refuse("nothing is left of its input")
    return call.copied(tuple(shape))


def gather(call: OnnxCall) -> Result:
    """Rule of `Gather`: an embedding where it looks rows up in weights."""
    axis = call.axis(call.number("axis", default=0), rank=max(1, len(call.shape())))
    table = call.given(0)
    if table.weights and axis == 0 and len(table.shape) > 1:
        return look_up(call)
    shape = call.shape()
    output = (*shape[:axis], *call.shape(1), *shape[axis + 1 :])
    return call.copied(output, weights=call.take(0))


def expand(call: OnnxCall) -> Result:
    """Rule of `Expand`: a shape to broadcast to."""
    target = call.listed("shape", index=1)
    if target is None:
        return call.copied(*call.all_described())
    shape = call.shape()
    rank = max(len(shape), len(target))
    both = [(1,) * (rank - len(x)) + tuple(x) for x in (shape, target)]
    return call.copied(tuple(max(pair) for pair in zip(*both, strict=True)))


def tile(call: OnnxCall) -> Result:
    """Rule of `Tile`."""
    repeats = call.listed("repeats", index=1)
    shape = call.shape()
    if repeats is None or len(repeats) != len(shape) or min(repeats, default=1) < 1:
        return call.copied(*call.all_described())
    return call.copied(tuple(size * times for size, times in zip(shape, repeats, strict=True)))


def to_space(call: OnnxCall) -> Result:
    """Rule of `DepthToSpace` and `SpaceToDepth`."""
    samples, channels, height, width = call.shape(rank=4)
    block = max(1, call.number("blocksize", default=1))
    if call.node.op_type == "DepthToSpace":
        return call.copied((samples, channels // block**2, height * block, width * block))
    return call.copied((samples, channels * block**2, height // block, width // block))


def chosen(call: OnnxCall) -> Result:
    """Rule of `ArgMax`, `ArgMin`: as a reduction of one axis."""
    shape = call.shape()
    axis = call.axis(call.number("axis", default=0), rank=len(shape))
    keeps = call.number("keepdims", default=1) == 1
    output = (*shape[:axis], *((1,) if keeps else ()), *shape[axis + 1 :])
    return Result(outputs=(output,), steps=(call.elementwise("argmax", shape),))


RULES: dict[str, OnnxRule] = {
    **dict.fromkeys(_UNARY, unary),
    **dict.fromkeys(_BINARY, binary),
    **dict.fromkeys(_REDUCING, reduced),
    **dict.fromkeys(("Identity", "Shape", "Size"), passing),
    **dict.fromkeys(("ArgMax", "ArgMin"), chosen),
    **dict.fromkeys(("DepthToSpace", "SpaceToDepth"), to_space),
    "Dropout": dropout,
    "PRelu": prelu,
    "Reshape": reshape,
    "Flatten": flatten,
    "Transpose": transpose,
    "Squeeze": squeeze,
    "Unsqueeze": unsqueeze,
    "Concat": concat,
    "ConcatFromSequence": joined_list,
    "Split": split,
    "Slice": cut,
    "Gather": gather,
    "Expand": expand,
    "Tile": tile,
}
