"""What may go wrong with the first option: limits within its interval, electricity not counted."""

import pytest

from advisor.i18n import translator_for
from advisor.model.option import OptionKind
from advisor.model.quantity import Interval
from advisor.model.recommendation import Objective, Preferences
from advisor.recommend.first_caveats import MOST_USD_PER_KWH, electricity_caveats, limit_caveats
from advisor.report.reasons import caveat_text
from tests.advisor.recommend.builders import a_cloud_option, a_cost, an_option, replace
from tests.advisor.recommend.test_caveats import a_row

TR = translator_for("en")


def values(found):
    return {entry.code: {p.name: p.value for p in entry.parameters} for entry in found}


def costing(row, low, mid, high):
    return replace(row, cost=replace(row.cost, total_usd=Interval(low=low, mid=mid, high=high)))


def test_a_budget_that_only_the_middle_keeps_is_told():
    first = costing(a_row(a_cloud_option()), 5.0, 8.0, 13.0)
    found = limit_caveats([first], preferences=Preferences(max_usd=10.0))
    assert values(found) == {"first_may_exceed_budget": {"usd": 13.0, "limit_usd": 10.0}}
    assert caveat_text(found[0], TR) == (
        "The first option costs up to 13.00 USD at the upper end of its interval; your limit is"
        " 10.00 USD."
    )
    assert limit_caveats([first], preferences=Preferences(max_usd=13.0)) == ()
    assert limit_caveats([first], preferences=Preferences()) == ()


def test_a_deadline_that_only_the_middle_keeps_is_told_with_work_and_waiting():
    # Computes 40, 60 or 90 minutes; done after 100 in the middle.
    first = replace(a_row(a_cloud_option()), done_s=6000.0)
    found = limit_caveats([first], preferences=Preferences(deadline_h=2.0))
    told = values(found)["first_may_exceed_deadline"]
    assert told == {"hours": pytest.approx(130.0 / 60.0), "limit_hours": 2.0}
    assert limit_caveats([first], preferences=Preferences(deadline_h=2.2)) == ()


def test_what_is_not_first_and_what_is_not_there_exceeds_nothing():
    cheap = costing(a_row(an_option()), 0.0, 0.0, 0.0)
    dear = costing(a_row(a_cloud_option()), 5.0, 8.0, 13.0)
    assert limit_caveats([cheap, dear], preferences=Preferences(max_usd=10.0)) == ()
    assert limit_caveats([], preferences=Preferences(max_usd=10.0)) == ()


def told_of_electricity(*rows, first_w=200.0, **wishes):
    return values(electricity_caveats(rows, preferences=Preferences(**wishes), first_w=first_w))


def days(row, count):
    hour = row.prediction.total_s
    total = hour.scaled(24.0 * count)
    return replace(row, prediction=replace(row.prediction, total_s=total))


def test_the_price_of_electricity_from_which_renting_costs_less_is_told():
    here = days(a_row(an_option()), 10)
    cheap = replace(a_row(a_cloud_option()), cost=a_cost(12.0))
    dear = replace(a_row(a_cloud_option(is_spot=True)), cost=a_cost(30.0))
    found = told_of_electricity(here, dear, cheap)
    assert found == {
        "electricity_decides": {
            "kwh": pytest.approx(48.0), "usd": pytest.approx(0.25), "option": cheap.option.title,
        }
    }  # fmt: skip


@pytest.mark.parametrize(
    ("wishes", "first_w", "n_days", "rent_usd"),
    [
        ({"objective": Objective.FASTEST}, 200.0, 10, 12.0),
        ({}, None, 10, 12.0),
        ({}, 200.0, 10, 48.0 * MOST_USD_PER_KWH * 1.01),
        ({}, 0.0, 10, 12.0),
    ],
)
def test_where_the_price_of_electricity_decides_nothing_it_is_only_not_counted(
    wishes, first_w, n_days, rent_usd
):
    here = days(a_row(an_option()), n_days)
    rent = replace(a_row(a_cloud_option()), cost=a_cost(rent_usd))
    assert told_of_electricity(here, rent, first_w=first_w, **wishes) == {
        "electricity_not_counted": {}
    }
    assert told_of_electricity(here, rent, electricity_usd_per_kwh=0.3) == {}


def test_a_first_that_is_rented_takes_no_electricity_here():
    rent = replace(a_row(a_cloud_option()), cost=a_cost(1.0))
    stay = days(a_row(an_option("stay", OptionKind.STAY)), 10)
    assert told_of_electricity(rent, stay) == {"electricity_not_counted": {}}
    assert told_of_electricity() == {"electricity_not_counted": {}}
