"""Time of one step of a network on one device, from the times of its kernels.

Kernels are summed; operators too small to occupy all threads may run beside each other, as far
as the graph allows. Fixed costs come on top. Every threshold is a multiple of a measured cost, so
that a machine that is twice as slow in everything is predicted twice as slow.
Leaves to others: times of kernels (`advisor.predict.efficiency`), epochs and options
(`advisor.predict.predict`).
"""

import math
from dataclasses import dataclass

from advisor.model.instructions import Library
from advisor.model.kernel import (
    Direction,
    ElementwiseShape,
    EmbeddingShape,
    KernelCall,
    OperatorKind,
    RecurrentShape,
)
from advisor.model.measurement import Setting
from advisor.model.prediction import TimeShare
from advisor.model.quantity import Basis, Interval, Phase, Precision
from advisor.model.workload import Operator, Workload
from advisor.predict.beside import (
    calls_beside,
    conversions,
    fed_s,
    inputs_s,
    loss_calls,
)
from advisor.predict.ceilings import DeviceCeilings, MachineCeilings
from advisor.predict.chain import critical_path
from advisor.predict.cold import (
    among_others,
    cold_factor,
    fetching_s,
    has_gradient,
    share_fetched,
)
from advisor.predict.efficiency import EfficiencyModel, KernelTime
from advisor.predict.fresh import fresh_bytes
from advisor.predict.update import update_s, updates_rows
from advisor.predict.work import kernel_calls, operator_kind, repeated

# Half the width of an 80 % interval, in standard deviations.
Z_80 = 1.2816
# Raw x/÷ of the 80 % interval from a calibration alone, and when the shapes themselves were timed.
_RAW_FACTOR = {Phase.TRAINING: 1.26, Phase.INFERENCE: 1.32}
_REPLAY_FACTOR = {Phase.TRAINING: 1.18, Phase.INFERENCE: 1.22}
# The same doubts are larger than the errors are: split-conformal over the residuals of 71 networks
# in ten recordings (sapphirerapids-2 to -4 and -unseen-1, zen5-2 and -4, zen4-1 and -unseen-1 to
# -3), 84 % within (`recorded_factors`).
_RAW_SCALE = {Phase.TRAINING: 0.57, Phase.INFERENCE: 0.45}
_REPLAY_SCALE = {Phase.TRAINING: 0.58, Phase.INFERENCE: 0.42}
# Doubts of what Eigen computes over those of the same told of oneDNN: random convolutions told by
# the others are off by a standard deviation of 0.33 to 0.35 and 0.23 to 0.26 of the logarithm.
_EIGEN = 1.4
# Standard deviation that a step has more where nothing was timed that is like its kernels: of the
# four quiet recordings cut off after 20 and 26 s (41 to 89 kernels of up to 190), the intervals
# hold 76 to 93 % of the cases with it.
_REMOTE_SD = {Phase.TRAINING: 0.27, Phase.INFERENCE: 0.42}
# Standard deviation that a step has more where its weights are in no cache: seven convolutions and
# eight products waited 0 to 1.3 times as long for them as reading them takes (`cold`).
_FETCHED_SD = 0.12
# Standard deviation that a step of recurrent layers alone has more, told from other shapes and
# from its own: such a layer takes 0.7 to 1.3 of its middle from one time that it is built to the
# next (six times a GRU, Zen 4). 66 cases of ten recordings in each phase: 80 and 88 % of the
# intervals hold in training, 79 and 91 % in inference.
_RECURRENT_SD = {Phase.TRAINING: (0.15, 0.11), Phase.INFERENCE: (0.05, 0.0)}
# From this share on it is worth a sentence: the weights are as many as the cache holds.
_MOSTLY_FETCHED = 0.5
# The same for memory that the system gives anew, as a share of the step.
_MUCH_FRESH = 0.05
# From a remoteness of this on it is worth a sentence: of all layers, or of those whose own kernels
# were not timed.
_REMOTE = 0.3
_ALL_REMOTE = "Little was timed that is like the layers of this network."
_REST_REMOTE = (
    "Little was timed that is like those layers of this network that were not timed themselves."
)
# From a data sheet alone; published results on processors lie within it in 8 of 10 cases.
_SPEC_FACTOR = 2.6

# A kernel below 40 dispatches runs on one thread, above 1000 on all; between, in proportion.
_ALONE_DISPATCHES = 40.0
_ALL_DISPATCHES = 1000.0
# Of the time that operators would save beside each other, as far as the graph and the threads that
# they leave idle allow, a step saves this share. Both follow from the families that may shape the
# model (180 cases a phase, ten recordings, kernels timed in their own shapes), where errors
# scatter least between 0.2 and 0.3 in training and 0.5 and 0.8 in inference; families held out and
# loud machines, 388 cases, agree. In training most of what hangs aside are gradients of weights,
# which compete for the same threads.
_SAVED_BESIDE = {Phase.TRAINING: 0.25, Phase.INFERENCE: 0.55}

# A cheap activation right behind a product is folded into it when nothing is kept for gradients.
_FOLDED_OPS = frozenset({"relu", "relu6", "leaky_relu", "elu", "sigmoid", "tanh"})
_FOLDED_SHARE = 0.5

# A step shorter than this many calls is decided by its fixed cost.
_SHORT_STEP_CALLS = 9.0
_SMALL_RECURRENT_BATCH = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class StepEstimate:
    """One step: interval in seconds, parts by operator class, and what it rests on.

    Attributes:
        breakdown: sums to `step_s.mid`, longest first.
        exact_share: part of the time whose kernels were measured in this very shape.
        log_sd: standard deviation of the logarithm of the error, as the interval has it.
        notes: one sentence for each assumption.
        fresh_s: seconds of it that go into memory that the system gives anew.
    """

    step_s: Interval
    breakdown: tuple[TimeShare, ...]
    exact_share: float
    log_sd: float
    basis: Basis
    notes: tuple[str, ...]
    fresh_s: float = 0.0


@dataclass(slots=True, kw_only=True)
class _Sums:
    """What the kernels of a step add up to.

    `is_shared`: by several threads, one kernel at least; `share_fetched`: of the weights, from
    memory; `fresh_s`: of it, for memory given anew.
    """

    by_kind: dict[OperatorKind, float]
    total_s: float = 0.0
    exact_s: float = 0.0
    default_s: float = 0.0
    variance: float = 0.0
    shared_s: float = 0.0
    remote_s: float = 0.0
    is_small_recurrent: bool = False
    is_shared: bool = False
    share_fetched: float = 0.0
    fresh_s: float = 0.0

    def add(self, kind: OperatorKind, time: KernelTime, seconds: float, shared_s: float) -> None:
        self.by_kind[kind] = self.by_kind.get(kind, 0.0) + seconds
        self.total_s += seconds
        self.exact_s += seconds if time.is_exact else 0.0
        self.default_s += seconds if time.is_default else 0.0
        # Errors within a class go together; across kernels they partly cancel.
        self.variance += seconds * seconds * time.log_sd**2
        self.shared_s += shared_s
        self.remote_s += seconds * time.remoteness


def interval_of(mid_s: float, *, log_sd: float) -> Interval:
    """Return the 80 % interval around a time whose error is log-normal."""
    factor = math.exp(Z_80 * log_sd)
    return Interval(low=mid_s / factor, mid=mid_s, high=mid_s * factor)


def predict_step(
    workload: Workload,
    *,
    ceilings: MachineCeilings,
    device_id: str,
    precision: Precision | None = None,
    settings: tuple[Setting, ...] = (),
    threads: int | None = None,
) -> StepEstimate | None:
    """Return the time of one step on a device of the machine.

    Args:
        workload: the network at its batch.
        ceilings: of the machine.
        device_id: CPU or an OpenCL device of the profile.
        precision: of the kernels; None takes the workload's.
        settings: environment under which the device was measured.
        threads: number under which the device was measured, None for the default.

    Returns:
        None when nothing is known of the device under these settings.
    """
    device = ceilings.find(device_id, settings=settings, threads=threads)
    if device is None:
        return None
    return step_on(workload, device=device, precision=precision or workload.precision)


def step_on(workload: Workload, *, device: DeviceCeilings, precision: Precision) -> StepEstimate:
    """Return the time of one step on a device whose ceilings are given."""
    model = device.efficiency_model()
    sums = _Sums(by_kind={})
    if device.is_framework:
        sums.share_fetched = share_fetched(workload, last_cache_bytes=device.last_cache_bytes)
    graph_s = _graph_time(workload, model, device, precision, sums)
    saved = sums.total_s - graph_s
    share = graph_s / sums.total_s if sums.total_s > 0.0 else 1.0
    parts = {kind: seconds * share for kind, seconds in sums.by_kind.items()}
    is_training = workload.phase is Phase.TRAINING
    fixed = device.train_call_s if is_training else device.predict_call_s
    if device.is_framework:
        fixed += inputs_s(workload, call_s=fixed)
        fixed += fed_s(workload, byte_per_s=device.bandwidth_byte_per_s)
        fixed += device.waking_s if sums.is_shared else 0.0
    factor = device.training_step_factor if device.is_framework and is_training else 1.0
    parts[OperatorKind.OVERHEAD] = factor * fixed
    if is_training:
        parts[OperatorKind.OPTIMIZER] = factor * update_s(workload, device)
    total = sum(parts.values())
    log_sd, notes = _uncertainty(workload, device, sums, total)
    if saved > 0.02 * sums.total_s:
        notes.append(
            "Small operators that need not wait for each other are taken to run side by side in"
            " part."
        )
    breakdown = sorted(parts.items(), key=lambda part: (-part[1], part[0]))
    return StepEstimate(
        step_s=interval_of(total, log_sd=log_sd),
        breakdown=tuple(
            TimeShare(operator_kind=kind.value, time_s=seconds) for kind, seconds in breakdown
        ),
        exact_share=_exact_share(sums),
        log_sd=log_sd,
        basis=device.basis,
        notes=(*device.notes, *notes),
        fresh_s=sums.fresh_s,
    )


def _exact_share(sums: _Sums) -> float:
    """Return the part of the time of the kernels that were measured in this very shape."""
    return sums.exact_s / sums.total_s if sums.total_s > 0.0 else 0.0


def _threads_share(seconds: float, device: DeviceCeilings) -> float:
    """Return the share of all threads that a kernel of this length keeps busy."""
    alone = _ALONE_DISPATCHES * device.dispatch_s
    everything = _ALL_DISPATCHES * device.dispatch_s
    least = 1.0 / device.parallel_units
    if seconds <= alone:
        return least
    if seconds >= everything:
        return 1.0
    return least + (1.0 - least) * (seconds - alone) / (everything - alone)


def _folds(operator: Operator, workload: Workload) -> bool:
    """Whether an activation disappears in the product before it."""
    if workload.phase is Phase.TRAINING or len(operator.inputs) != 1:
        return False
    if not isinstance(operator.shape, ElementwiseShape) or operator.shape.op not in _FOLDED_OPS:
        return False
    before = operator_kind(workload.operators[operator.inputs[0]].shape)
    return before in (OperatorKind.GEMM, OperatorKind.CONVOLUTION, OperatorKind.DEPTHWISE)


def _graph_time(
    workload: Workload,
    model: EfficiencyModel,
    device: DeviceCeilings,
    precision: Precision,
    sums: _Sums,
) -> float:
    """Return the time of all operators, forward and backward, with what overlaps."""
    forward: list[float] = []
    backward: list[dict[Direction, float]] = []
    outputs = frozenset(workload.output_positions)
    for index, operator in enumerate(workload.operators):
        times: dict[Direction, float] = {}
        batch = workload.batch_size
        for call in kernel_calls(operator, phase=workload.phase, batch_size=batch):
            if _is_kept_as_rows(call, workload) and device.is_framework:
                continue
            times[call.direction] = _call_time(
                call, operator, workload, model, device, precision, sums
            )
        besides: tuple[KernelCall, ...] = ()
        if device.is_framework:
            besides = repeated(
                (
                    *calls_beside(operator, workload=workload),
                    *conversions(operator, phase=workload.phase, precision=precision),
                ),
                operator,
            )
            if index in outputs:
                besides += loss_calls(operator, workload=workload)
        beside_s = sum(
            _call_time(call, operator, workload, model, device, precision, sums) for call in besides
        )
        forward.append(times.pop(Direction.FORWARD) + beside_s)
        backward.append(times)
    longest = critical_path(workload, forward, backward)
    busy = max(longest, sums.shared_s)
    return sums.total_s - _SAVED_BESIDE[workload.phase] * (sums.total_s - busy)


def _is_kept_as_rows(call: KernelCall, workload: Workload) -> bool:
    """Whether a call would make the gradient of a table dense, and nobody asks for that."""
    is_table = isinstance(call.shape, EmbeddingShape) and call.direction is Direction.BACKWARD
    return is_table and updates_rows(workload)


def _call_time(
    call: KernelCall,
    operator: Operator,
    workload: Workload,
    model: EfficiencyModel,
    device: DeviceCeilings,
    precision: Precision,
    sums: _Sums,
) -> float:
    time = model.time(call.shape, direction=call.direction, precision=precision)
    seconds = time.time_s * call.count
    kind = operator_kind(call.shape)
    if _folds(operator, workload):
        seconds *= _FOLDED_SHARE
    if device.is_framework:
        if has_gradient(operator, phase=workload.phase):
            seconds *= device.training_step_factor
        elif time.is_own:
            seconds *= among_others(kind)
        seconds *= cold_factor(kind, direction=call.direction)
        waiting = fetching_s(operator, call, byte_per_s=device.bandwidth_byte_per_s)
        seconds += sums.share_fetched * waiting * call.count
        fresh = fresh_bytes(call.shape, direction=call.direction, precision=precision)
        fresh_s = (device.fresh_s_per_byte or 0.0) * fresh * call.count
        sums.fresh_s += fresh_s
        # What was timed in its own shape waited for its memory then.
        seconds += 0.0 if time.is_own else fresh_s
    if isinstance(call.shape, RecurrentShape) and call.shape.batch < _SMALL_RECURRENT_BATCH:
        sums.is_small_recurrent = True
    sums.is_shared |= time.time_s > _ALONE_DISPATCHES * device.dispatch_s
    sums.add(kind, time, seconds, seconds * _threads_share(time.time_s, device))
    return seconds


def _memory_notes(sums: _Sums, total_s: float) -> list[str]:
    """Return what there is to know of where weights and results are."""
    notes = []
    if sums.share_fetched >= _MOSTLY_FETCHED:
        notes.append("The weights are more than the caches hold: fetching them takes longer.")
    if sums.fresh_s > _MUCH_FRESH * total_s:
        notes.append(
            "Results of more than 32 MiB get their memory anew from the system in every step:"
            " keeping it saves time."
        )
    return notes


def _uncertainty(
    workload: Workload, device: DeviceCeilings, sums: _Sums, total_s: float
) -> tuple[float, list[str]]:
    """Return the log sd of a step, and why it is wider than usual."""
    notes: list[str] = []
    if not device.points:
        notes.append(
            "No kernel of the framework was timed yet: the times follow from the data sheet."
        )
        return math.log(_SPEC_FACTOR) / Z_80, notes
    exact = _exact_share(sums)
    raw = math.log(_RAW_FACTOR[workload.phase]) / Z_80
    replayed = math.log(_REPLAY_FACTOR[workload.phase]) / Z_80
    variance = exact * replayed**2 + (1.0 - exact) * raw**2
    if sums.total_s > 0.0:
        variance += sums.variance / sums.total_s**2
        variance += (0.5 * sums.default_s / sums.total_s) ** 2
    unknown = sums.by_kind.get(OperatorKind.UNKNOWN, 0.0) / total_s if total_s > 0.0 else 0.0
    if unknown > 0.0:
        variance += (0.7 * unknown) ** 2
        notes.append("Layers that are not known are taken for an addition of two tensors.")
    if sums.default_s > 0.02 * sums.total_s:
        notes.append("Some operators have no measured relative: a usual efficiency is assumed.")
    if total_s < _SHORT_STEP_CALLS * device.train_call_s:
        variance += 0.15**2
        notes.append("The step is short: fixed costs decide it, and they vary.")
    recurrent = sums.by_kind.get(OperatorKind.RECURRENT, 0.0) / total_s if total_s > 0.0 else 0.0
    if recurrent > 0.0 and sums.is_small_recurrent:
        variance += (0.3 * recurrent) ** 2
        notes.append("Recurrent layers at a small batch are decided by their dispatch.")
    scale = 1.0
    if device.is_framework:
        told = _RAW_SCALE[workload.phase] * (_EIGEN if device.library is Library.EIGEN else 1.0)
        scale = exact * _REPLAY_SCALE[workload.phase] + (1.0 - exact) * told
    remoteness = sums.remote_s / sums.total_s if sums.total_s > 0.0 else 0.0
    if remoteness > _REMOTE:
        notes.append(_REST_REMOTE if exact > 0.0 else _ALL_REMOTE)
    notes += _memory_notes(sums, total_s)
    others, own = _RECURRENT_SD[workload.phase]
    return math.hypot(
        scale * math.sqrt(variance),
        _REMOTE_SD[workload.phase] * remoteness,
        _FETCHED_SD * sums.share_fetched,
        recurrent * (exact * own + (1.0 - exact) * others),
    ), notes
