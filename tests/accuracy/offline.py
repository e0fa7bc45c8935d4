"""How far the predictions are from published results that they did not see.

Three questions, each with the figures of the answer left out:
- gpu: factor over the roofline of a GPU, from all other GPUs (leave one device out);
- cpu_spec: a step on a processor by its data sheet alone, no published figure enters;
- threads: gain from more threads, from all other sweeps (leave one sweep out).

Errors are |predicted / published - 1|; `covered` is the share of cases inside the 80 % interval.
The other half of the truth, predicting a network on this machine and then really running it, takes
minutes and an otherwise idle machine, so it is a tool of its own beside this module.
"""

import dataclasses
import functools
import json
import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass

from advisor.knowledge.lookup import find_device
from advisor.knowledge.store import Knowledge
from advisor.model.machine import DeviceKind
from advisor.model.published import PublishedResult, ResultPhase
from advisor.model.quantity import Phase, Precision
from advisor.model.workload import Job, Workload
from advisor.network.load import bundled_workload
from advisor.predict.anchors import anchor_factor, matching_anchors
from advisor.predict.ceilings import ceilings_of_limits
from advisor.predict.hardware import spec_limits
from advisor.predict.published import (
    is_comparable,
    network_facts,
    seconds_per_sample,
    spelled,
    thread_law,
    thread_sweeps,
)
from advisor.predict.workload_time import Z_80, step_on

_PHASES = {ResultPhase.TRAINING: Phase.TRAINING, ResultPhase.INFERENCE: Phase.INFERENCE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One prediction against one published figure: logarithm of the ratio, and its sd."""

    question: str
    name: str
    log_error: float
    log_sd: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Errors of one question."""

    n: int
    median_error: float
    p90_error: float
    bias: float
    covered: float | None


def gpu_cases(knowledge: Knowledge) -> Iterable[Case]:
    """Yield the factor of each GPU result, predicted without that GPU."""
    for phase in Phase:
        anchors = matching_anchors(knowledge, phase=phase, precision=Precision.FLOAT32)
        by_device: dict[str, list] = {}
        for anchor in anchors:
            by_device.setdefault(anchor.spec.device, []).append(anchor)
        for device, own in sorted(by_device.items()):
            others = tuple(a for a in anchors if a.spec.device != device)
            # One case for each network on a device: some studies list dozens of batches.
            networks = {spelled(a.row.workload): a for a in reversed(own)}
            for name, anchor in sorted(networks.items()):
                found = anchor_factor(
                    others, spec=anchor.spec, names=frozenset({name}), family=anchor.family,
                    roofline_s=anchor.roofline_s,
                )  # fmt: skip
                yield Case(
                    question=f"gpu_{phase.value}",
                    name=f"{device} {name}",
                    log_error=math.log(found.factor / anchor.factor),
                    log_sd=found.log_sd,
                )


@functools.lru_cache(maxsize=64)
def _workload(knowledge_id: int, name: str, phase: Phase, batch: int) -> Workload:
    job = Job(phase=phase, batch_size=batch)
    return bundled_workload(name, job=job, networks=_KNOWLEDGE[knowledge_id].networks)


_KNOWLEDGE: dict[int, Knowledge] = {}

# What computes with wide vectors, like the software that the data-sheet model describes.
_FRAMEWORKS = frozenset({"tensorflow", "pytorch", "mxnet"})


def _is_cpu_case(row: PublishedResult) -> bool:
    return (
        row.device_kind is DeviceKind.CPU
        and row.phase in _PHASES
        and is_comparable(row)
        and (row.precision or Precision.FLOAT32) is Precision.FLOAT32
        and (row.framework or "").lower() in _FRAMEWORKS
        # Its model and data set are not stated.
        and row.study != "so-non-nvidia-2017"
    )


def cpu_cases(knowledge: Knowledge) -> Iterable[Case]:
    """Yield the step of each published CPU result, predicted from the data sheet."""
    _KNOWLEDGE[id(knowledge)] = knowledge
    for row in knowledge.published:
        if not _is_cpu_case(row):
            continue
        facts = network_facts(knowledge, name=row.workload)
        spec = find_device(knowledge, row.device.split("(")[0], kind=DeviceKind.CPU)
        per_sample = seconds_per_sample(row, facts=facts)
        if facts is None or spec is None or per_sample is None:
            continue
        limits = spec_limits(spec, knowledge=knowledge)
        if limits is None:
            continue
        if row.threads:
            limits = dataclasses.replace(limits, cores=min(limits.cores, float(row.threads)))
        batch = row.batch_size or 1
        workload = _workload(id(knowledge), facts.name, _PHASES[row.phase], batch)
        step = step_on(workload, device=ceilings_of_limits(limits), precision=Precision.FLOAT32)
        yield Case(
            question="cpu_spec",
            name=row.id,
            log_error=math.log(step.step_s.mid / (per_sample * batch)),
            log_sd=step.log_sd,
        )


def thread_cases(knowledge: Knowledge) -> Iterable[Case]:
    """Yield the gain from 4 to 16 cores of each sweep, predicted from the other sweeps."""
    for framework in ("TensorFlow",):
        sweeps = thread_sweeps(knowledge, framework=framework)
        for index, sweep in enumerate(sweeps):
            if sweep.step_flop is None:
                continue
            others = [other for place, other in enumerate(sweeps) if place != index]
            law = thread_law(others, step_flop=sweep.step_flop)
            predicted = law.speedup(16) / law.speedup(4)
            real = sweep.law.speedup(16) / sweep.law.speedup(4)
            yield Case(
                question="threads",
                name=f"{framework} {index}",
                log_error=math.log(predicted / real),
                log_sd=None,
            )


def evaluate(knowledge: Knowledge) -> tuple[Case, ...]:
    """Return every case of every question."""
    return (*gpu_cases(knowledge), *cpu_cases(knowledge), *thread_cases(knowledge))


def summarise(cases: Iterable[Case]) -> dict[str, Summary]:
    """Return the errors of each question."""
    by_question: dict[str, list[Case]] = {}
    for case in cases:
        by_question.setdefault(case.question, []).append(case)
    return {question: _summary(group) for question, group in sorted(by_question.items())}


def _summary(group: list[Case]) -> Summary:
    errors = sorted(abs(math.expm1(case.log_error)) for case in group)
    known = [case for case in group if case.log_sd is not None]
    inside = [case for case in known if abs(case.log_error) <= Z_80 * (case.log_sd or 0.0)]
    return Summary(
        n=len(group),
        median_error=round(statistics.median(errors), 4),
        p90_error=round(errors[min(len(errors) - 1, int(0.9 * len(errors)))], 4),
        bias=round(math.expm1(statistics.median(case.log_error for case in group)), 4),
        covered=round(len(inside) / len(known), 4) if known else None,
    )


def to_json(summaries: dict[str, Summary]) -> str:
    """Return the summaries as the text of the baseline file."""
    body = {question: dataclasses.asdict(summary) for question, summary in summaries.items()}
    return json.dumps(body, indent=1) + "\n"
