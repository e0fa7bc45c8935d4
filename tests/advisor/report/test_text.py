"""The text rendering holds everything, in the width asked for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.model.report import Report, Section, Table
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
    report = Report(
        title="t",
        subtitle="s " * 150,
        sections=(Section(title="x", blocks=(table,)),),
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
