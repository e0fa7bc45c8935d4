"""Work under money: nobody is told to work for cents, and time that is won pays for work."""

import pytest

from advisor.model.option import OptionKind
from advisor.model.recommendation import Objective, Preferences
from advisor.recommend.rank import UNPAID_WORK, WORK_USD_PER_H, rank
from tests.advisor.recommend.candidates import after_work, candidate, order


@pytest.mark.parametrize("objective", [Objective.CHEAPEST, Objective.BALANCED])
def test_parts_of_a_cent_are_worth_nobodys_work(objective):
    stay = candidate("stay", hours=0.01, usd=0.003, kind=OptionKind.STAY)
    setting = after_work(
        "setting", hours=0.005, usd=0.0015, work_h=1 / 12, kind=OptionKind.RUNTIME_SETTINGS
    )
    assert order([setting, stay], objective) == ["stay", "setting"]


@pytest.mark.parametrize("objective", [Objective.CHEAPEST, Objective.BALANCED])
def test_an_hour_of_work_on_an_own_card_is_not_worth_two_cents(objective):
    stay = candidate("stay", hours=0.48, usd=0.032, kind=OptionKind.STAY)
    card = after_work("card", hours=0.2, usd=0.012, work_h=1.0, kind=OptionKind.LOCAL_DEVICE)
    assert order([card, stay], objective) == ["stay", "card"]


def test_renting_for_half_an_hour_of_work_is_not_worth_a_cent():
    stay = candidate("stay", hours=0.48, usd=0.018, kind=OptionKind.STAY)
    rent = after_work("rent", hours=0.1, usd=0.008, work_h=0.5, kind=OptionKind.CLOUD)
    assert order([rent, stay], Objective.CHEAPEST) == ["stay", "rent"]


def test_half_an_hour_of_work_is_worth_half_a_dollar_to_who_asks_for_the_cheapest():
    stay = candidate("stay", hours=0.48, usd=0.52, kind=OptionKind.STAY)
    rent = after_work("rent", hours=0.1, usd=0.02, work_h=0.5, kind=OptionKind.CLOUD)
    assert order([rent, stay], Objective.CHEAPEST) == ["rent", "stay"]


def test_work_that_time_pays_for_counts_nothing():
    stay = candidate("stay", hours=1000.0, usd=0.0, kind=OptionKind.STAY)
    build = after_work("build", hours=700.0, usd=0.0, work_h=4.0, kind=OptionKind.BUILD)
    assert order([stay, build], Objective.CHEAPEST) == ["build", "stay"]


def test_work_makes_no_tie_of_rentals_of_unlike_price():
    stay = candidate("stay", hours=0.01, usd=0.001, kind=OptionKind.STAY)
    rentals = [
        after_work(name, hours=0.1, usd=usd, work_h=0.5, kind=OptionKind.CLOUD)
        for name, usd in (("a", 0.010), ("b", 0.0105), ("c", 0.012))
    ]
    placed = rank([stay, *rentals], preferences=Preferences(objective=Objective.CHEAPEST)).placed
    assert [(entry.candidate.option.id, entry.rank) for entry in placed] == [
        ("stay", 1),
        ("a", 2),
        ("b", 2),
        ("c", 4),
    ]


def test_where_staying_takes_work_itself_none_is_counted():
    stay = after_work("stay", hours=0.1, usd=0.02, work_h=1.5, kind=OptionKind.STAY)
    rent = after_work("rent", hours=3.0, usd=0.01, work_h=0.5, kind=OptionKind.CLOUD)
    assert order([rent, stay], Objective.CHEAPEST) == ["rent", "stay"]


def test_the_score_says_how_much_work_counted():
    stay = candidate("stay", hours=1.0, usd=0.0, kind=OptionKind.STAY)
    later = after_work("later", hours=0.75, usd=0.0, work_h=0.5, kind=OptionKind.BUILD)
    much = after_work("much", hours=2.0, usd=0.0, work_h=4.0, kind=OptionKind.BUILD)
    preferences = Preferences(objective=Objective.CHEAPEST)
    counted = {
        entry.candidate.option.id: part.value
        for entry in rank([stay, later, much], preferences=preferences).placed
        for part in entry.score_parts
        if part.name == UNPAID_WORK
    }
    assert counted == pytest.approx(
        {"stay": 0.0, "later": 0.25 * WORK_USD_PER_H, "much": 4.0 * WORK_USD_PER_H}
    )
