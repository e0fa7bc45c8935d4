"""`python -m tests.accuracy.recorded_factors FILE...`: fits what the model takes from recordings.

The width of the intervals is split-conformal: how many of the model's own standard deviations hold
so many of the cases.
What a training step takes over the sum of its kernels is told by kind of processor: the mean of the
recordings of each, on the families that may shape the model, with their own kernels timed.
"""

import argparse
import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from advisor.knowledge.store import load_knowledge
from advisor.model.quantity import Phase, Precision
from advisor.predict.hardware import cpu_limits
from tests.accuracy.live_file import Recording
from tests.accuracy.live_recorded import Judge, truths

SOURCES = ("calibration", "replay")
# A little more than the interval promises: a machine is not as steady on every day.
COVERAGE = 0.85


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A step in float32 that was predicted: the logarithm of predicted over real time, its sd."""

    role: str
    phase: Phase
    source: str
    log_error: float
    log_sd: float


def cases_of(judge: Judge, recording: Recording) -> list[Case]:
    """Return every float32 case from both sources."""
    found = []
    for truth in truths(recording).values():
        for source in SOURCES if truth.precision is Precision.FLOAT32 else ():
            step = judge.by(source, truth)
            if step is not None:
                error = math.log(step.step_s.mid / truth.step_s)
                found.append(
                    Case(
                        role=truth.network.role, phase=truth.phase, source=source,
                        log_error=error, log_sd=step.log_sd,
                    )
                )  # fmt: skip
    return found


def training_step_factors(files: Iterable[Path]) -> dict[str, float]:
    """Return what a training step takes over its kernels by kind of processor."""
    knowledge = load_knowledge()
    means: dict[str, list[float]] = {}
    for file in files:
        recording = Recording(file)
        limits = cpu_limits(recording.profile, knowledge=knowledge)
        logs = [
            case.log_error - math.log(limits.training_step_factor)
            for case in cases_of(Judge(recording, knowledge), recording)
            if (case.phase, case.source, case.role) == (Phase.TRAINING, "replay", "fitted")
        ]
        if logs and limits.architecture is not None:
            means.setdefault(limits.architecture, []).append(statistics.fmean(logs))
    return {name: math.exp(-statistics.fmean(logs)) for name, logs in means.items()}


def scores(cases: Iterable[Case], *, phase: Phase, source: str) -> list[float]:
    """Return errors in the model's own standard deviations, smallest first."""
    return sorted(
        abs(case.log_error) / case.log_sd
        for case in cases
        if (case.phase, case.source) == (phase, source)
    )


def held_by(found: list[float], coverage: float) -> float:
    """Return how many standard deviations hold that share of new cases (split conformal)."""
    at = math.ceil((len(found) + 1) * coverage) - 1
    return found[min(at, len(found) - 1)]


def all_cases(files: Iterable[Path]) -> list[Case]:
    """Return the float32 cases of several recordings."""
    knowledge = load_knowledge()
    recordings = [Recording(file) for file in files]
    return [case for one in recordings for case in cases_of(Judge(one, knowledge), one)]


def run(arguments: list[str] | None = None) -> int:
    """Print the factors of a training step, the errors, and the widths."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="+", help="recordings, all of them together")
    files = parser.parse_args(arguments).files
    cases = all_cases(files)
    for name, factor in training_step_factors(files).items():
        print(f"training step on {name}: {factor:.3f}")
    for phase in Phase:
        for source in SOURCES:
            errors = [
                abs(math.expm1(case.log_error))
                for case in cases
                if (case.phase, case.source) == (phase, source)
            ]
            sds = held_by(scores(cases, phase=phase, source=source), COVERAGE)
            print(
                f"{phase.value} {source}: median error {statistics.median(errors):.3f}, "
                f"{COVERAGE:.0%} within {sds:.2f} sd"
            )
    return 0


if __name__ == "__main__":
    raise SystemExit(run())
