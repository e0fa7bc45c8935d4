"""The order of options: objectives, limits, ties and the Pareto front."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.model.option import OptionKind
from advisor.model.recommendation import Objective, Preferences, ReasonCode
from advisor.recommend.effort import Effort, effort_of
from advisor.recommend.rank import (
    CLASS_STEP,
    TIE_FRACTION,
    WORTH_PAYING_H,
    limit_reasons,
    pareto_ids,
    rank,
)
from tests.advisor.recommend.builders import (
    a_cloud_option,
    a_cost,
    replace,
)
from tests.advisor.recommend.candidates import after_work, candidate, order

# --- objectives ---------------------------------------------------------------------------------


def test_fastest_ignores_money():
    offers = [
        candidate("slow", hours=4.0, usd=0.1),
        candidate("fast", hours=1.0, usd=50.0),
        candidate("middle", hours=2.0, usd=1.0),
    ]
    assert order(offers, Objective.FASTEST) == ["fast", "middle", "slow"]


def test_cheapest_ignores_time():
    offers = [
        candidate("slow", hours=40.0, usd=0.1),
        candidate("fast", hours=1.0, usd=50.0),
        candidate("middle", hours=2.0, usd=1.0),
    ]
    assert order(offers, Objective.CHEAPEST) == ["slow", "middle", "fast"]


def test_cheapest_takes_the_faster_of_two_that_are_free():
    free = [
        candidate("stay", hours=10.0, usd=0.0, kind=OptionKind.STAY),
        candidate("threads", hours=6.0, usd=0.0, kind=OptionKind.RUNTIME_SETTINGS),
        candidate("rent", hours=0.1, usd=0.01),
    ]
    assert order(free, Objective.CHEAPEST) == ["threads", "stay", "rent"]


def test_balanced_takes_the_cheapest_within_a_fifth_of_the_fastest():
    offers = [
        candidate("fastest", hours=10.0, usd=9.0),
        candidate("inside", hours=11.9, usd=3.0),
        candidate("outside", hours=12.1, usd=1.0),
    ]
    ranking = rank(offers, preferences=Preferences())
    ids = [placed.candidate.option.id for placed in ranking.placed]
    assert ids == ["inside", "fastest", "outside"]
    assert [placed.is_in_window for placed in ranking.placed] == [True, True, False]


def test_balanced_does_not_rent_to_save_less_than_an_hour():
    stay = candidate("stay", hours=0.33, usd=0.0, kind=OptionKind.STAY)
    rented = candidate("h100", hours=0.01, usd=2.0)
    assert order([stay, rented])[0] == "stay"


def test_balanced_rents_when_it_saves_more_than_an_hour():
    stay = candidate("stay", hours=0.01 + WORTH_PAYING_H + 0.1, usd=0.0, kind=OptionKind.STAY)
    rented = candidate("h100", hours=0.01, usd=2.0)
    assert order([stay, rented])[0] == "h100"


def test_a_persons_work_counts_as_time():
    stay = candidate("stay", hours=3.0, usd=0.0, kind=OptionKind.STAY)
    build = candidate(
        "build",
        hours=2.0,
        usd=0.0,
        kind=OptionKind.BUILD,
        effort=Effort(work_s=4 * 3600.0, wait_s=0.0, basis="compile"),
    )
    assert order([build, stay], Objective.FASTEST) == ["stay", "build"]


def test_work_lost_to_interruptions_counts_as_time():
    spot = candidate("spot", hours=1.0, usd=1.0, redone_h=1.0)
    steady = candidate("steady", hours=1.5, usd=1.0)
    assert order([spot, steady], Objective.FASTEST) == ["steady", "spot"]


def test_a_smaller_network_never_stands_before_the_job_as_asked():
    stay = candidate("stay", hours=10.0, usd=0.0, kind=OptionKind.STAY)
    smaller = candidate("smaller", hours=0.5, usd=0.0, kind=OptionKind.CHANGE_NETWORK)
    for objective in Objective:
        assert order([smaller, stay], objective) == ["stay", "smaller"]


def test_a_smaller_network_does_not_narrow_the_window():
    stay = candidate("stay", hours=10.0, usd=0.0, kind=OptionKind.STAY)
    smaller = candidate("smaller", hours=0.5, usd=0.0, kind=OptionKind.CHANGE_NETWORK)
    ranking = rank([stay, smaller], preferences=Preferences())
    assert ranking.placed[0].is_in_window


def test_a_smaller_network_is_first_when_only_it_meets_the_deadline():
    stay = candidate("stay", hours=10.0, usd=0.0, kind=OptionKind.STAY)
    smaller = candidate("smaller", hours=0.5, usd=0.0, kind=OptionKind.CHANGE_NETWORK)
    assert order([stay, smaller], deadline_h=2.0) == ["smaller"]


@pytest.mark.parametrize("objective", [Objective.CHEAPEST, Objective.BALANCED])
def test_an_unknown_price_is_not_zero(objective):
    unknown = candidate("card", hours=0.5, usd=None, kind=OptionKind.BUY)
    known = candidate("rent", hours=20.0, usd=40.0)
    assert order([unknown, known], objective) == ["rent", "card"]


def test_an_unknown_price_may_be_fastest():
    unknown = candidate("card", hours=0.5, usd=None, kind=OptionKind.BUY)
    known = candidate("rent", hours=20.0, usd=40.0)
    assert order([unknown, known], Objective.FASTEST) == ["card", "rent"]


# --- limits -------------------------------------------------------------------------------------


def test_budget_is_a_hard_limit():
    dear = candidate("dear", hours=1.0, usd=5.01)
    fair = candidate("fair", hours=2.0, usd=5.0)
    ranking = rank([dear, fair], preferences=Preferences(max_usd=5.0))
    assert [placed.candidate.option.id for placed in ranking.placed] == ["fair"]
    (rejected,) = ranking.rejections
    assert rejected.option_id == "dear"
    (why,) = rejected.reasons
    assert why.code is ReasonCode.OVER_BUDGET
    assert {p.name: p.value for p in why.parameters} == {"usd": 5.01, "limit_usd": 5.0}


def test_deadline_counts_everything_until_the_result():
    late = candidate(
        "late", hours=1.0, usd=1.0, effort=Effort(work_s=3600.0, wait_s=600.0, basis="x")
    )
    (why,) = limit_reasons(late, preferences=Preferences(deadline_h=2.0))
    assert why.code is ReasonCode.OVER_DEADLINE
    values = {p.name: p.value for p in why.parameters}
    assert values["hours"] == pytest.approx(2.0 + 1 / 6)
    assert values["limit_hours"] == 2.0


def test_an_unknown_price_cannot_meet_a_budget():
    (why,) = limit_reasons(
        candidate("card", hours=1.0, usd=None), preferences=Preferences(max_usd=100.0)
    )
    assert why.code is ReasonCode.PRICE_UNKNOWN


def test_nothing_feasible_gives_nothing_ranked():
    ranking = rank([candidate("a", hours=3.0, usd=1.0)], preferences=Preferences(deadline_h=0.5))
    assert ranking.placed == ()
    assert len(ranking.rejections) == 1


# --- ties ---------------------------------------------------------------------------------------


def test_below_a_tenth_is_a_tie_with_a_shared_rank():
    offers = [
        candidate("a", hours=10.0, usd=5.0),
        candidate("b", hours=10.9, usd=4.0),
        candidate("c", hours=11.1, usd=3.0),
    ]
    placed = rank(offers, preferences=Preferences(objective=Objective.FASTEST)).placed
    assert [(p.candidate.option.id, p.rank) for p in placed] == [("b", 1), ("a", 1), ("c", 3)]
    assert placed[0].tied_with == ("a",)
    assert placed[2].tied_with == ()


def test_far_apart_in_computing_is_no_tie_however_much_work_both_are():
    short, long = (
        candidate(name, hours=hours, usd=usd, effort=Effort(work_s=3600.0, wait_s=0.0, basis="w"))
        for name, hours, usd in (("short", 0.03, 2.0), ("long", 0.07, 1.0))
    )
    placed = rank([short, long], preferences=Preferences(objective=Objective.FASTEST)).placed
    assert [(p.candidate.option.id, p.rank) for p in placed] == [("long", 1), ("short", 2)]
    assert all(p.tied_with == () for p in placed)


def test_of_tied_options_the_least_change_comes_first():
    tied = [
        candidate("rent", hours=9.6, usd=1.0),
        candidate("build", hours=9.7, usd=0.0, kind=OptionKind.BUILD),
        candidate("stay", hours=10.0, usd=0.0, kind=OptionKind.STAY),
        candidate("framework", hours=9.5, usd=0.0, kind=OptionKind.CHANGE_FRAMEWORK),
    ]
    assert order(tied, Objective.FASTEST) == ["stay", "build", "framework", "rent"]


def test_order_of_local_advice_for_equal_value():
    kinds = [
        OptionKind.STAY,
        OptionKind.BUILD,
        OptionKind.RUNTIME_SETTINGS,
        OptionKind.INPUT_PIPELINE,
        OptionKind.CHANGE_FRAMEWORK,
        OptionKind.LOCAL_DEVICE,
        OptionKind.FREE_TIER,
        OptionKind.CLOUD,
        OptionKind.BUY,
    ]
    equal = [candidate(kind.value, hours=5.0, usd=0.0, kind=kind) for kind in reversed(kinds)]
    assert order(equal, Objective.FASTEST) == [kind.value for kind in kinds]


# --- score --------------------------------------------------------------------------------------


@pytest.mark.parametrize("objective", list(Objective))
def test_score_is_the_sum_of_its_parts(objective):
    offers = [
        candidate("stay", hours=10.0, usd=0.0, kind=OptionKind.STAY),
        candidate("rent", hours=1.0, usd=3.0, redone_h=0.2, effort=effort_of(a_cloud_option())),
        after_work("slow", hours=11.0, usd=0.0, work_h=1.5, kind=OptionKind.BUILD),
        candidate("smaller", hours=1.0, usd=0.0, kind=OptionKind.CHANGE_NETWORK),
        candidate("card", hours=1.0, usd=None, kind=OptionKind.BUY),
    ]
    for placed in rank(offers, preferences=Preferences(objective=objective)).placed:
        assert placed.score == sum(part.value for part in placed.score_parts)
        assert placed.value == pytest.approx(
            sum(part.value for part in placed.score_parts if part.value < CLASS_STEP)
        )


def test_score_falls_along_the_ranks_but_for_ties():
    offers = [candidate(str(n), hours=n + 1.0, usd=20.0 - n) for n in range(12)]
    for objective in Objective:
        placed = rank(offers, preferences=Preferences(objective=objective)).placed
        for before, after in itertools.pairwise(placed):
            assert after.rank == before.rank or before.score < after.score


# --- Pareto -------------------------------------------------------------------------------------


def test_pareto_front_by_time_and_money():
    offers = [
        candidate("fast", hours=1.0, usd=9.0),
        candidate("cheap", hours=9.0, usd=1.0),
        candidate("between", hours=5.0, usd=5.0),
        candidate("beaten", hours=6.0, usd=6.0),
        candidate("same as between", hours=5.0, usd=5.0),
        candidate("unknown", hours=0.1, usd=None),
    ]
    assert pareto_ids(offers) == {"fast", "cheap", "between", "same as between"}


# --- properties ---------------------------------------------------------------------------------

KINDS = st.sampled_from([OptionKind.STAY, OptionKind.BUILD, OptionKind.CLOUD, OptionKind.BUY])
OFFER = st.tuples(
    st.floats(min_value=0.01, max_value=1000.0),
    st.floats(min_value=0.0, max_value=1000.0),
    KINDS,
    st.sampled_from([0.0, 0.5, 4.0]),
)
OFFERS = st.lists(OFFER, min_size=1, max_size=8)


def made(offers):
    return [
        after_work(f"o{n}", hours=hours, usd=usd, work_h=work_h, kind=kind)
        for n, (hours, usd, kind, work_h) in enumerate(offers)
    ]


@settings(max_examples=60, deadline=None)
@given(OFFERS, st.randoms(use_true_random=False), st.sampled_from(list(Objective)))
def test_order_of_input_does_not_change_the_ranking(offers, random, objective):
    candidates = made(offers)
    shuffled = list(candidates)
    random.shuffle(shuffled)
    preferences = Preferences(objective=objective)
    assert rank(candidates, preferences=preferences) == rank(shuffled, preferences=preferences)


@settings(max_examples=60, deadline=None)
@given(OFFERS, st.sampled_from(list(Objective)))
def test_a_worse_option_does_not_change_the_winner(offers, objective):
    candidates = made(offers)
    winner = order(candidates, objective)[0]
    base = next(c for c in candidates if c.option.id == winner)
    worse = candidate(
        "worse",
        hours=base.effective_s / 3600.0 * 1.5,
        usd=(base.usd or 0.0) * 1.5 + 1.0,
        kind=OptionKind.BUY,
    )
    assert order([*candidates, worse], objective)[0] == winner


@settings(max_examples=80, deadline=None)
@given(OFFERS, st.data())
def test_a_lower_price_never_ranks_lower_under_cheapest(offers, data):
    candidates = made(offers)
    index = data.draw(st.integers(0, len(candidates) - 1))
    factor = data.draw(st.floats(min_value=0.0, max_value=1.0))
    chosen = candidates[index]
    preferences = Preferences(objective=Objective.CHEAPEST)

    def rank_of(entries):
        placed = rank(entries, preferences=preferences).placed
        return next(p.rank for p in placed if p.candidate.option.id == chosen.option.id)

    before = rank_of(candidates)
    candidates[index] = replace(chosen, cost=a_cost(chosen.usd * factor))
    assert rank_of(candidates) <= before


@settings(max_examples=80, deadline=None)
@given(OFFERS)
def test_the_winner_under_balanced_is_in_the_window_and_cheapest_there(offers):
    placed = rank(made(offers), preferences=Preferences()).placed
    fastest = min(p.candidate.effective_s for p in placed)
    first = placed[0]
    assert first.is_in_window
    inside = [p for p in placed if p.candidate.effective_s <= 1.2 * fastest]
    cheapest = min(p.value for p in inside)
    assert first.value <= cheapest * (1.0 + TIE_FRACTION) * (1 + 1e-9)


def test_a_rental_that_costs_over_ten_times_as_much_is_no_tie():
    offers = [
        candidate("cheap", hours=10.0, usd=0.02),
        candidate("near", hours=10.1, usd=0.1),
        candidate("dear", hours=9.9, usd=0.3),
        candidate("dearest", hours=9.95, usd=4.0),
    ]
    placed = rank(offers, preferences=Preferences(objective=Objective.FASTEST)).placed
    assert [(p.candidate.option.id, p.rank) for p in placed] == [
        ("cheap", 1), ("near", 1), ("dear", 3), ("dearest", 4),
    ]  # fmt: skip
    assert [p.tied_with for p in placed] == [("near",), ("cheap",), (), ()]
