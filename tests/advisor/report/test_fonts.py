"""Every letter of a report is in a font of the PDF: Chinese, arrows, and what is bold in Latin."""

import io

import pypdf
import pytest
from reportlab.pdfbase import pdfmetrics

from advisor.i18n import translator_for
from advisor.model.report import Bar, BarChart, Paragraph, Report, Section, Table
from advisor.report.fonts import (
    FONT,
    FONT_BOLD,
    bundled_font,
    font_of,
    marked_up,
    text_width,
)
from advisor.report.pdf import render_pdf
from tests.helpers.moments import MOMENT

CHINESE = "矩阵乘法比现在快两倍，花费不变。"
ARROW = "convolution 3×3, 128→256"


def a_report(text, *, language="en"):
    blocks = (
        Paragraph(text=text, style="lead"),
        Paragraph(text=f"cd /home/{text}\nls", style="code"),
        Table(heads=("a", "b"), rows=((text, "1"),)),
        BarChart(
            title=text, axis="s", bars=(Bar(label=text, low=1.0, mid=2.0, high=3.0, text="2 s"),)
        ),
    )
    return Report(
        title=text, subtitle=text, sections=(Section(title=text, blocks=blocks),), footer=text,
        language=language,
    )  # fmt: skip


def read(data):
    reader = pypdf.PdfReader(io.BytesIO(data))
    text = "".join(page.extract_text() for page in reader.pages)
    fonts = {
        str(font.get_object()["/BaseFont"])
        for page in reader.pages
        for font in page["/Resources"]["/Font"].values()
    }
    return "".join(text.split()), fonts


@pytest.mark.parametrize("text", [CHINESE, ARROW, "Größe ≤ 3 µs"])
@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_every_letter_can_be_read_back(text, language):
    found, fonts = read(render_pdf(a_report(text, language=language), created_at=MOMENT))
    squeezed = "".join(text.split())
    # Title, subtitle, heading, lead, code, cell, chart (twice), footer.
    assert found.count(squeezed[:6]) >= 8
    assert any("NotoSansSC" in font for font in fonts)
    assert "■" not in found


def test_plain_letters_need_no_font_in_the_file():
    _found, fonts = read(render_pdf(a_report("± 3 %, 2 × – “quoted” …"), created_at=MOMENT))
    assert not any("Noto" in font for font in fonts)


def test_only_the_rare_letters_change_their_font():
    assert marked_up("a <b> & c", FONT) == "a &lt;b&gt; &amp; c"
    assert marked_up("128→256", FONT_BOLD) == f'128<font name="{bundled_font()}">→</font>256'
    assert font_of("abc", FONT) == FONT
    assert font_of("甲", FONT) == bundled_font()


def test_widths_add_up_over_the_fonts():
    whole = text_width("ab→甲", FONT, size=10)
    parts = text_width("ab", FONT, size=10) + text_width("→甲", FONT, size=10)
    assert whole == pytest.approx(parts)
    assert text_width("甲乙", FONT, size=10) == pytest.approx(20.0)


def test_the_font_has_every_letter_of_our_translations():
    catalogue = translator_for("zh_CN").catalogue
    letters = set("".join(text for text in catalogue._catalog.values() if isinstance(text, str)))
    face = pdfmetrics.getFont(bundled_font()).face
    missing = {letter for letter in letters if ord(letter) not in face.charToGlyph}
    assert missing - set("\n") == set()
