"""Everything a prediction may look at, with what is derived from it once for all options.

Leaves to others: predicting (`advisor.predict.predict`).
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field

from advisor.format import format_percent, format_rate
from advisor.knowledge.cloud import CloudIndex
from advisor.knowledge.store import Knowledge
from advisor.model.instructions import is_imitated
from advisor.model.kernel import Direction, GemmShape, OperatorKind
from advisor.model.machine import CPU_DEVICE_ID, MachineProfile
from advisor.model.measurement import REFERENCE, Measurement, MeasurementSet, Setting
from advisor.model.own_step import OwnStep
from advisor.model.prediction import Evidence
from advisor.model.published import NetworkFacts, PublishedResult
from advisor.model.quantity import Basis, Precision, Source
from advisor.model.workload import Workload
from advisor.predict.anchors import OwnTime, computed_precisions, cpu_device, own_run
from advisor.predict.answers import JobAnswers
from advisor.predict.ceilings import MachineCeilings, fit_ceilings
from advisor.predict.cold import fetched_bytes
from advisor.predict.disturbed import Disturbance, disturbance
from advisor.predict.hardware import CpuLimits, cpu_limits, is_rented
from advisor.predict.index import KnowledgeIndex, knowledge_index
from advisor.predict.own_limits import own_limits
from advisor.predict.own_steps import Correction, correction
from advisor.predict.published import (
    ThreadLaw,
    is_similar_batch,
    network_facts,
    network_names,
    rows_of_network,
    thread_law,
)
from advisor.predict.work import StepTotals, operator_kind, rate, step_totals
from advisor.predict.workload_time import StepEstimate, step_on


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionContext:
    """A machine, what was measured on it, the job, and the facts.

    Attributes:
        measurements: None before anything was measured.
        index: of the facts, where there is one already; None: it is made.
        own_steps: that were tried on this machine, with what had been predicted of them.
        ceilings: derived, as all that follows: what this machine can do.
        correction: from the own steps; None before anything was measured here, or when they say
            nothing. Every step of a framework on this machine's processor has it.
        disturbance: of this machine's processor while it was measured; every step that follows
            from its kernels has it.
        cpu_limits, baseline_step: limits of this processor, measured where they were, and a step
            on it.
        cloud: the cloud tables by key.
        nearby: what published times on any device say about this job, by the number format that
            a device computes it in.
        network: what is known of the bundled network, None where it is not one; network_names:
            its spellings, as `advisor.predict.published.spelled` gives them.
        batch_rows: published results of this network, phase and about this batch, each after its
            device in lower case and before the seconds for one sample, by number format as in
            nearby.
        fetched: bytes of weights that a step reads from memory at least (`cold`).
        totals: work of a step; law: how steps of that size use cores.
        machine_evidence: measured figures of this processor, in words.
    """

    profile: MachineProfile
    measurements: MeasurementSet | None
    workload: Workload
    knowledge: Knowledge
    index: KnowledgeIndex | None = None
    own_steps: tuple[OwnStep, ...] = ()
    ceilings: MachineCeilings = field(init=False)
    correction: Correction | None = field(init=False)
    disturbance: Disturbance = field(init=False)
    cpu_limits: CpuLimits = field(init=False)
    baseline_step: StepEstimate = field(init=False)
    cloud: CloudIndex = field(init=False)
    nearby: Mapping[Precision, JobAnswers] = field(init=False)
    network: NetworkFacts | None = field(init=False)
    network_names: frozenset[str] = field(init=False)
    batch_rows: Mapping[Precision, tuple[tuple[str, PublishedResult, float], ...]] = field(
        init=False
    )
    totals: StepTotals = field(init=False)
    fetched: Mapping[OperatorKind, int] = field(init=False)
    law: ThreadLaw = field(init=False)
    machine_evidence: tuple[Evidence, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Derive once what every option needs."""
        index = self.index or knowledge_index(self.knowledge)
        work, facts = self.workload, self.knowledge
        totals = step_totals(work)
        network = network_facts(facts, name=work.network)
        sheet = cpu_limits(self.profile, knowledge=facts)
        ceilings = fit_ceilings(self.profile, self.measurements, facts)
        cpu = ceilings.cpu
        # Rented memory is shared: there the usual share of a machine like it is as good a guess as
        # for the machines that this one is compared with.
        is_own = cpu.is_framework and not is_rented(self.profile)
        bandwidth = cpu.bandwidth_byte_per_s if is_own else None
        limits = own_limits(sheet, self.measurements, bandwidth_byte_per_s=bandwidth)
        found = correction(self.own_steps, work) if cpu.is_framework else None
        disturbed = disturbance(self.measurements, n_cpus=self.profile.cpu.n_logical_cpus)
        # Nobody has to imitate a format: this machine computes in float32 then.
        is_slow = is_imitated(work.precision, profile=self.profile)
        own_precision = Precision.FLOAT32 if is_slow else work.precision
        steps = {}
        for precision in dict.fromkeys((*computed_precisions(work.precision), own_precision)):
            step = step_on(work, device=cpu, precision=precision)
            steps[precision] = disturbed.of(found.of(step) if found else step)
        run = own_run(work, network=network, flop=float(totals.flop))
        derived = {
            "ceilings": ceilings,
            "correction": found,
            "disturbance": disturbed,
            "cpu_limits": limits,
            "baseline_step": steps[own_precision],
            "cloud": index.cloud,
            "nearby": {
                precision: index.answers.about(
                    dataclasses.replace(run, precision=precision),
                    own=own_time(step, work, limits),
                )
                for precision, step in steps.items()
            },
            "network": network,
            "network_names": network_names(work, knowledge=facts),
            "batch_rows": {
                precision: tuple(
                    (row.device.lower(), row, per_sample)
                    for row, per_sample in rows_of_network(
                        dataclasses.replace(work, precision=precision), knowledge=facts
                    )
                    if is_similar_batch(row, work.batch_size)
                )
                for precision in computed_precisions(work.precision)
            },
            "totals": totals,
            "fetched": fetched_bytes(work),
            "law": thread_law(index.sweeps, step_flop=float(totals.flop)),
            "machine_evidence": device_evidence(
                self.measurements,
                device_id=CPU_DEVICE_ID,
                precision=own_precision,
                workload=work,
            ),
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)


def own_time(step: StepEstimate, workload: Workload, limits: CpuLimits) -> OwnTime | None:
    """Return what this processor takes for a sample; None before anything was measured on it."""
    if step.basis is Basis.MODEL_ONLY or step.step_s.mid <= 0.0:
        return None
    return OwnTime(
        device=cpu_device(limits, name=limits.name, precision=workload.precision),
        sample_s=step.step_s.mid / workload.batch_size,
        log_sd=step.log_sd,
    )


def _label(measurement: Measurement) -> str:
    shape = measurement.request.shape
    if isinstance(shape, GemmShape):
        sizes = {shape.m, shape.n, shape.k}
        return f"GEMM {shape.m}" if len(sizes) == 1 else f"GEMM {shape.m}x{shape.n}x{shape.k}"
    kind = operator_kind(shape)
    detail = getattr(shape, "op", None) or getattr(shape, "kind", None)
    words = [kind.value.capitalize(), *([str(detail)] if detail else [])]
    return " ".join(words)


def device_evidence(
    measurements: MeasurementSet | None,
    *,
    device_id: str,
    precision: Precision | None = None,
    settings: tuple[Setting, ...] = (),
    workload: Workload | None = None,
) -> tuple[Evidence, ...]:
    """Return the best figure of each class that was measured on a device, in words.

    With a workload of the classes that it has, and of memory, which every network needs.
    "GEMM 1024: 412 GFLOP/s measured here, lower quartile of 5, MAD 1.2 %".
    """
    if measurements is None:
        return ()
    best: dict[OperatorKind, tuple[float, Measurement]] = {}
    for measurement in measurements.measured:
        request = measurement.request
        if request.device_id != device_id or request.direction is not Direction.FORWARD:
            continue
        if request.role == REFERENCE:
            continue
        if set(request.settings) != set(settings):
            continue
        if precision is not None and request.precision is not precision:
            continue
        value, unit = rate(measurement)
        kind = operator_kind(request.shape)
        order = -value if unit == "s" else value
        if kind not in best or order > best[kind][0]:
            best[kind] = (order, measurement)
    kinds = [OperatorKind.GEMM, OperatorKind.CONVOLUTION, OperatorKind.RECURRENT]
    if workload is not None:
        own = {operator_kind(operator.shape) for operator in workload.operators}
        kinds = [kind for kind in kinds if kind in own]
    return tuple(
        _evidence(best[kind][1], measurements.measured_on)
        for kind in (*kinds, OperatorKind.STREAM)
        if kind in best
    )


def _evidence(measurement: Measurement, measured_on: str) -> Evidence:
    value, unit = rate(measurement)
    kind = "median" if measurement.is_figure_median else "lower quartile"
    statement = (
        f"{_label(measurement)}: {format_rate(value, unit)} measured here, "
        f"{kind} of {len(measurement.values_s)}, MAD {format_percent(measurement.spread or 0.0)}"
    )
    source = Source(
        title="measured on this machine", reference=measurement.request.id, date=measured_on
    )
    return Evidence(statement=statement, source=source)
