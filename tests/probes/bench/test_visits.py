"""The order of visits, and how the values are shared out to them."""

import collections

import pytest

from advisor.model.measurement import Runner
from advisor.model.quantity import Precision
from probes.bench.plan import Budget, budgets_s, plan
from probes.bench.visits import N_VISITS, conditions_of, schedule

CHEAP = {Runner.CLOCK, Runner.NUMPY, Runner.STREAM}


def flat(visits):
    """Return all visits in the order in which they begin, those of breaks after their own."""
    return [each for visit in visits for each in (visit, *visit.breaks)]


def scheduled(profile, budget=Budget.QUICK, device_ids=None, **more):
    requests = plan(profile, budget=budget, device_ids=device_ids, **more)
    limits = budgets_s(profile, budget=budget, device_ids=device_ids)
    return requests, schedule(requests, budget_s=limits)


def n_values(visits):
    found = collections.Counter()
    for visit in flat(visits):
        for request in visit.requests:
            found[request.id] += request.n_values
    return found


def test_cheap_headlines_are_visited_at_the_start_in_the_middle_and_at_the_end(profile):
    requests, visits = scheduled(profile)
    main = next(visit for visit in visits if visit.conditions.is_main)
    at = visits.index(main)
    for runner in CHEAP:
        before = [v for v in visits[:at] if v.conditions.runner is runner]
        inside = [v for v in main.breaks if v.conditions.runner is runner]
        after = [v for v in visits[at:] if v.conditions.runner is runner
                 and not v.conditions.is_last]  # fmt: skip
        assert len(before) == len(inside) == len(after) == 1
        shown = {r.id for r in requests if r.runner is runner and r.role == "headline"}
        assert {r.id for r in inside[0].requests} == {r.id for r in after[0].requests} == shown
        assert inside[0].is_again
        assert after[0].is_again
        assert not before[0].is_again


def test_all_visits_together_take_as_many_values_as_were_asked(profile):
    requests, visits = scheduled(profile)
    assert n_values(visits) == {request.id: request.n_values for request in requests}
    firsts = {r.id: r for v in visits for r in v.requests if not v.is_again}
    gemms = [r for r in requests if r.runner is Runner.NUMPY]
    assert all(firsts[r.id].n_values == r.n_values / N_VISITS for r in gemms)


def test_the_last_look_at_the_clock_comes_after_all_devices(profile):
    _requests, visits = scheduled(profile)
    assert visits[-1].conditions.is_last
    assert [v.conditions.device_id for v in visits[-2:]] == ["opencl:0:0", "cpu"]
    assert len(visits[-1].requests) == 1


def test_settings_take_turns_with_the_default_among_them(profile):
    requests, visits = scheduled(profile, Budget.THOROUGH, ("cpu",))
    turns = [v.conditions for v in visits if v.conditions.is_compared or
             (v.conditions.is_main and v.is_again)]  # fmt: skip
    assert len(turns) % 2 == 0
    half = len(turns) // 2
    assert turns[:half] == turns[half:]
    assert len(set(turns)) == half
    assert turns[0].is_main
    assert {c.threads for c in turns} == {None, 1, 2, 4, 6, 12}
    taken = n_values(visits)
    for request in requests:
        if request.role == "setting" and request.precision is Precision.FLOAT32:
            assert taken[request.id] == request.n_values
    # The default is timed anew, with the kernels that the settings are judged by.
    again = next(v for v in visits if v.conditions.is_main and v.is_again)
    judged = {(r.shape, r.direction) for r in requests if r.threads == 1}
    assert judged == {(r.shape, r.direction) for r in again.requests if r.role != "reference"}
    assert [r.role for r in again.requests].count("reference") == 1


def test_what_is_kept_for_settings_leaves_most_of_the_time(profile):
    _requests, visits = scheduled(profile, Budget.THOROUGH, ("cpu",))
    main = next(visit for visit in visits if visit.conditions.is_main)
    assert main.share == 0.5
    assert 0.2 < sum(visit.share for visit in visits if visit is not main) <= 0.4


@pytest.mark.parametrize("budget_s", [None, {"opencl:0:0": 30.0}])
def test_without_a_limit_everything_is_visited_once(profile, budget_s):
    requests = plan(profile, budget=Budget.THOROUGH)
    visits = schedule(requests, budget_s=budget_s)
    assert [v.conditions for v in visits] == list(dict.fromkeys(map(conditions_of, requests)))
    assert n_values(visits) == {request.id: request.n_values for request in requests}
    assert not any(v.is_again or v.breaks for v in visits)


def test_settings_take_no_turns_when_starting_frameworks_would_take_the_time(profile):
    requests = plan(profile, budget=Budget.THOROUGH, device_ids=("cpu",))
    visits = schedule(requests, budget_s={"cpu": 100.0})
    compared = [v.conditions for v in visits if v.conditions.is_compared]
    assert len(compared) == len(set(compared))


def test_without_keras_there_is_no_middle(profile):
    requests = [r for r in plan(profile, budget=Budget.QUICK) if r.runner is not Runner.KERAS]
    visits = schedule(requests, budget_s=58.0)
    assert n_values(visits) == {request.id: request.n_values for request in requests}
    assert not any(v.is_again for v in visits)
