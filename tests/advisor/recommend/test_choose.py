"""The rows that are shown: the best, and one of each way to go."""

import dataclasses
import itertools

import pytest

from advisor.model.option import OptionKind
from advisor.model.recommendation import Objective, Preferences
from advisor.recommend.choose import PER_WAY, SHOWN, choose, way_of
from advisor.recommend.effort import Effort
from advisor.recommend.rank import Candidate, rank
from tests.advisor.recommend.builders import (
    a_cloud_option,
    a_cost,
    a_prediction,
    an_offer,
    an_option,
    exactly,
)


def candidate(option, *, hours, usd):
    return Candidate(
        option=option,
        prediction=a_prediction(option.id, hours=hours),
        cost=a_cost(usd),
        effort=Effort(work_s=0.0, wait_s=0.0, basis="none"),
        redone_s=exactly(0.0),
    )


def rented(n, *, vendor="aws", is_spot=False):
    return a_cloud_option(an_offer(vendor=vendor, instance_type=f"t{n:02}"), is_spot=is_spot)


def many():
    fast = [candidate(rented(n), hours=1.0 + n, usd=n + 1.0) for n in range(20)]
    others = [
        candidate(an_option(), hours=500.0, usd=0.0),
        candidate(an_option("threads", OptionKind.RUNTIME_SETTINGS), hours=400.0, usd=0.0),
        candidate(rented(90, is_spot=True), hours=300.0, usd=300.0),
        candidate(rented(91, vendor="small"), hours=310.0, usd=310.0),
        candidate(rented(92, vendor="small", is_spot=True), hours=320.0, usd=320.0),
        candidate(an_option("card", OptionKind.BUY), hours=350.0, usd=None),
        candidate(an_option("smaller", OptionKind.CHANGE_NETWORK), hours=200.0, usd=0.0),
    ]
    return rank([*fast, *others], preferences=Preferences(objective=Objective.FASTEST)).placed


def test_one_of_each_way_stands_wherever_it_ranks():
    ways = {way_of(entry) for entry in choose(many())}
    assert ways == {
        "local",
        "on-demand, large vendors",
        "spot, large vendors",
        "on-demand, small vendors",
        "spot, small vendors",
        "buy",
        "other job",
    }


def test_staying_is_always_shown():
    assert "stay" in {entry.candidate.option.id for entry in choose(many())}


def test_a_way_does_not_crowd_out_the_others():
    shown = choose(many())
    assert len(shown) <= SHOWN
    ways = [way_of(entry) for entry in shown]
    assert ways.count("on-demand, large vendors") == PER_WAY


def test_the_order_is_kept_and_the_first_stays_the_first():
    placed = many()
    shown = choose(placed)
    ids = [entry.candidate.option.id for entry in placed]
    places = [ids.index(entry.candidate.option.id) for entry in shown]
    assert places[0] == 0
    assert all(a < b for a, b in itertools.pairwise(places))


def test_ranks_count_among_the_shown_and_ties_name_only_these():
    tied = [candidate(rented(n), hours=1.0 + n / 1000.0, usd=1.0 + n) for n in range(20)]
    placed = rank(
        [*tied, candidate(an_option(), hours=9.0, usd=0.0)],
        preferences=Preferences(objective=Objective.FASTEST),
    ).placed
    shown = choose(placed)
    assert [entry.rank for entry in shown] == [1, 1, 3]
    assert len(shown[0].tied_with) == 1


def test_nothing_to_show():
    assert choose(()) == ()


@pytest.mark.parametrize(
    ("hours", "usd", "stay_usd", "is_shown"),
    [
        (3.8, 1.0, 0.0, False),
        (4.2, 1.0, 0.0, False),
        (2.0, 1.0, 0.0, True),
        (3.8, 1.0, 1.5, True),
        (3.8, 1.0, None, True),
    ],
)
def test_a_rented_machine_as_fast_as_now_is_not_shown_where_it_is_later_and_dearer(
    hours, usd, stay_usd, is_shown
):
    machine = dataclasses.replace(
        candidate(rented(1), hours=hours, usd=usd),
        effort=Effort(work_s=1800.0, wait_s=600.0, basis="renting"),
    )
    stay = candidate(an_option(), hours=4.0, usd=stay_usd)
    shown = choose(rank([machine, stay], preferences=Preferences()).placed)
    ids = [entry.candidate.option.id for entry in shown]
    assert (machine.option.id in ids) is is_shown
    assert stay.option.id in ids


@pytest.mark.parametrize(("hours", "n_shown"), [(0.05, 1), (0.1, PER_WAY), (100.0, PER_WAY)])
def test_of_rented_machines_that_are_far_later_and_dearer_one_of_a_way_is_shown(hours, n_shown):
    effort = Effort(work_s=1800.0, wait_s=600.0, basis="renting")
    machines = [
        dataclasses.replace(candidate(rented(n), hours=hours / 2.0, usd=n + 1.0), effort=effort)
        for n in range(3)
    ]
    stay = candidate(an_option(), hours=hours, usd=0.0)
    shown = choose(rank([*machines, stay], preferences=Preferences()).placed)
    assert len(shown) == 1 + n_shown
