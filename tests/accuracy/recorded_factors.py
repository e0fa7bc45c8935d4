"""`python -m tests.accuracy.recorded_factors FILE...`: fits what the model takes from recordings.

Class factors of inference are fitted on the families that may shape the model, and judged on each
family by those fitted without it. The width of the intervals is split-conformal: how many of the
model's own standard deviations hold so many of the cases, each family by factors fitted without it.
What a training step takes over the sum of its kernels is told by kind of processor: the mean of the
recordings of each, on the families that may shape the model, with their own kernels timed.
"""

import argparse
import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from advisor.knowledge.store import load_knowledge
from advisor.model.kernel import OperatorKind
from advisor.model.quantity import Phase, Precision
from advisor.predict.hardware import cpu_limits
from advisor.predict.typical import GROUPS, LEAST, MOST, typical_factor
from tests.accuracy.live_file import Recording
from tests.accuracy.live_recorded import Judge, truths

_GROUP_OF = {kind: name for name, kinds in GROUPS.items() for kind in kinds}
_NAMES = (*GROUPS, "rest")
SOURCES = ("calibration", "replay")
# How strongly a factor is drawn towards 1, in cases of a tenth of error.
_DRAWN = 4.0
_ERROR = 0.05
_ROUNDS = 40
# A little more than the interval promises: a machine is not as steady on every day.
COVERAGE = 0.85


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """A predicted step as shares of the real one, by group of classes and without factors."""

    family: str
    role: str
    phase: Phase
    source: str
    shares: tuple[float, ...]
    log_sd: float


def shares_of(judge: Judge, recording: Recording) -> list[Shares]:
    """Return every float32 case from both sources."""
    found = []
    for truth in truths(recording).values():
        for source in SOURCES if truth.precision is Precision.FLOAT32 else ():
            step = judge.by(source, truth)
            if step is None:
                continue
            sums = dict.fromkeys(_NAMES, 0.0)
            for part in step.breakdown:
                kind = OperatorKind(part.operator_kind)
                alone = part.time_s / typical_factor(kind, phase=truth.phase)
                sums[_GROUP_OF.get(kind, "rest")] += alone / truth.step_s
            found.append(
                Shares(
                    family=truth.network.family, role=truth.network.role, phase=truth.phase,
                    source=source, shares=tuple(sums.values()), log_sd=step.log_sd,
                )
            )  # fmt: skip
    return found


def training_step_factors(files: Iterable[Path]) -> dict[str, float]:
    """Return what a training step takes over its kernels by kind of processor, half way to 1."""
    knowledge = load_knowledge()
    means: dict[str, list[float]] = {}
    for file in files:
        recording = Recording(file)
        limits = cpu_limits(recording.profile, knowledge=knowledge)
        logs = [
            math.log(sum(case.shares) / limits.training_step_factor)
            for case in shares_of(Judge(recording, knowledge), recording)
            if (case.phase, case.source, case.role) == (Phase.TRAINING, "replay", "fitted")
        ]
        if logs and limits.architecture is not None:
            means.setdefault(limits.architecture, []).append(statistics.fmean(logs))
    return {name: math.exp(-0.5 * statistics.fmean(logs)) for name, logs in means.items()}


def fit(cases: Iterable[Shares]) -> NDArray[np.float64]:
    """Return the logarithms of the factors: least absolute errors, drawn towards no factor."""
    rows = np.array([case.shares for case in cases])
    logs = np.zeros(len(_NAMES))
    for _ in range(_ROUNDS):
        parts = rows * np.exp(logs)
        totals = parts.sum(axis=1)
        errors = np.log(totals)
        slopes = parts / totals[:, None]
        weights = 1.0 / np.sqrt(_ERROR**2 + errors**2)
        curvature = (slopes * weights[:, None]).T @ slopes + 2.0 * _DRAWN * np.eye(len(logs))
        gradient = (slopes * weights[:, None]).T @ errors + 2.0 * _DRAWN * logs
        logs = logs - 0.5 * np.linalg.solve(curvature, gradient)
        logs = np.clip(logs, math.log(LEAST), math.log(MOST))
        logs[-1] = 0.0  # the rest has none
    return logs


def log_error(case: Shares, logs: NDArray[np.float64]) -> float:
    """Return the logarithm of predicted over real time under the factors."""
    return math.log(float(np.array(case.shares) @ np.exp(logs)))


def factors(cases: Iterable[Shares]) -> dict[str, float]:
    """Return the factors of inference, fitted on the families that may shape the model."""
    chosen = [c for c in cases if c.phase is Phase.INFERENCE and c.role == "fitted"]
    return dict(zip(_NAMES, np.exp(fit(chosen)).tolist(), strict=True))


def without_family(cases: list[Shares], phase: Phase) -> dict[str, NDArray[np.float64]]:
    """Return for each family the factors fitted on the others that may shape the model.

    In training there are none.
    """
    of_phase = [case for case in cases if case.phase is phase]
    families = sorted({case.family for case in of_phase})
    if phase is Phase.TRAINING:
        return {family: np.zeros(len(_NAMES)) for family in families}
    # As the product's are: those of families held out never take part.
    chosen = [case for case in of_phase if case.role == "fitted"]
    return {family: fit(c for c in chosen if c.family != family) for family in families}


def scores(cases: list[Shares], *, phase: Phase, source: str) -> list[float]:
    """Return errors in the model's own standard deviations, each family's without it."""
    logs = without_family(cases, phase)
    chosen = [case for case in cases if (case.phase, case.source) == (phase, source)]
    return sorted(abs(log_error(case, logs[case.family])) / case.log_sd for case in chosen)


def held_by(found: list[float], coverage: float) -> float:
    """Return how many standard deviations hold that share of new cases (split conformal)."""
    at = math.ceil((len(found) + 1) * coverage) - 1
    return found[min(at, len(found) - 1)]


def all_shares(files: Iterable[Path]) -> list[Shares]:
    """Return the float32 cases of several recordings."""
    knowledge = load_knowledge()
    recordings = [Recording(file) for file in files]
    return [case for one in recordings for case in shares_of(Judge(one, knowledge), one)]


def run(arguments: list[str] | None = None) -> int:
    """Print the factors, the errors with and without them, and the widths."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="+", help="recordings, all of them together")
    files = parser.parse_args(arguments).files
    cases = all_shares(files)
    for name, factor in factors(cases).items():
        print(f"factor {name}: {factor:.3f}")
    for name, factor in training_step_factors(files).items():
        print(f"training step on {name}: {factor:.3f}")
    for phase in Phase:
        logs = without_family(cases, phase)
        for source in SOURCES:
            chosen = [case for case in cases if (case.phase, case.source) == (phase, source)]
            bare = [abs(math.expm1(log_error(c, np.zeros(len(_NAMES))))) for c in chosen]
            left = [abs(math.expm1(log_error(c, logs[c.family]))) for c in chosen]
            sds = held_by(scores(cases, phase=phase, source=source), COVERAGE)
            print(
                f"{phase.value} {source}: median error {statistics.median(bare):.3f}, "
                f"each family by the others' factors {statistics.median(left):.3f}, "
                f"{COVERAGE:.0%} within {sds:.2f} sd"
            )
    return 0


if __name__ == "__main__":
    raise SystemExit(run())
