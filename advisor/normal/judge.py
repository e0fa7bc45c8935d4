"""The best figure of each class of kernels on each device, against what the hardware could do.

Leaves to others: the bounds (`advisor.normal.peaks`), the causes (`advisor.normal.causes`).
"""

from collections.abc import Iterable
from dataclasses import dataclass

from advisor.knowledge.store import Knowledge
from advisor.model.efficiency import (
    Cause,
    CauseCode,
    Efficiency,
    PeakBasis,
    UnknownPeak,
    Verdict,
)
from advisor.model.kernel import Direction, GemmShape, OverheadShape, PeakShape, StreamShape
from advisor.model.machine import CPU_DEVICE_ID, MachineProfile, OpenclDevice
from advisor.model.measurement import REFERENCE, Measurement, MeasurementSet, Runner
from advisor.model.quantity import Precision
from advisor.normal import causes
from advisor.normal.causes import Clue, Evidence, first_cause
from advisor.normal.peaks import (
    Bound,
    Peak,
    cpu_flop_peak,
    is_clock,
    main_memory_peak,
    opencl_flop_peak,
    opencl_memory_peak,
)
from advisor.predict.ceilings import (
    DEFAULT_DISPATCH_S,
    DEFAULT_PREDICT_CALL_S,
    DEFAULT_TRAIN_CALL_S,
)
from advisor.predict.work import flop, rate

# Vendor's OpenCL drivers and wide vectors on CPUs reach 0.9 to 1.0 of the peak (clpeak's logs),
# old open drivers 0.1 to 0.6.
NORMAL_LOW, NORMAL_HIGH = 0.5, 1.25
# Products on integrated GPUs reach 0.25 to 0.55 of the device's own peak with tuned kernels,
# plain ones 0.03 (CLBlast #257, #403, #618).
PRODUCT_LOW = 0.2
# A fixed cost is abnormal from twice the usual one; a small one needs no explanation.
COST_LOW = 0.5
# What submitting a kernel and waiting for its end takes on GPUs by vendors' drivers (clpeak: 29 to
# 35 us), which is what is timed, and the fixed costs of the framework on a core of 4 GHz.
USUAL_LAUNCH_S = 35e-6
_USUAL_S = {
    "launch": USUAL_LAUNCH_S,
    "train_call": DEFAULT_TRAIN_CALL_S,
    "predict_call": DEFAULT_PREDICT_CALL_S,
    "dispatch": DEFAULT_DISPATCH_S,
}
_REFERENCE_MHZ = 4000.0
_CORE_BASES = frozenset(
    {
        PeakBasis.CORES_CLOCK_ISA,
        PeakBasis.CORES_BASE_CLOCK_ISA,
        PeakBasis.CORES_MEASURED_CLOCK_ISA,
    }
)
_NOT_JUDGED = ("setting", REFERENCE)
# Products below this do not fill a processor.
_LEAST_PRODUCT_FLOP = 2 * 512**3


@dataclass(frozen=True, slots=True, kw_only=True)
class _Class:
    """Measurements that share a bound, and how to judge the best of them."""

    measurements: tuple[Measurement, ...]
    device: OpenclDevice | None
    bound: Bound
    low: float
    low_clues: tuple[Clue, ...]
    high_clues: tuple[Clue, ...]
    remarks: tuple[Clue, ...] = ()

    @property
    def best(self) -> Measurement:
        """The fastest."""
        return max(self.measurements, key=_speed)


def _speed(measurement: Measurement) -> float:
    value, unit = rate(measurement)
    return 1.0 / value if unit == "s" else value


def _is_judged(measurement: Measurement) -> bool:
    request = measurement.request
    is_plain = request.precision is Precision.FLOAT32 and request.direction is Direction.FORWARD
    # One that is timed throughout the run tells how quiet it was; its headline is judged.
    return is_plain and request.role not in _NOT_JUDGED and measurement.min_s > 0.0


def _is_large_product(measurement: Measurement) -> bool:
    request = measurement.request
    shape = request.shape
    if not isinstance(shape, GemmShape) or min(shape.m, shape.n, shape.k) < 256:
        return False
    return flop(shape, direction=request.direction) >= _LEAST_PRODUCT_FLOP


def _is_stream(measurement: Measurement) -> bool:
    shape = measurement.request.shape
    return isinstance(shape, StreamShape) and shape.op != "local"


def _of(measured: Iterable[Measurement], kind: type) -> tuple[Measurement, ...]:
    return tuple(m for m in measured if isinstance(m.request.shape, kind))


def _cpu_classes(
    measured: tuple[Measurement, ...], profile: MachineProfile, knowledge: Knowledge
) -> Iterable[_Class]:
    own = [m for m in measured if causes.is_of_cpu(m)]
    for runner in (Runner.NUMPY, Runner.KERAS):
        products = tuple(m for m in own if m.request.runner is runner and _is_large_product(m))
        yield _Class(
            measurements=products,
            device=None,
            bound=cpu_flop_peak(profile, knowledge=knowledge, measured=own),
            low=NORMAL_LOW,
            low_clues=causes.LOW_CPU,
            high_clues=causes.HIGH_RATE,
        )
    yield _Class(
        measurements=tuple(m for m in own if _is_stream(m)),
        device=None,
        bound=main_memory_peak(profile, knowledge=knowledge),
        low=NORMAL_LOW,
        low_clues=causes.LOW_MEMORY,
        high_clues=causes.HIGH_MEMORY,
        remarks=causes.MEMORY_REMARKS,
    )
    yield from _costs(own, profile, device=None)


def _opencl_classes(
    measured: tuple[Measurement, ...],
    profile: MachineProfile,
    device: OpenclDevice,
    knowledge: Knowledge,
) -> Iterable[_Class]:
    own = [m for m in measured if m.request.device_id == device.id]
    peaks = _of(own, PeakShape)
    products = tuple(m for m in own if _is_large_product(m))
    cores = opencl_flop_peak(profile, device=device, knowledge=knowledge, measured=measured)
    yield _Class(
        measurements=peaks,
        device=device,
        bound=cores,
        low=NORMAL_LOW,
        low_clues=causes.LOW_PEAK,
        high_clues=causes.HIGH_RATE,
        remarks=causes.REMARKS,
    )
    yield _Class(
        measurements=tuple(m for m in own if _is_stream(m)),
        device=device,
        bound=opencl_memory_peak(profile, device=device, knowledge=knowledge),
        low=NORMAL_LOW,
        low_clues=causes.LOW_MEMORY,
        high_clues=causes.HIGH_MEMORY,
        remarks=causes.MEMORY_REMARKS,
    )
    yield _Class(
        measurements=products,
        device=device,
        bound=_product_bound(peaks, products, cores=cores),
        low=PRODUCT_LOW,
        low_clues=causes.LOW_PRODUCT,
        high_clues=(),
    )
    yield from _costs(own, profile, device=device)


def _product_bound(
    peaks: tuple[Measurement, ...], products: tuple[Measurement, ...], *, cores: Bound
) -> Bound:
    """Return the measured peak; that of the cores where a product shows that it was disturbed."""
    if not peaks:
        return UnknownPeak.PEAK_NOT_MEASURED
    reached = max(_speed(m) for m in peaks)
    if reached < max((_speed(m) for m in products), default=0.0):
        return cores
    return Peak(value=reached, basis=PeakBasis.MEASURED_PEAK)


def _costs(
    own: Iterable[Measurement], profile: MachineProfile, *, device: OpenclDevice | None
) -> Iterable[_Class]:
    mhz = profile.cpu.max_mhz or profile.cpu.base_mhz
    slowness = _REFERENCE_MHZ / mhz if mhz and is_clock(mhz) else 1.0
    for measurement in _of(own, OverheadShape):
        shape = measurement.request.shape
        assert isinstance(shape, OverheadShape)
        usual = _USUAL_S.get(shape.kind)
        if usual is None:
            continue
        yield _Class(
            measurements=(measurement,),
            device=device,
            bound=Peak(value=usual * max(1.0, slowness), basis=PeakBasis.USUAL_COST),
            low=COST_LOW,
            low_clues=causes.LOW_COST,
            high_clues=(),
        )


def _verdict(ratio: float, *, low: float, high: float) -> Verdict:
    if ratio < low:
        return Verdict.LOW
    return Verdict.HIGH if ratio > high else Verdict.NORMAL


def _elsewhere(group: _Class, groups: Iterable[_Class], *, peak: Peak) -> tuple[float, str] | None:
    """Return the best figure of another library under the same bound."""
    if peak.basis not in _CORE_BASES:
        return None
    if group.device is not None:
        return None
    others = [
        (rate(g.best)[0], g.best.stack.framework)
        for g in groups
        if g is not group and g.device is None and g.bound == peak
    ]
    return max(others, default=None)


def _judge(
    group: _Class, groups: tuple[_Class, ...], profile: MachineProfile, results: MeasurementSet
) -> Efficiency:
    best, bound = group.best, group.bound
    value, unit = rate(best)
    if isinstance(bound, UnknownPeak):
        return _unknown(group, value, unit, bound, profile)
    ratio = bound.value / value if unit == "s" else value / bound.value
    low = group.low * bound.floor_share
    high = NORMAL_HIGH * bound.ceiling_share
    is_cost = bound.basis is PeakBasis.USUAL_COST
    verdict = _verdict(ratio, low=low, high=float("inf") if is_cost else high)
    evidence = Evidence(
        profile=profile,
        measurement=best,
        device=group.device,
        peak=bound,
        value=value,
        ratio=ratio,
        warnings=frozenset((*results.warnings, *best.warnings)),
        best_elsewhere=_elsewhere(group, groups, peak=bound),
    )
    return Efficiency(
        device_id=best.request.device_id,
        request=best.request,
        value=value,
        unit=unit,
        peak=bound.value,
        basis=bound.basis,
        unknown=None,
        ratio=ratio,
        normal_low=low,
        normal_high=high,
        verdict=verdict,
        cause=_cause(verdict, group, evidence),
    )


def _cause(verdict: Verdict, group: _Class, evidence: Evidence) -> Cause | None:
    if verdict is Verdict.NORMAL:
        return first_cause(evidence, group.remarks)
    clues = group.low_clues if verdict is Verdict.LOW else group.high_clues
    return first_cause(evidence, clues) or Cause(code=CauseCode.UNEXPLAINED)


def _unknown(
    group: _Class, value: float, unit: str, reason: UnknownPeak, profile: MachineProfile
) -> Efficiency:
    mhz = group.device.max_mhz if group.device else profile.cpu.max_mhz
    is_nonsense = reason is UnknownPeak.CLOCK_NONSENSE and mhz is not None
    return Efficiency(
        device_id=group.best.request.device_id,
        request=group.best.request,
        value=value,
        unit=unit,
        peak=None,
        basis=None,
        unknown=reason,
        ratio=None,
        normal_low=group.low,
        normal_high=NORMAL_HIGH,
        verdict=Verdict.UNKNOWN,
        cause=causes.cause(CauseCode.CLOCK_NONSENSE, clock_mhz=mhz or 0.0) if is_nonsense else None,
    )


def judge_efficiency(
    profile: MachineProfile, measurements: MeasurementSet | None, knowledge: Knowledge
) -> tuple[Efficiency, ...]:
    """Return how much of what the hardware could do was reached, by device and class of kernels.

    Args:
        profile: the machine.
        measurements: what was timed on it; None or empty: nothing to judge.
        knowledge: data sheets, instruction sets and GPU families.

    Returns:
        The processor first, then OpenCL devices in the order of the profile.
    """
    if measurements is None:
        return ()
    measured = tuple(m for m in measurements.measured if _is_judged(m))
    classes = list(_cpu_classes(measured, profile, knowledge))
    for device in profile.opencl:
        if device.id != CPU_DEVICE_ID:
            classes += _opencl_classes(measured, profile, device, knowledge)
    groups = tuple(group for group in classes if group.measurements)
    return tuple(_judge(group, groups, profile, measurements) for group in groups)
