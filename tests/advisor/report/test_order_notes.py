"""A reader sees why the first stands first, though a row below it computes for less time."""

import dataclasses

import pytest

from advisor.format import format_duration
from advisor.i18n import translator_for
from advisor.model.codec import dump_document, load_document
from advisor.model.option import OptionKind
from advisor.model.recommendation import (
    Objective,
    Preferences,
    Reason,
    ReasonCode,
    Recommendation,
    ScorePart,
)
from advisor.recommend.rank import UNPAID_WORK
from advisor.report.build import build_report, build_summary
from advisor.report.order_notes import order_text
from advisor.report.text import render_text
from tests.advisor.recommend.builders import exactly
from tests.advisor.recommend.test_own_steps import KNOWLEDGE, MEASURED, WORKLOAD, recommend
from tests.advisor.share.builders import machine
from tests.helpers.bundled import bundled_index

TR, ZH = translator_for("en"), translator_for("zh_CN")


def advise(**wishes):
    work = dataclasses.replace(WORKLOAD, epochs=2)
    return recommend(
        machine(), MEASURED, work, Preferences(**wishes), KNOWLEDGE,
        today="2026-11-22", app_version="0", index=bundled_index(),
    )  # fmt: skip


# Columns that stand to the right.
FIGURES = ("Done in", "Epoch", "Money", "Speed-up")


@pytest.fixture(scope="module")
def fastest():
    return advise(objective=Objective.FASTEST)


def table(report):
    (found,) = [
        block
        for section in report.sections
        for block in section.blocks
        if getattr(block, "heads", ("",))[0] == "#"
    ]
    return found


def test_the_order_of_the_fastest_is_that_of_the_time_shown(fastest):
    computing = [row.prediction.total_s.mid for row in fastest.ranked]
    assert min(computing) < computing[0], "a row below the first computes for less time"
    done = [row.done_s for row in fastest.ranked]
    assert done[0] == min(done)
    stay = next(row for row in fastest.ranked if row.option.kind is OptionKind.STAY)
    assert stay.done_s == stay.prediction.total_s.mid
    rented = next(row for row in fastest.ranked if row.option.kind is OptionKind.CLOUD)
    assert rented.done_s >= rented.prediction.total_s.mid + 40 * 60


@pytest.mark.parametrize("build", [build_report, build_summary])
def test_every_table_has_the_time_with_work_and_says_what_the_order_goes_by(fastest, build):
    found = table(build(fastest, TR))
    column = found.heads.index("Done in")
    assert found.rows[0][column] == format_duration(fastest.ranked[0].done_s)
    assert "min" in found.rows[1][column]
    assert len({len(found.heads), *map(len, found.rows)}) == 1
    figures = [head for head in found.heads if head in FIGURES]
    assert [found.heads[n] for n in found.right_aligned] == figures
    assert len(figures) >= 3
    text = " ".join(render_text(build(fastest, TR), width=100).split())
    assert "Done in: with your own work and waiting. The order goes by it." in text
    zh = render_text(build(fastest, ZH), width=200)
    assert "完成用时：含您的操作时间和等待时间。按此排序。" in zh


@pytest.mark.parametrize(
    ("objective", "ending"),
    [
        (Objective.CHEAPEST, "The order goes by money, then by it."),
        (Objective.BALANCED, "Of those done about soonest the cheapest come first."),
    ],
)
def test_each_wish_says_its_own_order(objective, ending):
    near = " Within 10 % what changes least comes first, then what costs less."
    assert order_text(advise(objective=objective), TR).endswith(ending + near)


def test_where_the_last_rows_do_another_job_it_is_said(fastest):
    said = " What computes something else stands last."
    assert said not in order_text(fastest, TR)
    *rows, last = fastest.ranked
    other = dataclasses.replace(last, reasons=(Reason(code=ReasonCode.CHANGES_THE_NETWORK),))
    assert order_text(dataclasses.replace(fastest, ranked=(*rows, other)), TR).endswith(said)


def test_where_nothing_takes_work_there_is_no_such_column(fastest):
    stay = tuple(row for row in fastest.ranked if row.option.kind is OptionKind.STAY)
    alone = dataclasses.replace(fastest, ranked=stay)
    for build in (build_report, build_summary):
        found = table(build(alone, TR))
        assert "Done in" not in found.heads
        figures = [head for head in found.heads if head in FIGURES]
        assert [found.heads[n] for n in found.right_aligned] == figures
        assert "Done in" not in render_text(build(alone, TR), width=100)


def test_it_is_saved_and_a_file_from_before_has_no_such_column(fastest):
    assert load_document(dump_document(fastest), Recommendation) == fastest
    rows = tuple(dataclasses.replace(row, done_s=None) for row in fastest.ranked)
    older = dataclasses.replace(fastest, ranked=rows)
    assert "Done in" not in render_text(build_report(older, TR), width=100)


def test_a_narrow_terminal_keeps_its_width(fastest):
    found = render_text(build_summary(fastest, TR), width=40).splitlines()
    start = found.index("All options")
    rows = found[start : found.index("The answer")]
    assert max(map(len, rows)) <= 40


def test_what_costs_less_and_stands_below_for_its_work_says_so():
    advice = advise(objective=Objective.CHEAPEST, electricity_usd_per_kwh=0.3)
    stay = next(row for row in advice.ranked if row.option.kind is OptionKind.STAY)
    rent = next(row for row in advice.ranked if row.option.kind is OptionKind.CLOUD)
    work = ScorePart(name=UNPAID_WORK, value=0.05)

    def told(stay_usd, rent_usd):
        above, below = (
            dataclasses.replace(row, cost=dataclasses.replace(row.cost, total_usd=exactly(usd)))
            for row, usd in ((stay, stay_usd), (rent, rent_usd))
        )
        below = dataclasses.replace(below, score_parts=(work,))
        return order_text(dataclasses.replace(advice, ranked=(above, below)), TR)

    sentence = "then by it. Work that makes nothing sooner than now counts 0.10 USD an hour."
    assert sentence in told(0.02, 0.01)
    assert "an hour" not in told(0.02, 0.03)
