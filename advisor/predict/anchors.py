"""How much longer published networks took than the roofline of their GPU says.

A GPU that nobody here measured is predicted by its data sheet times this factor, taken from
results on that GPU, else on its architecture, else on its vendor's GPUs.
Leaves to others: the prediction itself (`advisor.predict.transfer`).
"""

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from advisor.knowledge.store import Knowledge
from advisor.model.machine import DeviceKind
from advisor.model.published import DeviceSpec, NetworkFacts, PublishedResult, ResultPhase
from advisor.model.quantity import Phase, Precision
from advisor.predict.published import (
    is_comparable,
    multiply_adds,
    seconds_per_sample,
    spelled,
)

# Multiply-adds of a training step over those of its forward pass, and flop of a multiply-add.
TRAINING_PASSES = 3
FLOP_PER_MULTIPLY_ADD = 2

# Log sd that an anchor has at least: how near the device is, and how near the network.
_LEAST_SD = {
    "device": (0.2, 0.3, 0.45),
    "architecture": (0.25, 0.4, 0.55),
    "generation": (0.35, 0.5, 0.65),
    "vendor": (0.5, 0.6, 0.75),
    "kind": (0.65, 0.75, 0.85),
}
# Results that are enough: of the same network, of its family, of any network.
_ENOUGH = (1, 3, 3)
_FEW = 3
# So that 80 % of the published results lie in the interval when their own device is left out.
_WIDENING = 1.6
_FEW_SD = 0.15
# Steps whose least times differ by no more are of similar size.
_SIMILAR_SIZE = 4.0
# Devices whose years differ by no more are of one generation.
_GENERATION_YEARS = 3
# Without any anchor: a third of the peak, within 3 times.
_DEFAULT_FACTOR = 3.0
_DEFAULT_SD = 0.9
# Outside this range a row did other work than its name says, or was limited by its input.
_CREDIBLE = (0.1, 200.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """One published result as a factor over the roofline of its device.

    Attributes:
        factor: published time over flop/peak; below 1 where faster arithmetic than the stated
            peak was used (reduced-precision units inside float32).
        family: of its network ("convolutional", "recurrent", ...), None when not bundled.
        roofline_s: least time of a step of that batch; None when the batch is not known.
        network: its name as `advisor.predict.published.spelled` gives it.
    """

    spec: DeviceSpec
    phase: ResultPhase
    precision: Precision
    family: str | None
    factor: float
    roofline_s: float | None
    network: str
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
    return anchors_by_job(knowledge).get((phase, precision), ())


def anchors_by_job(knowledge: Knowledge) -> dict[tuple[Phase, Precision], tuple[Anchor, ...]]:
    """Return the anchors of all published results by phase and precision, in their order."""
    specs: dict[tuple[str, DeviceKind], DeviceSpec] = {}
    for spec in reversed(knowledge.devices):
        for name in (spec.device, *spec.aliases):
            specs[name.lower(), spec.kind] = spec
    networks: dict[str, NetworkFacts] = {}
    for facts in reversed(knowledge.networks):
        for name in (facts.name, *facts.aliases):
            networks[spelled(name)] = facts
    found: dict[tuple[Phase, Precision], list[Anchor]] = defaultdict(list)
    for row in knowledge.published:
        anchor = _anchor(row, specs, networks)
        if anchor is not None:
            found[Phase(anchor.phase.value), anchor.precision].append(anchor)
    return {job: tuple(anchors) for job, anchors in found.items()}


def _anchor(
    row: PublishedResult,
    specs: dict[tuple[str, DeviceKind], DeviceSpec],
    networks: dict[str, NetworkFacts],
) -> Anchor | None:
    if row.phase is ResultPhase.KERNEL or not is_comparable(row):
        return None
    spec = specs.get((row.device.lower(), row.device_kind))
    if spec is None or spec.kind is DeviceKind.CPU:
        return None
    network = spelled(row.workload)
    facts = networks.get(network)
    per_sample = seconds_per_sample(row, facts=facts)
    work = multiply_adds(row, facts=facts)
    if per_sample is None or not work:
        return None
    precision = row.precision or Precision.FLOAT32
    peak = peak_flop_per_s(spec, precision)
    if not peak:
        return None
    passes = TRAINING_PASSES if row.phase is ResultPhase.TRAINING else 1
    roofline_s = FLOP_PER_MULTIPLY_ADD * passes * work / peak
    factor = per_sample / roofline_s
    if not _CREDIBLE[0] <= factor <= _CREDIBLE[1]:
        return None
    return Anchor(
        spec=spec,
        phase=row.phase,
        precision=precision,
        family=facts.family if facts else None,
        factor=factor,
        roofline_s=roofline_s * row.batch_size if row.batch_size else None,
        network=network,
        row=row,
    )


def anchor_factor(
    anchors: Iterable[Anchor],
    *,
    spec: DeviceSpec,
    names: frozenset[str],
    family: str | None,
    roofline_s: float | None,
) -> AnchorFactor:
    """Return the factor over the roofline of a device, from the nearest published results.

    The same network on a related device tells as much as another network on the same device; the
    group that promises the least error is taken.

    Args:
        anchors: of one phase and precision.
        spec: the device.
        names: spellings of the network, as `advisor.predict.published.spelled` gives them.
        family: of the network; None unknown.
        roofline_s: least time of its step on the device; None unknown. Results of steps of that
            size are preferred: small ones never reach the rates of large ones.
    """
    same = tuple(anchors)
    best = AnchorFactor(factor=_DEFAULT_FACTOR, log_sd=_DEFAULT_SD, level="none", rows=())
    least_doubt = math.inf
    for level, near in _near_devices(same, spec):
        for least_sd, enough, group in zip(
            _LEAST_SD[level], _ENOUGH, _near_networks(near, names, family), strict=True
        ):
            # No group is surer than its distance allows: most need not be looked at.
            if len(group) < enough or _WIDENING * least_sd >= least_doubt:
                continue
            found = _summary(level, _similar(group, roofline_s), least_sd=least_sd)
            if found.log_sd < least_doubt:
                best, least_doubt = found, found.log_sd
    return best


def _near_devices(
    anchors: tuple[Anchor, ...], spec: DeviceSpec
) -> Iterator[tuple[str, tuple[Anchor, ...]]]:
    """Yield the anchors of ever more distant devices."""
    kind = tuple(a for a in anchors if a.spec.kind is spec.kind)
    vendor = tuple(a for a in kind if a.spec.vendor == spec.vendor)
    year = spec.year
    yield "device", tuple(a for a in vendor if a.spec.device == spec.device)
    if spec.architecture:
        yield "architecture", tuple(a for a in vendor if a.spec.architecture == spec.architecture)
    if year is not None:
        near = (a for a in vendor if abs((a.spec.year or 0) - year) <= _GENERATION_YEARS)
        yield "generation", tuple(near)
    yield "vendor", vendor
    yield "kind", kind


def _near_networks(
    anchors: tuple[Anchor, ...], names: frozenset[str], family: str | None
) -> Iterator[tuple[Anchor, ...]]:
    """Yield the anchors of the same network, of its family, and all."""
    yield tuple(a for a in anchors if a.network in names)
    yield tuple(a for a in anchors if family is not None and a.family == family)
    yield anchors


def _similar(group: tuple[Anchor, ...], roofline_s: float | None) -> tuple[Anchor, ...]:
    """Return the anchors of steps of similar size, all where those are few."""
    if not roofline_s:
        return group
    near = tuple(
        a
        for a in group
        if a.roofline_s and abs(math.log(a.roofline_s / roofline_s)) < math.log(_SIMILAR_SIZE)
    )
    return near if len(near) >= _FEW else group


def _summary(level: str, chosen: tuple[Anchor, ...], *, least_sd: float) -> AnchorFactor:
    logs = sorted(math.log(anchor.factor) for anchor in chosen)
    middle = statistics.median(logs)
    deviation = statistics.median(abs(log - middle) for log in logs) * 1.4826
    log_sd = _WIDENING * math.hypot(deviation, least_sd)
    log_sd += _FEW_SD if len(chosen) < _FEW else 0.0
    nearest = sorted(chosen, key=lambda a: (abs(math.log(a.factor) - middle), a.row.id))
    return AnchorFactor(
        factor=math.exp(middle),
        log_sd=log_sd,
        level=level,
        rows=tuple(anchor.row for anchor in nearest[:2]),
    )
