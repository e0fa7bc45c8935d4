"""Lines of the PDF end where a reader expects it; no letter is lost."""

import io

import pypdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.model.report import Paragraph, Report, Section, Table
from advisor.report import pdf
from advisor.report.pdf import render_pdf
from advisor.report.pdf_lines import line_ends
from tests.helpers.moments import MOMENT

TEXTS = st.text(alphabet="ab1 -–/.,;（）。漢字\N{NO-BREAK SPACE}", max_size=60)


def _broken(text, room):
    widths = [2.0 if letter in "（）。漢字" else 1.0 for letter in text]
    return [text[begin:end] for begin, end in line_ends(widths, list(text), room)]


@given(TEXTS, st.integers(2, 30))
def test_lines_fit_and_hold_everything(text, room):
    lines = _broken(text, float(room))
    kept = "".join("".join(lines).split())
    assert kept == "".join(text.split())
    for line in lines:
        assert sum(2 if letter in "（）。漢字" else 1 for letter in line.rstrip()) <= room


@pytest.mark.parametrize("room", range(8, 60))
def test_no_line_begins_with_a_sign_that_closes_or_ends_with_one_that_opens(room):
    text = (
        "合计 50 min 25 s (42 min 6 s – 1 h)（均为 80% 区间）。依据：按实测推算（見《表》，続く）。"
        * 2
    )
    lines = [line.strip() for line in _broken(text.replace(" ", "\N{NO-BREAK SPACE}"), float(room))]
    assert not [line for line in lines if line[:1] in "）》，。：)"]
    assert not [line for line in lines if line[-1:] in "（《("]


def test_names_of_products_are_broken_at_their_joints():
    assert _broken("akash 1x-RTX-4060-Ti-16g/marketplace，按需", 15.0) == [
        "akash", "1x-RTX-4060-Ti-", "16g/", "marketplace，按需",
    ]  # fmt: skip
    assert _broken("GEMM 1024×1024×1024 (keras)", 16.0) == ["GEMM", "1024×1024×1024", "(keras)"]


def _lines(*blocks, language="en"):
    section = Section(title="x", blocks=blocks)
    report = Report(title="t", subtitle="", sections=(section,), footer="", language=language)
    pages = pypdf.PdfReader(io.BytesIO(render_pdf(report, created_at=MOMENT))).pages
    return "\n".join(page.extract_text() for page in pages).replace("\xa0", " ").splitlines()


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_a_line_of_the_text_stays_one_and_an_empty_one_too(language):
    lines = _lines(Paragraph(text="first\n\nthird 行"), language=language)
    assert [line.strip() for line in lines if line.strip() in ("first", "third 行")]


def test_a_time_of_a_table_is_not_parted():
    heads = ("Option", "Whole job (80 % interval)", "Done in", "Money", "Basis", "Note")
    rows = tuple(
        ("akash 1x-RTX-4060-Ti-16g/marketplace, on-demand",
         f"{n} min 3 s (2 min 51 s – 12 min 49 s)", "46 min 33 s", "0.01 USD",
         "scaled from published results (!)", "word " * 30)
        for n in range(3)
    )  # fmt: skip
    lines = [line.strip() for line in _lines(Table(heads=heads, rows=rows))]
    assert "12 min 49 s)" in lines
    assert not [line for line in lines if line.endswith(" min")]


def test_short_heads_and_cells_stay_whole():
    row = ("留在本机", "词 " * 200, "1.4×")
    widths = pdf._widths(Table(heads=("类型", "方案", "加速比"), rows=(row,), right_aligned=(2,)))
    assert widths[0] >= pdf._text_width("留在本机", is_head=False)
    assert widths[2] >= pdf._text_width("加速比", is_head=True)
