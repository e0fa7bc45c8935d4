"""Intervals refuse what cannot be true and scale as a whole."""

import math

import pytest

from advisor.model.quantity import Interval, Precision


@pytest.mark.parametrize(
    ("low", "mid", "high"), [(2, 1, 3), (1, 3, 2), (-1, 0, 1), (0, 1, math.inf), (0, math.nan, 1)]
)
def test_impossible_intervals_are_refused(low, mid, high):
    with pytest.raises(ValueError, match="not an interval"):
        Interval(low=low, mid=mid, high=high)


def test_scaled_and_shifted_keep_the_order():
    base = Interval(low=1, mid=2, high=4)
    assert base.scaled(0.5) == Interval(low=0.5, mid=1, high=2)
    assert base.shifted(3) == Interval(low=4, mid=5, high=7)


def test_element_sizes():
    assert [p.size_bytes for p in Precision] == [4, 2, 2, 1]
