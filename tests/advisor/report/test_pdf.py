"""The PDF holds the report as text, breaks long tables, and is the same bytes each time."""

import io

import pypdf
import pytest

from advisor.model.report import Bar, BarChart, Paragraph, Report, ScatterChart, Section, Table
from advisor.report import pdf
from advisor.report.charts import fitted
from advisor.report.columns import unbroken
from advisor.report.pdf import render_pdf
from tests.helpers.moments import MOMENT


def _text(data: bytes) -> str:
    return "\n".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(data)).pages)


def test_every_block_is_there_as_text(every_block):
    text = _text(render_pdf(every_block, created_at=MOMENT))
    for part in ("Title", "Lead <not a tag>", "export A=1", "Some CPU", "A long table", "row 59",
                 "Bars", "Plane", "quick <b>& escaped</b>", "The footer"):  # fmt: skip
        assert part in text


def test_long_tables_go_on_with_their_head(every_block):
    reader = pypdf.PdfReader(io.BytesIO(render_pdf(every_block, created_at=MOMENT)))
    assert len(reader.pages) >= 2
    heads = sum("Name" in page.extract_text() for page in reader.pages)
    assert heads >= 2
    assert reader.metadata.title == "Title"


def test_same_report_gives_same_bytes(every_block):
    assert render_pdf(every_block, created_at=MOMENT) == render_pdf(every_block, created_at=MOMENT)


def test_it_names_the_moment_of_its_making(every_block):
    made = pypdf.PdfReader(io.BytesIO(render_pdf(every_block, created_at=MOMENT))).metadata
    assert made.creation_date == made.modification_date == MOMENT
    assert made.creation_date_raw == "D:20261128090507+05'30'"


def test_charts_without_values_do_not_fail():
    empty = (
        BarChart(title="none", axis="s", bars=()),
        BarChart(title="zero", axis="s", bars=(Bar(label="a", low=0, mid=0, high=0, text="0"),)),
        ScatterChart(title="no points", x_axis="h", y_axis="USD", points=(), is_log_x=True),
    )
    report = Report(title="t", subtitle="", sections=(Section(title="x", blocks=empty),), footer="")
    assert "no points" in _text(render_pdf(report, created_at=MOMENT))


def test_labels_are_cut_to_their_room():
    assert fitted("short", 200) == "short"
    cut = fitted("a label that is far too long for its place", 60)
    assert cut.endswith("…")
    assert len(cut) < 20


def test_a_number_stays_with_its_unit_of_time():
    kept = unbroken("34 s (2.28 s – 16 min 54 s), 5 disks").replace("\N{NO-BREAK SPACE}", "_")
    assert kept == "34_s (2.28_s – 16_min 54_s), 5 disks"


def test_a_caption_does_not_stand_alone_at_the_end_of_a_page():
    filling = [Paragraph(text=f"Line {n}.") for n in range(100)]
    for n_before in range(38, 60):
        blocks = (*filling[:n_before], Paragraph(text="Caution"), Paragraph(text="Try it first."))
        report = Report(
            title="t", subtitle="", sections=(Section(title="x", blocks=blocks),), footer=""
        )
        data = render_pdf(report, created_at=MOMENT)
        pages = [page.extract_text() for page in pypdf.PdfReader(io.BytesIO(data)).pages]
        (page,) = [text for text in pages if "Caution" in text]
        assert "Try it first." in page


def test_columns_fit_the_page_in_a_language_without_spaces():
    heads = ("方案", "整个任务（80% 区间）", "完成用时", "每轮用时", "费用", "加速比", "依据")
    row = (
        "akash 1x-RTX-4060-Ti-16g/marketplace，按需", "7 min 29 s (4 min 12 s – 13 min 20 s)",
        "46 min 35 s", "本机的其他设备", "> 0 USD", "3.8×", "按公开结果推算的数值与区间 (!)",
    )  # fmt: skip
    table = Table(heads=heads, rows=(row,), right_aligned=(2, 4, 5))
    assert sum(pdf._widths(table)) <= pdf.WIDTH


def _lines(text, *, language):
    block = Paragraph(text=text)
    report = Report(
        title="t", subtitle="", sections=(Section(title="x", blocks=(block,)),), footer="",
        language=language,
    )  # fmt: skip
    return _text(render_pdf(report, created_at=MOMENT)).replace("\xa0", " ").splitlines()


@pytest.mark.parametrize(
    ("language", "word"), [("en", "time"), ("zh_CN", "用时"), ("zh_CN", "time")]
)
def test_no_line_of_a_paragraph_ends_between_a_number_and_its_unit(language, word):
    for n_words in range(1, 40):
        lines = _lines(f"{word} " * n_words + "12 min 34 s (5 min 6 s – 78 min 9 s)" * 4,
                       language=language)  # fmt: skip
        assert not [line for line in lines[2:-1] if line.rstrip()[-1:].isdigit()]


def test_no_page_begins_with_the_last_line_of_a_paragraph():
    filling = [Paragraph(text=f"Line {n}.") for n in range(100)]
    long = Paragraph(text="word " * 40 + "end")
    for n_before in range(38, 60):
        blocks = (*filling[:n_before], long)
        report = Report(
            title="t", subtitle="", sections=(Section(title="x", blocks=blocks),), footer=""
        )
        pages = pypdf.PdfReader(io.BytesIO(render_pdf(report, created_at=MOMENT))).pages
        (page,) = [text for text in (p.extract_text() for p in pages) if "end" in text]
        assert page.count("word") > 30


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_a_long_footer_stands_whole_on_every_page(language):
    footer = (
        "Speed-up: time for a sample now / time then, 间隔为 95 %，" * 5
        + "is called no difference."
    )
    blocks = tuple(Paragraph(text=f"Line {n}.") for n in range(100))
    report = Report(
        title="t", subtitle="", sections=(Section(title="x", blocks=blocks),), footer=footer,
        language=language,
    )  # fmt: skip
    pages = pypdf.PdfReader(io.BytesIO(render_pdf(report, created_at=MOMENT))).pages
    assert len(pages) > 1
    for number, page in enumerate(pages, start=1):
        text = " ".join(page.extract_text().split())
        assert "is called no difference." in text
        assert str(number) in text


def test_a_title_does_not_stand_apart_from_its_table():
    filling = [Paragraph(text=f"Line {n}.") for n in range(100)]
    table = Table(heads=("Part", "Money"), rows=(("computing", "1 USD"),))
    for n_before in range(38, 60):
        blocks = (*filling[:n_before], Paragraph(text="Some offer: 1 USD", style="lead"), table)
        report = Report(
            title="t", subtitle="", sections=(Section(title="x", blocks=blocks),), footer=""
        )
        data = render_pdf(report, created_at=MOMENT)
        pages = [page.extract_text() for page in pypdf.PdfReader(io.BytesIO(data)).pages]
        (page,) = [text for text in pages if "Some offer" in text]
        assert "computing" in page


def test_no_line_of_a_chinese_cell_begins_with_a_space():
    for n_signs in range(20, 140):
        lines = _lines("用" * n_signs + " PyTorch 或 Keras 时" * 3, language="zh_CN")
        assert not [line for line in lines if line.startswith(" ")]
