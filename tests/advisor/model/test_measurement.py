"""The figure that stands for the values of a kernel."""

import pytest

from advisor.model.measurement import figure_of


@pytest.mark.parametrize(
    ("values_s", "figure_s"),
    [
        ((3.0,), 3.0),
        ((4.0, 2.0), 2.5),
        ((9.0, 1.0, 2.0), 1.5),
        ((1.0, 5.0, 3.0, 4.0, 2.0), 2.0),
    ],
)
def test_the_figure_is_the_lower_quartile(values_s, figure_s):
    assert figure_of(values_s, is_difference=False) == pytest.approx(figure_s)


def test_a_burst_of_fast_memory_and_disturbed_values_leave_the_figure_alone():
    usual = [6.6 + 0.01 * n for n in range(12)]
    figure_s = figure_of(usual, is_difference=False)
    seen = [*usual, 4.3, 4.4, 9.0, 17.0, 11.0, 62.0]
    assert figure_of(seen, is_difference=False) == pytest.approx(figure_s, rel=0.01)


def test_of_differences_the_median_counts():
    assert figure_of((1.0, 5.0, 2.0), is_difference=True) == pytest.approx(2.0)
