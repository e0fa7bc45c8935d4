"""Normalisations, with or without weights of their own.

Leaves to others: dropout and noise (`rules_arrangement`).
"""

import math

from advisor.model.kernel import NormShape
from advisor.network.call import Call, Result, Step, axis_position
from advisor.network.fields import is_integer

# What training keeps of each value beside the result, as Keras computes these in several passes:
# peak memory of the first steps of chains of 4 and 14 of them tells 1.5, 1.6 and 3.7 (Keras 3.15),
# six whole networks are met best by this.
_KEPT_BY_STATISTICS = 1
_KEPT_BY_ROOT = 3


def _axes(call: Call, *, default: int = -1) -> tuple[int, ...]:
    value = call.fields.raw("axis", default=default)
    if value is None:
        return ()
    axes = [value] if is_integer(value) else value
    return tuple(
        axis_position(call, axis, shape=call.input)
        for axis in call.fields.sequence_of_integers("axis", axes)
    )


def _channels(call: Call) -> int:
    return math.prod(call.input[position] for position in _axes(call))


def _step(
    call: Call,
    kind: str,
    *,
    channels: int,
    weights: tuple[int, ...] = (),
    frozen: tuple[int, ...] = (),
    kept: int = 0,
) -> Step:
    elements = call.total(call.input)
    shape = NormShape(kind=kind, elements=elements, channels=channels)
    return Step(
        shape=shape, elements=elements, weights=weights, frozen=frozen, kept=kept * elements
    )


def _scale_and_center(call: Call, channels: int) -> tuple[int, ...]:
    wanted = [call.fields.flag(name, default=True) for name in ("scale", "center")]
    return (channels,) * sum(wanted)


def batch_normalisation(call: Call) -> Result:
    """Rule of `BatchNormalization`: mean and variance are weights that no gradient updates.

    A frozen layer takes the stored ones in training, too: less than half of the work. That a call
    was written with `training=False` changes nothing there (Keras 3.15 overrides it).
    """
    channels = _channels(call)
    weights = _scale_and_center(call, channels)
    kind = "batch" if call.is_training and call.is_trainable else "batch_inference"
    # With `renorm` those of training are kept apart from those of inference.
    statistics = 5 if call.fields.flag("renorm", default=False) else 2
    step = _step(call, kind, channels=channels, weights=weights, frozen=(channels,) * statistics)
    return Result(outputs=(call.input,), steps=(step,))


def layer_normalisation(call: Call) -> Result:
    """Rule of `LayerNormalization`."""
    channels = _channels(call)
    if call.fields.flag("rms_scaling", default=False):
        return rms_normalisation(call)
    step = _step(
        call, "layer", channels=channels, weights=_scale_and_center(call, channels),
        kept=_KEPT_BY_STATISTICS,
    )  # fmt: skip
    return Result(outputs=(call.input,), steps=(step,))


def group_normalisation(call: Call) -> Result:
    """Rule of `GroupNormalization`."""
    channels = _channels(call)
    step = _step(
        call, "group", channels=channels, weights=_scale_and_center(call, channels),
        kept=_KEPT_BY_STATISTICS,
    )  # fmt: skip
    return Result(outputs=(call.input,), steps=(step,))


def rms_normalisation(call: Call) -> Result:
    """Rule of `RMSNormalization`: one scale for each channel."""
    channels = _channels(call)
    step = _step(call, "layer", channels=channels, weights=(channels,), kept=_KEPT_BY_ROOT)
    return Result(outputs=(call.input,), steps=(step,))


def unit_normalisation(call: Call) -> Result:
    """Rule of `UnitNormalization`: no weights."""
    return Result(outputs=(call.input,), steps=(_step(call, "layer", channels=_channels(call)),))


def input_normalisation(call: Call) -> Result:
    """Rule of `Normalization`: constants, or statistics (and their count) held as weights."""
    channels = _channels(call)
    adapts = call.fields.raw("mean") is None
    step = call.elementwise("normalise", call.input)
    frozen = (channels, channels, 1) if adapts else ()
    kept = Step(shape=step.shape, elements=step.elements, frozen=frozen)
    return Result(outputs=(call.input,), steps=(kept,))


RULES = {
    "BatchNormalization": batch_normalisation,
    "SyncBatchNormalization": batch_normalisation,
    "LayerNormalization": layer_normalisation,
    "GroupNormalization": group_normalisation,
    "RMSNormalization": rms_normalisation,
    "UnitNormalization": unit_normalisation,
    "Normalization": input_normalisation,
}
