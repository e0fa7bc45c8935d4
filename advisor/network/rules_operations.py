"""Operations written into a model outside of layers: `keras.ops` and TensorFlow functions.

In a file they look like layers ("Multiply", "GetItem", "TFOpLambda"). Output shapes come from the
file where it records them; what cannot be told is left to `advisor.network.dispatch.unknown`.
Leaves to others: real layers.
"""

import math
import re

from advisor.model.kernel import GemmShape, PoolShape
from advisor.network.activations import activation_steps, softmax_step
from advisor.network.call import Call, Result, Rule, Step, axis_position
from advisor.network.einsum import product_sizes
from advisor.network.fields import is_integer
from advisor.network.rules_attention import product_attention
from advisor.network.rules_merge import broadcast

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
    "amin", "prod", "any", "all", "var", "std", "logsumexp", "argmax", "argmin",
)  # fmt: skip
_RENAMING = ("reshape", "squeeze", "expanddims")
_MOVING = (
    "transpose", "getitem", "pad", "stack", "tile", "repeat", "concat", "flip", "take", "roll",
    "broadcastto", "concatenate", "split", "unstack", "swapaxes", "moveaxis", "takealongaxis",
    "topk", "resize", "extractpatches", "diagonal", "tril", "triu",
)  # fmt: skip


def is_operation(call: Call) -> bool:
    """Tell whether a call is of an operation whose name a layer has too ("Reshape")."""
    renamed = call.class_name == "Reshape" and call.fields.raw("target_shape") is None
    lists = call.class_name == "Concatenate" and not isinstance(
        call.fields.raw("axis", default=-1), int
    )
    return renamed or lists


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
    output = broadcast(call, call.inputs)
    op = _operation_name(call)
    return Result(
        outputs=(output,), steps=(call.elementwise(op, output, n_inputs=len(call.inputs)),)
    )


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
    if listed is None:
        positions = set(range(len(call.input)))
    else:
        entries = call.fields.sequence_of_integers("axis", listed)
        positions = {axis_position(call, entry, shape=call.input) for entry in entries}
    keeps = call.fields.flag("keepdims", default=False)
    kept = [(1 if p in positions else n) for p, n in enumerate(call.input)]
    output = tuple(n for p, n in enumerate(kept) if keeps or p not in positions)
    columns = math.prod(call.input[p] for p in positions)
    channels = math.prod(call.input) // max(columns, 1)
    mode = "max" if _operation_name(call).endswith(("max", "min")) else "average"
    shape = PoolShape(
        mode=mode, n=call.batch, c=channels, spatial=(columns,), kernel=(columns,),
        strides=(columns,), output=(1,),
    )  # fmt: skip
    step = Step(shape=shape, elements=call.batch * channels)
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


def _einsum(call: Call) -> Result:
    """Rule of `keras.ops.einsum` of two tensors that share their batch."""
    output, sizes, terms = _letters(call)
    found = product_sizes(*terms, kept=output, sizes=sizes)
    shape = tuple(sizes[letter] for letter in output)
    if set(terms[0]) | set(terms[1]) <= set(output):
        return Result(outputs=(shape,), steps=(call.elementwise("multiply", shape, n_inputs=2),))
    gemm = GemmShape(m=found.rows, n=found.columns, k=found.inner, batch=call.batch * found.alone)
    return Result(outputs=(shape,), steps=(Step(shape=gemm, elements=call.total(shape)),))


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
    if name == "matmul" and not _is_product(call):
        return None  # of a constant written in the file, or across the batch
    if call.recorded:
        rules |= {**dict.fromkeys(_RENAMING, _renamed), **dict.fromkeys(_MOVING, _moved)}
    return rules.get(name)
