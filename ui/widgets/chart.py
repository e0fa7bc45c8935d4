"""A chart of points and lines on logarithmic axes; a point tells its name under the pointer.

Signals: none. Leaves to others: what is drawn (`ui.models.curves`).
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import pyqtgraph
from PySide6.QtCore import QEvent
from PySide6.QtGui import QColor, QPalette, QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from advisor.format import format_number
from ui.models.curves import Series
from ui.theme import is_dark

# Colours that people with any colour vision can tell apart (Okabe and Ito), by device.
_SHADES = {
    False: ("#0072b2", "#d55e00", "#009e73", "#cc79a7"),
    True: ("#56b4e9", "#e69f00", "#2fc79a", "#e8a3c7"),
}
_MARKS = ("o", "s", "t", "d")
_SIZE = 9
_LINE_WIDTH = 2
_LEGEND_SPACING = 12
_LEGEND_CHARS = 18
# What stands beside the name of a series: its mark, and room on both sides.
_LEGEND_BESIDE = 20 + 2 * _LEGEND_SPACING
# The row of the plot's grid below its lower axis.
_BELOW_AXIS = 4
# Times at which a clock's hands stand well, in seconds: the first ones before the others.
_CLOCK = (
    (1.0, 10.0, 60.0, 600.0, 3600.0, 36e3, 864e2, 864e3, 864e4),
    (2.0, 5.0, 30.0, 120.0, 300.0, 1800.0, 72e2, 18e3, 72e3, 1728e2, 432e3, 1728e3, 432e4),
    (20.0, 180.0, 900.0, 1200.0, 2400.0, 108e2, 144e2, 216e2, 288e2, 2592e2),
)
# Between two of those: steps of an even scale, in seconds, of which so many are wanted.
_CLOCK_STEPS = (
    1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1200.0, 1800.0, 3600.0, 72e2, 144e2,
    288e2, 864e2, 1728e2, 432e3, 864e3,
)  # fmt: skip
_FEWEST_TICKS, _MOST_TICKS = 2, 6
_PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


class _LogAxis(pyqtgraph.AxisItem):  # type: ignore[misc]  # has no types
    """Ticks as people read them: 1 G, 2 G, 5 G, 10 G."""

    def __init__(self, side: str, *, text: Callable[[float], str]) -> None:
        """Take the function that writes a value."""
        super().__init__(side)
        self._text = text

    def logTickStrings(self, values, _scale, _spacing):  # type: ignore[no-untyped-def]  # noqa: N802
        return [self._text(10.0**value) if _is_round(10.0**value) else "" for value in values]


class TimeAxis(_LogAxis):
    """Ticks of a time in seconds as clocks have them: 1 min, 10 min, 30 min, 1 h."""

    def logTickValues(self, low, high, _size, _usual):  # type: ignore[no-untyped-def]  # noqa: N802
        """Return the times between two logarithms; the later groups where there is room."""
        groups = [[math.log10(time_s) for time_s in group] for group in _CLOCK]
        shown = [[at for at in group if low <= at <= high] for group in groups]
        if sum(map(len, shown)) < _FEWEST_TICKS:
            times = {self._text(time_s): time_s for time_s in _even_times(10.0**low, 10.0**high)}
            shown = [[math.log10(time_s) for time_s in times.values()]]
        return [(1.0, group) for group in shown]

    def logTickStrings(self, values, _scale, _spacing):  # type: ignore[no-untyped-def]  # noqa: N802
        """Write every one."""
        return [self._text(10.0**value) for value in values]


def _even_times(first_s: float, last_s: float) -> list[float]:
    """Return times of a scale with even steps between two that lie close together."""
    span_s = last_s - first_s
    if span_s <= 0.0:
        return [first_s]
    below_s = 10.0 ** math.floor(math.log10(span_s / _MOST_TICKS))
    steps = (below_s, 2 * below_s, 5 * below_s, 10 * below_s) if span_s < 1.0 else _CLOCK_STEPS
    step_s = next((step for step in steps if span_s / step <= _MOST_TICKS), steps[-1])
    begin, end = math.ceil(first_s / step_s), math.floor(last_s / step_s)
    return [number * step_s for number in range(begin, end + 1)]


def _is_round(value: float) -> bool:
    digits = value / 10.0 ** math.floor(math.log10(value) + 1e-9)
    return any(math.isclose(digits, mark, rel_tol=0.01) for mark in (1.0, 2.0, 5.0))


def _short(value: float) -> str:
    for factor, prefix in _PREFIXES:
        if value >= factor:
            return f"{format_number(value / factor)} {prefix}"
    return format_number(value)


class Chart(QWidget):
    """Draws series; equal ones are not drawn again.

    Args:
        name: what the chart shows, for assistive technology.
        x_text: writes a value of the level axis, which is a time in seconds then.
        unit: of the heights, told beside the name of a point; "" where the name tells it.
        is_log_y: whether the upright axis is logarithmic, as the other one always is.
    """

    def __init__(
        self,
        *,
        x_axis: str,
        y_axis: str,
        name: str,
        x_text: Callable[[float], str] | None = None,
        unit: str = "FLOP/s",
        is_log_y: bool = True,
        parent: QWidget | None = None,
    ) -> None:
        """Start empty."""
        super().__init__(parent)
        self._unit = unit
        self.setAccessibleName(name)
        self.setToolTip(name)
        self._series: tuple[Series, ...] = ()
        self._drawn: dict[tuple[str, bool, int, int], tuple[Series, Any]] = {}
        level = TimeAxis("bottom", text=x_text) if x_text else _LogAxis("bottom", text=_short)
        axes = {"bottom": level}
        if is_log_y:
            axes["left"] = _LogAxis("left", text=_short)
        self.plot = pyqtgraph.PlotWidget(axisItems=axes, enableMenu=False)
        self.plot.setAccessibleName(name)
        self.plot.setLogMode(x=True, y=is_log_y)
        self.plot.setMenuEnabled(False)
        self.plot.hideButtons()
        # Everything is in view; a wheel that scrolls a page would shrink it for good.
        self.plot.setMouseEnabled(x=False, y=False)
        self.plot.setLabel("bottom", x_axis)
        self.plot.setLabel("left", y_axis)
        self.plot.showGrid(x=True, y=True, alpha=0.15)
        # Below the axis: over the plot it would hide what it explains.
        item = self.plot.getPlotItem()
        self.legend = item.legend = pyqtgraph.LegendItem(labelTextSize="8pt")
        self.legend.layout.setHorizontalSpacing(_LEGEND_SPACING)
        self.legend.layout.setVerticalSpacing(0)
        item.layout.addItem(self.legend, _BELOW_AXIS, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.plot)
        self._colour()
        self._draw()

    @property
    def series(self) -> tuple[Series, ...]:
        """What is drawn."""
        return self._series

    def show_series(self, series: Sequence[Series]) -> None:
        """Replace what is drawn."""
        if tuple(series) == self._series:
            return
        self._series = tuple(series)
        self._draw()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Draw again in the colours of another palette."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "legend"):
            self._colour()
            self.plot.clear()
            self._drawn.clear()
            self._draw()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Put as many names beside each other as fit now: each row of them costs height."""
        super().resizeEvent(event)
        self._fit_legend()

    def _fit_legend(self) -> None:
        names = [label.minimumWidth() for _mark, label in self.legend.items]
        room = self.width() - self.plot.getAxis("left").width()
        for count in range(len(names), 0, -1):
            columns = [max(names[first::count]) + _LEGEND_BESIDE for first in range(count)]
            if sum(columns) <= room or count == 1:
                self.legend.setColumnCount(count)
                return

    def _colour(self) -> None:
        palette = self.palette()
        self.plot.setBackground(palette.color(QPalette.ColorRole.Base))
        text = palette.color(QPalette.ColorRole.Text)
        for side in ("bottom", "left"):
            axis = self.plot.getAxis(side)
            axis.setPen(text)
            axis.setTextPen(text)
            axis.enableAutoSIPrefix(enable=False)
        self.legend.setLabelTextColor(text)

    def _draw(self) -> None:
        """Draw what has changed; all at once, since each change of the view draws everything."""
        view = self.plot.getViewBox()
        view.disableAutoRange()
        old, self._drawn = self._drawn, {}
        for series in self._series:
            key = (series.name, series.is_line, series.shade, series.mark)
            before = old.pop(key, None)
            if before is None:
                item = self.plot.plot(
                    name=_legend_name(series.name),
                    **self._look(series),
                    **_values(series, self._unit),
                )
                # The plot's item does not pass these on to the points.
                item.scatter.opts.update(hoverable=not series.is_line, tip=_name_of)
            else:
                item = before[1]
                if before[0] != series:
                    item.setData(**_values(series, self._unit))
            self._drawn[key] = (series, item)
        for _series, item in old.values():
            self.plot.removeItem(item)
        # Without a point an axis would show made-up numbers.
        for side in ("bottom", "left"):
            self.plot.showAxis(side, show=bool(self._series))
        self._fit_legend()
        view.enableAutoRange()

    def _look(self, series: Series) -> dict[str, Any]:
        shades = _SHADES[is_dark(self)]
        colour = QColor(shades[series.shade % len(shades)])
        if series.is_line:
            return {"pen": pyqtgraph.mkPen(colour, width=_LINE_WIDTH)}
        fill = QColor(colour)
        fill.setAlphaF(0.75)
        return {
            "pen": None, "symbol": _MARKS[series.mark % len(_MARKS)], "symbolSize": _SIZE,
            "symbolBrush": fill, "symbolPen": colour,
        }  # fmt: skip


def _values(series: Series, unit: str) -> dict[str, Any]:
    values: dict[str, Any] = {
        "x": [point.x for point in series.points],
        "y": [point.y for point in series.points],
    }
    if not series.is_line:
        values["data"] = [_tip(point.label, point.y, unit) for point in series.points]
    return values


def _legend_name(name: str) -> str:
    """Return a name whose device is cut, lest the legend be wider than the chart."""
    device, colon, rest = name.rpartition(": ")
    if len(device) > _LEGEND_CHARS:
        device = f"{device[: _LEGEND_CHARS - 1].rstrip()}…"
    return f"{device}{colon}{rest}"


def _tip(label: str, height: float, unit: str) -> str:
    text = _short(height)
    between = " " if text[-1].isdigit() else ""
    return f"{label}\n{text}{between}{unit}" if unit else label


def _name_of(x: float, y: float, data: object) -> str:  # noqa: ARG001 - pyqtgraph's names
    return str(data)
