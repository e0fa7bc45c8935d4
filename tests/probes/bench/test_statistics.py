"""Figures of spread."""

import pytest

from probes.bench.statistics import largest_departure, relative_deviation, scatter_in_turn


def test_spread_of_values():
    assert relative_deviation([2.0, 4.0]) == pytest.approx(2**0.5 / 3.0)
    assert relative_deviation([5.0]) == 0.0
    assert largest_departure([1.0, 1.0, 4.0]) == pytest.approx(1.0)
    assert largest_departure([3.0]) == 0.0


def test_a_step_hardly_changes_what_values_in_turn_differ_by():
    assert scatter_in_turn([1.0] * 5 + [2.0] * 5) == 0.0
    assert scatter_in_turn([9.0, 11.0] * 4) == pytest.approx(0.2)
    assert scatter_in_turn([3.0]) == 0.0


@pytest.mark.parametrize("function", [relative_deviation, largest_departure, scatter_in_turn])
@pytest.mark.parametrize("values", [[], [0.0], [-1.0, 0.5]])
def test_what_are_no_times_is_refused(function, values):
    with pytest.raises(ValueError, match=r"mean|median|data"):
        function(values)
