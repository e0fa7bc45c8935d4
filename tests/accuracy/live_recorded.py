"""`python -m tests.accuracy recorded FILE`: errors of the predictions on a recorded machine.

Each network at each batch, in training and inference, against the mean of its bouts. Questions
are named "source/phase/families": source is what the prediction may use, `calibration` (the last
quick suite before the network's steps), `again` (that of the end of the run) or `replay` (the
network's own kernels besides, within the time of the quick suite); families are all, fitted,
held_out, or unseen (networks that nothing was fitted with).
"""

import argparse
import dataclasses
import json
import math
import statistics
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from advisor.model.quantity import Precision
from tests.accuracy.live_file import Recording
from tests.accuracy.live_judge import BOUTS, Judge, Truth, judge_of, plain_truths, truths
from tests.accuracy.live_units import BESIDE
from tests.accuracy.offline import Case, Summary, summarise

SOURCES = ("calibration", "again", "replay")


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
        machine = judge.machine(known)
        now = machine.step(plain)
        then = machine.step(plain, precision=precision, threads=1 if alone else None)
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
