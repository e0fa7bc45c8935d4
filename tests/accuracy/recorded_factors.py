"""`python -m tests.accuracy.recorded_factors FILE...`: fits what the model takes from recordings.

The width of the intervals is split-conformal: how many of the model's own standard deviations hold
so many of the cases.
What a training step takes over the sum of its kernels is told by kind of processor, on the families
that may shape the model, with their own kernels timed: the mean over processors, which are told
apart by their caches, of the mean of the recordings of each.
"""

import argparse
import math
import statistics
from collections.abc import Iterable, Mapping
from pathlib import Path

from advisor.knowledge.store import load_knowledge
from advisor.model.quantity import Phase
from advisor.predict.hardware import cpu_limits
from tests.accuracy.live_judge import judge_of, plain_truths
from tests.accuracy.live_recorded import live_cases
from tests.accuracy.offline import Case

SOURCES = ("calibration", "replay")
# A little more than the interval promises: a machine is not as steady on every day.
COVERAGE = 0.84


def cases_of(files: Iterable[Path]) -> dict[Path, list[Case]]:
    """Return the float32 cases of each recording."""
    found = {}
    for file in files:
        judge = judge_of(file)
        found[file] = list(live_cases(judge, plain_truths(judge.recording), sources=SOURCES))
    return found


def training_step_factors(cases: Mapping[Path, Iterable[Case]]) -> dict[str, float]:
    """Return what a training step takes over its kernels by kind of processor."""
    knowledge = load_knowledge()
    means: dict[str, dict[object, list[float]]] = {}
    for file, found in cases.items():
        profile = judge_of(file).recording.profile
        limits = cpu_limits(profile, knowledge=knowledge)
        logs = [
            case.log_error - math.log(limits.training_step_factor)
            for case in found
            if case.question == "replay/training/fitted"
        ]
        if logs and limits.architecture is not None:
            processors = means.setdefault(limits.architecture, {})
            processors.setdefault(profile.cpu.caches, []).append(statistics.fmean(logs))
    return {
        name: math.exp(-statistics.fmean(map(statistics.fmean, processors.values())))
        for name, processors in means.items()
    }


def of_all(cases: Mapping[Path, Iterable[Case]], *, phase: Phase, source: str) -> list[Case]:
    """Return the cases of all families and recordings in a phase, told from a source."""
    question = f"{source}/{phase.value}/all"
    return [case for found in cases.values() for case in found if case.question == question]


def scores(cases: Iterable[Case]) -> list[float]:
    """Return errors in the model's own standard deviations, smallest first."""
    return sorted(abs(case.log_error) / case.log_sd for case in cases if case.log_sd)


def held_by(found: list[float], coverage: float) -> float:
    """Return how many standard deviations hold that share of new cases (split conformal)."""
    at = math.ceil((len(found) + 1) * coverage) - 1
    return found[min(at, len(found) - 1)]


def run(arguments: list[str] | None = None) -> int:
    """Print the factors of a training step, the errors, and the widths."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="+", help="recordings, all of them together")
    files = parser.parse_args(arguments).files
    cases = cases_of(files)
    for name, factor in training_step_factors(cases).items():
        print(f"training step on {name}: {factor:.3f}")
    for phase in Phase:
        for source in SOURCES:
            found = of_all(cases, phase=phase, source=source)
            errors = [abs(math.expm1(case.log_error)) for case in found]
            sds = held_by(scores(found), COVERAGE)
            print(
                f"{phase.value} {source}: median error {statistics.median(errors):.3f}, "
                f"{COVERAGE:.0%} within {sds:.2f} sd"
            )
    return 0


if __name__ == "__main__":
    raise SystemExit(run())
