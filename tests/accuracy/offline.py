"""How far the predictions are from published results that they did not see.

Questions, each with the figures of the answer left out:
- unseen: a network on a device of which nothing is known but its data sheet, with the software of
  the study known from other devices; unseen_gpu, unseen_cpu and unseen_igpu are its parts;
- unseen_software: the same, and all of the study is left out as well: what a person asks whose own
  software nobody published (the framework and the work of the network are known);
- own_cpu, own_gpu, own_igpu: the whole way of the product, the same network measured on another
  processor (`tests.accuracy.anchored`), float32;
- seen_device: the device has published results, but none of this network;
- cpu_spec: a step on a processor by its data sheet alone, no published figure enters;
- threads: gain from more threads, from all other sweeps (leave one sweep out).

`noise` is no prediction: how far two studies are apart that ran the same network in the same phase,
precision and (within 1.5 times) batch on the same device. Nothing can be shown to be better.

A factor is max(predicted / published, published / predicted). `covered` is the share of cases
inside the 80 % interval as the app tells it, `covered_cross` with its width learned on other
devices than those that it is judged on.
Predicting a network on this machine and then really running it takes minutes and an otherwise idle
machine, so it is a tool of its own beside this module.
"""

import dataclasses
import functools
import itertools
import json
import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from advisor.knowledge.lookup import find_device
from advisor.knowledge.store import Knowledge
from advisor.model.machine import DeviceKind
from advisor.model.published import PublishedResult, ResultPhase
from advisor.model.quantity import Phase, Precision
from advisor.model.workload import Job, Workload
from advisor.network.load import bundled_workload
from advisor.predict.anchors import Anchor
from advisor.predict.answers import OWN_WARNED_SD, LeftOut, Nearby, answers
from advisor.predict.ceilings import ceilings_of_limits
from advisor.predict.hardware import spec_limits
from advisor.predict.index import knowledge_index
from advisor.predict.nearby import AnchorTable
from advisor.predict.published import (
    is_comparable,
    network_facts,
    seconds_per_sample,
    thread_law,
    thread_sweeps,
)
from advisor.predict.weights import anchor_table
from advisor.predict.workload_time import Z_80, step_on
from tests.accuracy.anchored import anchored_answers
from tests.accuracy.left_out import Without

_PHASES = {ResultPhase.TRAINING: Phase.TRAINING, ResultPhase.INFERENCE: Phase.INFERENCE}
_PARTS = {DeviceKind.DGPU: "gpu", DeviceKind.CPU: "cpu", DeviceKind.IGPU: "igpu"}
# Batches that differ by no more are the same question.
_SAME_BATCH = 1.5
# Devices are dealt into so many hands; the width of each hand's intervals is learned on the others.
_HANDS = 5
# Every so manieth case is in the sample, which is quick enough for each run of the tests.
SAMPLE = 32
# A pair whose times differ by less has no winner.
_TIE = 1.2
_LARGE = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One prediction against one published figure: logarithm of the ratio, and its sd."""

    question: str
    name: str
    log_error: float
    log_sd: float | None
    is_warned: bool = False
    device: str = ""
    published_s: float | None = None
    contest: tuple[object, ...] = ()
    is_in_sample: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Errors of one question.

    Attributes:
        median_error, p90_error: of |predicted / published - 1|.
        median_factor, p90_factor: of the factors between prediction and publication.
        bias: median of predicted / published - 1.
        covered: share inside the 80 % interval; None where a question has no interval.
        covered_cross: the same with the width learned on other devices.
        width: what the standard deviations should be multiplied by to hold 80 %.
        large, large_unwarned: cases off by more than 3 times, and those without a warning.
        warned: share of the cases with a warning.
        wrong_winner: share of pairs of devices, in one study with the same job, told in the wrong
            order although they differ by more than 20 %; None without such pairs.
    """

    n: int
    median_error: float
    p90_error: float
    median_factor: float
    p90_factor: float
    bias: float
    covered: float | None
    covered_cross: float | None
    width: float | None
    large: int
    large_unwarned: int
    warned: float
    wrong_winner: float | None


def typical_cases(anchors: Sequence[Anchor]) -> list[int]:
    """Return the positions of the cases: one for each device, threads, software and job.

    Some studies list dozens of batches: the middle one speaks for them. A network counts if its
    work is known or it ran on another device too: the app always knows the work.
    """
    groups: dict[tuple[object, ...], list[int]] = defaultdict(list)
    devices = defaultdict(set)
    for place, a in enumerate(anchors):
        job = (a.run.software, a.run.network, a.run.phase, a.run.precision)
        groups[a.row.device, a.row.threads, *job].append(place)
        devices[a.run.network].add(a.device.name)
    cases = []
    for group in groups.values():
        group.sort(key=lambda place: (anchors[place].run.batch_size, anchors[place].row.id))
        anchor = anchors[group[len(group) // 2]]
        if anchor.run.multiply_adds or len(devices[anchor.run.network]) > 1:
            cases.append(group[len(group) // 2])
    return sorted(cases)


def _asked(
    table: AnchorTable, anchor: Anchor, left_out: LeftOut, *, is_own: bool = False
) -> Nearby | None:
    run = anchor.run
    if is_own:
        run = dataclasses.replace(run, study=None, software=None)
    found = answers(table, run, kind=anchor.device.kind, left_out=left_out)
    return found.on(anchor.device) if found else None


def _questions(
    table: AnchorTable, anchor: Anchor, without: Without
) -> Iterator[tuple[str, Nearby | None]]:
    """Yield what can be asked about one published time that is left out, and the answers."""
    device, run = anchor.device.name, anchor.run
    yield "unseen", _asked(table, anchor, without(device=device))
    if run.framework in _FRAMEWORKS and run.multiply_adds:
        left_out = without(device=device, study=run.study)
        yield "unseen_software", _asked(table, anchor, left_out, is_own=True)
    if any(a.device.name == device and a.run.network != run.network for a in table.anchors):
        yield "seen_device", _asked(table, anchor, without(device=device, network=run.network))


def device_cases(knowledge: Knowledge, *, every: int = 1) -> Iterator[Case]:
    """Yield published times with their device, or their device and network, left out.

    Args:
        knowledge: facts.
        every: 1 for all cases, 8 for every eighth.
    """
    table = anchor_table(knowledge)
    without = Without(table)
    for count, place in enumerate(typical_cases(table.anchors)):
        if count % every:
            continue
        for question, found in _questions(table, table.anchors[place], without):
            if found is not None:
                case = _case(question, table.anchors[place], found)
                yield dataclasses.replace(case, is_in_sample=count % SAMPLE == 0)


def _case(question: str, anchor: Anchor, found: Nearby) -> Case:
    run = anchor.run
    return Case(
        question=question,
        name=f"{anchor.device.name}, {anchor.row.id}: {run.framework} {run.network} "
        f"{run.phase.value} {run.precision.value} batch {run.batch_size}",
        log_error=math.log(found.sample_s / anchor.sample_s),
        log_sd=found.log_sd,
        is_warned=found.is_warned,
        device=f"{_PARTS[anchor.device.kind]} {anchor.device.name}",
        published_s=anchor.sample_s,
        contest=(run.software, run.network, run.phase, run.precision, run.batch_size),
    )


def own_cases(knowledge: Knowledge) -> Iterator[Case]:
    """Yield what the product tells once the network is measured on the processor at hand."""
    index = knowledge_index(knowledge)
    places = typical_cases(index.anchors.anchors)
    for one in anchored_answers(knowledge, index=index, places=places):
        step, anchor = one.found.step_s, one.anchor
        yield Case(
            question=f"own_{_PARTS[anchor.device.kind]}",
            name=f"{anchor.device.name} {anchor.row.id} from {one.measured.device.name}",
            log_error=math.log(step.mid / anchor.run.batch_size / anchor.sample_s),
            log_sd=max(math.log(step.high / step.mid) / Z_80, 1e-3),
            is_warned=one.found.is_warned,
            device=anchor.device.name,
        )


def noise_cases(knowledge: Knowledge) -> Iterator[Case]:
    """Yield pairs of studies with the same device, network, phase, precision and similar batch."""
    groups: dict[tuple[object, ...], list[Anchor]] = defaultdict(list)
    for a in anchor_table(knowledge).anchors:
        groups[a.device.name, a.run.network, a.run.phase, a.run.precision].append(a)
    for group in groups.values():
        best: dict[tuple[str | None, int], Anchor] = {}
        for a in group:
            key = (a.run.study, a.run.batch_size)
            if key not in best or a.sample_s < best[key].sample_s:
                best[key] = a
        for one, other in itertools.combinations(best.values(), 2):
            ratio = one.run.batch_size / other.run.batch_size
            if one.run.study != other.run.study and 1 / _SAME_BATCH <= ratio <= _SAME_BATCH:
                yield Case(
                    question="noise",
                    name=f"{one.row.id} {other.row.id}",
                    log_error=math.log(one.sample_s / other.sample_s),
                    log_sd=None,
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
            is_warned=step.log_sd > OWN_WARNED_SD,
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


def evaluate(knowledge: Knowledge, *, every: int = 1) -> tuple[Case, ...]:
    """Return the cases of every question, of the slow ones every so manieth."""
    return (
        *device_cases(knowledge, every=every), *own_cases(knowledge),
        *noise_cases(knowledge), *cpu_cases(knowledge), *thread_cases(knowledge),
    )  # fmt: skip


def summarise(cases: Iterable[Case]) -> dict[str, Summary]:
    """Return the errors of each question, of its sample, and of each kind of unseen device."""
    by_question: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        by_question[case.question].append(case)
        if case.is_in_sample:
            by_question[f"sample_{case.question}"].append(case)
        if case.question == "unseen":
            by_question[f"unseen_{case.device.split()[0]}"].append(case)
    return {question: _summary(group) for question, group in sorted(by_question.items())}


def _summary(group: list[Case]) -> Summary:
    sizes = sorted(abs(case.log_error) for case in group)
    errors = sorted(abs(math.expm1(case.log_error)) for case in group)
    large = [case for case in group if abs(case.log_error) > math.log(_LARGE)]
    return Summary(
        n=len(group),
        median_error=round(statistics.median(errors), 4),
        p90_error=round(_quantile(errors, 0.9), 4),
        median_factor=round(math.exp(statistics.median(sizes)), 4),
        p90_factor=round(math.exp(_quantile(sizes, 0.9)), 4),
        bias=round(math.expm1(statistics.median(case.log_error for case in group)), 4),
        covered=_covered(group),
        covered_cross=_covered_cross(group),
        width=round(width_of(group), 3) if all(case.log_sd for case in group) else None,
        large=len(large),
        large_unwarned=sum(not case.is_warned for case in large),
        warned=round(sum(case.is_warned for case in group) / len(group), 4),
        wrong_winner=_wrong_winner(group),
    )


def _quantile(ordered: Sequence[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def width_of(cases: Iterable[Case]) -> float:
    """Return what standard deviations must be multiplied by to hold 80 % of some cases."""
    found = sorted(abs(case.log_error) / (Z_80 * case.log_sd) for case in cases if case.log_sd)
    return _quantile(found, 0.8)


def _covered(group: list[Case], *, width: float = 1.0) -> float | None:
    """Return the share inside the 80 % interval, widened so many times."""
    known = [case for case in group if case.log_sd is not None]
    inside = [case for case in known if abs(case.log_error) <= width * Z_80 * (case.log_sd or 0.0)]
    return round(len(inside) / len(known), 4) if known else None


def _covered_cross(group: list[Case]) -> float | None:
    """Return the share inside intervals whose width was learned on other devices."""
    devices = sorted({case.device for case in group})
    if len(devices) < _HANDS or not all(case.log_sd for case in group):
        return None
    hands = {device: place % _HANDS for place, device in enumerate(devices)}
    inside = 0.0
    for hand in range(_HANDS):
        own = [case for case in group if hands[case.device] == hand]
        width = width_of(case for case in group if hands[case.device] != hand)
        inside += (_covered(own, width=width) or 0.0) * len(own)
    return round(inside / len(group), 4)


def _wrong_winner(group: list[Case]) -> float | None:
    """Return how often the slower of two devices is predicted to be the faster one."""
    contests: dict[tuple[object, ...], list[Case]] = defaultdict(list)
    for case in group:
        if case.contest:
            contests[case.contest].append(case)
    n_pairs = n_wrong = 0
    for rivals in contests.values():
        for one, other in itertools.combinations(rivals, 2):
            published = math.log((one.published_s or 1.0) / (other.published_s or 1.0))
            if abs(published) <= math.log(_TIE) or one.device == other.device:
                continue
            predicted = published + one.log_error - other.log_error
            n_pairs += 1
            n_wrong += predicted * published <= 0.0
    return round(n_wrong / n_pairs, 4) if n_pairs else None


def to_json(summaries: dict[str, Summary]) -> str:
    """Return the summaries as the text of the baseline file."""
    body = {question: dataclasses.asdict(summary) for question, summary in summaries.items()}
    return json.dumps(body, indent=1) + "\n"
