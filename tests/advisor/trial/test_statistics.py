"""Pairing with the baseline, the pool of spreads, intervals."""

import dataclasses
import math

import pytest

from advisor.model.measurement import Outcome
from advisor.model.trial import TrialRun
from advisor.trial.statistics import (
    LEAST_SD,
    Spread,
    baseline_residuals,
    estimate,
    log_ratios,
    middle,
    pooled_spread,
    undisturbed,
)


def run(name, at_s, step_s, outcome=Outcome.COMPLETED):
    values = (step_s,) if outcome is Outcome.COMPLETED else ()
    return TrialRun(setup_id=name, started_s=at_s, duration_s=1.0, outcome=outcome, values_s=values)


def test_a_steady_drift_cancels_exactly():
    def slower(at_s):
        return 0.1 * math.exp(0.01 * at_s)

    runs = [run("now", 0, slower(0)), run("a", 7, slower(7) / 1.3), run("now", 10, slower(10))]
    assert log_ratios(runs, baseline_id="now")["a"] == pytest.approx((math.log(1.3),))


def test_before_the_last_baseline_the_nearest_counts_and_failed_runs_do_not():
    runs = [
        run("now", 0, 0.1),
        run("now", 1, 9.0, Outcome.CRASHED),
        run("a", 2, 0.05),
        run("a", 3, 0.05, Outcome.TIMED_OUT),
    ]
    assert log_ratios(runs, baseline_id="now")["a"] == pytest.approx((math.log(2.0),))
    assert log_ratios(runs[2:], baseline_id="now") == {}


def test_where_the_baseline_only_scatters_its_middle_counts():
    steps = (0.1, 0.107, 0.1, 0.106, 0.1)
    runs = [run("now", 10 * at, step) for at, step in enumerate(steps)]
    runs.insert(2, run("a", 11, 0.05))
    assert log_ratios(runs, baseline_id="now")["a"] == pytest.approx((math.log(2.0),))
    # The same steps in the order of a machine that becomes slower.
    slow = [run("now", 10 * at, step) for at, step in enumerate(sorted(steps))]
    slow.insert(4, run("a", 35, 0.05325))
    assert log_ratios(slow, baseline_id="now")["a"] == pytest.approx((math.log(2.0),), abs=0.005)


def test_runs_are_compared_by_their_shortest_block():
    blocks = (0.16, 0.1, 0.11, 0.13, 0.14)
    disturbed = dataclasses.replace(run("now", 0, 0.1), values_s=blocks)
    runs = [disturbed, run("a", 1, 0.05)]
    assert log_ratios(runs, baseline_id="now")["a"] == pytest.approx((math.log(2.0),))
    assert disturbed.step_s == 0.13


def test_a_run_that_something_held_up_is_left_out_two_speeds_are_not():
    held_up = [run("now", at, step) for at, step in enumerate((0.1, 0.101, 0.16, 0.099, 0.1))]
    assert [r.sample_s for r in undisturbed(held_up)] == [0.1, 0.101, 0.099, 0.1]
    # A machine that becomes slower and stays so is no accident.
    throttled = [run("now", at, step) for at, step in enumerate((0.1, 0.1, 0.1, 0.1, 0.14, 0.14))]
    assert len(undisturbed(throttled)) == 6
    assert len(undisturbed(throttled[:5])) == 5
    # Faster than the others is nothing that can be held against a run, nor is one of three.
    assert len(undisturbed([*held_up[:2], run("now", 5, 0.05), *held_up[3:]])) == 5
    assert len(undisturbed(held_up[:3])) == 3
    in_turns = [run("now", at, 0.1 + 0.06 * (at % 2)) for at in range(6)]
    assert len(undisturbed(in_turns)) == 6
    failed = run("now", 9, 9.0, Outcome.CRASHED)
    assert undisturbed([failed]) == []


def in_turns(at_s, own_s, beside_s, *, name="a", batch_size=1):
    plain = run(name, at_s, 0.1)
    return dataclasses.replace(
        plain, values_s=tuple(own_s), beside_s=tuple(beside_s), batch_size=batch_size
    )


def test_turns_are_compared_with_those_next_to_them():
    # The machine becomes three times as slow and one turn of the baseline is held up.
    own = (0.05, 0.06, 0.09, 0.12, 0.15)
    beside = (0.1, 0.12, 0.9, 0.24, 0.3)
    runs = [run("now", 0, 0.1), run("a", 1, 0.1), in_turns(2, own, beside)]
    # What the setup did alone no longer counts, nor when the baseline ran.
    assert log_ratios(runs, baseline_id="now")["a"] == pytest.approx((math.log(2.0),))
    assert log_ratios(runs[:2], baseline_id="now")["a"] == pytest.approx((0.0,))
    assert undisturbed(runs) == runs


def test_a_visit_apart_from_the_others_of_its_setup_is_left_out():
    def ratios(*speeds):
        runs = [run("now", 0, 0.1)]
        runs += [in_turns(at, (0.1 / v,) * 3, (0.1,) * 3) for at, v in enumerate(speeds, start=1)]
        return [math.exp(ratio) for ratio in log_ratios(runs, baseline_id="now")["a"]]

    assert ratios(0.4, 1.01, 0.99, 1.0) == pytest.approx([1.01, 0.99, 1.0])
    assert ratios(1.01, 2.0, 0.99, 1.0) == pytest.approx([1.01, 0.99, 1.0])
    # Too few to tell, the last one, and two in a row.
    assert len(ratios(0.4, 1.0, 1.0)) == 3
    assert len(ratios(1.0, 1.0, 1.0, 0.4)) == 4
    assert len(ratios(1.0, 0.4, 0.4, 1.0, 1.0)) == 5


def test_turns_of_another_batch_are_compared_by_the_sample():
    runs = [run("now", 0, 0.1), in_turns(1, (0.1,) * 3, (0.1,) * 3, batch_size=4)]
    assert log_ratios(runs, baseline_id="now")["a"] == pytest.approx((math.log(4.0),))


def test_the_middle_leaves_out_what_lies_apart():
    assert middle((1.0,)) == 1.0
    assert middle((1.0, 2.0)) == 1.5
    assert middle((1.0, 9.0, 2.0)) == 2.0
    assert middle((1.0, 2.0, 3.0, 4.0, 99.0)) == 3.0
    assert middle((0.0, 0.0, *[1.0] * 6, 99.0, 99.0)) == 1.0


def test_turns_tell_the_spread_until_runs_do():
    one = in_turns(0, (0.1, 0.1, 0.1, 0.1), (0.09, 0.11, 0.09, 0.11))
    found = pooled_spread({"a": (0.0,)}, turns=[one])
    assert found.degrees == 3
    # Four turns that scatter by 0.1158 (as logarithms), of which the run is a mean.
    assert found.sd == pytest.approx(1.3 * 0.1158 / 2, rel=0.01)
    assert pooled_spread({"a": (0.0,)}, turns=[]) is None
    many = {"a": (0.0, 0.01) * 5}
    assert pooled_spread(many, turns=[one]) == pooled_spread(many)


def test_what_is_compared_turn_by_turn_leans_on_a_process_of_the_baseline():
    spread = Spread(sd=0.0001, degrees=30)
    values = (0.0,) * 10
    alone = estimate(values, spread=spread, n_processes=1)
    both = estimate(values, spread=spread, n_processes=1, n_baseline_processes=1)
    assert both.half_95 > 1.3 * alone.half_95


def test_there_may_be_more_processes_than_visits_that_count():
    spread = Spread(sd=0.01, degrees=30)
    values = (0.0, 0.0, 0.0)
    found = estimate(values, spread=spread, n_processes=4)
    assert found.half_95 == estimate(values, spread=spread, n_processes=3).half_95


def test_residuals_of_the_baseline_are_those_of_inner_runs():
    runs = [run("now", at, step) for at, step in ((0, 0.1), (1, 0.11), (2, 0.1))]
    assert baseline_residuals(runs, baseline_id="now") == pytest.approx((math.log(1.1),))
    assert baseline_residuals(runs[:2], baseline_id="now") == ()


def test_the_spread_is_pooled_and_has_a_floor():
    assert pooled_spread({"a": (1.0,)}) is None
    assert pooled_spread({"a": (1.0, 1.0)}) == Spread(sd=LEAST_SD, degrees=1)
    found = pooled_spread({"a": (0.0, 0.2), "b": (5.0, 5.2)}, residuals=(0.1,))
    assert found.degrees == 3
    assert found.sd == pytest.approx(math.sqrt((0.02 + 0.02 + 0.01) / 3))


def test_a_setup_that_scatters_more_keeps_its_own_spread():
    narrow = Spread(sd=0.01, degrees=10)
    wild = estimate((0.0, 0.3, -0.3), spread=narrow)
    calm = estimate((0.0, 0.01, -0.01), spread=narrow)
    assert wild.half_95 > 20 * calm.half_95
    assert calm.half_95 == pytest.approx(2.228 * 0.01 / math.sqrt(3))
    assert calm.half_99 > calm.half_95


def test_an_estimate_is_a_factor():
    found = estimate((math.log(2.0),), spread=Spread(sd=0.01, degrees=30))
    interval = found.interval()
    assert interval.mid == pytest.approx(2.0)
    assert interval.low < 2.0 < interval.high
    assert estimate((), spread=Spread(sd=0.01, degrees=1)) is None
    assert estimate((1.0,), spread=None) is None
