"""How alike two experiments are: the covariance of the logarithms of their times.

An experiment is a network on a device with some software. What two of them share (study, software,
network, architecture, ...) moves both times alike; a sum of such terms is their covariance, and the
best unbiased guess of an unseen time from published ones follows from it (kriging).
The variances were learned by leaving out one device at a time: `python -m tests.accuracy.learn`.
Leaves to others: the experiments (`advisor.predict.anchors`), using a guess
(`advisor.predict.transfer`).
"""

import math
from collections.abc import Iterable, Mapping
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
    """Logarithm of an unseen time, its standard deviation, and the rows that weigh most."""

    log_s: float
    log_sd: float
    nearest: tuple[int, ...]


def covariance(terms: Iterable[Term], one: Features, other: Features) -> Array:
    """Return the covariance of each experiment of one table with each of the other."""
    total = np.zeros((len(one), len(other)))
    shared: dict[object, Array] = {}

    def equal(name: str) -> Array:
        if name not in shared:
            left, right = one.codes[name][:, None], other.codes[name][None, :]
            shared[name] = ((left == right) & (left != UNKNOWN)).astype(np.float64)
        return shared[name]

    def close(name: str, length: float) -> Array:
        if (name, length) not in shared:
            scaled = one.numbers[name] / length, other.numbers[name] / length
            distance = scaled[0][:, None] - scaled[1][None, :]
            shared[name, length] = np.exp(-0.5 * distance * distance)
        return shared[name, length]

    for term in terms:
        factors = [equal(name) for name in term.same]
        factors += [close(name, length) for name, length in term.near]
        if term.along is not None:
            slopes = one.numbers[term.along], other.numbers[term.along]
            factors.append(slopes[0][:, None] * slopes[1][None, :])
        part: Array | float = term.variance
        for factor in factors:
            part = part * factor
        total += part
    return total


def own_variance(terms: Iterable[Term], features: Features) -> Array:
    """Return the variance of each experiment alone, before anything is known."""
    total = np.zeros(len(features))
    for term in terms:
        part = np.full(len(features), term.variance)
        if term.along is not None:
            part *= features.numbers[term.along] ** 2
        total += part
    return total


class Kriging:
    """Guesses of unseen times from some known ones.

    Args:
        terms: of the covariance.
        noise: variance of one published figure that nothing shares.
        features, logs: the known experiments and the logarithms of their times.
        extra_noise: variance of each known figure on top of that; None: none.
    """

    def __init__(
        self,
        terms: tuple[Term, ...],
        *,
        noise: float,
        features: Features,
        logs: Array,
        extra_noise: Array | None = None,
    ) -> None:
        self._terms = terms
        self._noise = noise
        self._features = features
        known = covariance(terms, features, features)
        known[np.diag_indices(len(features))] += noise
        if extra_noise is not None:
            known[np.diag_indices(len(features))] += extra_noise
        self._inverse = np.linalg.inv(known)
        self._weights = self._inverse @ logs

    def log_times(self, asked: Features) -> Array:
        """Return the logarithms of the times of many experiments."""
        return covariance(self._terms, asked, self._features) @ self._weights

    def guess(self, asked: Features, *, n_nearest: int = 2) -> Guess:
        """Return the time of one experiment, as likely above as below."""
        shared = covariance(self._terms, asked, self._features)[0]
        pull = shared @ self._inverse
        variance = float(own_variance(self._terms, asked)[0] + self._noise - pull @ shared)
        nearest = np.argsort(-pull, kind="stable")[:n_nearest]
        return Guess(
            log_s=float(shared @ self._weights),
            log_sd=math.sqrt(max(variance, self._noise)),
            nearest=tuple(int(row) for row in nearest),
        )
