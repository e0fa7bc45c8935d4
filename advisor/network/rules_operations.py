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
from advisor.network.fields import is_integer
from advisor.network.rules_merge import broadcast

_BINARY = (
    "add", "subtract", "multiply", "divide", "truedivide", "truediv", "sub", "mul", "maximum",
    "minimum", "power", "pow", "floordivide", "addv2", "realdiv", "squareddifference",
)  # fmt: skip
_UNARY = (
    "relu", "relu6", "sigmoid", "tanh", "exp", "log", "sqrt", "rsqrt", "square", "absolute", "abs",
    "negative", "neg", "softplus", "softsign", "silu", "swish", "gelu", "elu", "selu", "leakyrelu",
    "hardsigmoid", "hardsilu", "hardswish", "erf", "cast", "clip", "clipbyvalue", "logsigmoid",
    "sin", "cos", "reciprocal", "sign", "floor", "round", "identity", "stopgradient", "celu",
    "sparsesoftmax", "hardtanh", "tanhshrink", "softshrink", "hardshrink", "log1p", "expm1",
)  # fmt: skip
_REDUCING = ("mean", "sum", "max", "min", "reducemean", "reducesum", "reducemax", "reducemin")
_RENAMING = ("reshape", "squeeze", "expanddims")
_MOVING = (
    "transpose", "getitem", "pad", "stack", "tile", "repeat", "concat", "flip", "take", "roll",
    "broadcastto", "concatenate", "split", "unstack", "swapaxes", "moveaxis",
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


def _recorded(call: Call) -> tuple[Shape, ...]:
    return tuple(shape for shape in call.declared if shape is not None)


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
    return Result(outputs=_recorded(call) or (output,), steps=(step,))


def _matrix_product(call: Call) -> Result:
    if len(call.inputs) < 2 or len(call.inputs[0]) < 2 or len(call.inputs[1]) < 2:
        raise call.fields.refuse(f"a matrix product of {call.inputs} is not supported")
    (*outer, m, k), (*_other, k_too, n) = call.inputs[:2]
    if k != k_too:
        raise call.fields.refuse(f"its inputs do not fit together: {call.inputs}")
    output = (*outer, m, n)
    gemm = GemmShape(m=m, n=n, k=k, batch=call.batch * math.prod(outer))
    return Result(outputs=(output,), steps=(Step(shape=gemm, elements=call.total(output)),))


def _renamed(call: Call) -> Result:
    return Result(outputs=_recorded(call))


def _moved(call: Call) -> Result:
    recorded = _recorded(call)
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
    }
    if _recorded(call):
        rules |= {**dict.fromkeys(_RENAMING, _renamed), **dict.fromkeys(_MOVING, _moved)}
    return rules.get(name)
