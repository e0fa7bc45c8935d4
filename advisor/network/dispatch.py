"""From the class of a layer to its rule; layers around a layer; what no rule knows.

Leaves to others: nested models (`advisor.network.keras_config`).
"""

import math
from dataclasses import replace

from advisor.model.kernel import UnknownShape
from advisor.network import (
    activations,
    rules_arrangement,
    rules_attention,
    rules_audio,
    rules_convolution,
    rules_dense,
    rules_merge,
    rules_normalisation,
    rules_operations,
    rules_pooling,
    rules_recurrent,
)
from advisor.network.call import Call, Result, Rule, Shape, Step
from advisor.network.fields import Fields, plain_name
from advisor.network.keras_references import recorded_shape
from advisor.network.moments import moment_repeats, slices
from advisor.network.rules_encoding import ENCODINGS, encoding
from advisor.network.rules_hub import HUB
from advisor.network.windows import read_image, read_rank

_LAYER_RULES: dict[str, Rule] = {
    **activations.RULES,
    **rules_arrangement.RULES,
    **rules_audio.RULES,
    **rules_attention.RULES,
    **rules_convolution.RULES,
    **rules_dense.RULES,
    **rules_merge.RULES,
    **rules_normalisation.RULES,
    **rules_pooling.RULES,
    **rules_recurrent.RULES,
}

# The step of `TimeDistributed` that takes the sequence apart, behind the one that turns it.
_SLICES = 1

# Wrappers may stand in wrappers, but not without end.
_MAX_WRAPPERS = 8


def inner_call(call: Call, *, inputs: tuple[Shape, ...], batch: int, entry: str = "layer") -> Call:
    """Return the call of the layer that a wrapper holds under an entry."""
    serialised = call.fields.child(entry)
    config = serialised.get("config")
    if not isinstance(config, dict):
        raise call.fields.refuse("the layer inside it has no configuration")
    return Call(
        class_name=plain_name(serialised["class_name"]),
        fields=Fields(config=config, where=call.fields.where),
        inputs=inputs,
        batch=batch,
        is_training=call.is_training,
        is_trainable=call.is_trainable and config.get("trainable") is not False,
        is_masked=call.is_masked,
        is_moment=call.is_moment or call.class_name == "TimeDistributed",
    )


def _time_distributed(call: Call, depth: int) -> Result:
    if not all(call.inputs) or len(call.input) < 1:
        raise call.fields.refuse("TimeDistributed needs a dimension of time")
    timesteps = call.input[0]
    repeats = moment_repeats(timesteps, is_moment=call.is_moment)
    frames = tuple(shape[1:] for shape in call.inputs)
    result = _apply(inner_call(call, inputs=frames, batch=call.batch), depth + 1)
    outputs = tuple((timesteps, *shape) for shape in result.outputs)
    steps: list[Step] = []
    if result.steps:
        steps = [call.elementwise("copy", call.input), slices(call.total(call.input), timesteps)]
        ends = []
        for time, often in enumerate(repeats):
            made = tuple(replace(step, repeats=often * step.repeats) for step in result.steps)
            steps += _at_time(made, time, first=len(steps))
            ends.append(len(steps) - 1)
        joined = call.elementwise("copy", outputs[0], n_inputs=len(repeats))
        steps += [replace(joined, reads=tuple(ends)), call.elementwise("copy", outputs[0])]
    return Result(outputs=outputs, steps=tuple(steps), note=result.note)


def _at_time(made: tuple[Step, ...], time: int, *, first: int) -> list[Step]:
    """Return the steps of a layer at a moment; the first moment counts its weights."""
    found = []
    for position, step in enumerate(made):
        reads = step.reads
        if reads is None:
            reads = (position - 1,) if position else (-1,)
        # What is put in order and taken apart for all moments stands before all steps.
        reads = tuple(first + read if read >= 0 else _SLICES for read in reads)
        found.append(replace(step, reads=reads, is_shared=step.is_shared or time > 0))
    return found


def _bidirectional(call: Call, depth: int) -> Result:
    inner = inner_call(call, inputs=call.inputs, batch=call.batch)
    other = inner
    if call.fields.raw("backward_layer") is not None:
        other = inner_call(call, inputs=call.inputs, batch=call.batch, entry="backward_layer")
    is_plain = rules_recurrent.RULES.get(inner.class_name) is rules_recurrent.recurrent
    if is_plain and rules_recurrent.are_alike(inner, other):
        return rules_recurrent.bidirectional(call, inner)
    return rules_recurrent.two_ways(call, _apply(inner, depth + 1), _apply(other, depth + 1))


def _spectral(call: Call, depth: int) -> Result:
    """Rule of `SpectralNormalization`: the layer inside, and a vector as its kernel ends."""
    inner = inner_call(call, inputs=call.inputs, batch=call.batch)
    result = _apply(inner, depth + 1)
    if not result.steps:
        raise call.fields.refuse("SpectralNormalization needs a layer with weights")
    first = result.steps[0]
    width = _kernel_width(inner) or result.outputs[0][-1]
    vector = replace(first, frozen=(*first.frozen, width))
    return Result(outputs=result.outputs, steps=(vector, *result.steps[1:]), note=result.note)


def _kernel_width(inner: Call) -> int | None:
    """Return the last dimension of the kernel of a convolution; None: it is no convolution."""
    if "Transpose" in inner.class_name:
        return read_image(inner, read_rank(inner.class_name)).channels
    if inner.class_name.startswith("Depthwise"):
        return inner.fields.integer("depth_multiplier", default=1)
    return inner.fields.optional_integer("filters")


_WRAPPERS = {
    "TimeDistributed": _time_distributed,
    "Bidirectional": _bidirectional,
    "SpectralNormalization": _spectral,
}


# Functions that are written as layers.
_WITHOUT_WEIGHTS = ("Lambda", "TFOpLambda", "SlicingOpLambda", "TensorFlowOpLayer")


def _stated(call: Call) -> tuple[Shape, ...]:
    """Return the shape that whoever wrote a `Lambda` says it makes; () where nothing is said."""
    stated = (
        recorded_shape(call.fields.raw("output_shape")) if call.class_name == "Lambda" else None
    )
    return replace(call, declared=(stated,)).recorded_or_alike


def unknown(call: Call, *, cell: str | None = None) -> Result:
    """Return what is known of a layer without a rule: its result, from the file or its input.

    `cell`: class of the cell that makes it unknown.
    """
    recorded = call.recorded_or_alike or _stated(call)
    outputs = recorded or (call.input,)
    where = "recorded in the file" if recorded else "taken to be that of its input"
    named = call.fields.where if cell is None else f"{call.fields.where[:-1]}, {cell})"
    elements = sum(call.total(shape) for shape in outputs)
    step = Step(
        shape=UnknownShape(layer_type=call.class_name, elements=elements), elements=elements
    )
    has_weights = not call.is_operation and call.class_name not in _WITHOUT_WEIGHTS
    what = (
        "the work and the weights of this kind of layer are not known and count as nothing"
        if has_weights
        else "the work of this kind of layer is not known and counts as nothing"
    )
    note = f"{named}: {what}; the shape of its result is {where}."
    return Result(outputs=outputs, steps=(step,), note=note, is_assumed=not recorded)


def _encoded(call: Call) -> Result:
    return encoding(call) or unknown(call)


def _of_hub(call: Call) -> Result:
    return HUB[call.class_name](call) or unknown(call)


def _with_own_cell(call: Call) -> str | None:
    """Return the class of a cell that only the user has, of an `RNN` or one in a wrapper."""
    inner = call
    if call.class_name == "Bidirectional":
        inner = inner_call(call, inputs=call.inputs, batch=call.batch)
    return rules_recurrent.own_cell(inner)


def _apply(call: Call, depth: int) -> Result:
    if depth > _MAX_WRAPPERS:
        raise call.fields.refuse(f"more than {_MAX_WRAPPERS} layers around each other")
    cell = _with_own_cell(call)
    if cell is not None:
        return unknown(call, cell=cell)
    wrapper = _WRAPPERS.get(call.class_name)
    if wrapper is not None:
        return wrapper(call, depth)
    rule = _LAYER_RULES.get(call.class_name)
    if call.class_name in ENCODINGS:
        rule = _encoded
    elif call.class_name in HUB:
        rule = _of_hub
    if rule is None or rules_operations.is_operation(call):
        rule = rules_operations.find_rule(call) or unknown
    result = rule(call)
    if any(math.prod(shape) < 1 for shape in result.outputs):
        raise call.fields.refuse(f"its result would be empty: {result.outputs[0]}")
    note = activations.note_of_activation(call) if result.note is None else None
    return result if note is None else replace(result, note=note)


def apply_layer(call: Call) -> Result:
    """Return what a layer makes of its inputs.

    Raises:
        NetworkFileError: when its configuration is wrong or does not fit its inputs.
    """
    return _apply(call, 0)
