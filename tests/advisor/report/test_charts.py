"""Axes of charts have round ticks and no empty halves."""

import itertools
import math
import random

import pytest
from reportlab.graphics.shapes import String

from advisor.model.report import Point, ScatterChart
from advisor.report.charts import _LABEL, _Axis, scatter_drawing
from advisor.report.fonts import FONT, text_width


@pytest.mark.parametrize(
    ("values", "end", "ticks"),
    [
        ([0.1, 0.25], 0.4, [0.0, 0.1, 0.2, 0.3, 0.4]),
        ([0.0], 2.0, [0.0, 0.5, 1.0, 1.5, 2.0]),
        ([19.0], 20.0, [0.0, 5.0, 10.0, 15.0, 20.0]),
    ],
)
def test_a_linear_axis_begins_at_zero_and_has_round_ticks(values, end, ticks):
    axis = _Axis.of(values, is_log=False)
    assert axis.end == pytest.approx(end)
    assert axis.ticks() == pytest.approx(ticks)


@pytest.mark.parametrize("values", [[0.01, 0.03, 0.2], [3.0, 900.0], [7.0], [5e-3, 40.0]])
def test_a_logarithmic_axis_holds_all_and_little_more(values):
    axis = _Axis.of(values, is_log=True)
    assert axis.begin <= min(values) < 2.5 * axis.begin + 1e-12
    assert axis.end >= max(values)
    assert axis.end <= max(2.6 * max(values), 10.0 * axis.begin + 1e-9)
    for tick in axis.ticks():
        assert 0.0 <= axis.fraction(tick) <= 1.0 + 1e-9
        lead = tick / 10.0 ** math.floor(math.log10(tick) + 1e-9)
        assert min(abs(lead - one) for one in (1.0, 2.0, 5.0)) < 1e-6
    assert len(axis.ticks()) >= 3


def test_nothing_above_zero_is_drawn_on_a_linear_axis():
    assert not _Axis.of([0.0, 0.0], is_log=True).is_log


def _numbers_drawn(places):
    points = tuple(
        Point(label="a machine with a long name", x=x, y=y, number=n)
        for n, (x, y) in enumerate(places, start=1)
    )
    chart = ScatterChart(title="Plane", x_axis="hours", y_axis="USD", points=points)
    bare = {str(point.number) for point in points}
    shown = scatter_drawing(chart, width=400.0, font=FONT).contents
    return [
        (each.x, each.x + text_width(each.text, FONT, size=each.fontSize), each.y)
        for each in shown
        if isinstance(each, String) and each.text in bare and each.fontSize == _LABEL
        and getattr(each, "textAnchor", "start") == "start"
    ]  # fmt: skip


def test_numbers_of_points_side_by_side_are_not_read_as_one():
    pairs, dice = 0, random.Random(7)
    for _turn in range(60):
        places = [
            (100.0, 1600.0),
            *((30 + dice.random() * 9, dice.random() * 90) for _ in "123456"),
        ]
        for one, other in itertools.permutations(_numbers_drawn(places), 2):
            pairs += 1
            assert abs(one[2] - other[2]) >= _LABEL or not one[1] <= other[0] < one[1] + 2.0
    assert pairs > 10
