"""Verdicts on simulated machines whose truth is known."""

import dataclasses
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.model.measurement import Outcome
from advisor.model.quantity import Phase, Precision
from advisor.model.trial import CheckValue, Jit, TrialReport, TrialRun, TrialSetup, TrialVerdict
from advisor.trial.judge import ahead_of, is_decided, judge_all, tolerance_of, verdict_of
from advisor.trial.statistics import Estimate

NOW = TrialSetup(id="now", title="now")
REPORT = TrialReport(
    measured_on="2026-11-23", source="bundled", title="A network", phase=Phase.TRAINING,
    batch_size=16, precision=Precision.FLOAT32, results=(), duration_s=1.0,
)  # fmt: skip


@pytest.mark.parametrize("noise", [0.01, 0.02, 0.04])
@pytest.mark.parametrize("drift", [0.0, 0.2, -0.1])
def test_two_identical_settings_are_no_difference_in_19_of_20_searches(machine, noise, drift):
    verdicts = [
        machine({"same": 1.0}, noise=noise, drift=drift, seed=seed).results()["same"].verdict
        for seed in range(40)
    ]
    assert verdicts.count(TrialVerdict.NO_DIFFERENCE) >= 38


@pytest.mark.parametrize("drift", [0.0, 0.2])
def test_ten_percent_are_found_among_six_settings(machine, drift):
    speeds = {"good": 1.10, "best": 1.5, "bad": 0.5, "a": 1.0, "b": 1.0, "c": 1.0}
    for seed in range(20):
        results = machine(speeds, drift=drift, seed=seed).results()
        assert results["good"].verdict is TrialVerdict.FASTER
        assert results["best"].verdict is TrialVerdict.FASTER
        assert results["bad"].verdict is TrialVerdict.SLOWER
        assert {results[name].verdict for name in "abc"} == {TrialVerdict.NO_DIFFERENCE}


def test_figures_repeat_within_three_percent_over_five_searches(machine):
    speeds = {"good": 1.25, "a": 1.0, "slow": 0.6}
    found = [machine(speeds, seed=seed).results()["good"].speedup.mid for seed in range(5)]
    assert max(found) / min(found) < 1.03


def test_one_look_at_what_rests_tells_only_what_is_far_off():
    def one(speed, *, is_visited):
        return Estimate(
            log_mid=math.log(speed), half_95=0.05, half_99=0.08, n_runs=1, is_visited=is_visited
        )

    assert verdict_of(one(0.73, is_visited=True)) is TrialVerdict.UNSTABLE
    assert not is_decided(one(0.73, is_visited=True))
    assert verdict_of(one(0.73, is_visited=False)) is TrialVerdict.SLOWER
    assert is_decided(one(0.73, is_visited=False))
    assert not is_decided(one(0.37, is_visited=True))
    assert verdict_of(one(0.3, is_visited=True)) is TrialVerdict.SLOWER
    assert is_decided(one(0.3, is_visited=True))


def test_the_interval_holds_the_truth_as_often_as_it_says(machine):
    held = 0
    for seed in range(200):
        interval = machine({"x": 1.2, "y": 1.0}, noise=0.03, seed=seed).results()["x"].speedup
        held += interval.low <= 1.2 <= interval.high
    assert held >= 180


def _searched(machine, *, gain, noise, seed):
    """A search of 27 runs, as two minutes have for a network whose run takes four seconds."""
    speeds = {"x": gain, "a": 0.4, "b": 0.8, "c": 0.95, "d": 1.0, "e": 1.0}
    results = tuple(machine(speeds, noise=noise, seed=seed).results(budget_s=162.0).values())
    return speeds, dataclasses.replace(REPORT, results=results)


def test_what_is_ahead_is_named_where_the_noise_hides_a_proof(machine):
    too_slow = {"proven": 0, "ahead": 0}
    for seed in range(40):
        speeds, report = _searched(machine, gain=1.10, noise=0.05, seed=seed)
        proven = report.best
        ahead = ahead_of(report)
        for name, result in (("proven", proven), ("ahead", ahead or proven)):
            speed = 1.0 if result is None else speeds[result.setup.id]
            too_slow[name] += 1.10 / speed > 1.03
        if ahead is not None:
            assert ahead.verdict is TrialVerdict.UNSTABLE
            assert ahead.speedup.low < 1.05
    assert too_slow["ahead"] <= 0.6 * too_slow["proven"]


def test_nothing_is_ahead_of_what_is_proven_or_of_a_quiet_machine(machine):
    for seed in range(20):
        assert ahead_of(_searched(machine, gain=1.3, noise=0.02, seed=seed)[1]) is None
        assert ahead_of(_searched(machine, gain=1.0, noise=0.02, seed=seed)[1]) is None


def test_a_machine_that_is_too_noisy_gives_no_winner(machine):
    verdicts = [
        machine({"a": 1.0, "b": 1.0}, noise=0.15, seed=seed).results()[name].verdict
        for seed in range(20)
        for name in "ab"
    ]
    assert TrialVerdict.UNSTABLE in verdicts
    surely = (TrialVerdict.FASTER, TrialVerdict.SLOWER)
    assert sum(verdict in surely for verdict in verdicts) <= 2


def test_a_faster_wrong_answer_is_not_faster(machine):
    result = machine({"fast": 3.0}, checks={"fast": 2.9}).results()["fast"]
    assert result.verdict is TrialVerdict.WRONG_RESULT
    assert "2.9" in result.message
    assert "2.3" in result.message


def checked(name, at_s, *values):
    checks = tuple(CheckValue(steps=2 << at, value=value) for at, value in enumerate(values))
    return run(name, at_s, 0.1, checks=checks, check_value=values[-1])


@pytest.mark.parametrize(("value", "is_wrong"), [(2.5, False), (2.2, True)])
def test_the_loss_is_compared_after_as_many_steps_as_all_have_taken(value, is_wrong):
    setups = [NOW, TrialSetup(id="x", title="x")]
    runs = [
        checked("now", 0, 2.6, 2.5, 2.2),
        checked("x", 5, 2.6, value),
        checked("now", 9, 2.6, 2.5),
    ]
    result = judge_all(setups, runs)[1]
    assert (result.verdict is TrialVerdict.WRONG_RESULT) is is_wrong


def test_without_a_check_in_common_nothing_is_held_against_a_setting():
    setups = [NOW, TrialSetup(id="x", title="x")]
    runs = [checked("now", 0, 2.6, 2.5), run("x", 5, 0.1, check_value=9.0), run("now", 9, 0.1)]
    assert judge_all(setups, runs)[1].verdict is not TrialVerdict.WRONG_RESULT


def test_what_fails_says_why_and_the_rest_goes_on(machine):
    results = machine({"a": 1.0, "broken": 1.0, "b": 1.2}, failing=("broken",)).results()
    assert results["broken"].verdict is TrialVerdict.FAILED
    assert results["broken"].message == "it crashed"
    assert results["b"].verdict is TrialVerdict.FASTER


def test_without_a_baseline_nothing_is_claimed(machine):
    results = machine({"a": 2.0}, failing=("now",)).results()
    assert results["now"].verdict is TrialVerdict.FAILED
    assert results["a"].verdict is TrialVerdict.NOT_RUN


@pytest.mark.parametrize(
    ("setup", "has_random", "expected"),
    [
        (TrialSetup(id="x", title="x"), True, 0.01),
        (TrialSetup(id="x", title="x", precision=Precision.BFLOAT16), False, 0.06),
        (TrialSetup(id="x", title="x", precision=Precision.BFLOAT16), True, 0.25),
        (TrialSetup(id="x", title="x", backend="jax"), False, 0.01),
        (TrialSetup(id="x", title="x", backend="jax"), True, 0.25),
        (TrialSetup(id="x", title="x", jit=Jit.ON), True, 0.25),
    ],
)
def test_the_tolerance_follows_from_what_the_setup_changes(setup, has_random, expected):
    found = tolerance_of(
        setup, baseline=NOW, precision=Precision.FLOAT32, has_random_layers=has_random
    )
    assert found == expected


def run(name, at_s, step_s, **more):
    values = {
        "setup_id": name,
        "started_s": at_s,
        "duration_s": 5.0,
        "outcome": Outcome.COMPLETED,
        "values_s": (step_s,),
    }
    return TrialRun(**{**values, **more})


def test_another_batch_is_compared_by_the_sample_and_without_the_loss():
    setups = [NOW, TrialSetup(id="batch-64", title="", batch_size=64)]
    runs = []
    for at in range(4):
        runs.append(run("now", 20 * at, 0.1, batch_size=32, check_value=2.3))
        runs.append(run("batch-64", 20 * at + 10, 0.15, batch_size=64, check_value=1.0))
    result = judge_all(setups, [*runs, run("now", 100, 0.1, batch_size=32)])[1]
    assert result.verdict is TrialVerdict.FASTER
    assert result.speedup.mid == pytest.approx(4 / 3)
    assert result.samples_per_step == 64


@given(st.floats(-2, 2), st.floats(0.001, 1), st.floats(1, 2), st.integers(1, 10))
def test_faster_and_slower_mirror_each_other(log_mid, half_95, widening, n_runs):
    found = Estimate(log_mid=log_mid, half_95=half_95, half_99=half_95 * widening, n_runs=n_runs)
    mirrored = dataclasses.replace(found, log_mid=-log_mid)
    opposite = {
        TrialVerdict.FASTER: TrialVerdict.SLOWER,
        TrialVerdict.SLOWER: TrialVerdict.FASTER,
    }
    verdict = verdict_of(found)
    assert verdict_of(mirrored) is opposite.get(verdict, verdict)
    if is_decided(found):
        assert verdict is not TrialVerdict.UNSTABLE


def test_steps_in_turns_are_told_at_the_pace_of_the_state_now():
    # The machine was at half its pace while the setting had its first turns.
    setups = [NOW, TrialSetup(id="x", title="x", batch_size=64)]
    runs = [run("now", 0, 0.1, batch_size=32)] * 3
    for at, pace in enumerate((2.0, 1.0, 1.0)):
        own, beside = (0.3 * pace,) * 4, (0.2 * pace,) * 4
        runs.append(run("x", 10 * at, 0.1, values_s=own, beside_s=beside, process=2, batch_size=64))
    now, result = judge_all(setups, runs)
    assert result.speedup.mid == pytest.approx(4 / 3)
    sample_s = result.step_s.mid / result.samples_per_step
    assert now.step_s.mid / now.samples_per_step / sample_s == pytest.approx(result.speedup.mid)


def test_what_ran_once_and_is_not_clear_says_so():
    setups = [NOW, TrialSetup(id="x", title="x"), TrialSetup(id="y", title="y")]
    turns = {"values_s": (0.08, 0.081, 0.079), "beside_s": (0.1, 0.099, 0.101)}
    runs = [run("now", 0, 0.1), *[run("y", at, 0.1, process=3, **turns) for at in (10, 20)]]
    runs.append(run("x", 30, 0.1, process=2, **turns))
    results = {r.setup.id: r for r in judge_all(setups, runs)}
    assert results["x"].message == "one run is too few to tell"
    assert results["y"].message == ""


def test_one_run_is_enough_for_no_difference_where_the_spread_is_known_to_be_small():
    near = Estimate(log_mid=0.01, half_95=0.02, half_99=0.03, n_runs=1)
    assert verdict_of(near) is TrialVerdict.NO_DIFFERENCE
    assert is_decided(near)
    assert not is_decided(dataclasses.replace(near, half_99=0.05))


def test_nothing_is_known_of_what_ran_once_unless_it_is_far_off():
    near = Estimate(log_mid=0.1, half_95=0.01, half_99=0.02, n_runs=1)
    far = Estimate(log_mid=math.log(0.2), half_95=0.01, half_99=0.02, n_runs=1)
    assert verdict_of(near) is TrialVerdict.UNSTABLE
    assert verdict_of(far) is TrialVerdict.SLOWER
    assert verdict_of(None) is TrialVerdict.UNSTABLE


def test_one_run_that_was_held_up_does_not_widen_the_time_of_many():
    steps = [0.100 + 0.001 * n for n in range(12)]
    runs = [run("now", float(n), step_s) for n, step_s in enumerate([*steps, 0.9])]
    few, many = (judge_all([NOW], some)[0].step_s for some in (runs[-9:], runs))
    # Nine are too few to leave one out.
    assert (few.low, few.high) == (pytest.approx(0.104), pytest.approx(0.9))
    assert many.low == pytest.approx(0.1004)
    assert many.mid == pytest.approx(0.106)
    assert 0.11 < many.high < 0.6


def test_the_time_of_a_single_run_is_as_sure_as_its_steps_are():
    (found,) = judge_all(
        [NOW], [dataclasses.replace(run("now", 0.0, 0.1), values_s=(0.1, 0.08, 0.13))]
    )
    assert (found.step_s.low, found.step_s.mid, found.step_s.high) == (0.08, 0.1, 0.13)


@given(st.lists(st.floats(1e-4, 10.0), min_size=1, max_size=40))
def test_the_middle_of_the_runs_lies_in_their_interval(steps):
    (found,) = judge_all([NOW], [run("now", float(n), s) for n, s in enumerate(steps)])
    assert found.step_s.low <= found.step_s.mid <= found.step_s.high
    assert min(steps) <= found.step_s.low
    assert found.step_s.high <= max(steps)


def test_no_interval_goes_a_hair_beyond_the_runs():
    steps = [1.0] * 8 + [6.402029586060039] * 2
    (found,) = judge_all([NOW], [run("now", float(n), s) for n, s in enumerate(steps)])
    assert (found.step_s.low, found.step_s.high) == (1.0, 6.402029586060039)
