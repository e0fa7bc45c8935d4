"""A report as plain text for a terminal: the same sentences as the PDF, charts as bars of blocks.

Leaves to others: what is said (`advisor.report.build`).
"""

import dataclasses
import math
from typing import Any

from advisor.model.report import (
    BarChart,
    Block,
    Facts,
    Paragraph,
    Report,
    ScatterChart,
    Table,
)
from advisor.report.called import PROGRAM, as_called
from advisor.report.columns import (
    ELLIPSIS,
    display_width,
    pad,
    plain_text,
    shorten,
    wrap,
)
from advisor.report.text_table import fact_lines, table_lines

DEFAULT_WIDTH = 100
_BAR_CELLS = 30
_MIN_BAR_CELLS = 8


def render_text(
    report: Report,
    *,
    width: int = DEFAULT_WIDTH,
    encoding: str = "utf-8",
    program: str = PROGRAM,
) -> str:
    """Return the whole report as text of at most `width` columns (code lines excepted).

    What `encoding` cannot say is spelled plainly, and calls of the program begin with `program`,
    before anything is laid out.
    """
    said: Report = _said_in(report, encoding, program)
    lines = [*_headed(said.title, "=", width), *_wrap(said.subtitle, width)]
    for section in said.sections:
        lines += ["", *_headed(section.title, "-", width)]
        for block in section.blocks:
            lines += _block_lines(block, width, plain_text(ELLIPSIS, encoding=encoding))
    if said.footer:
        lines += ["", *_wrap(said.footer, width)]
    return "\n".join(line.rstrip() for line in lines)


def _said_in(value: Any, encoding: str, program: str) -> Any:
    """Return a value with all its texts as an encoding and the user say them."""
    if isinstance(value, str):
        return plain_text(as_called(value, program), encoding=encoding)
    if isinstance(value, tuple):
        return tuple(_said_in(entry, encoding, program) for entry in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
        changed = {name: _said_in(entry, encoding, program) for name, entry in fields.items()}
        return dataclasses.replace(value, **changed)
    return value


def _headed(title: str, rule: str, width: int) -> list[str]:
    lines = _wrap(title, width)
    return [*lines, rule * max(map(display_width, lines))]


def _block_lines(block: Block, width: int, sign: str) -> list[str]:
    if isinstance(block, Paragraph):
        return _paragraph_lines(block, width)
    if isinstance(block, Facts):
        return list(fact_lines(block.rows, width))
    if isinstance(block, Table):
        return table_lines(block, width)
    if isinstance(block, BarChart):
        return ["", *_wrap(f"{block.title} ({block.axis})", width), *_bar_lines(block, width, sign)]
    return _scatter_lines(block, width)


def _wrap(text: str, width: int) -> list[str]:
    return wrap(text, width, breaks_words=False)


def _paragraph_lines(block: Paragraph, width: int) -> list[str]:
    if block.style == "code":
        return [f"    {line}" for line in block.text.splitlines()]
    lines = _wrap(block.text, width)
    return ["", *lines] if block.style == "lead" else lines


def bar_fraction(value: float, *, smallest: float, largest: float, is_log: bool) -> float:
    """Return where a value stands between the ends of an axis, 0 to 1.

    A log axis begins half a decade below the smallest value, a linear one at 0.
    """
    if largest <= 0 or value <= 0:
        return 0.0
    if not is_log:
        return min(1.0, value / largest)
    begin = math.log10(smallest) - 0.5
    return min(1.0, max(0.0, (math.log10(value) - begin) / (math.log10(largest) - begin)))


def _bar_lines(block: BarChart, width: int, sign: str) -> list[str]:
    values = [v for bar in block.bars for v in (bar.low, bar.mid, bar.high) if v > 0]
    if not values:
        return []
    text_width = max(display_width(bar.text) for bar in block.bars)
    cells_width = min(_BAR_CELLS, max(_MIN_BAR_CELLS, width - text_width - 4 - width // 3))
    longest = max(display_width(bar.label) for bar in block.bars)
    label_width = min(longest, max(12, width - text_width - cells_width - 4))
    lines = []
    for bar in block.bars:
        filled = cells_width * bar_fraction(
            bar.mid, smallest=min(values), largest=max(values), is_log=block.is_log
        )
        cells = pad("#" * max(1, round(filled)), cells_width)
        label = pad(shorten(bar.label, label_width, sign=sign), label_width)
        lines.append(f"{label}  {cells}  {bar.text}")
    return lines


def _scatter_lines(block: ScatterChart, width: int) -> list[str]:
    lines = ["", *_wrap(f"{block.title}: {block.x_axis} / {block.y_axis}", width)]
    for point in sorted(block.points, key=lambda p: p.x):
        mark = "*" if point.is_marked else " "
        first, *rest = _wrap(point.label, width - 2)
        lines += [f"{mark} {first}", *(f"  {line}" for line in rest)]
    return lines
