"""Figures of spread."""

import pytest

from probes.bench.statistics import largest_departure, relative_deviation


def test_spread_of_values():
    assert relative_deviation([2.0, 4.0]) == pytest.approx(2**0.5 / 3.0)
    assert relative_deviation([5.0]) == 0.0
    assert largest_departure([1.0, 1.0, 4.0]) == pytest.approx(1.0)
    assert largest_departure([3.0]) == 0.0


@pytest.mark.parametrize("function", [relative_deviation, largest_departure])
@pytest.mark.parametrize("values", [[], [0.0], [-1.0, 0.5]])
def test_what_are_no_times_is_refused(function, values):
    with pytest.raises(ValueError, match=r"mean|data"):
        function(values)
