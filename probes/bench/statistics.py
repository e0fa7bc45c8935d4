"""Figures of spread for a few timed values.

Leaves to others: what spread is too much (`probes.bench.stability`).
"""

import itertools
import statistics
from collections.abc import Sequence


def relative_deviation(values: Sequence[float]) -> float:
    """Return the standard deviation over the mean; 0 for less than two values.

    Raises:
        ValueError: when there are no values or their mean is not positive.
    """
    mean = statistics.fmean(values)
    if mean <= 0.0:
        raise ValueError(f"times have a positive mean, not {mean!r}")
    return statistics.stdev(values) / mean if len(values) > 1 else 0.0


def largest_departure(values: Sequence[float]) -> float:
    """Return how far the most distant value lies from the mean, as a share of the mean.

    Raises:
        ValueError: when there are no values or their mean is not positive.
    """
    mean = statistics.fmean(values)
    if mean <= 0.0:
        raise ValueError(f"times have a positive mean, not {mean!r}")
    return max(abs(value - mean) for value in values) / mean


def scatter_in_turn(values: Sequence[float]) -> float:
    """Return by what share of their median values in turn differ, in the middle; 0 for one.

    A step from one level to another hardly changes it, unlike a deviation from the mean.

    Raises:
        ValueError: when there are no values or their median is not positive.
    """
    middle = statistics.median(values) if values else 0.0
    if middle <= 0.0:
        raise ValueError(f"times have a positive median, not {middle!r}")
    steps = [abs(after - before) for before, after in itertools.pairwise(values)]
    return statistics.median(steps) / middle if steps else 0.0
