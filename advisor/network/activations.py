"""Activation functions, as layers of their own or as an argument of another layer.

Leaves to others: what each costs (`advisor.predict`).
"""

import re

from advisor.model.kernel import SoftmaxShape, UnknownShape
from advisor.network.call import Call, Result, Shape, Step, axis_position
from advisor.network.fields import describe, plain_name

_SOFTMAX = ("softmax", "log_softmax")

# Layers that are one activation; the name of the elementwise operation.
_LAYERS = {
    "ReLU": "relu",
    "LeakyReLU": "leaky_relu",
    "ELU": "elu",
    "ThresholdedReLU": "thresholded_relu",
}
# What Keras 2 and 3 know by name (keras.activations, PyPI: keras 3.15).
_KNOWN = frozenset(
    {
        *_SOFTMAX, *_LAYERS.values(), "celu", "elu", "exponential", "gelu", "glu", "hard_shrink",
        "hard_sigmoid", "hard_silu", "hard_swish", "hard_tanh", "leaky_relu", "linear",
        "log_sigmoid", "mish", "prelu", "relu", "relu6", "selu", "sigmoid", "silu", "soft_shrink",
        "softplus", "softsign", "sparse_plus", "sparse_sigmoid", "sparsemax", "squareplus",
        "swish", "tanh", "tanh_shrink", "threshold",
    }
)  # fmt: skip


def _snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().replace("re_lu", "relu")


def activation_name(call: Call, *, entry: str = "activation") -> str:
    """Return the name of the activation in an entry; "linear" when there is none."""
    value = call.fields.raw(entry)
    if value is None:
        return "linear"
    if isinstance(value, str):
        return _snake_case(value)
    if isinstance(value, dict):
        inner = value.get("config")
        # Code that stands in the file, an unnamed function, has no class there.
        is_code = "value" in value and "class_name" not in value
        name = inner if isinstance(inner, str) else value.get("class_name", "lambda" * is_code)
        if isinstance(name, str):
            return _snake_case(plain_name(name))
    raise call.fields.refuse(f"{entry!r} must name a function, found {describe(value)}")


def softmax_step(call: Call, shape: Shape, *, position: int) -> Step:
    """Return a softmax along one dimension of a per-sample shape."""
    elements = call.total(shape)
    columns = shape[position] if shape else 1
    return Step(
        shape=SoftmaxShape(rows=elements // max(columns, 1), columns=columns), elements=elements
    )


def activation_steps(call: Call, name: str, shape: Shape) -> tuple[Step, ...]:
    """Return the step of an activation on a tensor: none for "linear"."""
    if name == "linear":
        return ()
    if name in _SOFTMAX:
        return (softmax_step(call, shape, position=-1),)
    return (call.elementwise(name, shape),)


def fused_activation(call: Call, shape: Shape) -> tuple[Step, ...]:
    """Return the step of the `activation` argument of a layer with output `shape`."""
    name = activation_name(call)
    if name not in _KNOWN:
        elements = call.total(shape)
        return (Step(shape=UnknownShape(layer_type=name, elements=elements), elements=elements),)
    return activation_steps(call, name, shape)


def note_of_activation(call: Call) -> str | None:
    """Return a sentence where the `activation` of a layer is no function of Keras, else None."""
    if not isinstance(call.fields.raw("activation"), str | dict):
        return None
    name = activation_name(call)
    if name in _KNOWN:
        return None
    return f"{call.fields.where}: the function {name} is not known and counts as an addition."


def activation(call: Call) -> Result:
    """Rule of `Activation`."""
    return Result(outputs=(call.input,), steps=fused_activation(call, call.input))


def activation_layer(call: Call) -> Result:
    """Rule of `ReLU`, `LeakyReLU`, `ELU`, `ThresholdedReLU`."""
    step = call.elementwise(_LAYERS[call.class_name], call.input)
    return Result(outputs=(call.input,), steps=(step,))


def softmax(call: Call) -> Result:
    """Rule of `Softmax`; its axis may be a list of axes."""
    axis = call.fields.raw("axis", default=-1)
    axes = axis if isinstance(axis, list) else [axis]
    positions = [
        axis_position(call, a, shape=call.input)
        for a in call.fields.sequence_of_integers("axis", axes)
    ]
    if len(positions) == 1:
        step = softmax_step(call, call.input, position=positions[0])
        return Result(outputs=(call.input,), steps=(step,))
    columns = 1
    for position in positions:
        columns *= call.input[position]
    elements = call.total(call.input)
    shape = SoftmaxShape(rows=elements // max(columns, 1), columns=columns)
    return Result(outputs=(call.input,), steps=(Step(shape=shape, elements=elements),))


def prelu(call: Call) -> Result:
    """Rule of `PReLU`: one slope for each value, shared along `shared_axes`."""
    shared = call.fields.raw("shared_axes") or []
    shared = [shared] if isinstance(shared, int) else shared
    positions = {
        axis_position(call, a, shape=call.input)
        for a in call.fields.sequence_of_integers("shared_axes", shared)
    }
    slopes = 1
    for position, size in enumerate(call.input):
        slopes *= 1 if position in positions else size
    step = call.elementwise("prelu", call.input)
    with_slopes = Step(shape=step.shape, elements=step.elements, weights=(slopes,))
    return Result(outputs=(call.input,), steps=(with_slopes,))


RULES = {
    "Activation": activation,
    **dict.fromkeys(_LAYERS, activation_layer),
    "Softmax": softmax,
    "PReLU": prelu,
}
