"""`python -m tests.accuracy recorded FILE`: errors of the predictions on a recorded machine.

Each network at each batch, in training and inference, against the mean of its bouts. Questions
are named "source/phase/families": source is what the prediction may use, `calibration` (the last
quick suite before the network's steps), `again` (that of the end of the run) or `replay` (the
network's own kernels besides, within the time of the quick suite); families are all, fitted,
held_out, or unseen (networks that nothing was fitted with).
"""

import argparse
import dataclasses
import functools
import json
import math
import re
import statistics
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from advisor.knowledge.store import Knowledge, load_knowledge
from advisor.model.measurement import Measurement, MeasurementSet
from advisor.model.quantity import Phase, Precision
from advisor.model.workload import Workload
from advisor.predict.ceilings import fit_ceilings
from advisor.predict.disturbed import disturbance
from advisor.predict.workload_time import StepEstimate, step_on
from probes.bench.plan import CPU_BUDGET_S, Budget
from tests.accuracy.live_file import Recording
from tests.accuracy.live_networks import LiveNetwork, live_networks
from tests.accuracy.live_units import BESIDE, kernels_of
from tests.accuracy.offline import Case, Summary, summarise

BOUTS = (1, 2)
SOURCES = ("calibration", "again", "replay")
# Calibrations that the predictions of the networks after them rest on.
_REPEATED = re.compile(r"calibration/(start|[0-9]+)")
QUICK_S = CPU_BUDGET_S[Budget.QUICK]


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """Real steps of a network: the median seconds of each bout."""

    network: LiveNetwork
    phase: Phase
    batch: int
    precision: Precision
    bouts_s: tuple[float, ...]

    @property
    def step_s(self) -> float:
        """Return the geometric mean of the bouts."""
        return math.exp(statistics.fmean(map(math.log, self.bouts_s)))

    @property
    def name(self) -> str:
        """Return what is run."""
        return f"{self.network.name} {self.phase.value} {self.batch} {self.precision.value}"

    def workload(self) -> Workload:
        """Return what the product makes of it, in float32."""
        return self.network.workload(phase=self.phase, batch=self.batch)


def truths(recording: Recording, kind: str = "truth/{}/{}") -> dict[tuple[Any, ...], Truth]:
    """Return the real steps by network, phase, batch and precision; failed ones are not there."""
    found: dict[tuple[Any, ...], Truth] = {}
    for network in live_networks():
        values: dict[tuple[Any, ...], list[float]] = {}
        for bout in BOUTS:
            unit = recording.units.get(kind.format(bout, network.name))
            for case in unit["cases"] if unit else ():
                if not case.get("values_s"):
                    continue
                key = (Phase(case["phase"]), case["batch_size"], Precision(case["precision"]))
                values.setdefault(key, []).append(statistics.median(case["values_s"]))
        for (phase, batch, precision), bouts in values.items():
            found[network.name, phase, batch, precision] = Truth(
                network=network, phase=phase, batch=batch, precision=precision,
                bouts_s=tuple(bouts),
            )  # fmt: skip
    return found


def plain_truths(recording: Recording) -> list[Truth]:
    """Return the real steps in float32."""
    return [t for t in truths(recording).values() if t.precision is Precision.FLOAT32]


def kernel_seconds(unit: dict[str, Any]) -> dict[str, float]:
    """Return how long each kernel of a unit took, building included; the first without imports."""
    ends = [end for _, end in unit["ends_s"]]
    spans = [end - before for before, end in zip([0.0, *ends], ends, strict=False)]
    if len(spans) > 1:
        spans[0] = min(spans[0], statistics.median(spans[1:]))
    return {name: span for (name, _), span in zip(unit["ends_s"], spans, strict=True)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """Measured kernels of a workload, and the seconds that they took."""

    measured: tuple[Measurement, ...]
    seconds: float


class Judge:
    """Predicts the recorded cases as the product would have.

    Args:
        recording: of a machine.
        knowledge: the facts.
    """

    def __init__(self, recording: Recording, knowledge: Knowledge) -> None:
        self.recording = recording
        self._knowledge = knowledge
        self._sets: dict[str, MeasurementSet | None] = {}
        self._steps: dict[tuple[str, str], StepEstimate | None] = {}

    def measurements(self, name: str) -> MeasurementSet | None:
        """Return the measurements of a unit, read once."""
        if name not in self._sets:
            self._sets[name] = self.recording.measurements(name)
        return self._sets[name]

    def replay(self, truth: Truth, kind: str) -> Replay | None:
        """Return what the product would have replayed for a case, as it was recorded."""
        name = f"replay/{kind}/{truth.network.name}"
        found = self.measurements(name)
        if found is None:
            return None
        wanted = {(call.shape, call.direction) for call in kernels_of(truth.workload())}
        own = tuple(
            m for m in found.measured if (m.request.shape, m.request.direction) in wanted
        )  # fmt: skip
        spans = kernel_seconds(self.recording.units[name])
        return Replay(measured=own, seconds=sum(spans[m.request.id] for m in own))

    def calibration(self, name: str, *, seconds: float) -> list[Measurement]:
        """Return the kernels of a calibration that were over after so many seconds."""
        found = self.measurements(f"calibration/{name}")
        if found is None:
            return []
        ends = dict(self.recording.units[f"calibration/{name}"]["ends_s"])
        return [m for m in found.measured if ends[m.request.id] <= seconds + 1.0]

    def last_calibration(self, truth: Truth) -> str:
        """Return the name of the last calibration before the first steps of a network."""
        units = self.recording.units
        begun = units[f"truth/1/{truth.network.name}"]["started_s"]
        started = {
            unit["started_s"]: name.removeprefix("calibration/")
            for name, unit in units.items()
            if _REPEATED.fullmatch(name) and unit["started_s"] < begun
        }
        return started[max(started)] if started else "start"

    def step(
        self,
        truth: Truth,
        measured: Iterable[Measurement],
        *,
        precision: Precision = Precision.FLOAT32,
        threads: int | None = None,
    ) -> StepEstimate | None:
        """Return the step as predicted from these measurements; None: nothing is known."""
        every = MeasurementSet(measured_on="", duration_s=0.0, results=tuple(measured))
        ceilings = fit_ceilings(self.recording.profile, every, self._knowledge)
        device = ceilings.find("cpu", threads=threads)
        if device is None:
            return None
        step = step_on(truth.workload(), device=device, precision=precision)
        n_cpus = self.recording.profile.cpu.n_logical_cpus
        return disturbance(every, n_cpus=n_cpus).of(step)

    def by(self, source: str, truth: Truth) -> StepEstimate | None:
        """Return the step as predicted from a source, once; None when it was not recorded."""
        key = source, truth.name
        if key not in self._steps:
            self._steps[key] = self._by(source, truth)
        return self._steps[key]

    def _by(self, source: str, truth: Truth) -> StepEstimate | None:
        if source == "replay":
            own = self.replay(truth, "float32")
            if own is None:
                return None
            table = self.calibration(self.last_calibration(truth), seconds=QUICK_S - own.seconds)
            return self.step(truth, [*table, *own.measured])
        name = "end" if source == "again" else self.last_calibration(truth)
        table = self.calibration(name, seconds=math.inf)
        return self.step(truth, table) if table else None


def live_cases(
    judge: Judge, found: Iterable[Truth], *, sources: Iterable[str] = SOURCES
) -> Iterator[Case]:
    """Yield every case under every question that it belongs to."""
    for truth in found:
        for source in sources:
            step = judge.by(source, truth)
            if step is None:
                continue
            for families in ("all", truth.network.role):
                yield Case(
                    question=f"{source}/{truth.phase.value}/{families}",
                    name=truth.name,
                    log_error=math.log(step.step_s.mid / truth.step_s),
                    log_sd=step.log_sd,
                )


def noise_cases(found: Iterable[Truth]) -> Iterator[Case]:
    """Yield what the second bout of each case is off the first."""
    for truth in found:
        if len(truth.bouts_s) == len(BOUTS):
            first, second = truth.bouts_s
            yield Case(
                question=f"noise/{truth.phase.value}/all",
                name=truth.name,
                log_error=math.log(second / first),
                log_sd=None,
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A setting against another: time of the first over that of the second, real and predicted."""

    question: str
    name: str
    real: float
    predicted: float

    @property
    def matters(self) -> bool:
        """Whether they differ by more than 10 %."""
        return max(self.real, 1.0 / self.real) > 1.1

    @property
    def is_wrong(self) -> bool:
        """Whether the better one is told wrongly."""
        return (self.real > 1.0) != (self.predicted > 1.0)


def choices(judge: Judge) -> Iterator[Choice]:
    """Yield bfloat16 against float32, and one thread against the default."""
    default = truths(judge.recording, "variant/{}/default/{}")
    alone = truths(judge.recording, "variant/{}/threads-1/{}")
    for (name, phase, batch, precision), plain in default.items():
        if precision is not Precision.FLOAT32:
            continue
        short = default.get((name, phase, batch, Precision.BFLOAT16))
        single = alone.get((name, phase, batch, Precision.FLOAT32))
        if short is not None:
            yield from _choices(judge, plain, short, "bfloat16")
        if single is not None:
            yield from _choices(judge, plain, single, "threads-1")


def _choices(judge: Judge, plain: Truth, other: Truth, kind: str) -> Iterator[Choice]:
    table = judge.calibration("start", seconds=math.inf)
    alone = kind == "threads-1"
    more = judge.calibration("threads-1", seconds=math.inf) if alone else []
    precision = Precision.FLOAT32 if alone else Precision.BFLOAT16
    default = judge.replay(plain, BESIDE) or judge.replay(plain, "float32")
    replays = default, judge.replay(plain, kind)
    for source in ("calibration", "replay"):
        used = replays if source == "replay" else ()
        own = [m for replay in used if replay is not None for m in replay.measured]
        known = [*table, *more, *own]
        now = judge.step(plain, known)
        then = judge.step(plain, known, precision=precision, threads=1 if alone else None)
        if now is not None and then is not None:
            yield Choice(
                question=f"{source}/{kind}/{plain.phase.value}",
                name=plain.name,
                real=other.step_s / plain.step_s,
                predicted=then.step_s.mid / now.step_s.mid,
            )


def choice_summary(found: Iterable[Choice]) -> dict[str, dict[str, float]]:
    """Return for each question how many cases matter and how many of those are told wrongly."""
    groups: dict[str, list[Choice]] = {}
    for choice in found:
        groups.setdefault(choice.question, []).append(choice)
    summary = {}
    for question, group in sorted(groups.items()):
        telling = [choice for choice in group if choice.matters]
        errors = [abs(choice.predicted / choice.real - 1.0) for choice in group]
        summary[question] = {
            "n": len(telling),
            "wrong": sum(choice.is_wrong for choice in telling),
            "median_ratio_error": round(statistics.median(errors), 4),
        }
    return summary


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """All errors of a recording."""

    cases: tuple[Case, ...]
    choices: tuple[Choice, ...]
    seconds: dict[str, float]

    @property
    def errors(self) -> dict[str, Summary]:
        """Return the errors of each question."""
        return summarise(self.cases)

    def to_json(self) -> str:
        """Return the text of the baseline."""
        body = {
            "errors": {name: dataclasses.asdict(s) for name, s in self.errors.items()},
            "choices": choice_summary(self.choices),
            "seconds": self.seconds,
        }
        return json.dumps(body, indent=1) + "\n"


@functools.cache
def judge_of(path: Path) -> Judge:
    """Return the judge of a recording by the bundled facts, the same one to all who ask."""
    return Judge(Recording(path), load_knowledge())


def judge_recording(judge: Judge) -> Verdict:
    """Return the errors of the predictions for a recorded machine."""
    found = plain_truths(judge.recording)
    seconds = {}
    for name in ("start", "end"):
        measured = judge.measurements(f"calibration/{name}")
        if measured is not None:
            seconds[f"calibration_{name}"] = round(measured.duration_s, 1)
    spent = [r.seconds for truth in found if (r := judge.replay(truth, "float32")) is not None]
    if spent:
        seconds["replay_median"] = round(statistics.median(spent), 1)
        seconds["replay_longest"] = round(max(spent), 1)
    return Verdict(
        cases=(*live_cases(judge, found), *noise_cases(found)),
        choices=tuple(choices(judge)),
        seconds=seconds,
    )


def run_recorded(arguments: list[str]) -> int:
    """Print the errors of a recording."""
    parser = argparse.ArgumentParser(prog="python -m tests.accuracy recorded", description=__doc__)
    parser.add_argument("file", type=Path, help="made by `python -m tests.accuracy live`")
    parser.add_argument("--worst", action="store_true", help="print every case, worst first")
    parser.add_argument("--write", action="store_true", help="renew the baseline of the recording")
    options = parser.parse_args(arguments)
    if not options.file.is_file():
        parser.error(f"there is no file {options.file}")
    judge = judge_of(options.file)
    verdict = judge_recording(judge)
    print(verdict.to_json(), end="")
    print(_conditions(judge.recording))
    if options.worst:
        _print_worst(verdict)
    if options.write:
        baseline_path(options.file).write_text(verdict.to_json(), encoding="utf-8")
    return 0


def baseline_path(recording: Path) -> Path:
    """Return where the errors of a recording are kept."""
    return recording.with_name(recording.name.split(".")[0] + ".baseline.json")


def _conditions(recording: Recording) -> str:
    """Return in a line how quiet the machine was."""
    references = [
        statistics.median(unit["reference"]["values_s"])
        for name, unit in recording.units.items()
        if "threads-1" not in name and (unit.get("reference") or {}).get("values_s")
    ]
    loads = [unit["load"].get("others") or 0.0 for unit in recording.units.values()]
    text = f"{len(recording.units)} units, others used up to {max(loads, default=0.0):.0%}"
    if len(references) > 1:
        middle = statistics.median(references)
        low, high = min(references) / middle - 1.0, max(references) / middle - 1.0
        text += f", reference {1e3 * middle:.2f} ms, {low:+.0%} to {high:+.0%}"
    return text


def _print_worst(verdict: Verdict) -> None:
    for case in sorted(verdict.cases, key=lambda c: -abs(c.log_error)):
        if case.question.endswith("/all"):
            width = "" if case.log_sd is None else f" sd {case.log_sd:.2f}"
            print(f"{math.expm1(case.log_error):+.0%}{width} {case.question} {case.name}")
    for choice in sorted(verdict.choices, key=lambda c: -abs(math.log(c.predicted / c.real))):
        word = "WRONG" if choice.matters and choice.is_wrong else ""
        line = f"real {choice.real:.2f} predicted {choice.predicted:.2f}"
        print(f"{line} {choice.question} {choice.name} {word}")
