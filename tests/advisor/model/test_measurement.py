"""The figure that stands for the values of a kernel."""

import dataclasses

import pytest

from advisor.model.kernel import GemmShape, StreamShape
from advisor.model.measurement import figure_of
from tests.advisor.predict.builders import measure


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
    assert figure_of(values_s, is_median=False) == pytest.approx(figure_s)


def test_disturbed_values_and_a_few_fast_ones_leave_the_figure_alone():
    usual = [6.6 + 0.01 * n for n in range(12)]
    figure_s = figure_of(usual, is_median=False)
    seen = [*usual, 4.3, 4.4, 9.0, 17.0, 11.0, 62.0]
    assert figure_of(seen, is_median=False) == pytest.approx(figure_s, rel=0.01)


def test_memory_that_is_fast_for_a_third_of_the_time_leaves_the_figure_alone():
    usual = tuple(10.5 + 0.05 * n for n in range(20))
    seen = (*(6.8 + 0.02 * n for n in range(12)), *usual, 14.0, 17.0)
    add = StreamShape(op="add", elements=1000)
    assert measure(add, seen).figure_s == pytest.approx(measure(add, usual).figure_s, rel=0.03)


def test_of_differences_the_median_counts_and_of_memory_on_a_chip_the_quartile():
    values_s = (1.0, 5.0, 2.0)
    product = measure(GemmShape(m=8, n=8, k=8), values_s)
    assert product.figure_s == pytest.approx(1.5)
    assert dataclasses.replace(product, is_difference=True).figure_s == pytest.approx(2.0)
    assert measure(StreamShape(op="local", elements=8), values_s).figure_s == pytest.approx(1.5)
