"""A report as plain text for a terminal: the same sentences as the PDF, charts as bars of blocks.

Leaves to others: what is said (`advisor.report.build`).
"""

import math
import textwrap
from collections.abc import Iterator

from advisor.model.report import (
    BarChart,
    Block,
    Facts,
    Paragraph,
    Report,
    ScatterChart,
    Table,
)

DEFAULT_WIDTH = 100
_BAR_CELLS = 30
_MIN_CELL = 6


def render_text(report: Report, *, width: int = DEFAULT_WIDTH) -> str:
    """Return the whole report as text of at most `width` columns (code lines excepted)."""
    lines = [report.title, "=" * len(report.title), *_wrap(report.subtitle, width)]
    for section in report.sections:
        lines += ["", section.title, "-" * len(section.title)]
        for block in section.blocks:
            lines += _block_lines(block, width)
    lines += ["", *_wrap(report.footer, width)]
    return "\n".join(line.rstrip() for line in lines)


def _block_lines(block: Block, width: int) -> list[str]:
    if isinstance(block, Paragraph):
        return _paragraph_lines(block, width)
    if isinstance(block, Facts):
        return list(_fact_lines(block, width))
    if isinstance(block, Table):
        return _table_lines(block, width)
    if isinstance(block, BarChart):
        return ["", f"{block.title} ({block.axis})", *_bar_lines(block, width)]
    return _scatter_lines(block, width)


def _wrap(text: str, width: int, *, indent: str = "") -> list[str]:
    return textwrap.wrap(
        text, width, initial_indent=indent, subsequent_indent=indent, break_long_words=False
    ) or [""]


def _paragraph_lines(block: Paragraph, width: int) -> list[str]:
    if block.style == "code":
        return [f"    {line}" for line in block.text.splitlines()]
    lines = [line for part in block.text.split("\n") for line in _wrap(part, width)]
    return ["", *lines] if block.style == "lead" else lines


def _fact_lines(block: Facts, width: int) -> Iterator[str]:
    label_width = min(max((len(label) for label, _ in block.rows), default=0), width // 3)
    for label, value in block.rows:
        first, *rest = _wrap(value, width - label_width - 2)
        yield f"{label:<{label_width}}  {first}"
        for line in rest:
            yield " " * (label_width + 2) + line


def _column_widths(block: Table, width: int) -> list[int]:
    rows = (block.heads, *block.rows)
    wanted = [max(len(row[i]) for row in rows) for i in range(len(block.heads))]
    room = width - 2 * (len(wanted) - 1)
    while sum(wanted) > room and max(wanted) > _MIN_CELL:
        wanted[wanted.index(max(wanted))] -= 1
    return wanted


def _table_lines(block: Table, width: int) -> list[str]:
    widths = _column_widths(block, width)
    lines = ["", block.caption] if block.caption else [""]
    for number, row in enumerate((block.heads, *block.rows)):
        cells = [
            textwrap.wrap(c, w, break_long_words=True) or [""] for c, w in _paired(row, widths)
        ]
        for height in range(max(len(cell) for cell in cells)):
            parts = []
            for i, cell in enumerate(cells):
                text = cell[height] if height < len(cell) else ""
                is_right = i in block.right_aligned
                parts.append(f"{text:>{widths[i]}}" if is_right else f"{text:<{widths[i]}}")
            lines.append("  ".join(parts))
        if number == 0:
            lines.append("  ".join("-" * w for w in widths))
    return lines


def _paired(row: tuple[str, ...], widths: list[int]) -> Iterator[tuple[str, int]]:
    return zip(row, widths, strict=True)


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


def _bar_lines(block: BarChart, width: int) -> list[str]:
    values = [v for bar in block.bars for v in (bar.low, bar.mid, bar.high) if v > 0]
    if not values:
        return []
    label_width = min(max(len(bar.label) for bar in block.bars), max(12, width // 3))
    lines = []
    for bar in block.bars:
        filled = _BAR_CELLS * bar_fraction(
            bar.mid, smallest=min(values), largest=max(values), is_log=block.is_log
        )
        cells = "#" * max(1, round(filled))
        label = textwrap.shorten(bar.label, label_width, placeholder="…")
        lines.append(f"{label:<{label_width}}  {cells:<{_BAR_CELLS}}  {bar.text}")
    return lines


def _scatter_lines(block: ScatterChart, width: int) -> list[str]:
    lines = ["", f"{block.title}: {block.x_axis} / {block.y_axis}"]
    for point in sorted(block.points, key=lambda p: p.x):
        mark = "*" if point.is_marked else " "
        lines += _wrap(f"{mark} {point.label}", width)
    return lines
