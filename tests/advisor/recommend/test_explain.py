"""Why an option stands where it stands: each reason with its parameters."""

import pytest

from advisor.model.option import OptionKind
from advisor.model.prediction import CostPart
from advisor.model.quantity import Basis, Interval
from advisor.model.recommendation import Objective, Preferences, ReasonCode
from advisor.recommend.effort import Effort
from advisor.recommend.explain import explain, field_of
from advisor.recommend.rank import Candidate, rank
from advisor.recommend.worth_buying import Use
from tests.advisor.recommend.builders import (
    TODAY,
    a_cloud_option,
    a_cost,
    a_fact,
    a_prediction,
    a_spec,
    an_offer,
    an_option,
    exactly,
    replace,
)

NOTHING = Effort(work_s=0.0, wait_s=0.0, basis="nothing")


def candidate(option, *, hours, usd, effort=NOTHING, basis=Basis.SCALED_FROM_PUBLISHED, parts=()):
    cost = a_cost(usd)
    return Candidate(
        option=option,
        prediction=a_prediction(option.id, hours=hours, basis=basis),
        cost=replace(cost, parts=(*cost.parts, *parts)),
        effort=effort,
        redone_s=exactly(0.0),
    )


STAY = candidate(an_option(), hours=10.0, usd=0.0, basis=Basis.SCALED_FROM_MEASUREMENT)


def rented(name="c7i.4xlarge", *, hours, usd, **changes):
    return candidate(a_cloud_option(an_offer(instance_type=name)), hours=hours, usd=usd, **changes)


def reasons(candidates, option_id, *, speedup=None, objective=Objective.BALANCED, **use):
    placed = rank(candidates, preferences=Preferences(objective=objective)).placed
    field = field_of(placed, objective=objective, **use)
    entry = next(p for p in placed if p.candidate.option.id == option_id)
    found = explain(entry, speedup=speedup or exactly(1.0), field=field)
    return {reason.code: {p.name: p.value for p in reason.parameters} for reason in found}


def test_the_first_under_balanced_says_what_it_is():
    rent = rented(hours=1.0, usd=2.0)
    found = reasons([STAY, rent], rent.option.id, speedup=exactly(10.0))
    assert found[ReasonCode.CHEAPEST_WITHIN] == {"percent": 20.0, "hours": 1.0}
    assert found[ReasonCode.FASTEST] == {"hours": 1.0}
    assert ReasonCode.CHEAPEST not in found


def test_staying_is_cheapest_and_changes_nothing():
    found = reasons([STAY, rented(hours=1.0, usd=2.0)], "stay")
    assert found[ReasonCode.CHEAPEST] == {"usd": 0.0}
    assert ReasonCode.NO_COST_NO_CHANGE in found
    assert ReasonCode.CHEAPEST_WITHIN not in found
    assert found[ReasonCode.SLOWER_THAN_FIRST] == {"factor_x": 10.0}


def test_where_electricity_has_no_price_nobody_knows_what_is_cheapest():
    unknown = replace(STAY, cost=replace(STAY.cost, missing=("price of electricity",)))
    assert ReasonCode.CHEAPEST not in reasons([unknown], "stay")


def test_a_local_option_within_the_hour_alone_claims_no_percentage():
    stay = candidate(an_option(), hours=0.9, usd=0.0)
    found = reasons([stay, rented(hours=0.1, usd=2.0)], "stay")
    assert found[ReasonCode.CHEAPEST_WITHIN] == {"hours": 0.9}


@pytest.mark.parametrize("objective", [Objective.FASTEST, Objective.CHEAPEST])
def test_the_window_is_spoken_of_under_balanced_only(objective):
    found = reasons([STAY, rented(hours=1.0, usd=2.0)], "stay", objective=objective)
    assert ReasonCode.CHEAPEST_WITHIN not in found


def test_faster_and_slower_than_now():
    rent = rented(hours=1.0, usd=2.0)
    speedup = Interval(low=5.0, mid=10.0, high=20.0)
    found = reasons([STAY, rent], rent.option.id, speedup=speedup)
    assert found[ReasonCode.FASTER_THAN_NOW] == {"factor_x": 10.0, "low_x": 5.0, "high_x": 20.0}
    found = reasons([STAY, rent], rent.option.id, speedup=exactly(0.5))
    assert found[ReasonCode.SLOWER_THAN_NOW] == {"factor_x": 2.0}
    found = reasons([STAY, rent], rent.option.id, speedup=exactly(1.04))
    assert ReasonCode.FASTER_THAN_NOW not in found


def test_measured_here_or_published():
    setting = an_option("s", OptionKind.RUNTIME_SETTINGS, fact=a_fact())
    measured = candidate(setting, hours=5.0, usd=0.0, basis=Basis.SCALED_FROM_MEASUREMENT)
    assert ReasonCode.MEASURED_HERE in reasons([STAY, measured], "s")
    published = candidate(setting, hours=5.0, usd=0.0)
    found = reasons([STAY, published], "s")
    assert found[ReasonCode.PUBLISHED_EFFECT] == {"low_x": 1.2, "high_x": 1.6}
    assert ReasonCode.MEASURED_HERE not in found


def test_rented_machines_are_not_measured_here():
    rent = rented(hours=1.0, usd=2.0, basis=Basis.SCALED_FROM_MEASUREMENT)
    assert ReasonCode.MEASURED_HERE not in reasons([STAY, rent], rent.option.id)


def test_ties_are_called_ties():
    near = candidate(an_option("near", OptionKind.BUILD), hours=9.5, usd=0.0)
    found = reasons([STAY, near], "near")
    assert found[ReasonCode.TIE_WITH] == {"option": "stay"}


def test_dominated_by_the_first():
    first = rented("a", hours=1.0, usd=1.0)
    worse = rented("b", hours=2.0, usd=3.0)
    found = reasons([first, worse], worse.option.id)
    assert found[ReasonCode.DOMINATED] == {"option": first.option.title}
    assert found[ReasonCode.SLOWER_THAN_FIRST] == {"factor_x": 2.0}
    assert found[ReasonCode.DEARER_THAN_FIRST] == {"usd": 2.0}


def test_slower_but_cheaper_is_not_dominated():
    first = rented("a", hours=1.0, usd=3.0)
    cheap = rented("b", hours=2.0, usd=1.0)
    found = reasons([first, cheap], cheap.option.id)
    assert ReasonCode.DOMINATED not in found
    assert ReasonCode.DEARER_THAN_FIRST not in found


def test_another_network_is_called_one():
    smaller = candidate(an_option("small", OptionKind.CHANGE_NETWORK), hours=1.0, usd=0.0)
    found = reasons([STAY, smaller], "small", speedup=exactly(10.0))
    assert ReasonCode.CHANGES_THE_NETWORK in found
    assert ReasonCode.FASTEST not in found
    assert ReasonCode.CHEAPEST not in found


def test_work_and_break_even():
    effort = Effort(work_s=1800.0, wait_s=1800.0, basis="carry data")
    rent = rented(hours=1.0, usd=2.0, effort=effort)
    found = reasons([STAY, rent], rent.option.id, speedup=exactly(2.0))
    assert found[ReasonCode.WORK_MINUTES] == {"minutes": 30.0, "basis": "carry data"}
    assert found[ReasonCode.BREAK_EVEN_HOURS] == {"hours": 2.0}
    found = reasons([STAY, rent], rent.option.id, speedup=exactly(0.9))
    assert ReasonCode.BREAK_EVEN_HOURS not in found


def test_buying_against_renting_in_jobs():
    card = an_option("card", OptionKind.BUY, purchase=a_spec())
    parts = (
        CostPart(code="purchase", usd=exactly(300.0), explanation=""),
        CostPart(code="electricity", usd=exactly(0.5), explanation=""),
    )
    bought = candidate(card, hours=2.0, usd=300.5, parts=parts)
    rent = rented(hours=2.0, usd=3.5)
    found = reasons([STAY, bought, rent], "card")
    assert found[ReasonCode.BREAK_EVEN_HOURS] == {
        "hours": 200.0,
        "jobs": 100.0,
        "against": rent.option.title,
    }


def test_a_purchase_has_a_date_by_the_users_own_use():
    card = an_option("card", OptionKind.BUY, purchase=a_spec())
    parts = (CostPart(code="purchase", usd=exactly(300.0), explanation=""),)
    bought = candidate(card, hours=2.0, usd=300.0, parts=parts)
    rent = rented(hours=2.0, usd=3.0)
    use = Use(jobs_per_week=10.0, is_stated=True)
    found = reasons([STAY, bought, rent], "card", use=use, use_h_per_week=30.0, today=TODAY)
    why = found[ReasonCode.BREAK_EVEN_HOURS]
    assert (why["date"], why["use_hours"]) == ("2027-01-30", 30.0)
    found = reasons([STAY, bought, rent], "card", use=use, today=TODAY)
    assert "use_hours" not in found[ReasonCode.BREAK_EVEN_HOURS]


def test_without_renting_there_is_nothing_to_compare_a_purchase_with():
    card = an_option("card", OptionKind.BUY, purchase=a_spec())
    parts = (CostPart(code="purchase", usd=exactly(300.0), explanation=""),)
    found = reasons([STAY, candidate(card, hours=2.0, usd=300.0, parts=parts)], "card")
    assert ReasonCode.BREAK_EVEN_HOURS not in found


def test_renting_cheaper_than_electricity_never_pays():
    card = an_option("card", OptionKind.BUY, purchase=a_spec())
    parts = (
        CostPart(code="purchase", usd=exactly(300.0), explanation=""),
        CostPart(code="electricity", usd=exactly(5.0), explanation=""),
    )
    bought = candidate(card, hours=2.0, usd=305.0, parts=parts)
    found = reasons([STAY, bought, rented(hours=2.0, usd=1.0)], "card")
    assert ReasonCode.BREAK_EVEN_HOURS not in found


def test_what_costs_less_than_the_first_says_that_its_work_is_not_worth_it():
    work = Effort(work_s=1800.0, wait_s=0.0, basis="work")
    stay = candidate(an_option(), hours=0.1, usd=0.03)
    rent = rented(hours=0.1, usd=0.01, effort=work)
    dear = rented("dear", hours=0.1, usd=0.05, effort=work)
    offers = [stay, rent, dear]
    found = reasons(offers, rent.option.id, objective=Objective.CHEAPEST)
    assert found[ReasonCode.SAVES_TOO_LITTLE] == {"usd": pytest.approx(0.02)}
    assert ReasonCode.CHEAPEST in found
    other = reasons(offers, dear.option.id, objective=Objective.CHEAPEST)
    assert ReasonCode.SAVES_TOO_LITTLE not in other
    assert ReasonCode.SAVES_TOO_LITTLE not in reasons(
        offers, rent.option.id, objective=Objective.FASTEST
    )
