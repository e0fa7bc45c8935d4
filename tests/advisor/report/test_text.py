"""The text rendering holds everything, in the width asked for."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.model.report import Bar, BarChart, Report, Section, Table
from advisor.report.columns import display_width
from advisor.report.text import bar_fraction, render_text


def test_every_block_is_there(every_block):
    text = render_text(every_block)
    for part in ("Title", "Lead <not a tag>", "    export  B=2", "Processor  Some CPU", "row 59"):
        assert part in text
    assert "Bars (seconds)" in text
    assert "* here" in text
    assert text.endswith("The footer")


def test_numbers_are_right_aligned(every_block):
    lines = render_text(every_block).splitlines()
    ends = {len(line) for line in lines if line.startswith("row ")}
    assert len(ends) == 1


@pytest.mark.parametrize("width", [40, 80, 200])
def test_no_line_is_wider_than_asked(width):
    table = Table(heads=("A", "B", "C"), rows=(("word " * 40, "x" * 90, "1"), ("", "", "")))
    bar = Bar(label="a", low=1.0, mid=1.0, high=1.0, text="1 s")
    chart = BarChart(title="Steps of a network " * 5, axis="seconds, log scale", bars=(bar,))
    report = Report(
        title="t",
        subtitle="s " * 150,
        sections=(Section(title="x", blocks=(table, chart)),),
        footer="f " * 90,
    )
    assert max(map(len, render_text(report, width=width).splitlines())) <= width


def test_longer_time_has_longer_bar(every_block):
    lines = render_text(every_block).splitlines()
    now = next(line for line in lines if line.startswith("now "))
    quick = next(line for line in lines if line.startswith("quick "))
    assert now.count("#") > quick.count("#") >= 1


@given(st.floats(0, 1e6), st.floats(0, 1e6), st.booleans())
def test_place_on_the_axis_keeps_the_order(first, second, is_log):
    low, high = sorted((first, second))
    ends = {"smallest": 1e-3, "largest": 1e6, "is_log": is_log}
    assert 0 <= bar_fraction(low, **ends) <= bar_fraction(high, **ends) <= 1


def test_an_axis_without_values():
    assert bar_fraction(0.0, smallest=0.0, largest=0.0, is_log=False) == 0


def table_report(*rows, heads=("Name", "Time"), right_aligned=(1,)):
    table = Table(heads=heads, rows=rows, right_aligned=right_aligned)
    section = Section(title="x", blocks=(table,))
    return Report(title="t", subtitle="s", sections=(section,), footer="")


def test_columns_stay_aligned_beside_wide_characters():
    report = table_report(("漢字の名前", "12 s"), ("plain name", "3 s"))
    lines = render_text(report).splitlines()
    rows = [line for line in lines if line.endswith(" s")]
    assert len({display_width(line) for line in rows}) == 1


def test_words_stay_whole_while_there_is_room():
    sentence = "Leave everything as it is and see what happens to the remaining columns"
    report = table_report((sentence, sentence, "1"), heads=("A", "B", "C"), right_aligned=())
    lines = render_text(report, width=40).splitlines()
    words = {word for line in lines for word in line.split()}
    assert set(sentence.split()) <= words


def test_an_ascii_terminal_gets_no_question_marks():
    report = table_report(("A name – long", "1.8× (1.5× – 2.2×)"))
    text = render_text(report, encoding="ascii")
    assert text.isascii()
    assert "?" not in text
    assert "1.8x (1.5x - 2.2x)" in text


def test_a_long_label_of_a_bar_is_cut_with_a_sign(every_block):
    bar = Bar(label="漢字の長い名前" * 6, low=1.0, mid=2.0, high=3.0, text="2 s")
    chart = BarChart(title="T", axis="s", bars=(bar,))
    report = dataclasses.replace(every_block, sections=(Section(title="S", blocks=(chart,)),))
    lines = render_text(report, width=60).splitlines()
    line = next(line for line in lines if "#" in line)
    assert "…" in line
    assert display_width(line) <= 60
