"""The charts of a report as vector drawings for the PDF.

Leaves to others: what is drawn (`advisor.report.build`), where it goes (`advisor.report.pdf`).
"""

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

from reportlab.graphics.shapes import Circle, Drawing, Line, Rect, String
from reportlab.lib.colors import Color, HexColor

from advisor.format import format_number
from advisor.model.report import Bar, BarChart, ScatterChart
from advisor.report.fonts import FONT, font_of, text_width
from advisor.report.label_places import Box, find_place
from advisor.report.text import bar_fraction

INK = HexColor(0x1F2933)
MUTED = HexColor(0x7B8794)
GRID = HexColor(0xE4E7EB)
COLOURS = {
    "best": HexColor(0x1B7F5C),
    "now": HexColor(0x2F6DB5),
    "avoid": HexColor(0xB5402F),
    "none": HexColor(0x9AA5B1),
}
_ROW = 15.5
_TEXT = 8.0
_LEAST_LETTERS = 3
# Of a scatter chart: radius of a point, size of its name, how wide a name may be, and what stays
# free beside it.
_DOT, _LABEL, _LONGEST_LABEL = 3.2, 7.0, 150.0
_BETWEEN = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Frame:
    left: float
    bottom: float
    width: float
    height: float


def _string(x: float, y: float, text: str, *, font: str, anchor: str = "start", **more: Any) -> Any:
    return String(
        x, y, text, fontName=font_of(text, font), fontSize=more.get("size", _TEXT),
        textAnchor=anchor, fillColor=more.get("colour", INK),
    )  # fmt: skip


def bar_drawing(chart: BarChart, *, width: float, font: str) -> Drawing:
    """Return horizontal bars with their interval as a thin line, `width` points wide."""
    height = _ROW * len(chart.bars) + 26
    drawing = Drawing(width, height)
    drawing.add(_string(0, height - 9, chart.title, font=font, size=9.0))
    drawing.add(
        _string(width, height - 9, chart.axis, font=font, anchor="end", size=7.0, colour=MUTED)
    )
    values = [v for bar in chart.bars for v in (bar.low, bar.mid, bar.high) if v > 0]
    if not values:
        return drawing
    frame = _Frame(left=width * 0.36, bottom=4, width=width * 0.38, height=height - 24)
    for number, bar in enumerate(chart.bars):
        y = height - 24 - _ROW * (number + 0.75)
        _draw_bar(drawing, bar, y, frame, chart, min(values), max(values), font, width)
    return drawing


def _draw_bar(
    drawing: Drawing,
    bar: Bar,
    y: float,
    frame: _Frame,
    chart: BarChart,
    smallest: float,
    largest: float,
    font: str,
    width: float,
) -> None:
    def place(value: float) -> float:
        fraction = bar_fraction(value, smallest=smallest, largest=largest, is_log=chart.is_log)
        return frame.left + fraction * frame.width

    colour = COLOURS[bar.emphasis]
    drawing.add(_string(0, y + 2.5, fitted(bar.label, frame.left - 6), font=font))
    drawing.add(
        Rect(frame.left, y, max(1.5, place(bar.mid) - frame.left), 9, fillColor=colour,
             strokeColor=None)
    )  # fmt: skip
    if bar.high > bar.low:
        drawing.add(Line(place(bar.low), y + 4.5, place(bar.high), y + 4.5, strokeColor=INK,
                         strokeWidth=0.8))  # fmt: skip
        for end in (bar.low, bar.high):
            drawing.add(Line(place(end), y + 2, place(end), y + 7, strokeColor=INK,
                             strokeWidth=0.8))  # fmt: skip
    room = width - frame.left - frame.width - 8
    drawing.add(_string(frame.left + frame.width + 8, y + 2.5, fitted(bar.text, room), font=font))


def fitted(text: str, room: float) -> str:
    """Return the text cut to so many points of width, with an ellipsis when it was cut."""
    if text_width(text, FONT, size=_TEXT) <= room:
        return text
    kept = text
    while len(kept) > _LEAST_LETTERS and text_width(f"{kept}…", FONT, size=_TEXT) > room:
        kept = kept[:-1]
    return f"{kept.rstrip()}…"


def scatter_drawing(chart: ScatterChart, *, width: float, font: str) -> Drawing:
    """Return a scatter chart with labelled points; marked ones are on the Pareto front."""
    height = 210.0
    drawing = Drawing(width, height)
    drawing.add(_string(0, height - 9, chart.title, font=font, size=9.0))
    frame = _Frame(left=46, bottom=30, width=width - 110, height=height - 56)
    if not chart.points:
        return drawing
    x_axis = _Axis.of([p.x for p in chart.points], is_log=chart.is_log_x)
    y_axis = _Axis.of([p.y for p in chart.points], is_log=chart.is_log_y)
    _draw_axes(drawing, frame, x_axis, y_axis, chart, font)
    _draw_points(drawing, chart, frame, (x_axis, y_axis), font)
    return drawing


_LINEAR_STEPS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class _Axis:
    begin: float
    end: float
    is_log: bool

    @classmethod
    def of(cls, values: list[float], *, is_log: bool) -> "_Axis":
        positive = [v for v in values if v > 0]
        is_log = is_log and bool(positive)
        if not is_log:
            step = _round_up(max(values) * 1.05 / _LINEAR_STEPS or 1.0 / _LINEAR_STEPS)
            return cls(begin=0.0, end=_LINEAR_STEPS * step, is_log=False)
        begin = 1.0 / _round_up(1.0 / min(positive))
        end = _round_up(max(max(positive) * 1.01, begin * 10.0))
        return cls(begin=begin, end=end, is_log=True)

    def fraction(self, value: float) -> float:
        if not self.is_log:
            return value / self.end
        value = max(value, self.begin)
        return math.log10(value / self.begin) / math.log10(self.end / self.begin)

    def ticks(self) -> list[float]:
        """Return round numbers from end to end."""
        if not self.is_log:
            return [self.end * i / _LINEAR_STEPS for i in range(_LINEAR_STEPS + 1)]
        first, last = math.floor(math.log10(self.begin)), math.ceil(math.log10(self.end))
        step = max(1, (last - first) // 6)
        leads = (1.0, 2.0, 5.0) if last - first <= 2 else (1.0,)
        found = [lead * 10.0**i for i in range(first, last + 1, step) for lead in leads]
        slack = 1.0 + 1e-9
        return [tick for tick in found if self.begin / slack <= tick <= self.end * slack]


def _round_up(value: float) -> float:
    """Return the next number that is 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(
        lead * power for lead in (1.0, 2.0, 5.0, 10.0) if value <= lead * power * (1 + 1e-9)
    )


def _draw_axes(
    drawing: Drawing, frame: _Frame, x_axis: _Axis, y_axis: _Axis, chart: ScatterChart, font: str
) -> None:
    for tick in x_axis.ticks():
        x = frame.left + x_axis.fraction(tick) * frame.width
        drawing.add(Line(x, frame.bottom, x, frame.bottom + frame.height, strokeColor=GRID))
        drawing.add(
            _string(x, frame.bottom - 10, format_number(tick), font=font, anchor="middle", size=7.0)
        )
    for tick in y_axis.ticks():
        y = frame.bottom + y_axis.fraction(tick) * frame.height
        drawing.add(Line(frame.left, y, frame.left + frame.width, y, strokeColor=GRID))
        drawing.add(
            _string(frame.left - 4, y - 2.5, format_number(tick), font=font, anchor="end", size=7.0)
        )
    middle = frame.left + frame.width / 2
    drawing.add(
        _string(middle, 6, chart.x_axis, font=font, anchor="middle", size=7.5, colour=MUTED)
    )
    top = frame.bottom + frame.height + 5
    drawing.add(_string(0, top, chart.y_axis, font=font, size=7.5, colour=MUTED))


def _draw_points(
    drawing: Drawing, chart: ScatterChart, frame: _Frame, axes: tuple[_Axis, _Axis], font: str
) -> None:
    """Draw every point, and its name or else its number where that covers nothing."""
    x_axis, y_axis = axes
    places = {
        point: (
            frame.left + x_axis.fraction(point.x) * frame.width,
            frame.bottom + y_axis.fraction(point.y) * frame.height,
        )
        for point in chart.points
    }
    area = Box(left=frame.left, bottom=frame.bottom - 4, right=drawing.width,
               top=frame.bottom + frame.height + 4)  # fmt: skip
    taken = [
        Box(left=x - _DOT, bottom=y - _DOT, right=x + _DOT, top=y + _DOT)
        for x, y in places.values()
    ]
    for point in sorted(places, key=lambda p: not p.is_marked):
        x, y = places[point]
        colour: Color = COLOURS["best"] if point.is_marked else COLOURS["none"]
        drawing.add(Circle(x, y, _DOT, fillColor=colour, strokeColor=None))
        # The table above tells what a number stands for.
        numbered = f"{point.number}. {point.label}" if point.number else point.label
        for text in (fitted(numbered, _LONGEST_LABEL), str(point.number or "")):
            size = text_width(text, FONT, size=_LABEL)
            place = find_place(
                x, y, width=size, height=_LABEL, gap=_DOT + 2.0, taken=taken, area=area
            )
            if text and place is not None:
                # Numbers side by side would be read as one.
                taken.append(
                    dataclasses.replace(
                        place, left=place.left - _BETWEEN, right=place.right + _BETWEEN
                    )
                )
                drawing.add(_string(place.left, place.bottom + 1.5, text, font=font, size=_LABEL))
                break
