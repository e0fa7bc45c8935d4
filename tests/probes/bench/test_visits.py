"""The order of visits, and how the values are shared out to them."""

import collections

import pytest

from advisor.model.machine import DeviceKind
from advisor.model.measurement import Runner
from advisor.model.quantity import Precision
from probes.bench.plan import Budget, budgets_s, plan
from probes.bench.plan_builder import AT_A_LOOK
from probes.bench.visits import conditions_of, schedule

CHEAP = {Runner.CLOCK, Runner.NUMPY, Runner.STREAM}


def scheduled(profile, budget=Budget.QUICK, device_ids=None, **more):
    requests = plan(profile, budget=budget, device_ids=device_ids, **more)
    limits = budgets_s(profile, budget=budget, device_ids=device_ids)
    return requests, schedule(requests, budget_s=limits)


def n_values(visits):
    found = collections.Counter()
    for visit in visits:
        for request in visit.requests:
            found[request.id] += request.n_values
    return found


def test_what_is_cheap_or_has_little_time_stays_beside_the_others(profile):
    _requests, visits = scheduled(profile)
    beside = [visit for visit in visits if visit.is_beside]
    assert list(visits[: len(beside)]) == beside
    devices = {v.conditions.device_id for v in beside if v.conditions.runner is Runner.OPENCL}
    assert devices == {d.id for d in profile.opencl if d.kind is DeviceKind.CPU}
    assert {v.conditions.runner for v in beside} - {Runner.OPENCL} == CHEAP
    for visit in beside:
        shown = [r.n_values for r in visit.requests if r.role == "headline"]
        assert visit.n_rounds * AT_A_LOOK == max(shown) >= 24


def test_all_visits_together_take_as_many_values_as_were_asked(profile):
    requests, visits = scheduled(profile)
    assert n_values(visits) == {request.id: request.n_values for request in requests}


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
    assert not any(v.is_again or v.is_beside for v in visits)


def test_settings_take_no_turns_when_starting_frameworks_would_take_the_time(profile):
    requests = plan(profile, budget=Budget.THOROUGH, device_ids=("cpu",))
    visits = schedule(requests, budget_s={"cpu": 100.0})
    compared = [v.conditions for v in visits if v.conditions.is_compared]
    assert len(compared) == len(set(compared))
