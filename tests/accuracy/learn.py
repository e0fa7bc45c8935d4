"""`python -m tests.accuracy.learn`: learns the variances of `advisor.predict.nearby.TERMS`.

Each variance in turn is made larger and smaller and kept where the left-out cases come out better.
With `--folds` the devices are dealt into hands, and each hand is judged by what all others teach,
from scratch: what was learned must hold for devices that took no part in it. Prints; the figures
are put into the module by hand.
"""

import dataclasses
import sys
from collections.abc import Sequence

import numpy as np

from advisor.knowledge.store import load_knowledge
from advisor.predict.nearby import TERMS, AnchorTable
from advisor.predict.similarity import Array, Codes, Term, covariance
from advisor.predict.weights import anchor_table
from tests.accuracy.offline import typical_cases

_STEPS = (4.0, 0.25)
# Errors beyond this count alike: a broken row must not steer the rest.
_LARGEST = 1.2
_WEIGHT_OF_P90 = 0.3
# Devices are dealt into so many hands; where learning without one begins: every variance but that
# of the mean alike.
_HANDS = 5
_MEAN, _UNLEARNED = 16.0, 0.1
_ROUNDS_OF_HANDS = 2


class Judge:
    """Errors of all cases with each device left out, for any terms.

    The covariance is a sum, so that each term is computed once.
    """

    def __init__(self, table: AnchorTable, cases: Sequence[int], terms: Sequence[Term]) -> None:
        self.table = table
        self.cases = np.array(cases)
        self.kinds = np.array([anchor.device.kind.value for anchor in table.anchors])
        names = [anchor.device.name for anchor in table.anchors]
        self.devices = [
            np.flatnonzero([name == device for name in names]) for device in dict.fromkeys(names)
        ]
        features = table.features
        self._parts = [
            covariance([dataclasses.replace(term, variance=1.0)], features, features).astype(
                np.float32
            )
            for term in terms
        ]

    def errors(self, variances: Sequence[float]) -> Array:
        """Return log(predicted / published) of every row, its device left out."""
        known = np.diag(self.table.noise)
        for variance, part in zip(variances, self._parts, strict=True):
            known += variance * part
        inverse = np.linalg.inv(known)
        weights = inverse @ self.table.logs
        errors = np.zeros(len(known))
        for rows in self.devices:
            own = inverse[np.ix_(rows, rows)]
            errors[rows] = -np.linalg.solve(own, weights[rows])
        return errors

    def score(self, variances: Sequence[float], cases: Codes) -> float:
        """Return how bad some cases come out: every kind of device counts."""
        sizes = np.abs(self.errors(variances))
        total = 0.0
        for kind, weight in (("dgpu", 0.5), ("cpu", 0.3), ("igpu", 0.2)):
            of_kind = sizes[cases[self.kinds[cases] == kind]]
            if len(of_kind):
                limited = float(np.mean(np.minimum(of_kind, _LARGEST)))
                total += weight * (limited + _WEIGHT_OF_P90 * float(np.quantile(of_kind, 0.9)))
        return total

    def report(self, errors: Array, cases: Codes) -> str:
        """Return median and 90th percentile of the factors of some cases, by kind."""
        sizes = np.abs(errors)
        texts = []
        for kind in ("all", "dgpu", "cpu", "igpu"):
            of_kind = sizes[[case for case in cases if kind in ("all", self.kinds[case])]]
            if len(of_kind):
                middle, high = np.exp(np.quantile(of_kind, [0.5, 0.9]))
                texts.append(f"{kind} {len(of_kind)}: {middle:.3f} / {high:.2f}")
        return "; ".join(texts)


def learn(judge: Judge, cases: Codes, *, rounds: int, start: Sequence[float]) -> list[float]:
    """Return the variances that serve some cases best, found one after the other."""
    found = list(start)
    best = judge.score(found, cases)
    for _round in range(rounds):
        for place in range(len(found)):
            for step in _STEPS:
                tried = [*found]
                tried[place] *= step
                score = judge.score(tried, cases)
                if score < best - 1e-4:
                    found, best = tried, score
                    sys.stdout.write(f"{best:.4f} {place} {tried[place]:g}\n")
                    sys.stdout.flush()
                    break
    return found


def judge_unlearned(judge: Judge) -> str:
    """Return the errors of all cases, each by variances learned from other devices only."""
    hand = {int(row): place % _HANDS for place, rows in enumerate(judge.devices) for row in rows}
    # What was learned from all devices must not be where the hands begin.
    start = [_MEAN if place == 0 else _UNLEARNED for place in range(len(TERMS))]
    errors = np.zeros(len(judge.table.anchors))
    for one in range(_HANDS):
        others = np.array([case for case in judge.cases if hand[int(case)] != one])
        found = learn(judge, others, rounds=_ROUNDS_OF_HANDS, start=start)
        own = np.array([case for case in judge.cases if hand[int(case)] == one])
        errors[own] = judge.errors(found)[own]
        sys.stdout.write(f"hand {one}: {judge.report(errors, own)}\n")
        sys.stdout.flush()
    return judge.report(errors, judge.cases)


def main(arguments: Sequence[str]) -> int:
    """Learn from all devices, or judge each hand of devices by what the others teach."""
    table = anchor_table(load_knowledge())
    judge = Judge(table, typical_cases(table.anchors), TERMS)
    known = [term.variance for term in TERMS]
    if "--judge" in arguments:
        sys.stdout.write(judge.report(judge.errors(known), judge.cases) + "\n")
    elif "--folds" in arguments:
        sys.stdout.write(judge_unlearned(judge) + "\n")
    else:
        found = learn(judge, judge.cases, rounds=1, start=known)
        sys.stdout.write(judge.report(judge.errors(found), judge.cases) + "\n")
        for term, variance in zip(TERMS, found, strict=True):
            sys.stdout.write(f"{dataclasses.replace(term, variance=float(f'{variance:.2g}'))}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
