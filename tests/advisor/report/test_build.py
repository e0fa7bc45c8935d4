"""A report says first of all when the run behind it was cancelled."""

from dataclasses import replace

import pytest

from advisor.i18n import translator_for
from advisor.report.build import build_measurement_report, build_report, build_summary
from advisor.report.text import render_text
from tests.ui.advice_values import an_advice, cancelled_after

TR = translator_for("en")
ZH = translator_for("zh_CN")
TITLE = "What to do for faster or cheaper deep learning"
TOLD = "The run was cancelled: 3 of 12 measurements are there."


def a_cancelled_advice(**changes):
    return an_advice(measurements=cancelled_after(3, n_asked=12), **changes)


@pytest.mark.parametrize("build", [build_report, build_summary])
def test_a_cancelled_run_is_told_in_the_first_line_and_before_the_answer(build):
    report = build(a_cancelled_advice(), TR)
    assert render_text(report).splitlines()[0] == f"Cancelled run: {TITLE}"
    answer = next(section for section in report.sections if section.title == "The answer")
    assert answer.blocks[0].text.startswith(TOLD)
    assert "for the whole job" in answer.blocks[1].text


@pytest.mark.parametrize("build", [build_report, build_summary])
def test_a_whole_run_is_not_called_cancelled(build):
    report = build(an_advice(), TR)
    assert report.title == TITLE
    assert "The run was cancelled" not in render_text(report)


def test_a_cancelled_run_is_told_where_nothing_fits_the_limits():
    report = build_report(a_cancelled_advice(ranked=()), TR)
    assert report.sections[0].blocks[0].text.startswith(TOLD)


def test_measurements_alone_say_that_they_were_cancelled():
    lines = render_text(build_measurement_report(cancelled_after(3, n_asked=12), TR)).splitlines()
    assert lines[0] == "Cancelled run: Measurements"
    assert lines[2].endswith("; 3 of 12 measurements are there")
    whole = build_measurement_report(an_advice().measurements, TR)
    assert (whole.title, whole.subtitle[:9]) == ("Measurements", "Taken on ")


@pytest.mark.parametrize("build", [build_report, build_summary])
def test_the_mark_of_wide_predictions_is_explained_where_it_stands(build):
    told = "(!) may be off by more than 3 times: about 1 in 20"
    advice = an_advice()
    warned = tuple(
        replace(row, prediction=replace(row.prediction, is_warned=is_warned))
        for row, is_warned in zip(advice.ranked, (True, *[False] * 99), strict=False)
    )
    assert told in render_text(build(replace(advice, ranked=warned), TR))
    calm = tuple(
        replace(row, prediction=replace(row.prediction, is_warned=False)) for row in advice.ranked
    )
    assert "(!)" not in render_text(build(replace(advice, ranked=calm), TR))


def test_chinese_says_so_too():
    lines = render_text(build_summary(a_cancelled_advice(), ZH))
    assert lines.startswith("已取消的运行：")
    assert "运行已取消：12 项测量中有 3 项结果" in lines


def test_the_report_that_was_asked_for_is_not_recommended():
    assert "add --pdf FILE" in build_summary(an_advice(), TR).footer
    assert build_summary(an_advice(), TR, has_pdf=True).footer == ""
