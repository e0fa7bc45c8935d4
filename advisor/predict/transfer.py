"""Time of a workload on hardware that nobody measured here: rented or bought processors and GPUs.

A processor is reached by the ratio of limits to this machine, class by class, with the law by
which threads scale; a GPU by its roofline times the factor of published results. A published
result of the same network on the same device comes before both. Never better than the roofline.
Leaves to others: what the offer costs (`advisor.recommend.cost`).
"""

import dataclasses
import math
from dataclasses import dataclass

from advisor.model.kernel import OperatorKind
from advisor.model.machine import DeviceKind, MissingFact
from advisor.model.offer import Offer
from advisor.model.option import Option
from advisor.model.prediction import Evidence, TimeShare
from advisor.model.published import DeviceSpec
from advisor.model.quantity import Basis, Interval, Precision
from advisor.predict.anchors import (
    computed_precision,
    cpu_device,
    gpu_device,
    peak_flop_per_s,
)
from advisor.predict.answers import OWN_WARNED_SD
from advisor.predict.context import PredictionContext
from advisor.predict.gpu_words import gain_of_several, gpu_assumptions
from advisor.predict.hardware import CpuLimits, core_speedup, platform_limits, spec_limits
from advisor.predict.published import row_evidence
from advisor.predict.work import COMPUTE_KINDS
from advisor.predict.workload_time import interval_of

# What the framework needs to start one kernel on a GPU.
LAUNCH_S = 10e-6
_GPU_CALL_S = 500e-6
# Share of the data sheet's bandwidth that memory-bound kernels reach on a GPU.
_GPU_STREAM_SHARE = 0.7
# Part of a GPU's memory that a framework leaves to the network.
USABLE_MEMORY_SHARE = 0.92
_GIB = 2**30

# Log sd of a processor from the ratio of data sheets, and its growth with the ratio of cores.
_CPU_SD = 0.22
_CPU_SD_PER_LOG_CORES = 0.12
_GUESSED_SD = 0.25
# Weight of published times between processors that are alike, and that are far apart: four times
# the cores or so (decision 0013: networks of one machine predicted from another).
_LEAST_PUBLISHED, _MOST_PUBLISHED = 0.25, 0.5
_FAR = math.log(4.0)
# A published result of the same network and device: other software, other data pipeline.
_PUBLISHED_SD = 0.2
_OLD_STACK_SD = 0.35
_OLD_STACK_YEAR = 2020
# Without any published time: a third of the peak, within 3 times.
_DEFAULT_FACTOR = 3.0
_DEFAULT_SD = 0.9
# No published network took longer than this many times the least time of its work and launches.
_LARGEST_FACTOR = 200.0

Hardware = CpuLimits | DeviceSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class HardwareEstimate:
    """One step on some hardware, with what it rests on."""

    step_s: Interval
    breakdown: tuple[TimeShare, ...]
    basis: Basis
    evidence: tuple[Evidence, ...]
    assumptions: tuple[str, ...]
    is_warned: bool


def hardware_key(option: Option) -> tuple[object, ...]:
    """Return what decides the time of a CLOUD or BUY option: equal keys, equal predictions.

    Region, price and spot are not in it; of a machine with a GPU, only the GPU counts.
    """
    offer = option.offer
    if offer is not None and offer.accelerator is not None:
        return ("gpu", offer.accelerator, _share(offer), offer.accelerator_memory_bytes)
    if offer is not None:
        return (
            "cpu", offer.vendor, offer.family, offer.architecture, offer.vcpus,
            offer.instance_type, offer.memory_bytes,
        )  # fmt: skip
    if option.purchase is not None:
        return ("buy", option.purchase.device, option.purchase.kind.value)
    return ("option", option.id)


def _share(offer: Offer) -> float:
    """Return the part of one GPU that an offer has: one does the work of a machine with several."""
    return min(1.0, offer.n_accelerators or 1.0)


def transfer(option: Option, *, context: PredictionContext) -> HardwareEstimate | MissingFact:
    """Return one step on the hardware of a CLOUD or BUY option, or what is missing for it."""
    found = _hardware(option, context)
    if isinstance(found, MissingFact):
        return found
    hardware, memory_bytes, share = found
    needed = context.workload.memory_bytes
    if memory_bytes is not None and needed > USABLE_MEMORY_SHARE * memory_bytes:
        return MissingFact(
            fact="time",
            reason=f"The job needs {needed / _GIB:.1f} GiB, the device may use "
            f"{USABLE_MEMORY_SHARE * memory_bytes / _GIB:.1f} GiB.",
            remedy="Use a smaller batch.",
        )
    # A result is of the whole device; of a slice nobody has published one.
    published = _published_estimate(option, hardware, context) if share == 1.0 else None
    if published is not None:
        return published
    if isinstance(hardware, CpuLimits):
        return _cpu_estimate(hardware, context)
    return _gpu_estimate(hardware, context, share=share)


def _hardware(
    option: Option, context: PredictionContext
) -> tuple[Hardware, int | None, float] | MissingFact:
    """Return the hardware, its memory, and the part of it that the option has."""
    if option.purchase is not None:
        return _purchased(option.purchase, context)
    offer = option.offer
    if offer is None:
        return MissingFact(fact="time", reason=f"{option.title}: the hardware is not named.")
    index = context.cloud
    if offer.accelerator is None:
        if not offer.vcpus:
            return MissingFact(
                fact="time", reason=f"{offer.instance_type}: the number of vCPUs is not known."
            )
        platform = index.platform_of(offer)
        limits = platform_limits(
            platform,
            vcpus=offer.vcpus,
            architecture=offer.architecture,
            knowledge=context.knowledge,
            ghz=index.clock_ghz(platform),
        )
        # Of a family with several chips the last named, the older, as for its width: together they
        # are a name that only published rows of that very family have.
        older = (limits.architecture or "").rpartition(" | ")[2] or None
        limits = dataclasses.replace(limits, architecture=older)
        return limits, offer.memory_bytes, 1.0
    spec = index.accelerator_device(offer)
    if spec is None:
        return MissingFact(
            fact="time", reason=f"No specification of the accelerator {offer.accelerator} is known."
        )
    memory = offer.accelerator_memory_bytes or spec.memory_bytes
    return spec, memory, _share(offer)


def _purchased(
    spec: DeviceSpec, context: PredictionContext
) -> tuple[Hardware, int | None, float] | MissingFact:
    if spec.kind is DeviceKind.CPU:
        limits = spec_limits(spec, knowledge=context.knowledge)
        if limits is None:
            return MissingFact(
                fact="time", reason=f"Cores or clock of {spec.device} are not known."
            )
        return limits, None, 1.0
    if spec.kind in (DeviceKind.DGPU, DeviceKind.IGPU):
        return spec, spec.memory_bytes, 1.0
    return MissingFact(
        fact="time", reason=f"{spec.device}: times of such a device cannot be predicted."
    )


def _names(hardware: Hardware, option: Option) -> tuple[str, ...]:
    names = [hardware.name if isinstance(hardware, CpuLimits) else hardware.device]
    if isinstance(hardware, DeviceSpec):
        names += hardware.aliases
    if option.offer is not None and option.offer.accelerator is None:
        names.append(option.offer.instance_type)
    return tuple(name.lower() for name in names)


def _is_on(device: str, names: tuple[str, ...]) -> bool:
    """Whether one of some names, in lower case, stands in that of a published device."""
    return any(f" {name} " in f" {device} " for name in names if name and name in device)


def _published_estimate(
    option: Option, hardware: Hardware, context: PredictionContext
) -> HardwareEstimate | None:
    """Return the time that someone measured with this network on this hardware."""
    names = _names(hardware, option)
    batch = context.workload.batch_size
    formats = {context.workload.precision}
    if isinstance(hardware, DeviceSpec):
        formats.add(computed_precision(hardware, context.workload.precision))
    times = [
        (row, per_sample * batch)
        for precision in sorted(formats)
        for device, row, per_sample in context.batch_rows[precision]
        if _is_on(device, names)
    ]
    if not times:
        return None
    logs = sorted(math.log(seconds) for _row, seconds in times)
    middle = logs[len(logs) // 2]
    newest = max(row.year or 0 for row, _seconds in times)
    log_sd = math.hypot(_PUBLISHED_SD, (logs[-1] - logs[0]) / 3.0)
    assumptions = ["Your software is about as fast as that of the published result."]
    if newest < _OLD_STACK_YEAR:
        log_sd = math.hypot(log_sd, _OLD_STACK_SD)
        assumptions.append(f"The published results are of {newest}: newer software may differ.")
    closest = sorted(times, key=lambda item: (abs(math.log(item[1]) - middle), item[0].id))
    step = _bounded(interval_of(math.exp(middle), log_sd=log_sd), _roofline_s(hardware, context))
    return HardwareEstimate(
        step_s=step,
        breakdown=(),
        basis=Basis.SCALED_FROM_PUBLISHED,
        evidence=tuple(row_evidence(row) for row, _seconds in closest[:3]),
        assumptions=tuple(assumptions),
        is_warned=log_sd > OWN_WARNED_SD,
    )


def _roofline_s(hardware: Hardware, context: PredictionContext) -> float:
    """Return what no software can beat: flop over the peak of the data sheet."""
    precision = context.workload.precision
    if isinstance(hardware, CpuLimits):
        peak: float | None = hardware.peak_flop_per_s(precision)
    else:
        peak = peak_flop_per_s(hardware, computed_precision(hardware, precision))
    return context.totals.flop / peak if peak else 0.0


def _bounded(interval: Interval, least_s: float) -> Interval:
    low, mid, high = (max(x, least_s) for x in (interval.low, interval.mid, interval.high))
    return Interval(low=low, mid=mid, high=high)


def _cpu_estimate(target: CpuLimits, context: PredictionContext) -> HardwareEstimate:
    """Scale each class of operators here by the ratio of what limits it."""
    here = context.cpu_limits
    base = context.baseline_step
    is_measured = base.basis is not Basis.MODEL_ONLY
    # A time by the data sheet was made with a law that flatters many cores: to fewer ones it is
    # carried on by that, to more by what was published.
    by_sweeps = is_measured or target.cores > here.cores
    speedup = context.law.speedup if by_sweeps else core_speedup
    single = here.ghz / target.ghz
    precision = context.workload.precision

    def per_core(limits: CpuLimits) -> float:
        return limits.network_flop_per_s(precision) / limits.cores

    threads = speedup(here.cores) / speedup(target.cores)
    compute = threads * per_core(here) / per_core(target)
    memory = here.bandwidth_byte_per_s / target.bandwidth_byte_per_s
    device = context.ceilings.cpu
    parts = []
    for part in base.breakdown:
        kind = OperatorKind(part.operator_kind)
        ratio = compute if kind in COMPUTE_KINDS else max(memory, 0.5 * threads * single)
        dispatched = min(0.9 * part.time_s, context.totals.calls.get(kind, 0) * device.dispatch_s)
        if kind is OperatorKind.OVERHEAD:
            dispatched = part.time_s
        seconds = (part.time_s - dispatched) * ratio + dispatched * single
        # Cores that wait for weights from memory gain nothing by their number.
        seconds = max(seconds, context.fetched.get(kind, 0) / target.bandwidth_byte_per_s)
        parts.append(TimeShare(operator_kind=part.operator_kind, time_s=seconds))
    total = sum(part.time_s for part in parts)
    log_sd = math.hypot(base.log_sd, _CPU_SD)
    log_sd += _CPU_SD_PER_LOG_CORES * abs(math.log(target.cores / here.cores))
    log_sd += _GUESSED_SD if target.is_guessed else 0.0
    least_s = 0.0 if target.is_guessed else _roofline_s(target, context)
    asked = cpu_device(target, name=target.name, precision=precision)
    found = context.nearby[precision].on(asked) if is_measured else None
    middle = total
    if found is not None:
        published = found.sample_s * context.workload.batch_size
        middle = total * (published / total) ** _published_share(target, here, precision)
        log_sd = math.hypot(log_sd, 0.5 * abs(math.log(published / total)))
    step = _bounded(interval_of(middle, log_sd=log_sd), least_s)
    parts = [
        TimeShare(operator_kind=part.operator_kind, time_s=part.time_s * middle / total)
        for part in parts
    ]
    return HardwareEstimate(
        step_s=step,
        breakdown=tuple(sorted(parts, key=lambda part: -part.time_s)),
        basis=Basis.SCALED_FROM_MEASUREMENT if is_measured else Basis.MODEL_ONLY,
        evidence=(
            *context.machine_evidence,
            *(row_evidence(a.row) for a in (found.nearest[:1] if found else ())),
        ),
        assumptions=(
            *target.notes,
            _cores_sentence(target, here, speedup(target.cores)),
            *(context.disturbance.notes if is_measured else ()),
        ),
        is_warned=log_sd > OWN_WARNED_SD or middle < least_s,
    )


def _published_share(target: CpuLimits, here: CpuLimits, precision: Precision) -> float:
    """Return the weight of published times beside the ratio of limits.

    Between processors that are alike the ratio of limits is nearer; the further they are apart,
    in cores and in the rate of one, the more published times of such processors tell.
    """
    of_core = [limits.network_flop_per_s(precision) / limits.cores for limits in (target, here)]
    apart = math.hypot(math.log(target.cores / here.cores), math.log(of_core[0] / of_core[1]))
    return _LEAST_PUBLISHED + (_MOST_PUBLISHED - _LEAST_PUBLISHED) * min(1.0, apart / _FAR)


def _cores_sentence(target: CpuLimits, here: CpuLimits, work_of: float) -> str:
    return (
        f"{target.cores:g} cores at {target.ghz:.1f} GHz against {here.cores:g} at "
        f"{here.ghz:.1f} GHz here; by published thread sweeps {target.cores:g} cores do the work "
        f"of {work_of:.1f}."
    )


def _memory_s(spec: DeviceSpec, context: PredictionContext) -> float:
    if not spec.memory_bandwidth_byte_per_s:
        return 0.0
    rate = _GPU_STREAM_SHARE * spec.memory_bandwidth_byte_per_s
    return context.totals.memory_bound_bytes / rate


def _gpu_estimate(
    spec: DeviceSpec, context: PredictionContext, *, share: float
) -> HardwareEstimate | MissingFact:
    """Take published times of networks on such devices, not below roofline and launches."""
    workload = context.workload
    precision = computed_precision(spec, workload.precision)
    device = gpu_device(spec, precision=precision)
    if device is None:
        return MissingFact(fact="time", reason=f"The peak rate of {spec.device} is not known.")
    found = context.nearby[precision].on(device)
    computing = context.totals.flop / device.peak_flop_per_s / share
    waiting = context.totals.launches * LAUNCH_S
    least = computing + _memory_s(spec, context) / share
    if found is None:
        working, log_sd = max(_DEFAULT_FACTOR * computing, least), _DEFAULT_SD
    else:
        most = _LARGEST_FACTOR * (least + waiting)
        working = min(max(found.sample_s * workload.batch_size / share, least), most)
        log_sd = found.log_sd
    total = max(working, waiting) + _GPU_CALL_S
    log_sd += 0.2 if waiting > working else 0.0
    return HardwareEstimate(
        step_s=_bounded(interval_of(total, log_sd=log_sd), computing),
        breakdown=(),
        basis=Basis.SCALED_FROM_PUBLISHED if found else Basis.MODEL_ONLY,
        evidence=tuple(row_evidence(a.row) for a in found.nearest) if found else (),
        assumptions=(
            *gpu_assumptions(
                spec, found, factor=working / computing if computing else 1.0,
                is_waiting=waiting > working, share=share, wanted=workload.precision,
            ),
            *gain_of_several(
                spec, workload, step_s=total, fixed_s=min(total, waiting + _GPU_CALL_S)
            ),
        ),
        is_warned=found is None or found.is_warned or waiting > working,
    )  # fmt: skip
