"""Rows say what the advice says; unknown is a dash that sorts last."""

import dataclasses
import math

from advisor.model.recommendation import Recommendation
from tests.ui.advice_values import (
    a_ranked,
    an_advice,
)
from ui.models.advice_rows import (
    AVOID_HEADS,
    HINT_HEADS,
    OPTION_HEADS,
    avoid_rows,
    hint_rows,
    option_rows,
)


def test_every_row_has_a_cell_for_each_head(tr):
    advice = an_advice()
    for rows, heads, count in (
        (option_rows(advice, tr), OPTION_HEADS, 5),
        (avoid_rows(advice, tr), AVOID_HEADS, 1),
        (hint_rows(advice, tr), HINT_HEADS, 1),
    ):
        assert len(rows) == count
        assert {len(row) for row in rows} == {len(heads)}


def test_an_option_shows_time_interval_money_and_basis(tr):
    rank, title, time, _done, money, speedup = option_rows(an_advice(), tr)[1]
    assert rank.text == "2"
    assert title.detail == "rent · scaled from a measurement"
    assert (time.text, time.detail) == ("18 min", "12 min – 27 min")
    assert time.value == 0.3 * 3600
    assert money.text == "0.42 USD"
    assert "Price of 2026-07-20" in money.explanation
    assert speedup.text == "12×"


def test_the_time_with_work_stands_beside_the_time_alone(tr):
    advice = an_advice()
    first, second, *others = advice.ranked
    rows = (dataclasses.replace(first, done_s=4_400.0), dataclasses.replace(second, done_s=4_500.0))
    advice = dataclasses.replace(advice, ranked=(*rows, *others))
    done = [row[3] for row in option_rows(advice, tr)]
    assert [cell.text for cell in done[:3]] == ["1 h 13 min", "1 h 15 min", "–"]
    assert [cell.value for cell in done[:3]] == [4_400.0, 4_500.0, math.inf]
    assert OPTION_HEADS[3] == "Done in"
    assert done[0].explanation.startswith("Done in: with your own work")
    assert option_rows(an_advice(), tr)[0][3].explanation == ""


def test_only_the_first_option_is_strong(tr):
    assert [row[0].is_strong for row in option_rows(an_advice(), tr)] == [True, *[False] * 4]


def test_an_unknown_price_is_a_dash_and_sorts_last(tr):
    money = [row[4] for row in option_rows(an_advice(), tr)]
    assert money[3].text == "–"
    assert max(cell.value for cell in money) == money[3].value == math.inf
    assert "price of the device" in money[3].explanation


def test_bars_share_one_axis(tr):
    bars = [row[2].bar for row in option_rows(an_advice(), tr)]
    assert min(bar.low for bar in bars) == 0.0
    assert max(bar.high for bar in bars) == 1.0
    assert all(bar.low <= bar.mid <= bar.high for bar in bars)
    times = [row[2].value for row in option_rows(an_advice(), tr)]
    assert sorted(times) == [t for _, t in sorted(zip((b.mid for b in bars), times, strict=True))]


def test_a_job_of_no_time_has_no_bar(tr):
    rows = option_rows(an_advice(ranked=(a_ranked(1, "x", hours=1e-9),)), tr)
    assert rows[0][2].bar is not None
    empty = option_rows(an_advice(ranked=()), tr)
    assert empty == ()


def test_a_warned_figure_is_marked(tr):
    advice = an_advice(
        ranked=(a_ranked(1, "x"),),
    )
    prediction = advice.ranked[0].prediction
    warned = dataclasses.replace(prediction, is_warned=True)
    row = dataclasses.replace(advice.ranked[0], prediction=warned)
    _rank, title, time, *_rest = option_rows(dataclasses.replace(advice, ranked=(row,)), tr)[0]
    assert time.bar is None
    assert title.detail.endswith("(!)")
    assert "3 times" in title.explanation


def test_what_to_avoid_says_how_much_and_why(tr):
    title, speed, why = avoid_rows(an_advice(), tr)[0]
    assert title.text == "XLA on this CPU"
    assert speed.text == "0.3×"
    assert "It was slower in 9 of 10 cases" in why.text
    assert "example.org/a" in why.explanation


def test_an_idea_without_steps_has_a_dash(tr):
    assert [cell.text for cell in hint_rows(an_advice(), tr)[0]][::2] == ["Larger batches", "–"]


def test_the_builders_make_whole_advice():
    assert isinstance(an_advice(), Recommendation)
