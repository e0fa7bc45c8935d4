"""The fonts of a PDF: the reader's own where its letters suffice, else the one that comes with us.

A PDF reader brings Helvetica and Courier for the letters of western Europe; anything else (an
arrow, Chinese, a path with other letters) is written in a font inside the file.
Leaves to others: how large and where (`advisor.report.pdf`).
"""

import functools
import importlib.resources
import itertools
from collections.abc import Iterator
from xml.sax.saxutils import escape

from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfbase.ttfonts import TTFont

FONT, FONT_BOLD, FONT_MONO = "Helvetica", "Helvetica-Bold", "Courier"
BUNDLED_FONT = "NotoSansSC-Regular-subset.ttf"
_BUNDLED_NAME = "NotoSansSC"
# The letters of the fonts that every reader brings.
_USUAL_LETTERS = "cp1252"


def _is_usual(letter: str) -> bool:
    try:
        letter.encode(_USUAL_LETTERS)
    except UnicodeEncodeError:
        return False
    return True


def _runs(text: str, font: str) -> Iterator[tuple[str, str]]:
    """Yield the pieces of a text, each with the font that has its letters."""
    if _is_usual(text):
        yield text, font
        return
    for is_usual, letters in itertools.groupby(text, _is_usual):
        yield "".join(letters), font if is_usual else bundled_font()


def font_of(text: str, font: str) -> str:
    """Return the font if it has every letter of the text, else the bundled one."""
    return font if _is_usual(text) else bundled_font()


def marked_up(text: str, font: str) -> str:
    """Return the text as the markup of a paragraph in this font, its rare letters in ours."""
    return "".join(
        escape(run) if name == font else f'<font name="{name}">{escape(run)}</font>'
        for run, name in _runs(text, font)
    )


def text_width(text: str, font: str, *, size: float) -> float:
    """Return the width of a text on one line, in points."""
    return float(sum(stringWidth(run, name, size) for run, name in _runs(text, font)))


@functools.cache
def bundled_font() -> str:
    """Make the bundled font known to the PDF library, once, and return its name there."""
    place = importlib.resources.files("resources").joinpath("fonts", BUNDLED_FONT)
    with importlib.resources.as_file(place) as path:
        pdfmetrics.registerFont(TTFont(_BUNDLED_NAME, str(path)))
    pdfmetrics.registerFontFamily(
        _BUNDLED_NAME, normal=_BUNDLED_NAME, bold=_BUNDLED_NAME, italic=_BUNDLED_NAME,
        boldItalic=_BUNDLED_NAME,
    )  # fmt: skip
    return _BUNDLED_NAME
