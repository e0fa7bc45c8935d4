"""A report as PDF: vector text and charts, the same bytes for the same report.

Leaves to others: what is said (`advisor.report.build`), writing the file (`ui.files`).
"""

import io
from collections.abc import Iterator
from typing import Any
from xml.sax.saxutils import escape

from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.platypus import (
    BaseDocTemplate,
    CondPageBreak,
    Flowable,
    Frame,
    KeepTogether,
    PageTemplate,
    Spacer,
)
from reportlab.platypus import Paragraph as PdfParagraph
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

FONT, FONT_BOLD, FONT_MONO = "Helvetica", "Helvetica-Bold", "Courier"
MARGIN = 16 * mm
WIDTH = A4[0] - 2 * MARGIN
_SHADE = HexColor(0xF5F7FA)
# A heading goes to the next page when less than this is left below it.
_HEADING_ROOM = 90
_CELL_SIZE = 7.8
_CELL_PADDING = 13.0
# Columns grow by this much at a time.
_WIDTH_STEP = 4.0
# A longer word (a path, an address) is broken.
_LONGEST_WORD = 110.0


def _style(name: str, **settings: Any) -> ParagraphStyle:
    base = {"fontName": FONT, "fontSize": 9, "leading": 12, "textColor": INK, "spaceAfter": 3}
    return ParagraphStyle(name, **{**base, **settings})


STYLES = {
    "title": _style("title", fontName=FONT_BOLD, fontSize=20, leading=24, spaceAfter=2),
    "subtitle": _style("subtitle", fontSize=10, textColor=MUTED, spaceAfter=10),
    "heading": _style(
        "heading", fontName=FONT_BOLD, fontSize=13, leading=16, spaceBefore=12, spaceAfter=5
    ),
    "body": _style("body"),
    "lead": _style("lead", fontName=FONT_BOLD, fontSize=10, leading=13, spaceBefore=5),
    "note": _style("note", fontSize=7.8, leading=9.8, textColor=MUTED),
    "code": _style(
        "code", fontName=FONT_MONO, fontSize=7.8, leading=10.2, backColor=_SHADE, borderPadding=4,
        leftIndent=4, rightIndent=4, spaceBefore=5, spaceAfter=9,
    ),
    "cell": _style("cell", fontSize=_CELL_SIZE, leading=9.6, spaceAfter=0),
    "right": _style("right", fontSize=_CELL_SIZE, leading=9.6, spaceAfter=0, alignment=2),
    "head": _style("head", fontName=FONT_BOLD, fontSize=_CELL_SIZE, leading=9.6, spaceAfter=0),
    "head_right": _style(
        "head_right", fontName=FONT_BOLD, fontSize=_CELL_SIZE, leading=9.6, spaceAfter=0,
        alignment=2,
    ),
}  # fmt: skip


def render_pdf(report: Report) -> bytes:
    """Return the PDF of a report."""
    buffer = io.BytesIO()
    document = BaseDocTemplate(
        buffer,
        pagesize=A4,
        title=report.title,
        subject=report.subtitle,
        author="DL Advisor",
        lang=report.language,
        invariant=1,
        leftMargin=MARGIN,
        rightMargin=MARGIN,
        topMargin=MARGIN,
        bottomMargin=MARGIN,
    )
    frame = Frame(MARGIN, MARGIN, WIDTH, A4[1] - 2 * MARGIN, 0, 0, 0, 0, id="page")

    def footer(canvas: Any, _document: Any) -> None:
        canvas.setFont(FONT, 7.5)
        canvas.setFillColor(MUTED)
        canvas.drawString(MARGIN, MARGIN - 20, report.footer[:130])
        canvas.drawRightString(A4[0] - MARGIN, MARGIN - 20, str(canvas.getPageNumber()))

    document.addPageTemplates([PageTemplate(id="page", frames=[frame], onPage=footer)])
    story: list[Flowable] = [
        PdfParagraph(escape(report.title), STYLES["title"]),
        PdfParagraph(escape(report.subtitle), STYLES["subtitle"]),
    ]
    for section in report.sections:
        story += _section(section)
    document.build(story)
    return buffer.getvalue()


def _section(section: Section) -> Iterator[Flowable]:
    yield CondPageBreak(_HEADING_ROOM)
    yield PdfParagraph(escape(section.title), STYLES["heading"])
    for block in section.blocks:
        yield _block(block)


def _block(block: Block) -> Flowable:
    if isinstance(block, Paragraph):
        text = escape(block.text).replace("\n", "<br/>")
        if block.style == "code":
            text = text.replace("  ", "&nbsp; ")
        return PdfParagraph(text, STYLES[block.style])
    if isinstance(block, Facts):
        return _grid([[(label, "head"), (value, "cell")] for label, value in block.rows],
                     widths=[WIDTH * 0.26, WIDTH * 0.74], has_head=False)  # fmt: skip
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, BarChart):
        return KeepTogether([Spacer(1, 5), bar_drawing(block, width=WIDTH, font=FONT)])
    assert isinstance(block, ScatterChart)
    return KeepTogether([Spacer(1, 5), scatter_drawing(block, width=WIDTH, font=FONT)])


def _table(block: Table) -> Flowable:
    right = set(block.right_aligned)
    rows = [[(head, "head_right" if i in right else "head") for i, head in enumerate(block.heads)]]
    rows += [
        [(cell, "right" if i in right else "cell") for i, cell in enumerate(row)]
        for row in block.rows
    ]
    return _grid(rows, widths=_widths(block), has_head=True)


def _text_width(text: str, *, is_head: bool) -> float:
    return float(stringWidth(text, FONT_BOLD if is_head else FONT, _CELL_SIZE))


def _widths(block: Table) -> list[float]:
    """Share the page width: every column fits its longest word, the rest makes the rows low."""
    rows = [[_text_width(head, is_head=True) for head in block.heads]]
    rows += [[_text_width(cell, is_head=False) for cell in row] for row in block.rows]
    widths = [
        min(_longest_word_width(block, i), _LONGEST_WORD) + _CELL_PADDING
        for i in range(len(block.heads))
    ]
    while sum(widths) + _WIDTH_STEP <= WIDTH:
        tried = [
            _lines([w + _WIDTH_STEP * (i == k) for i, w in enumerate(widths)], rows)
            for k in range(len(widths))
        ]
        widths[tried.index(min(tried))] += _WIDTH_STEP
    return widths


def _longest_word_width(block: Table, column: int) -> float:
    words = [_text_width(word, is_head=True) for word in block.heads[column].split()]
    for row in block.rows:
        words += [_text_width(word, is_head=False) for word in row[column].split()]
    return max(words, default=0.0)


def _lines(widths: list[float], rows: list[list[float]]) -> float:
    """Return the height of a table in lines, and a little for every column's own fill."""
    height = 0.0
    for row in rows:
        fills = [text / (width - _CELL_PADDING) for text, width in zip(row, widths, strict=True)]
        height += max(1.0, *fills) + 0.01 * sum(fills)
    return height


def _grid(rows: list[list[tuple[str, str]]], *, widths: list[float], has_head: bool) -> Flowable:
    cells = [
        [PdfParagraph(escape(text).replace("\n", "<br/>"), STYLES[style]) for text, style in row]
        for row in rows
    ]
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
