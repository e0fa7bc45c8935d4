"""How alike two experiments are: the covariance of the logarithms of their times.

An experiment is a network on a device with some software. What two of them share (study, software,
network, architecture, ...) moves both times alike; a sum of such terms is their covariance, and the
best unbiased guess of an unseen time from published ones follows from it (kriging).
The variances were learned by leaving out one device at a time: `python -m tests.accuracy.learn`.
Leaves to others: the experiments (`advisor.predict.anchors`), using a guess
(`advisor.predict.transfer`).
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

# A feature that an experiment lacks equals no other experiment's.
UNKNOWN = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One part of the covariance: `variance` between experiments that share all of `same`.

    Attributes:
        same: features that must be equal.
        near: features in which it fades over a length.
        along: feature whose effect is a slope of that variance; None: a constant.
    """

    variance: float
    same: tuple[str, ...] = ()
    near: tuple[tuple[str, float], ...] = ()
    along: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """Columns of experiments: equal-or-not features as codes, the others as numbers."""

    codes: Mapping[str, Codes]
    numbers: Mapping[str, Array]

    def __len__(self) -> int:
        """Return the number of experiments."""
        return len(next(iter(self.codes.values())))

    def take(self, rows: Codes) -> "Features":
        """Return some of the experiments."""
        return Features(
            codes={name: column[rows] for name, column in self.codes.items()},
            numbers={name: column[rows] for name, column in self.numbers.items()},
        )

    def joined(self, other: "Features") -> "Features":
        """Return these experiments and then those of another table with the same columns."""
        return Features(
            codes={
                name: np.concatenate([column, other.codes[name]])
                for name, column in self.codes.items()
            },
            numbers={
                name: np.concatenate([column, other.numbers[name]])
                for name, column in self.numbers.items()
            },
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Guess:
    """Standard deviation of the logarithm of an unseen time, and the rows that weigh most.

    `pull_of_last`: by how much the last known experiment moves it, if it moves by 1.
    """

    log_sd: float
    nearest: tuple[int, ...]
    pull_of_last: float


def covariance(terms: Iterable[Term], one: Features, other: Features) -> Array:
    """Return the covariance of each experiment of one table with each of the other."""
    total = np.zeros((len(one), len(other)))
    shared: dict[object, Array] = {}
    for term in terms:
        total += _part(term, one, other, shared)
    return total


def _part(term: Term, one: Features, other: Features, shared: dict[object, Array]) -> Array | float:
    """Return one term of a covariance; a float where it is the same for all.

    `shared` keeps the factors that several terms of the same two tables have.
    """
    part: Array | float = term.variance
    for name in term.same:
        if name not in shared:
            left, right = one.codes[name][:, None], other.codes[name]
            shared[name] = ((left == right) & (left != UNKNOWN)).astype(np.float64)
        part = part * shared[name]
    for name, length in term.near:
        if (name, length) not in shared:
            distance = (one.numbers[name][:, None] - other.numbers[name]) / length
            shared[name, length] = np.exp(-0.5 * distance * distance)
        part = part * shared[name, length]
    if term.along is not None:
        part = part * (one.numbers[term.along][:, None] * other.numbers[term.along])
    return part


def own_variance(terms: Iterable[Term], features: Features) -> Array:
    """Return the variance of each experiment alone, before anything is known."""
    slopes: dict[str, float] = {}
    constant = 0.0
    for term in terms:
        if term.along is None:
            constant += term.variance
        else:
            slopes[term.along] = slopes.get(term.along, 0.0) + term.variance
    total = np.full(len(features), constant)
    for name, variance in slopes.items():
        total += variance * features.numbers[name] ** 2
    return total


class RunLikeness:
    """Covariance of one run on any device with known experiments: what the run shares, once.

    Args:
        terms: of the covariance.
        job: the run, on any device, as a table of one row.
        features: the known experiments.
        of_device: features that belong to the device.
    """

    def __init__(
        self, terms: Iterable[Term], *, job: Features, features: Features, of_device: frozenset[str]
    ) -> None:
        self._features = features
        self._constant = np.zeros(len(features))
        self._of_run: dict[Term, Array] = {}
        for term in terms:
            of_run, rest = _split(term, of_device)
            shared = covariance([of_run], job, features)[0]
            if rest is None:
                self._constant += shared
            else:
                self._of_run[rest] = self._of_run.get(rest, 0.0) + shared

    def __call__(self, asked: Features) -> Array:
        """Return the covariance of the run on each device with each known experiment."""
        total = np.tile(self._constant, (len(asked), 1))
        for rest, of_run in self._of_run.items():
            total += _part(rest, asked, self._features, {}) * of_run
        return total


class Kriging:
    """How sure a guess from some known experiments is, and which of them weigh most.

    Args:
        terms: of the covariance.
        noise: variance of the asked figure that nothing shares.
        features: the known experiments.
        known_noise: that of each known figure; None: the same.
        likeness: gives the covariance of questions with the known experiments; None: by the terms.
    """

    def __init__(
        self,
        terms: tuple[Term, ...],
        *,
        noise: float,
        features: Features,
        known_noise: Array | None = None,
        likeness: Callable[[Features], Array] | None = None,
    ) -> None:
        self._terms = terms
        self._noise = noise
        self._likeness = likeness or (lambda asked: covariance(terms, asked, features))
        known = covariance(terms, features, features)
        known[np.diag_indices(len(features))] += noise if known_noise is None else known_noise
        self._inverse = np.linalg.inv(known)

    def weights(self, logs: Array) -> Array:
        """Return the weights of the known experiments, from the logarithms of their times."""
        return np.asarray(self._inverse @ logs)

    def pull_of_last(self, asked: Features) -> Array:
        """Return by how much the last known experiment moves each asked one, if it moves by 1."""
        return np.asarray(self._likeness(asked) @ self._inverse[:, -1])

    def guess(self, asked: Features, *, n_nearest: int = 2) -> Guess:
        """Return how sure the time of one experiment is."""
        shared = self._likeness(asked)[0]
        pull = shared @ self._inverse
        variance = float(own_variance(self._terms, asked)[0] + self._noise - pull @ shared)
        nearest = np.argsort(-pull, kind="stable")[:n_nearest]
        return Guess(
            log_sd=math.sqrt(max(variance, self._noise)),
            nearest=tuple(int(row) for row in nearest),
            pull_of_last=float(pull[-1]),
        )


class JobMean:
    """Times of one run on any device: what the run shares with each experiment is weighed once.

    Args:
        terms: of the covariance.
        job: the run, on any device, as a table of one row.
        features: the known experiments.
        weights: of them.
        of_device: features that belong to the device.
        groups: for each known experiment the number of its device; equal for equal devices.
    """

    def __init__(
        self,
        terms: Iterable[Term],
        *,
        job: Features,
        features: Features,
        weights: Array,
        of_device: frozenset[str],
        groups: Codes,
    ) -> None:
        self._features = features
        self._devices = features.take(np.unique(groups, return_index=True)[1])
        self._constant = 0.0
        pulls: dict[Term, Array] = {}
        for term in terms:
            of_run, rest = _split(term, of_device)
            pull = covariance([of_run], job, features)[0] * weights
            if rest is None:
                self._constant += float(pull.sum())
            else:
                pulls[rest] = pulls.get(rest, 0.0) + pull
        # How near two steps are depends on the run too: these stay row by row.
        self._by_row = [
            (term, pull) for term, pull in pulls.items() if _STEP in {name for name, _ in term.near}
        ]
        self._by_device = [
            (term, np.asarray(np.bincount(groups, pull, minlength=len(self._devices)), np.float64))
            for term, pull in pulls.items()
            if all(term is not known for known, _pull in self._by_row)
        ]

    def log_times(self, asked: Features) -> Array:
        """Return the logarithms of the times on many devices."""
        total = np.full(len(asked), self._constant)
        for term, pull in self._by_row:
            total += _part(term, asked, self._features, {}) @ pull
        for term, pull in self._by_device:
            total += _part(term, asked, self._devices, {}) @ pull
        return total


_STEP = "step"


def _split(term: Term, of_device: frozenset[str]) -> tuple[Term, Term | None]:
    """Return the factor of a term that the run decides, and that of the device; None: it has none.

    A step belongs to both and stays with the device.
    """
    is_along = term.along in of_device
    rest = Term(
        variance=1.0,
        same=tuple(name for name in term.same if name in of_device),
        near=tuple(entry for entry in term.near if entry[0] in of_device),
        along=term.along if is_along else None,
    )
    of_run = Term(
        variance=term.variance,
        same=tuple(name for name in term.same if name not in of_device),
        near=tuple(entry for entry in term.near if entry[0] not in of_device),
        along=None if is_along else term.along,
    )
    return of_run, rest if rest.same or rest.near or rest.along else None
