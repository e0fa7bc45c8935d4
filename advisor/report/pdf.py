"""A report as PDF: vector text and charts, the same bytes for the same report and moment.

Leaves to others: what is said (`advisor.report.build`), writing the file (`ui.files`).
"""

import datetime as dt
import io
import re
from collections.abc import Callable, Iterator
from typing import Any

from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.platypus import (
    BaseDocTemplate,
    CondPageBreak,
    Flowable,
    Frame,
    KeepTogether,
    PageTemplate,
    Spacer,
)
from reportlab.platypus import Table as PdfTable

from advisor.model.report import (
    BarChart,
    Block,
    Facts,
    Paragraph,
    Report,
    ScatterChart,
    Section,
    Table,
)
from advisor.report.charts import GRID, INK, MUTED, bar_drawing, scatter_drawing
from advisor.report.columns import display_width, least_parts, parts, unbroken
from advisor.report.fonts import FONT, FONT_BOLD, FONT_MONO, marked_up, text_width
from advisor.report.pdf_lines import WellBroken

_NO_BREAK = "\N{NO-BREAK SPACE}"

# "35 min 50 s" is one figure of a table.
_DURATION = re.compile(
    rf"(?:(?<={_NO_BREAK}[dh])|(?<={_NO_BREAK}min)) (?=\d[\d.]*{_NO_BREAK}(?:h|min|s)\b)"
)

MARGIN = 16 * mm
WIDTH = A4[0] - 2 * MARGIN
_SHADE = HexColor(0xF5F7FA)
# Below the text of a page, and beside its number.
_FOOTER_GAP = 12.5
_PAGE_NUMBER_ROOM = 24.0
# A heading goes to the next page when less than this is left below it.
_HEADING_ROOM = 130
# Of a table, for what it tells and its first rows.
_CAPTION_ROOM = 70.0
# Of a line that leads to the next paragraph, for both and a caption between.
_LEAD_ROOM = 62.0
_CELL_SIZE = 7.8
_CELL_PADDING = 13.0
# Columns grow by this much at a time.
_WIDTH_STEP = 4.0
# A number stays with its unit where both together are no longer than this.
_LONGEST_FIGURE = 20
# A head or cell of no more columns of a terminal is not broken while there is room.
_SHORT_CELL = 10
# A longer word (a path, an address) is broken.
_LONGEST_WORD = 110.0


class _Look:
    """The styles of a report."""

    def __init__(self) -> None:
        bold, cell = {"fontName": FONT_BOLD}, {"fontSize": _CELL_SIZE, "leading": 9.6}
        self._styles = {
            "title": self._style("title", **bold, fontSize=20, leading=24, spaceAfter=2),
            "subtitle": self._style("subtitle", fontSize=10, textColor=MUTED, spaceAfter=10),
            "heading": self._style(
                "heading", **bold, fontSize=13, leading=16, spaceBefore=12, spaceAfter=5
            ),
            "body": self._style("body"),
            "lead": self._style("lead", **bold, fontSize=10, leading=13, spaceBefore=5),
            "note": self._style("note", fontSize=7.8, leading=9.8, textColor=MUTED),
            "footer": self._style("footer", fontSize=7.5, leading=9, textColor=MUTED, spaceAfter=0),
            "code": self._style(
                "code", fontName=FONT_MONO, fontSize=7.8, leading=10.2, backColor=_SHADE,
                borderPadding=4, leftIndent=4, rightIndent=4, spaceBefore=5, spaceAfter=9,
            ),
            "cell": self._style("cell", **cell, spaceAfter=0),
            "right": self._style("right", **cell, spaceAfter=0, alignment=2),
            "head": self._style("head", **bold, **cell, spaceAfter=0),
            "head_right": self._style("head_right", **bold, **cell, spaceAfter=0, alignment=2),
        }  # fmt: skip

    def _style(self, name: str, **settings: Any) -> ParagraphStyle:
        base = {
            "fontName": FONT, "fontSize": 9, "leading": 12, "textColor": INK, "spaceAfter": 3,
            "wordWrap": "CJK", "allowWidows": 0, "allowOrphans": 0,
        }  # fmt: skip
        return ParagraphStyle(name, **{**base, **settings})

    def text(self, text: str, *, style: str) -> Flowable:
        """Return text with its line breaks."""
        chosen = self._styles[style]
        lines = marked_up(text if style == "code" else _whole_figures(text), chosen.fontName)
        lines = lines.replace("\n", "<br/>")
        if style == "code":
            lines = lines.replace("  ", "&nbsp; ")
        return WellBroken(lines, chosen)


def render_pdf(report: Report, *, created_at: dt.datetime) -> bytes:
    """Return the PDF of a report.

    Args:
        report: what it says.
        created_at: the moment that the file names as that of its making, with its time zone.
    """
    look = _Look()
    buffer = io.BytesIO()
    document = BaseDocTemplate(
        buffer,
        pagesize=A4,
        title=report.title,
        subject=report.subtitle,
        author="DL Advisor",
        creator="DL Advisor",
        lang=report.language,
        invariant=1,
        leftMargin=MARGIN,
        rightMargin=MARGIN,
        topMargin=MARGIN,
        bottomMargin=MARGIN,
    )
    frame = Frame(MARGIN, MARGIN, WIDTH, A4[1] - 2 * MARGIN, 0, 0, 0, 0, id="page")

    created = f"D:{created_at:%Y%m%d%H%M%S}{_offset(created_at)}"

    def footer(canvas: Any, _document: Any) -> None:
        canvas.setDateFormatter(lambda *_fields: created)
        text = look.text(report.footer, style="footer")
        _width, height = text.wrap(WIDTH - _PAGE_NUMBER_ROOM, MARGIN)
        text.drawOn(canvas, MARGIN, MARGIN - _FOOTER_GAP - height)
        canvas.setFillColor(MUTED)
        canvas.setFont(FONT, 7.5)
        canvas.drawRightString(A4[0] - MARGIN, MARGIN - 20, str(canvas.getPageNumber()))

    document.addPageTemplates([PageTemplate(id="page", frames=[frame], onPage=footer)])
    story: list[Flowable] = [
        look.text(report.title, style="title"),
        look.text(report.subtitle, style="subtitle"),
    ]
    for section in report.sections:
        story += _section(section, look)
    document.build(story)
    return buffer.getvalue()


def _offset(moment: dt.datetime) -> str:
    """Return how far a moment's clock is from Greenwich, as PDF writes it; "" where unknown."""
    text = moment.strftime("%z")
    return f"{text[:3]}'{text[3:5]}'" if text else ""


def _section(section: Section, look: _Look) -> Iterator[Flowable]:
    yield CondPageBreak(_HEADING_ROOM)
    yield look.text(section.title, style="heading")
    followers = (*section.blocks[1:], None)
    for block, follower in zip(section.blocks, followers, strict=True):
        if _leads_on(block, follower):
            yield CondPageBreak(_LEAD_ROOM)
        if isinstance(block, Table) and block.caption:
            yield CondPageBreak(_CAPTION_ROOM)
            yield look.text(block.caption, style="body")
        yield _block(block, look)


def _leads_on(block: Block, follower: Block | None) -> bool:
    """Whether a text only says what comes below it: alone at the end of a page it says nothing."""
    if not isinstance(block, Paragraph) or not isinstance(follower, Paragraph | Table):
        return False
    is_caption = block.style == "body" and not block.text.endswith((".", "。"))
    return block.style == "lead" or is_caption


def _block(block: Block, look: _Look) -> Flowable:
    if isinstance(block, Paragraph):
        return look.text(block.text, style=block.style)
    if isinstance(block, Facts):
        return _grid([[(label, "head"), (value, "cell")] for label, value in block.rows],
                     widths=[WIDTH * 0.26, WIDTH * 0.74], has_head=False, look=look)  # fmt: skip
    if isinstance(block, Table):
        return _table(block, look)
    if isinstance(block, BarChart):
        return KeepTogether([Spacer(1, 5), bar_drawing(block, width=WIDTH, font=FONT)])
    assert isinstance(block, ScatterChart)
    return KeepTogether([Spacer(1, 5), scatter_drawing(block, width=WIDTH, font=FONT)])


def _table(block: Table, look: _Look) -> Flowable:
    right = set(block.right_aligned)
    rows = [[(head, "head_right" if i in right else "head") for i, head in enumerate(block.heads)]]
    rows += [
        [(_kept(cell), "right") if i in right else (cell, "cell") for i, cell in enumerate(row)]
        for row in block.rows
    ]
    return _grid(rows, widths=_widths(block), has_head=True, look=look)


def _kept(cell: str) -> str:
    """Return a figure that is not broken between number and unit."""
    return cell.replace(" ", _NO_BREAK) if len(cell) <= _LONGEST_FIGURE else cell


def _whole_figures(text: str) -> str:
    """Return a text in which numbers stay with their units, and durations whole."""
    return _DURATION.sub(_NO_BREAK, unbroken(text))


def _text_width(text: str, *, is_head: bool) -> float:
    return text_width(text, FONT_BOLD if is_head else FONT, size=_CELL_SIZE)


def _widths(block: Table) -> list[float]:
    """Share the page width: every column fits its longest word, the rest makes the rows low."""
    rows = [[_text_width(head, is_head=True) for head in block.heads]]
    rows += [[_text_width(cell, is_head=False) for cell in row] for row in block.rows]
    widths = _word_widths(block)
    while sum(widths) + _WIDTH_STEP <= WIDTH:
        tried = [
            _lines([w + _WIDTH_STEP * (i == k) for i, w in enumerate(widths)], rows)
            for k in range(len(widths))
        ]
        widths[tried.index(min(tried))] += _WIDTH_STEP
    return widths


def _word_widths(block: Table) -> list[float]:
    """Return what the columns need at least.

    That is their longest words and figures; where the page has no room for those, the widest
    columns give way down to the longest parts of their words.
    """
    places = range(len(block.heads))
    widths = [_longest(block, i, _wished_parts) for i in places]
    least = [_longest(block, i, least_parts) for i in places]
    while sum(widths) > WIDTH:
        wide = [i for i in places if widths[i] > least[i]]
        if not wide:
            break
        widest = max(wide, key=lambda i: widths[i])
        widths[widest] = max(least[widest], widths[widest] - _WIDTH_STEP)
    return widths


def _wished_parts(text: str) -> list[str]:
    return [text] if display_width(text) <= _SHORT_CELL else parts(text)


def _longest(block: Table, column: int, split: Callable[[str], list[str]]) -> float:
    """Return the room for the longest word of a column, of the words that `split` finds."""
    is_figure = column in block.right_aligned
    cells = [_kept(row[column]) if is_figure else _whole_figures(row[column]) for row in block.rows]
    found = [_text_width(word, is_head=True) for word in split(block.heads[column])]
    for cell in cells:
        found += [_text_width(word, is_head=False) for word in split(cell)]
    return min(max(found, default=0.0), _LONGEST_WORD) + _CELL_PADDING


def _lines(widths: list[float], rows: list[list[float]]) -> float:
    """Return the height of a table in lines, and a little for every column's own fill."""
    height = 0.0
    for row in rows:
        fills = [text / (width - _CELL_PADDING) for text, width in zip(row, widths, strict=True)]
        height += max(1.0, *fills) + 0.01 * sum(fills)
    return height


def _grid(
    rows: list[list[tuple[str, str]]], *, widths: list[float], has_head: bool, look: _Look
) -> Flowable:
    cells = [[look.text(text, style=style) for text, style in row] for row in rows]
    commands: list[tuple[Any, ...]] = [
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ("LEFTPADDING", (0, 0), (0, -1), 0),
        ("RIGHTPADDING", (0, 0), (-1, -1), 6),
        ("TOPPADDING", (0, 0), (-1, -1), 1.6),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 1.6),
        ("LINEBELOW", (0, 0), (-1, -1), 0.4, GRID),
    ]
    if has_head:
        commands.append(("LINEBELOW", (0, 0), (-1, 0), 0.8, INK))
    return PdfTable(
        cells, colWidths=widths, style=commands, repeatRows=1 if has_head else 0,
        spaceBefore=3, spaceAfter=7,
    )  # fmt: skip
