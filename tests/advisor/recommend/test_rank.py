"""The order of options: objectives, limits, ties, Pareto front, and the study of 2017."""

import csv
import itertools
import math
from pathlib import Path

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
    Candidate,
    limit_reasons,
    pareto_ids,
    rank,
)
from tests.advisor.recommend.builders import (
    a_cloud_option,
    a_cost,
    a_prediction,
    an_offer,
    an_option,
    exactly,
    replace,
)

NO_EFFORT = Effort(work_s=0.0, wait_s=0.0, basis="none")
RUNS = Path(__file__).parent / "minimaxir_2017_07.csv"


def candidate(option_id, *, hours, usd, kind=OptionKind.CLOUD, effort=NO_EFFORT, redone_h=0.0):
    return Candidate(
        option=an_option(option_id, kind),
        prediction=a_prediction(option_id, hours=hours),
        cost=a_cost(usd),
        effort=effort,
        redone_s=exactly(redone_h * 3600.0),
    )


def order(candidates, objective=Objective.BALANCED, **limits):
    preferences = Preferences(objective=objective, **limits)
    ranking = rank(candidates, preferences=preferences)
    return [placed.candidate.option.id for placed in ranking.placed]


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
)
OFFERS = st.lists(OFFER, min_size=1, max_size=8)


def made(offers):
    return [
        candidate(f"o{n}", hours=hours, usd=usd, kind=kind)
        for n, (hours, usd, kind) in enumerate(offers)
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


# --- the founding study of cloud processors (2017-07) -------------------------------------------


def study_rows():
    with RUNS.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def study_candidate(name, *, seconds, usd):
    offer = an_offer(vendor="gcp", instance_type=name, region="us")
    option = replace(a_cloud_option(offer, is_spot=True), id=name)
    return Candidate(
        option=option,
        prediction=a_prediction(name, hours=seconds / 3600.0),
        cost=a_cost(usd),
        effort=NO_EFFORT,
        redone_s=exactly(0.0),
    )


def study_candidates(network, *, with_gpu=False, price_factor=1.0):
    rows = [row for row in study_rows() if row["network"] == network]
    return [
        study_candidate(
            row["configuration"],
            seconds=float(row["total_s"]),
            usd=float(row["total_s"])
            / 3600.0
            * float(row["usd_per_hour"])
            * (1.0 if row["configuration"] == "k80" else price_factor),
        )
        for row in rows
        if with_gpu or row["configuration"] != "k80"
    ]


NETWORKS = sorted({row["network"] for row in study_rows()})


def geometric_mean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values))


def geometric_candidates():
    rows = study_rows()
    base = {row["network"]: float(row["total_s"]) for row in rows if row["configuration"] == "k80"}
    configurations = {row["configuration"]: float(row["usd_per_hour"]) for row in rows}
    made = []
    for name, usd_per_hour in configurations.items():
        if name == "k80":
            continue
        relative = geometric_mean(
            [
                float(row["total_s"]) / base[row["network"]]
                for row in rows
                if row["configuration"] == name
            ]
        )
        hours = relative  # a job that takes the K80 one hour
        made.append(study_candidate(name, seconds=hours * 3600.0, usd=hours * usd_per_hour))
    return made


def test_seven_networks_in_nine_configurations():
    assert len(NETWORKS) == 7
    assert all(len(study_candidates(name, with_gpu=True)) == 9 for name in NETWORKS)


def test_s2_7_balanced_picks_16_vcpus_compiled_in_the_geometric_mean():
    ranking = rank(geometric_candidates(), preferences=Preferences())
    first = ranking.placed[0]
    assert first.candidate.option.id == "n1-highcpu-16 compiled"
    assert first.candidate.effective_s / 3600.0 == pytest.approx(1.393, abs=0.001)
    # It is the fastest of the eight as well.
    assert order(geometric_candidates(), Objective.FASTEST)[0] == "n1-highcpu-16 compiled"


def test_s2_7_balanced_picks_16_vcpus_compiled_for_five_networks_and_8_for_the_lstms():
    winners = {name: order(study_candidates(name))[0] for name in NETWORKS}
    assert sorted(winners.values()).count("n1-highcpu-16 compiled") == 5
    others = {name for name, winner in winners.items() if winner != "n1-highcpu-16 compiled"}
    assert others == {"imdb_bidirectional_lstm", "lstm_text_generation"}
    assert {winners[name] for name in others} == {"n1-highcpu-8 compiled"}


@pytest.mark.parametrize("network", NETWORKS)
def test_s2_8_cheapest_picks_8_vcpus_compiled(network):
    ids = order(study_candidates(network, with_gpu=True), Objective.CHEAPEST)
    assert ids[0] == "n1-highcpu-8 compiled"


def test_s2_3_fastest_for_the_cnn_is_the_gpu():
    assert order(study_candidates("mnist_cnn", with_gpu=True), Objective.FASTEST)[0] == "k80"


@pytest.mark.parametrize("network", NETWORKS)
def test_s2_6_never_64_vcpus(network):
    for objective in Objective:
        assert "64" not in order(study_candidates(network), objective)[0]


def test_s2_10_at_ordinary_prices_the_gpu_is_cheapest_for_cnns_and_fasttext():
    cheapest = {
        name: order(study_candidates(name, with_gpu=True, price_factor=5.0), Objective.CHEAPEST)[0]
        for name in NETWORKS
    }
    for name in ("mnist_cnn", "cifar10_cnn", "imdb_fasttext"):
        assert cheapest[name] == "k80"
    for name in ("mnist_mlp", "imdb_bidirectional_lstm", "lstm_text_generation"):
        assert cheapest[name] == "n1-highcpu-8 compiled"
