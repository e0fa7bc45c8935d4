"""How much longer published networks took than the roofline of their GPU says.

A GPU that nobody here measured is predicted by its data sheet times this factor, taken from
results on that GPU, else on its architecture, else on its vendor's GPUs.
Leaves to others: the prediction itself (`advisor.predict.transfer`).
"""

import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass

from advisor.knowledge.store import Knowledge
from advisor.model.machine import DeviceKind
from advisor.model.published import DeviceSpec, NetworkFacts, PublishedResult, ResultPhase
from advisor.model.quantity import Phase, Precision
from advisor.predict.published import (
    is_comparable,
    is_phase,
    multiply_adds,
    seconds_per_sample,
    spelled,
)

# Multiply-adds of a training step over those of its forward pass, and flop of a multiply-add.
TRAINING_PASSES = 3
FLOP_PER_MULTIPLY_ADD = 2

# What the error of an anchor is at least: same GPU, same architecture, same vendor, any.
_LEAST_SD = {"device": 0.25, "architecture": 0.35, "vendor": 0.55, "kind": 0.7}
# A group of fewer factors says little about a network that is not in it.
_ENOUGH = 3
# Without any anchor: a third of the peak, within 3 times.
_DEFAULT_FACTOR = 3.0
_DEFAULT_SD = 0.85
# Outside this range a row did other work than its name says, or was limited by its input.
_CREDIBLE = (0.1, 200.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """One published result as a factor over the roofline of its device.

    Attributes:
        factor: published time over flop/peak; below 1 where faster arithmetic than the stated
            peak was used (reduced-precision units inside float32).
        family: of its network ("convolution", "recurrent", ...), None when not bundled.
    """

    spec: DeviceSpec
    phase: ResultPhase
    precision: Precision
    family: str | None
    factor: float
    row: PublishedResult


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorFactor:
    """Factor over the roofline for a device, its log sd, what it rests on, and some rows."""

    factor: float
    log_sd: float
    level: str
    rows: tuple[PublishedResult, ...]


def peak_flop_per_s(spec: DeviceSpec, precision: Precision) -> float | None:
    """Return the spec-sheet rate at a precision; that of float32 where none is stated."""
    known = {
        Precision.FLOAT32: spec.peak_fp32_flop_per_s,
        Precision.FLOAT16: spec.peak_fp16_flop_per_s,
        Precision.BFLOAT16: spec.peak_bf16_flop_per_s,
        Precision.INT8: spec.peak_int8_op_per_s,
    }
    return known[precision] or spec.peak_fp32_flop_per_s


def matching_anchors(
    knowledge: Knowledge, *, phase: Phase, precision: Precision
) -> tuple[Anchor, ...]:
    """Return the published results on one GPU whose work and device are known.

    Only those of the phase and precision.
    """
    specs: dict[tuple[str, DeviceKind], DeviceSpec] = {}
    for spec in reversed(knowledge.devices):
        for name in (spec.device, *spec.aliases):
            specs[name.lower(), spec.kind] = spec
    networks: dict[str, NetworkFacts] = {}
    for facts in reversed(knowledge.networks):
        for name in (facts.name, *facts.aliases):
            networks[spelled(name)] = facts
    found = (
        _anchor(row, specs, networks)
        for row in knowledge.published
        if is_phase(row, phase) and (row.precision or Precision.FLOAT32) is precision
    )
    return tuple(anchor for anchor in found if anchor is not None)


def _anchor(
    row: PublishedResult,
    specs: dict[tuple[str, DeviceKind], DeviceSpec],
    networks: dict[str, NetworkFacts],
) -> Anchor | None:
    if row.phase is ResultPhase.KERNEL or not is_comparable(row):
        return None
    spec = specs.get((row.device.lower(), row.device_kind))
    facts = networks.get(spelled(row.workload))
    per_sample = seconds_per_sample(row, facts=facts)
    work = multiply_adds(row, facts=facts)
    if spec is None or per_sample is None or not work or spec.kind is DeviceKind.CPU:
        return None
    precision = row.precision or Precision.FLOAT32
    peak = peak_flop_per_s(spec, precision)
    if not peak:
        return None
    passes = TRAINING_PASSES if row.phase is ResultPhase.TRAINING else 1
    factor = per_sample * peak / (FLOP_PER_MULTIPLY_ADD * passes * work)
    if not _CREDIBLE[0] <= factor <= _CREDIBLE[1]:
        return None
    return Anchor(
        spec=spec,
        phase=row.phase,
        precision=precision,
        family=facts.family if facts else None,
        factor=factor,
        row=row,
    )


def anchor_factor(
    anchors: Iterable[Anchor], *, spec: DeviceSpec, family: str | None
) -> AnchorFactor:
    """Return the factor over the roofline of a device, from the nearest published results.

    Args:
        anchors: of one phase and precision.
        spec: the device.
        family: of the network, preferred where enough results have it; None unknown.
    """
    same = tuple(anchors)
    levels = (
        ("device", [a for a in same if a.spec.device == spec.device]),
        ("architecture", [a for a in same if spec.architecture == a.spec.architecture]),
        ("vendor", [a for a in same if (a.spec.vendor, a.spec.kind) == (spec.vendor, spec.kind)]),
        ("kind", [a for a in same if a.spec.kind is spec.kind]),
    )
    for level, group in levels:
        alike = [anchor for anchor in group if family is not None and anchor.family == family]
        chosen = alike if len(alike) >= _ENOUGH else group
        if len(chosen) >= _ENOUGH and (level != "architecture" or spec.architecture):
            return _summary(level, chosen, is_alike=chosen is alike)
    return AnchorFactor(factor=_DEFAULT_FACTOR, log_sd=_DEFAULT_SD, level="none", rows=())


def _summary(level: str, chosen: list[Anchor], *, is_alike: bool) -> AnchorFactor:
    logs = sorted(math.log(anchor.factor) for anchor in chosen)
    middle = statistics.median(logs)
    deviation = statistics.median(abs(log - middle) for log in logs) * 1.4826
    log_sd = math.hypot(deviation, _LEAST_SD[level]) + (0.0 if is_alike else 0.15)
    nearest = sorted(chosen, key=lambda a: (abs(math.log(a.factor) - middle), a.row.id))
    return AnchorFactor(
        factor=math.exp(middle),
        log_sd=log_sd,
        level=level,
        rows=tuple(anchor.row for anchor in nearest[:2]),
    )
