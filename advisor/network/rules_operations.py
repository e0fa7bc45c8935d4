"""Operations written into a model outside of layers: `keras.ops` and TensorFlow functions.

In a file they look like layers ("Multiply", "GetItem", "TFOpLambda"). Output shapes come from the
file where it records them; what cannot be told is left to `advisor.network.dispatch.unknown`.
Leaves to others: real layers.
"""

import math
import re

from advisor.model.kernel import GemmShape, PoolShape
from advisor.network.activations import activation_steps, softmax_step
from advisor.network.call import Call, Result, Rule, Shape, Step, axis_position
from advisor.network.einsum import product_sizes
from advisor.network.fields import is_integer
from advisor.network.rules_attention import product_attention
from advisor.network.rules_merge import broadcast, concatenate

# Two terms of letters and their result: "btd,bsd->bts".
_EINSUM = re.compile(r"([a-zA-Z]{1,16}),([a-zA-Z]{1,16})->([a-zA-Z]{1,16})")
_BINARY = (
    "add", "subtract", "multiply", "divide", "truedivide", "truediv", "sub", "mul", "maximum",
    "minimum", "power", "pow", "floordivide", "addv2", "realdiv", "squareddifference",
    "mod", "floormod", "equal", "notequal", "greater", "greaterequal", "less", "lessequal",
    "logicaland", "logicalor", "logicalxor", "where", "arctan2",
)  # fmt: skip
_UNARY = (
    "relu", "relu6", "sigmoid", "tanh", "exp", "log", "sqrt", "rsqrt", "square", "absolute", "abs",
    "negative", "neg", "softplus", "softsign", "silu", "swish", "gelu", "elu", "selu", "leakyrelu",
    "hardsigmoid", "hardsilu", "hardswish", "erf", "cast", "clip", "clipbyvalue", "logsigmoid",
    "sin", "cos", "reciprocal", "sign", "floor", "round", "identity", "stopgradient", "celu",
    "sparsesoftmax", "hardtanh", "tanhshrink", "softshrink", "hardshrink", "log1p", "expm1",
    "zeroslike", "oneslike", "cumsum", "cumprod", "argsort", "sort", "isnan", "isinf", "isfinite",
    "logicalnot", "ceil", "trunc", "tan", "arctan", "sinh", "cosh", "threshold",
)  # fmt: skip
_REDUCING = (
    "mean", "sum", "max", "min", "reducemean", "reducesum", "reducemax", "reducemin", "amax",
    "amin", "average", "prod", "any", "all", "var", "std", "logsumexp", "argmax", "argmin",
)  # fmt: skip
_RENAMING = ("reshape", "squeeze", "expanddims")
_MOVING = (
    "transpose", "getitem", "pad", "stack", "tile", "repeat", "concat", "flip", "take", "roll",
    "broadcastto", "concatenate", "split", "unstack", "swapaxes", "moveaxis", "takealongaxis",
    "topk", "resize", "extractpatches", "diagonal", "tril", "triu",
)  # fmt: skip


def is_operation(call: Call) -> bool:
    """Tell whether a call is of an operation whose name a layer has too ("Reshape").

    Where the file does not say which, what it states tells.
    """
    renamed = call.class_name == "Reshape" and call.fields.raw("target_shape") is None
    lists = call.class_name == "Concatenate" and not isinstance(
        call.fields.raw("axis", default=-1), int
    )
    return call.is_operation or renamed or lists


def _operation_name(call: Call) -> str:
    """Return "truediv" for the layer "math.truediv" and for the operation "TrueDiv"."""
    function = call.fields.raw("function")
    name = call.class_name
    if name in ("TFOpLambda", "SlicingOpLambda", "TensorFlowOpLayer"):
        name = (
            function if isinstance(function, str) else str(call.fields.raw("node_def", default=""))
        )
    return re.sub(r"[^a-z0-9]", "", name.rsplit(".", maxsplit=1)[-1].lower())


def _binary(call: Call) -> Result:
    output = _with_constants(call, broadcast(call, call.inputs))
    op = _operation_name(call)
    return Result(
        outputs=(output,), steps=(call.elementwise(op, output, n_inputs=len(call.inputs)),)
    )


def _with_constants(call: Call, shape: Shape) -> Shape:
    """Return the recorded shape where constants of the file make the result larger than `shape`."""
    for recorded in call.recorded[:1]:
        common = recorded[len(recorded) - len(shape) :]
        if len(recorded) >= len(shape) and all(
            size in (1, wanted) for size, wanted in zip(shape, common, strict=True)
        ):
            return recorded
    return shape


def _unary(call: Call) -> Result:
    return Result(
        outputs=(call.input,), steps=activation_steps(call, _operation_name(call), call.input)
    )


def _softmax(call: Call) -> Result:
    axis = call.fields.raw("axis", default=-1)
    position = axis_position(call, axis if is_integer(axis) else -1, shape=call.input)
    return Result(outputs=(call.input,), steps=(softmax_step(call, call.input, position=position),))


def _reduced(call: Call) -> Result:
    axis = call.fields.raw("axis")
    listed = [axis] if is_integer(axis) else axis
    samples = 1
    if listed is None:
        positions = set(range(len(call.input)))
    else:
        entries = call.fields.sequence_of_integers("axis", listed)
        own = [entry for entry in entries if entry not in (0, -1 - len(call.input))]
        samples = 1 if len(own) == len(entries) else call.batch
        positions = {axis_position(call, entry, shape=call.input) for entry in own}
    keeps = call.fields.flag("keepdims", default=False)
    kept = [(1 if p in positions else n) for p, n in enumerate(call.input)]
    output = tuple(n for p, n in enumerate(kept) if keeps or p not in positions)
    channels = math.prod(n for p, n in enumerate(call.input) if p not in positions)
    # Along the batch all samples are one.
    columns = samples * (math.prod(call.input) // max(channels, 1))
    mode = "max" if _operation_name(call).endswith(("max", "min")) else "average"
    shape = PoolShape(
        mode=mode, n=call.batch // samples, c=channels, spatial=(columns,), kernel=(columns,),
        strides=(columns,), output=(1,),
    )  # fmt: skip
    step = Step(shape=shape, elements=call.batch // samples * channels)
    return Result(outputs=call.recorded or (output,), steps=(step,))


def _is_product(call: Call) -> bool:
    """Whether both matrices are inputs, each with rows and columns in every sample."""
    return len(call.inputs) > 1 and all(len(shape) > 1 for shape in call.inputs[:2])


def _matrix_product(call: Call) -> Result:
    (*outer, m, k), (*_other, k_too, n) = call.inputs[:2]
    if k != k_too:
        raise call.fields.refuse(f"its inputs do not fit together: {call.inputs}")
    output = (*outer, m, n)
    gemm = GemmShape(m=m, n=n, k=k, batch=call.batch * math.prod(outer))
    return Result(outputs=(output,), steps=(Step(shape=gemm, elements=call.total(output)),))


def _product_rank(call: Call) -> int:
    """Return the inner size of a product with a constant matrix on the right; 0: it is no such."""
    name, axes = _operation_name(call), call.fields.raw("axes")
    if name == "tensordot" and axes not in (1, [[len(call.input)], [0]], [[-1], [0]]):
        return 0
    is_right = any(
        len(recorded) == len(call.input) > 0 and recorded[:-1] == call.input[:-1]
        for recorded in call.recorded[:1]
    )
    return call.input[-1] if is_right else 0


def _constant_product(call: Call) -> Result:
    """Rule of a product with a matrix that is written in the file, which is no weight."""
    output = call.recorded[0]
    gemm = GemmShape(m=call.total(output[:-1]), n=output[-1], k=_product_rank(call))
    return Result(outputs=(output,), steps=(Step(shape=gemm, elements=call.total(output)),))


def _einsum(call: Call) -> Result:
    """Rule of `keras.ops.einsum` of two tensors that share their batch."""
    output, sizes, terms = _letters(call)
    found = product_sizes(*terms, kept=output, sizes=sizes)
    shape = tuple(sizes[letter] for letter in output)
    if set(terms[0]) | set(terms[1]) <= set(output):
        return Result(outputs=(shape,), steps=(call.elementwise("multiply", shape, n_inputs=2),))
    gemm = GemmShape(m=found.rows, n=found.columns, k=found.inner, batch=call.batch * found.alone)
    return Result(outputs=(shape,), steps=(Step(shape=gemm, elements=call.total(shape)),))


def _constant_einsum(call: Call) -> Result | None:
    """Return an einsum of one tensor and a constant of the file; None: its sizes are not known."""
    found = _EINSUM.fullmatch(str(call.fields.raw("subscripts")).replace(" ", ""))
    if found is None or not call.recorded:
        return None
    first, second, output = found.groups()
    made = call.recorded[0]
    for data, constant in ((first, second), (second, first)):
        fits = data[0] == output[0] and len(data) - 1 == len(call.input)
        if not fits or len(output) - 1 != len(made):
            continue
        sizes = {**dict(zip(output[1:], made, strict=True)),
                 **dict(zip(data[1:], call.input, strict=True))}  # fmt: skip
        if all(letter in sizes for letter in constant):
            part = product_sizes(data[1:], constant, kept=output[1:], sizes=sizes)
            gemm = GemmShape(
                m=call.batch * part.rows, n=part.columns, k=part.inner, batch=part.alone
            )
            return Result(outputs=(made,), steps=(Step(shape=gemm, elements=call.total(made)),))
    return None


def _is_plain_einsum(call: Call) -> bool:
    """Whether two inputs and the result all begin with the same letter, that of the batch."""
    equation = call.fields.raw("subscripts")
    if not isinstance(equation, str) or len(call.inputs) != 2:
        return False
    found = _EINSUM.fullmatch(equation.replace(" ", ""))
    if found is None:
        return False
    lengths = [len(term) - 1 for term in found.groups()[:2]]
    has_batch = len({term[0] for term in found.groups()}) == 1
    return has_batch and lengths == [len(shape) for shape in call.inputs]


def _letters(call: Call) -> tuple[str, dict[str, int], tuple[str, str]]:
    """Return the letters of the result, the size of each, and those of both inputs; no batch."""
    found = _EINSUM.fullmatch(str(call.fields.raw("subscripts")).replace(" ", ""))
    assert found is not None
    first, second, output = (term[1:] for term in found.groups())
    sizes: dict[str, int] = {}
    for letters, shape in zip((first, second), call.inputs, strict=True):
        for letter, size in zip(letters, shape, strict=True):
            if 1 not in (size, sizes.setdefault(letter, size)) and sizes[letter] != size:
                raise call.fields.refuse(f"its inputs do not fit together: {call.inputs}")
            sizes[letter] = max(size, sizes[letter])
    if not set(output) <= set(sizes):
        raise call.fields.refuse(f"its result has dimensions that no input has: {output!r}")
    return output, sizes, (first, second)


def _renamed(call: Call) -> Result:
    return Result(outputs=call.recorded)


def _moved(call: Call) -> Result:
    recorded = call.recorded
    elements = sum(math.prod(shape) for shape in recorded)
    return Result(
        outputs=recorded,
        steps=(call.elementwise("copy", (elements,), n_inputs=len(call.inputs)),),
    )


def find_rule(call: Call) -> Rule | None:
    """Return the rule of an operation, None when it has none or its result's shape is unknown."""
    name = _operation_name(call)
    rules: dict[str, Rule] = {
        **dict.fromkeys(_BINARY, _binary),
        **dict.fromkeys(_UNARY, _unary),
        **dict.fromkeys(_REDUCING, _reduced),
        "softmax": _softmax,
        "logsoftmax": _softmax,
        "matmul": _matrix_product,
        "dotproductattention": product_attention,
    }
    if name == "einsum" and _is_plain_einsum(call):
        return _einsum
    if name == "einsum" and len(call.inputs) == 1:
        made = _constant_einsum(call)
        return None if made is None else lambda _call: made
    if name in ("matmul", "dot", "tensordot") and len(call.inputs) == 1:
        return _constant_product if _product_rank(call) else None
    if name == "matmul" and not _is_product(call):
        return None  # across the batch
    if name == "concatenate" and len(call.inputs) > 1 and is_integer(call.fields.raw("axis")):
        rules["concatenate"] = concatenate
    if call.recorded:
        rules |= {**dict.fromkeys(_RENAMING, _renamed), **dict.fromkeys(_MOVING, _moved)}
    return rules.get(name)
