"""Operations written into a model outside of layers: `keras.ops` and TensorFlow functions.

In a file they look like layers ("Multiply", "GetItem", "TFOpLambda"). Output shapes come from the
file where it records them; what cannot be told is left to `advisor.network.dispatch.unknown`.
Leaves to others: real layers.
"""

import math
import re
from collections.abc import Callable
from dataclasses import replace

from advisor.model.kernel import NormShape, PoolShape
from advisor.network.activations import activation_steps, softmax_step
from advisor.network.call import Call, Result, Rule, Shape, Step, axis_position
from advisor.network.fields import Fields, is_integer
from advisor.network.operation_names import BINARY, MIDDLING, REDUCING, SORTING, UNARY
from advisor.network.rules_attention import product_attention
from advisor.network.rules_audio import halvings
from advisor.network.rules_merge import broadcast, concatenate
from advisor.network.rules_operations_einsum import find_einsum
from advisor.network.rules_operations_linalg import find_linear
from advisor.network.rules_operations_products import find_product
from advisor.network.rules_operations_shape import find_arranged
from advisor.network.rules_operations_spectrum import find_spectrum
from advisor.network.rules_operations_windows import find_window

# Layers of Keras 2 around a function of TensorFlow, whose arguments are not in their configuration.
_FUNCTIONS = ("TFOpLambda", "SlicingOpLambda", "TensorFlowOpLayer")


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
    if name in _FUNCTIONS:
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
    """Return a shape after constants of the file, which may make it larger.

    Where the file does not show a constant, the recorded shape tells.
    """
    for argument in call.arguments:
        if not argument.is_data:
            constant = argument.shape[1:] if len(argument.shape) > len(shape) else argument.shape
            shape = broadcast(call, (shape, constant))
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


def _normalised(kind: str) -> Rule:
    """Return the rule of a normalisation whose scales are no weights of the layer."""

    def rule(call: Call) -> Result:
        axis = call.fields.raw("axis", default=-1)
        listed = call.fields.sequence_of_integers("axis", [axis] if is_integer(axis) else axis)
        positions = {axis_position(call, each, shape=call.input) for each in listed}
        channels = math.prod(n for p, n in enumerate(call.input) if p in positions)
        elements = call.total(call.input)
        shape = NormShape(kind=kind, elements=elements, channels=channels)
        step = Step(shape=shape, elements=elements, reads=(-1,))
        return Result(outputs=(call.input,), steps=(step,))

    return rule


def _moments(call: Call) -> Result:
    """Rule of `moments`: mean and variance along axes."""
    fields = Fields(
        config={**call.fields.config, "axis": call.fields.raw("axes")}, where=call.fields.where
    )
    found = _reduced(replace(call, fields=fields))
    reads = (replace(step, reads=(-1,)) for step in found.steps * 2)
    return Result(outputs=(found.outputs * 2)[:2], steps=tuple(reads))


def _row(call: Call, axis: object) -> int:
    """Return how many values lie along an axis; all of a sample where none is given."""
    if not isinstance(axis, int) or isinstance(axis, bool) or not call.input:
        return math.prod(call.input)
    return call.input[axis_position(call, axis, shape=call.input)]


def _sorted(call: Call) -> Result:
    """Rule of what puts values in order: once over them for each halving of a row."""
    columns = _row(call, call.fields.raw("axis", default=-1))
    step = call.passes("sort", call.input, count=halvings(columns))
    return Result(outputs=call.recorded or (call.input,), steps=(step,))


def _median(call: Call) -> Result:
    """Rule of medians and quantiles: the values are put in order."""
    found = _reduced(call)
    count = halvings(_row(call, call.fields.raw("axis")))
    step = call.passes("sort", call.input, count=count)
    return Result(outputs=found.outputs, steps=(step, *found.steps))


def _one_hot(call: Call) -> Result:
    """Rule of `one_hot` and `multi_hot`."""
    classes = call.fields.integer("num_classes")
    leading = call.input[:-1] if _operation_name(call) == "multihot" else call.input
    output = call.recorded[0] if call.recorded else (*leading, classes)
    return Result(outputs=(output,), steps=(call.elementwise("one_hot", output),))


def _gated(call: Call) -> Result:
    """Rule of `glu`: one half by the other's sigmoid."""
    axis = call.fields.raw("axis", default=-1)
    position = axis_position(call, axis if is_integer(axis) else -1, shape=call.input)
    output = (*call.input[:position], call.input[position] // 2, *call.input[position + 1 :])
    steps = (
        call.elementwise("sigmoid", output),
        call.elementwise("multiply", output, n_inputs=2),
    )
    return Result(outputs=(output,), steps=steps)


def _segmented(call: Call) -> Result:
    """Rule of `segment_sum` and its kind: every value is added to that of its segment.

    What is left is as many values as there are segments, and all that is kept of it.
    """
    outputs = call.recorded or (call.input,)
    step = call.elementwise("add", call.input, n_inputs=2)
    return Result(outputs=outputs, steps=(replace(step, elements=call.total(outputs[0])),))


def _crossed(call: Call) -> Result:
    """Rule of `cross`: two products and a difference for each value."""
    output = _with_constants(call, broadcast(call, call.inputs))
    product = call.elementwise("multiply", output, n_inputs=2)
    first, second = (replace(product, reads=tuple(range(-1, -1 - len(call.inputs), -1))),) * 2
    difference = replace(call.elementwise("subtract", output, n_inputs=2), reads=(0, 1))
    return Result(outputs=(output,), steps=(first, second, difference))


_RULES: dict[str, Rule] = {
    **dict.fromkeys(BINARY, _binary),
    **dict.fromkeys(UNARY, _unary),
    **dict.fromkeys(REDUCING, _reduced),
    **dict.fromkeys(("softmax", "logsoftmax"), _softmax),
    **dict.fromkeys(SORTING, _sorted),
    **dict.fromkeys(MIDDLING, _median),
    **dict.fromkeys(("onehot", "multihot"), _one_hot),
    **dict.fromkeys(("segmentsum", "segmentmax", "segmentmin", "segmentprod"), _segmented),
    "batchnorm": _normalised("batch_inference"),
    **dict.fromkeys(("layernorm", "rmsnorm", "normalize"), _normalised("layer")),
    "moments": _moments,
    "glu": _gated,
    "cross": _crossed,
    "dotproductattention": product_attention,
}
# Of those of Keras 2: what needs no more than its inputs.
_OF_FUNCTIONS = frozenset({*BINARY, *UNARY, *REDUCING, *SORTING, "softmax", "logsoftmax"})
_FINDERS: tuple[Callable[[str, Call], Result | None], ...] = (
    find_product, find_window, find_spectrum, find_linear, find_arranged,
)  # fmt: skip


def find_rule(call: Call) -> Rule | None:
    """Return the rule of an operation, None when it has none or its result's shape is unknown."""
    name = _operation_name(call)
    is_joined = name in ("concatenate", "concat") and len(call.inputs) > 1
    if is_joined and is_integer(call.fields.raw("axis")):
        return concatenate
    is_function = call.class_name in _FUNCTIONS
    if is_function and name in _OF_FUNCTIONS:
        return _RULES[name]
    found = find_einsum(call) if name == "einsum" else None
    for find in (find_product,) if is_function else _FINDERS:
        found = found or find(name, call)
    if found is not None:
        made = found
        return lambda _call: made
    return None if is_function else _RULES.get(name)
