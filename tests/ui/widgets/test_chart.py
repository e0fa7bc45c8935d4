"""The chart's legend takes as few rows as its width allows; times stand where clocks have them."""

import math

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent

from advisor.format import format_duration
from ui.models.curves import CurvePoint, Series
from ui.widgets.chart import Chart, TimeAxis

POINT = CurvePoint(x=10.0, y=10.0, label="a kernel")


def series(*names):
    return tuple(
        Series(name=name, points=(POINT,), shade=number, mark=number)
        for number, name in enumerate(names)
    )


@pytest.fixture
def chart(qtbot):
    made = Chart(x_axis="operations", y_axis="FLOP/s", name="Rates")
    qtbot.addWidget(made)
    made.resize(900, 300)
    made.show()
    return made


def wide_as(chart, count):
    """Return the width that the legend asks for in so many columns."""
    chart.legend.setColumnCount(count)
    return chart.legend.layout.minimumSize().width()


def test_names_stand_beside_each_other_as_far_as_they_fit(chart, qtbot):
    chart.show_series(series(*(f"a device of the machine: {kind}" for kind in "abcdefgh")))
    wide = chart.legend.columnCount
    assert 1 < wide < 8
    chart.resize(420, 300)
    qtbot.waitUntil(lambda: chart.legend.columnCount < wide)
    narrow = chart.legend.columnCount
    room = chart.width() - chart.plot.getAxis("left").width()
    assert wide_as(chart, narrow) <= room < wide_as(chart, narrow + 2)


def test_few_short_names_take_one_row(chart):
    chart.show_series(series("on the front", "the other options", "as it is now"))
    assert chart.legend.columnCount == 3
    assert next(label.text for _mark, label in chart.legend.items) == "on the front"


def test_a_wheel_that_scrolls_the_page_leaves_the_chart_as_it_is(chart, qapp):
    chart.show_series(series("one"))
    before = chart.plot.viewRange()
    place = QPointF(chart.plot.viewport().rect().center())
    wheel = QWheelEvent(
        place, chart.plot.viewport().mapToGlobal(place), QPoint(), QPoint(0, 240),
        Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase,
        False,
    )  # fmt: skip
    qapp.sendEvent(chart.plot.viewport(), wheel)
    assert chart.plot.viewRange() == before


def test_a_point_tells_its_name_under_the_pointer(chart, qtbot):
    points = tuple(
        CurvePoint(x=x, y=x, label=f"kernel of {x:g}") for x in (10.0, 1000.0, 100_000.0)
    )
    chart.show_series([Series(name="kernels", points=points, shade=0, mark=0)])
    view = chart.plot.getViewBox()

    def point_at(x, y):
        place = view.mapViewToScene(QPointF(math.log10(x), math.log10(y)))
        qtbot.mouseMove(chart.plot.viewport(), chart.plot.mapFromScene(place))

    # The view takes its size, and looks at the pointer some times in a second only.
    qtbot.wait(300)
    for point, rate in zip(points, ("10 FLOP/s", "1 kFLOP/s", "100 kFLOP/s"), strict=True):
        point_at(point.x, point.y)
        qtbot.waitUntil(lambda e=f"{point.label}\n{rate}": view.toolTip() == e)
        qtbot.wait(100)
    point_at(100.0, 10.0)
    qtbot.waitUntil(lambda: view.toolTip() == "")


def test_a_chart_without_series_keeps_its_legend_empty(chart):
    chart.show_series(series("one"))
    chart.show_series(())
    assert list(chart.legend.items) == []


@pytest.mark.parametrize(
    ("least_s", "most_s", "expected"),
    [
        (250.0, 2700.0, {"10 min", "30 min", "5 min"}),
        (0.5, 70.0, {"1 s", "10 s", "1 min"}),
        (4000.0, 200_000.0, {"2 h", "10 h", "1 d"}),
    ],
)
def test_times_stand_where_clocks_have_them(qapp, least_s, most_s, expected):
    axis = TimeAxis("bottom", text=format_duration)
    levels = axis.logTickValues(math.log10(least_s), math.log10(most_s), 600, [])
    values = [value for _spacing, group in levels for value in group]
    assert all(math.log10(least_s) <= value <= math.log10(most_s) for value in values)
    told = axis.logTickStrings(values, 1.0, 1.0)
    assert expected <= set(told)
    assert len(set(told)) == len(told)
    assert all(len(text.split()) == 2 for text in told)


@pytest.mark.parametrize(
    ("least_s", "most_s", "expected"),
    [
        (2500.0, 3200.0, ["42 min", "44 min", "46 min", "48 min", "50 min", "52 min"]),
        (5.16, 5.33, ["5.2 s", "5.25 s", "5.3 s"]),
        (1e6, 1.4e6, ["12 d", "13 d", "14 d", "15 d", "16 d"]),
        (3601.0, 3610.0, ["1 h"]),
        (100.0, 100.0, ["1 min 40 s"]),
    ],
)
def test_times_close_together_have_even_steps(qapp, least_s, most_s, expected):
    axis = TimeAxis("bottom", text=format_duration)
    levels = axis.logTickValues(math.log10(least_s), math.log10(most_s), 600, [])
    values = [value for _spacing, group in levels for value in group]
    assert axis.logTickStrings(values, 1.0, 1.0) == expected


def test_an_empty_chart_has_no_axes(chart):
    def axes():
        return [chart.plot.getAxis(side).isVisible() for side in ("bottom", "left")]

    assert axes() == [False, False]
    chart.show_series(series("a device"))
    assert axes() == [True, True]
    chart.show_series(())
    assert axes() == [False, False]
