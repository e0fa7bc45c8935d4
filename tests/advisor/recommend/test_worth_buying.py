"""Purchases: plausible at the user's own use, with a price, against renting."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.model.option import OptionKind
from advisor.model.prediction import Cost, CostPart
from advisor.model.recommendation import Preferences, ReasonCode
from advisor.recommend.effort import Effort
from advisor.recommend.rank import Candidate
from advisor.recommend.worth_buying import (
    LEAST_PRICE_USD,
    SHOWN_UNPRICED,
    USUAL_JOBS_PER_WEEK,
    WEEKS_PER_YEAR,
    Use,
    alternative,
    judge_purchases,
    use_of,
)
from tests.advisor.recommend.builders import (
    TODAY,
    a_cost,
    a_prediction,
    a_profile,
    a_spec,
    an_option,
    exactly,
)

EFFORT = Effort(work_s=0.0, wait_s=0.0, basis="none")
BASELINE = a_prediction(hours=10.0)
DAILY = Use(jobs_per_week=5.0, is_stated=False)


def candidate(name, kind, *, hours, cost):
    purchase = a_spec(device=name) if kind is OptionKind.BUY else None
    return Candidate(
        option=an_option(name, kind, purchase=purchase),
        prediction=a_prediction(name, hours=hours),
        cost=cost,
        effort=EFFORT,
        redone_s=exactly(0.0),
    )


def card(name="card", *, usd=300.0, hours=1.0, electricity=0.0):
    parts = [CostPart(code="electricity", usd=exactly(electricity), explanation="")]
    if usd is None:
        return candidate(
            name, OptionKind.BUY, hours=hours,
            cost=Cost(total_usd=None, parts=tuple(parts), missing=("price of the device",)),
        )  # fmt: skip
    parts.append(CostPart(code="purchase", usd=exactly(usd), explanation=""))
    total = exactly(usd + electricity)
    cost = Cost(total_usd=total, parts=tuple(parts), missing=())
    return candidate(name, OptionKind.BUY, hours=hours, cost=cost)


def rent(name="rent", *, usd, hours=1.0):
    return candidate(name, OptionKind.CLOUD, hours=hours, cost=a_cost(usd))


def judged(*cards, rented=(), use=DAILY, baseline=BASELINE):
    return judge_purchases(cards, rented=rented, use=use, baseline=baseline, profile=a_profile())


def test_use_follows_from_the_stated_hours():
    use = use_of(Preferences(use_h_per_week=20.0), baseline=BASELINE)
    assert use == Use(jobs_per_week=2.0, is_stated=True)
    assert use.date_after(4.0, today=TODAY) == "2026-12-05"
    usual = use_of(Preferences(), baseline=BASELINE)
    assert usual == Use(jobs_per_week=USUAL_JOBS_PER_WEEK, is_stated=False)
    assert usual.date_after(1e12, today=TODAY) is None


def test_a_card_that_pays_within_three_years_is_ranked():
    found = judged(card(usd=300.0), rented=[rent(usd=1.0)])
    assert [c.option.id for c in found.candidates] == ["card"]
    assert found.hints == found.rejections == ()


def test_a_card_that_pays_later_is_left_out_with_the_count_of_jobs():
    found = judged(card("near", usd=300.0), card("far", usd=3000.0), rented=[rent(usd=0.01)])
    assert found.candidates == ()
    (left,) = found.rejections
    (why,) = left.reasons
    assert left.title == "near"
    values = {p.name: p.value for p in why.parameters}
    assert why.code is ReasonCode.PAYS_TOO_LATE
    assert values["jobs"] == pytest.approx(30_000.0)
    assert values["limit_jobs"] == pytest.approx(5.0 * 3 * WEEKS_PER_YEAR)


def test_the_stated_use_decides():
    rented = [rent(usd=1.0)]
    rarely = use_of(Preferences(use_h_per_week=1.0), baseline=BASELINE)
    often = use_of(Preferences(use_h_per_week=100.0), baseline=BASELINE)
    assert judged(card(usd=300.0), rented=rented, use=rarely).candidates == ()
    assert len(judged(card(usd=300.0), rented=rented, use=often).candidates) == 1


def test_renting_below_the_price_of_electricity_never_pays():
    found = judged(card(usd=300.0, electricity=2.0), rented=[rent(usd=1.0)])
    (why,) = found.rejections[0].reasons
    assert {p.name for p in why.parameters} == {"against"}


def test_an_unknown_price_is_a_hint_with_the_price_that_pays_and_no_rank():
    cards = [card(f"card{n}", usd=None, hours=1.0 + n / 10) for n in range(4)]
    found = judged(*cards, rented=[rent(usd=1.0)])
    assert found.candidates == ()
    assert [hint.option.id for hint in found.hints] == ["card0", "card1"]
    assert len(found.hints) == SHOWN_UNPRICED
    faster, below = found.hints[0].reasons
    assert {p.name: p.value for p in faster.parameters} == {"factor_x": pytest.approx(10.0)}
    values = {p.name: p.value for p in below.parameters}
    assert below.code is ReasonCode.PAYS_BELOW_PRICE
    assert values["usd"] == pytest.approx(DAILY.most_jobs)
    assert found.hints[0].steps


def test_an_unknown_price_out_of_sight_is_left_out():
    found = judged(card(usd=None), rented=[rent(usd=LEAST_PRICE_USD / 2 / DAILY.most_jobs)])
    assert found.hints == ()
    assert found.rejections[0].reasons[0].code is ReasonCode.PAYS_BELOW_PRICE


def test_without_renting_the_hours_of_computing_decide():
    assert len(judged(card()).candidates) == 1
    assert len(judged(card(usd=None)).hints) == 1
    short = a_prediction(hours=0.1)
    for usd in (300.0, None):
        found = judged(card(usd=usd, hours=0.01), baseline=short)
        assert found.candidates == found.hints == ()
        assert found.rejections[0].reasons[0].code is ReasonCode.PAYS_TOO_LATE


@pytest.mark.parametrize("usd", [300.0, None])
def test_a_card_that_gains_little_is_none_to_buy_however_much_is_computed(usd):
    always = Use(jobs_per_week=100.0, is_stated=True)
    slow = card(usd=usd, hours=BASELINE.total_s.mid / 3600.0 / 1.3)
    found = judged(slow, rented=[rent(usd=100.0)], use=always)
    assert found.candidates == found.hints == ()
    (why,) = found.rejections[0].reasons
    assert why.code is ReasonCode.GAINS_TOO_LITTLE
    assert {p.name: p.value for p in why.parameters} == {"factor_x": pytest.approx(1.3)}


def test_no_cards_no_words():
    found = judged(rented=[rent(usd=1.0)])
    assert found.candidates == found.hints == found.rejections == ()


def test_compared_with_the_cheapest_that_is_alike_else_the_fastest():
    slow, alike = rent("slow", usd=0.1, hours=9.0), rent("alike", usd=2.0, hours=1.5)
    assert alternative(card(), [slow, alike]) is alike
    assert alternative(card(hours=0.1), [slow, alike]) is alike
    assert alternative(card(), [rent(usd=None)]) is None


@given(st.floats(1.0, 1e4), st.floats(0.001, 10.0), st.floats(0.1, 168.0), st.floats(1.0, 10.0))
def test_more_use_never_loses_a_card(usd, per_job, use_h, more):
    def kept(hours):
        use = use_of(Preferences(use_h_per_week=hours), baseline=BASELINE)
        return len(judged(card(usd=usd), rented=[rent(usd=per_job)], use=use).candidates)

    assert kept(use_h) <= kept(use_h * more)
