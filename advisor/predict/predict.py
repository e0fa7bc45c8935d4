"""Predicted time of the job under an option, with interval, basis, evidence and assumptions.

One rule for each kind of option; what cannot be told is a `MissingFact`, never a guess.
Leaves to others: which options apply (`advisor.recommend`), hardware elsewhere
(`advisor.predict.transfer`), money (`advisor.recommend.cost`).
"""

import math

from advisor.format import format_number
from advisor.model.machine import CPU_DEVICE_ID, DeviceKind, MissingFact, OpenclDevice
from advisor.model.measurement import Setting
from advisor.model.option import Option, OptionFact, OptionKind
from advisor.model.prediction import Evidence, Prediction, TimeShare
from advisor.model.published import PublishedResult
from advisor.model.quantity import Basis, Interval, Precision, Source
from advisor.model.workload import Workload
from advisor.predict.answers import OWN_WARNED_SD
from advisor.predict.changed_job import option_precision
from advisor.predict.context import PredictionContext, device_evidence
from advisor.predict.hybrid import SLOW_RATE
from advisor.predict.otherwise import computed_otherwise
from advisor.predict.published import row_evidence, rows_of_product
from advisor.predict.transfer import USABLE_MEMORY_SHARE, HardwareEstimate, transfer
from advisor.predict.workload_time import (
    Z_80,
    StepEstimate,
    interval_of,
    predict_step,
)

__all__ = ["BASELINE_OPTION_ID", "PredictionContext", "job_times", "predict", "predict_baseline"]

BASELINE_OPTION_ID = "stay"

# An effect that others measured holds here within its range, or this much around a single figure.
_EFFECT_SD = 0.15
# Published times of CPU and iGPU of one product, as a ratio on another network.
_PRODUCT_RATIO_SD = 0.6
_GIB = 2**30
# Training steps that a pass over one epoch's samples takes before an option gains anything: through
# a fixed backbone it is about a quarter of the steps of an epoch.
_FIRST_PASSES = {"transfer-cached": 0.25}
_NO_FIGURE = "No figure is known for what this gains."


def job_times(step_s: Interval, *, workload: Workload) -> tuple[Interval, Interval]:
    """Return the time of an epoch and of the whole job: exactly so many steps."""
    return step_s.scaled(workload.steps_per_epoch), step_s.scaled(workload.total_steps)


def _prediction(
    option_id: str,
    *,
    workload: Workload,
    step_s: Interval,
    basis: Basis,
    evidence: tuple[Evidence, ...],
    assumptions: tuple[str, ...],
    breakdown: tuple[TimeShare, ...] = (),
    is_warned: bool = False,
) -> Prediction:
    epoch_s, total_s = job_times(step_s, workload=workload)
    return Prediction(
        option_id=option_id,
        step_s=step_s,
        epoch_s=epoch_s,
        total_s=total_s,
        basis=basis,
        evidence=evidence,
        assumptions=tuple(dict.fromkeys(assumptions)),
        breakdown=breakdown,
        is_warned=is_warned,
    )


def _from_step(
    option_id: str,
    step: StepEstimate,
    *,
    workload: Workload,
    evidence: tuple[Evidence, ...],
    assumptions: tuple[str, ...] = (),
) -> Prediction:
    return _prediction(
        option_id,
        workload=workload,
        step_s=step.step_s,
        basis=step.basis,
        evidence=evidence,
        assumptions=(*workload.notes, *step.notes, *assumptions),
        breakdown=step.breakdown,
        is_warned=step.log_sd > OWN_WARNED_SD,
    )


def predict_baseline(context: PredictionContext) -> Prediction:
    """Return the time of the job on this machine's CPU with its default stack."""
    rows = rows_of_product(
        context.knowledge, device=context.profile.cpu.brand, workload=context.workload
    )
    # A study may name an NPU by the processor that it sits in.
    published = tuple(row_evidence(row) for row in rows if row.device_kind is not DeviceKind.NPU)
    own = context.correction.evidence if context.correction else ()
    return _from_step(
        BASELINE_OPTION_ID,
        context.baseline_step,
        workload=context.workload,
        evidence=(*own, *context.machine_evidence, *_sheet_evidence(context), *published),
    )


def _sheet_evidence(context: PredictionContext) -> tuple[Evidence, ...]:
    """Return the data sheet as evidence where nothing was measured."""
    if context.baseline_step.basis is not Basis.MODEL_ONLY:
        return ()
    limits = context.cpu_limits
    per_cycle = dict(limits.flop_per_cycle)[Precision.FLOAT32]
    cores = f"{limits.cores:g} cores"
    if limits.slow_cores:
        fast = limits.cores - limits.slow_cores
        cores = f"{fast:g} fast and {limits.slow_cores:g} slow cores ({SLOW_RATE:.2f} of one)"
    statement = (
        f"{cores} x {limits.ghz:.1f} GHz x {per_cycle:.3g} flop per cycle = "
        f"{limits.peak_flop_per_s(Precision.FLOAT32) / 1e9:.0f} GFLOP/s at most, "
        f"memory {limits.bandwidth_byte_per_s / 1e9:.0f} GB/s"
    )
    source = Source(title="data sheet", reference="hardware/cpu_isa.csv, devices/specs.csv")
    return (Evidence(statement=statement, source=source),)


def predict(
    option: Option, context: PredictionContext, baseline: Prediction
) -> Prediction | MissingFact:
    """Return the time of the job under an option, or what is missing to tell it.

    Args:
        option: what the user may do.
        context: machine, measurements, job and facts.
        baseline: this machine as it is now, from `predict_baseline`.
    """
    if option.kind is OptionKind.STAY:
        return baseline
    if option.kind in (OptionKind.CLOUD, OptionKind.BUY) and (option.offer or option.purchase):
        found = transfer(option, context=context)
        if isinstance(found, MissingFact):
            return found
        return _from_hardware(option, found, context)
    if option.kind is OptionKind.LOCAL_DEVICE:
        return _local_device(option, context, baseline)
    told = _under_setting(option, context, baseline) or _otherwise(option, context, baseline)
    return told or _by_effect(option, context, baseline)


def _from_hardware(
    option: Option, found: HardwareEstimate, context: PredictionContext
) -> Prediction:
    return _prediction(
        option.id,
        workload=context.workload,
        step_s=found.step_s,
        basis=found.basis,
        evidence=found.evidence,
        assumptions=(*context.workload.notes, *found.assumptions),
        breakdown=found.breakdown,
        is_warned=found.is_warned,
    )


def _under_setting(
    option: Option, context: PredictionContext, baseline: Prediction
) -> Prediction | None:
    """Return the step computed from kernels that were timed under the option's setting.

    None when there are none. The ratio to the step now is applied to the baseline, because what
    both get wrong in the same way cancels.
    """
    precision = option_precision(option, workload=context.workload)
    settings = option.settings
    is_other_precision = precision is not context.workload.precision
    if not settings and not is_other_precision:
        return None
    step = _measured_step(context, settings=settings, precision=precision)
    if step is None:
        return None
    now = context.baseline_step
    ratio = step.step_s.mid / now.step_s.mid
    log_sd = math.hypot(now.log_sd, 0.5 * step.log_sd)
    evidence = device_evidence(
        context.measurements,
        device_id=CPU_DEVICE_ID,
        precision=precision,
        settings=settings,
        workload=context.workload,
    )
    return _prediction(
        option.id,
        workload=context.workload,
        step_s=interval_of(baseline.step_s.mid * ratio, log_sd=log_sd),
        basis=Basis.SCALED_FROM_MEASUREMENT,
        evidence=evidence,
        assumptions=(
            *baseline.assumptions,
            "Kernels were timed here under this setting; the step follows from them.",
        ),
        breakdown=step.breakdown,
        is_warned=log_sd > OWN_WARNED_SD,
    )


def _otherwise(
    option: Option, context: PredictionContext, baseline: Prediction
) -> Prediction | None:
    """Return the step of a job that is computed otherwise, as a ratio to that of now.

    None where the option changes nothing of that kind, or no kernel was timed here.
    """
    found = computed_otherwise(option.fact, context) if option.fact else None
    if found is None:
        return None
    log_sd = math.hypot(_baseline_sd(baseline), found.log_sd)
    return _prediction(
        option.id,
        workload=context.workload,
        step_s=interval_of(baseline.step_s.mid * found.ratio, log_sd=log_sd),
        basis=found.basis,
        evidence=baseline.evidence,
        assumptions=(*baseline.assumptions, found.assumption),
        breakdown=found.breakdown,
        is_warned=log_sd > OWN_WARNED_SD,
    )


def _measured_step(
    context: PredictionContext, *, settings: tuple[Setting, ...], precision: Precision
) -> StepEstimate | None:
    """Return the step under a setting if kernels were timed under it at that precision."""
    for device in context.ceilings.devices:
        is_same = {(s.name, s.value) for s in device.settings} == {
            (s.name, s.value) for s in settings
        }
        if device.device_id != CPU_DEVICE_ID or not is_same:
            continue
        if any(point.precision is precision for point in device.points):
            step = predict_step(
                context.workload,
                ceilings=context.ceilings,
                device_id=device.device_id,
                precision=precision,
                settings=device.settings,
                threads=device.threads,
            )
            # As the step now, so that their ratio stays.
            if step is None:
                return None
            step = context.correction.of(step) if context.correction else step
            return context.disturbance.of(step)
    return None


def _effect_interval(fact: OptionFact) -> tuple[float, float, float] | None:
    """Return low, middle and high factor on speed; None when no figure is known."""
    low, high = fact.effect_low, fact.effect_high
    if low is None and high is None:
        return None
    low = high if low is None else low
    high = low if high is None else high
    assert low is not None
    assert high is not None
    low, high = min(low, high), max(low, high)
    if low <= 0.0:
        return None
    return low, math.sqrt(low * high), high


def _by_effect(
    option: Option, context: PredictionContext, baseline: Prediction
) -> Prediction | MissingFact:
    """Return the baseline divided by the speed-up that others measured."""
    effect = _effect_interval(option.fact) if option.fact else None
    if option.fact is None or effect is None:
        return MissingFact(fact="time", reason=_NO_FIGURE, remedy="Try it on your own network.")
    low, middle, high = (_after_a_pass(option.fact, factor, context) for factor in effect)
    half = max(_EFFECT_SD * Z_80, math.log(high / low) / 2.0)
    sd = math.hypot(_baseline_sd(baseline), half / Z_80)
    step = interval_of(baseline.step_s.mid / middle, log_sd=sd)
    fact = option.fact
    ends = (format_number(low, digits=2), format_number(high, digits=2))
    statement = f"published: {ends[0]} to {ends[1]} times the speed"
    if fact.effect_basis:
        statement += f" ({fact.effect_basis})"
    source = Source(
        title=fact.title, reference=fact.effect_source or fact.source, date=fact.verified_on
    )
    return _prediction(
        option.id,
        workload=context.workload,
        step_s=step,
        basis=Basis.SCALED_FROM_PUBLISHED,
        evidence=(Evidence(statement=statement, source=source), *baseline.evidence),
        assumptions=(
            *baseline.assumptions,
            "What others gained with other networks holds for yours within the stated range.",
        ),
        is_warned=baseline.is_warned or sd > OWN_WARNED_SD,
    )


def _after_a_pass(fact: OptionFact, factor: float, context: PredictionContext) -> float:
    """Return a speed-up with the pass over all samples that an option needs before it gains."""
    steps_of_pass = _FIRST_PASSES.get(fact.id)
    if steps_of_pass is None:
        return factor
    return 1.0 / (1.0 / factor + steps_of_pass / max(1, context.workload.epochs))


def _baseline_sd(baseline: Prediction) -> float:
    return math.log(baseline.step_s.high / baseline.step_s.mid) / Z_80


def _opencl_device(option: Option, context: PredictionContext) -> OpenclDevice | None:
    devices = context.profile.opencl
    return next((device for device in devices if device.id == option.device_id), None)


def _local_device(
    option: Option, context: PredictionContext, baseline: Prediction
) -> Prediction | MissingFact:
    """Return the time on a device of this machine: its own kernels, published ratio, or effect."""
    device = _opencl_device(option, context)
    if device is not None:
        needed = context.workload.memory_bytes
        if needed > USABLE_MEMORY_SHARE * device.global_mem_bytes:
            return MissingFact(
                fact="time",
                reason=f"The job needs {needed / _GIB:.1f} GiB, the device may use "
                f"{USABLE_MEMORY_SHARE * device.global_mem_bytes / _GIB:.1f} GiB.",
                remedy="Use a smaller batch.",
            )
        step = predict_step(context.workload, ceilings=context.ceilings, device_id=device.id)
        if step is not None and step.basis is not Basis.MODEL_ONLY:
            is_processor = device.kind is DeviceKind.CPU
            return _from_step(
                option.id,
                context.disturbance.of(step) if is_processor else step,
                workload=context.workload,
                evidence=device_evidence(context.measurements, device_id=device.id),
                assumptions=(
                    "A framework for this device has kernels as fast as those timed here.",
                ),
            )
    by_ratio = _product_ratio(option, context, baseline)
    if by_ratio is not None:
        return by_ratio
    return _by_effect(option, context, baseline)


def _product_ratio(
    option: Option, context: PredictionContext, baseline: Prediction
) -> Prediction | None:
    """Return the baseline times the published ratio of iGPU to CPU of this very product."""
    if not _is_inside(option, context):
        return None
    rows = rows_of_product(
        context.knowledge, device=context.profile.cpu.brand, workload=context.workload
    )
    for gpu in (row for row in rows if row.device_kind is DeviceKind.IGPU and row.unit == "s"):
        same = [row for row in rows if row.device_kind is DeviceKind.CPU and _is_pair(row, gpu)]
        if not same:
            continue
        cpu = min(same, key=lambda row: (row.value, row.id))
        ratio = gpu.value / cpu.value
        sd = math.hypot(_baseline_sd(baseline), _PRODUCT_RATIO_SD)
        return _prediction(
            option.id,
            workload=context.workload,
            step_s=interval_of(baseline.step_s.mid * ratio, log_sd=sd),
            basis=Basis.SCALED_FROM_PUBLISHED,
            evidence=(row_evidence(gpu), row_evidence(cpu)),
            assumptions=(
                *baseline.assumptions,
                "The published ratio of the two devices holds for your network.",
            ),
            is_warned=sd > OWN_WARNED_SD,
        )
    return None


def _is_inside(option: Option, context: PredictionContext) -> bool:
    """Whether an option is about the GPU inside the processor, not about a card beside it."""
    gpus = {gpu.id: gpu.kind for gpu in context.profile.graphics}
    gpus |= {device.id: device.kind for device in context.profile.opencl}
    return gpus.get(option.device_id or "") is DeviceKind.IGPU


def _is_pair(cpu: PublishedResult, gpu: PublishedResult) -> bool:
    return (cpu.study, cpu.workload, cpu.metric, cpu.unit) == (
        gpu.study, gpu.workload, gpu.metric, gpu.unit,
    )  # fmt: skip
