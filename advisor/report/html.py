"""A report as simple HTML for a text widget: the same sentences as the PDF, bars as cells.

Only tags and attributes that a rich-text widget knows; colours come from the caller, so that it
fits a dark or a light window.
Leaves to others: what is said (`advisor.report.build`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from advisor.format import format_number
from advisor.model.report import (
    BarChart,
    Block,
    Facts,
    Paragraph,
    Report,
    ScatterChart,
    Table,
)
from advisor.report.text import bar_fraction

_BAR_WIDTH = 220


@dataclass(frozen=True, slots=True, kw_only=True)
class Colours:
    """Colours as "#rrggbb": muted text, shaded ground, and one for each emphasis of a bar."""

    muted: str
    shade: str
    best: str
    now: str
    avoid: str
    none: str


def render_html(report: Report, colours: Colours) -> str:
    """Return the report as one HTML document."""
    parts = [f"<h1>{escape(report.title)}</h1>", _muted(report.subtitle, colours)]
    for section in report.sections:
        parts.append(f"<h2>{escape(section.title)}</h2>")
        parts += [_block(block, colours) for block in section.blocks]
    parts.append(_muted(report.footer, colours))
    return "<html><body>" + "".join(parts) + "</body></html>"


def _muted(text: str, colours: Colours) -> str:
    return f'<p style="color:{colours.muted}">{_lines(text)}</p>' if text else ""


def _lines(text: str) -> str:
    return escape(text).replace("\n", "<br/>")


def _block(block: Block, colours: Colours) -> str:
    if isinstance(block, Paragraph):
        return _paragraph(block, colours)
    if isinstance(block, Facts):
        rows = (
            f"<td><b>{escape(a)}</b>&nbsp;&nbsp;</td><td>{_lines(b)}</td>" for a, b in block.rows
        )
        return _rows(rows)
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, BarChart):
        return _bars(block, colours)
    return _points(block)


def _paragraph(block: Paragraph, colours: Colours) -> str:
    if block.style == "note":
        return _muted(block.text, colours)
    if block.style == "code":
        # A long line wraps: the text beside it shall not scroll sideways for its sake.
        style = f"background-color:{colours.shade}; white-space:pre-wrap"
        return f'<pre style="{style}">{escape(block.text)}</pre>'
    text = _lines(block.text)
    return f"<p><b>{text}</b></p>" if block.style == "lead" else f"<p>{text}</p>"


def _rows(cells: Iterator[str]) -> str:
    body = "".join(f"<tr>{cell}</tr>" for cell in cells)
    return f'<table cellpadding="3" cellspacing="0">{body}</table>'


def _table(block: Table) -> str:
    def line(row: tuple[str, ...], tag: str) -> str:
        return "".join(
            f'<{tag} align="{"right" if i in block.right_aligned else "left"}">{_lines(c)}</{tag}>'
            for i, c in enumerate(row)
        )

    caption = f"<p>{escape(block.caption)}</p>" if block.caption else ""
    lines = (line(row, "td") for row in block.rows)
    return caption + _rows(iter([line(block.heads, "th"), *lines]))


def _bars(block: BarChart, colours: Colours) -> str:
    values = [v for bar in block.bars for v in (bar.low, bar.mid, bar.high) if v > 0]
    if not values:
        return ""
    smallest, largest = min(values), max(values)
    cells = []
    for bar in block.bars:
        share = bar_fraction(bar.mid, smallest=smallest, largest=largest, is_log=block.is_log)
        width = max(2, round(_BAR_WIDTH * share))
        colour = getattr(colours, bar.emphasis)
        drawn = (
            f'<table cellspacing="0" cellpadding="0"><tr><td width="{width}" '
            f'bgcolor="{colour}">&nbsp;</td></tr></table>'
        )
        cells.append(f"<td>{escape(bar.label)}</td><td>{drawn}</td><td>{escape(bar.text)}</td>")
    return f"<p><b>{escape(block.title)}</b> ({escape(block.axis)})</p>" + _rows(iter(cells))


def _points(block: ScatterChart) -> str:
    ordered = sorted(block.points, key=lambda p: p.x)
    cells = (
        f"<td>{'★' if p.is_marked else ''}</td><td>{escape(p.label)}</td>"
        f'<td align="right">{format_number(p.x)}</td>'
        f'<td align="right">{format_number(p.y)}</td>'
        for p in ordered
    )
    head = f"<p><b>{escape(block.title)}</b>: {escape(block.x_axis)}, {escape(block.y_axis)}</p>"
    return head + _rows(cells)
