"""The order of runs, its end, and going on where a search was left."""

import itertools

import pytest

from advisor.model.measurement import Outcome
from advisor.model.trial import MOST_VISITS, MOST_VISITS_OF_BASELINE, TrialRun
from advisor.trial.schedule import MAX_RUNS, cost_s, count_runs, next_setup


def test_the_baseline_is_first_last_and_after_at_most_three_others(machine):
    simulated = machine(dict.fromkeys("abcde", 1.0), noise=0.03)
    simulated.search(200.0)
    assert simulated.order[0] == simulated.order[-1] == "now"
    groups = itertools.groupby(simulated.order, key=lambda name: name == "now")
    streaks = [len(list(group)) for is_baseline, group in groups if not is_baseline]
    assert max(streaks) <= 3


def test_every_other_round_is_backwards(machine):
    simulated = machine({"a": 0.95, "b": 0.95, "c": 0.95}, noise=0.02)
    simulated.search(100.0)
    others = [name for name in simulated.order if name != "now"]
    assert others[:6] == ["a", "b", "c", "c", "b", "a"]


def test_what_may_be_the_best_gets_its_third_run_before_the_others(machine):
    simulated = machine({"a": 1.0, "good": 1.3, "c": 1.0}, noise=0.04, seed=1)
    simulated.search(200.0)
    thirds = {
        name: [at for at, run in enumerate(simulated.order) if run == name][2:3] or [99]
        for name in ("a", "good", "c")
    }
    assert thirds["good"] < thirds["a"]
    assert thirds["good"] < thirds["c"]


def test_what_may_be_the_best_gets_its_second_run_before_the_others(machine):
    for seed in range(5):
        simulated = machine({"good": 1.2, "a": 0.96, "b": 0.96, "c": 0.96}, noise=0.02, seed=seed)
        simulated.search(200.0)
        others = [name for name in simulated.order if name != "now"]
        assert sorted(others[:4]) == ["a", "b", "c", "good"]
        assert others[4] == "good"


def test_the_time_is_kept(machine):
    for budget_s in (10.0, 30.0, 61.0, 120.0):
        runs = machine(dict.fromkeys("abcd", 1.0), noise=0.2).search(budget_s)
        assert sum(run.duration_s for run in runs) <= max(budget_s, 6.0)


def test_what_is_decided_is_left_alone(machine):
    simulated = machine({"same": 1.0}, noise=0.005)
    simulated.search(1e6)
    assert len(simulated.order) < 2 * MAX_RUNS
    noisy = machine({"same": 1.0}, noise=0.3)
    noisy.search(1e6)
    assert noisy.order.count("same") == MAX_RUNS


def test_a_slow_setup_does_not_eat_the_time_of_the_others(machine):
    simulated = machine({"slow": 0.2, "a": 1.1, "b": 1.1}, noise=0.02)
    simulated.search(120.0)
    counts = {name: simulated.order.count(name) for name in ("slow", "a")}
    assert counts["slow"] < counts["a"]


def test_a_search_that_is_broken_off_anywhere_goes_on_to_the_same_end(machine):
    whole = machine({"a": 1.2, "b": 1.0, "c": 0.5}, seed=3).search(120.0)
    for kept in range(len(whole)):
        again = iter(whole[kept:])
        simulated = machine({"a": 1.2, "b": 1.0, "c": 0.5})
        simulated.run = lambda setup, again=again: next(again)
        assert simulated.search(120.0, runs=whole[:kept]) == whole


def test_failing_setups_and_baselines_end(machine):
    broken = machine({"a": 1.0}, failing=("a",))
    broken.search(1e6)
    assert broken.order.count("a") == 1
    nothing = machine({"a": 1.0}, failing=("now",))
    nothing.search(1e6)
    assert nothing.order == ["now", "now"]


def test_a_baseline_that_used_up_the_time_is_not_tried_again(machine):
    hanging = machine({"a": 1.0}, failing=("now",))
    hanging.search(11.0)
    assert hanging.order == ["now"]


def test_a_cancelled_run_ends_the_search(machine):
    simulated = machine({"a": 1.0})
    cancelled = TrialRun(
        setup_id="a", started_s=0.0, duration_s=1.0, outcome=Outcome.CANCELLED, message="cancelled"
    )
    real = simulated.run
    simulated.run = lambda setup: real(setup) if setup.id == "now" else cancelled
    runs = simulated.search(1e6)
    assert [run.setup_id for run in runs] == ["now", "a"]
    assert next_setup(simulated.setups, runs[:1], budget_s=0.0) is None
    assert count_runs(runs) == {"now": 1, "a": 1}


def a_run(name, at_s, value_s):
    return TrialRun(
        setup_id=name, started_s=at_s, duration_s=6.0, outcome=Outcome.COMPLETED, check_value=2.3,
        values_s=(value_s,),
    )  # fmt: skip


def test_time_is_kept_to_confirm_what_was_faster_twice(machine):
    setups = machine({"good": 1.07, "new": 1.0}).setups
    order = [("now", 0.1), ("good", 0.093), ("now", 0.103), ("good", 0.096), ("now", 0.1)]
    runs = [a_run(name, 6.0 * at, value_s) for at, (name, value_s) in enumerate(order)]
    # Beside the baseline at the end there is time for two runs more, or for four.
    assert next_setup(setups, runs, budget_s=30.0 + 20.0).id == "good"
    assert next_setup(setups, runs, budget_s=30.0 + 34.0).id == "new"


def visits(*durations_s, process=1, beside_s=(1.0,)):
    return [
        TrialRun(
            setup_id="a", started_s=0.0, duration_s=duration_s, outcome=Outcome.COMPLETED,
            values_s=(0.5,), beside_s=beside_s, process=process,
        )
        for duration_s in durations_s
    ]  # fmt: skip


def test_a_visit_costs_its_steps_and_a_fresh_process_its_start():
    assert cost_s([a_run("a", 0.0, 0.5)]) == 6.0
    # Three turns of either side.
    assert cost_s(visits(11.0)) == 4.5
    assert cost_s(visits(11.0, beside_s=())) == 3.0
    assert cost_s(visits(11.0, 2.3)) == 2.3
    assert cost_s(visits(11.0, *[2.3] * (MOST_VISITS - 1))) == 11.0
    # After a full number of visits the next process rests as the first one did.
    full = visits(11.0, *[2.3] * (MOST_VISITS - 1))
    assert cost_s([*full, *visits(10.0, process=2)]) == 4.5


def test_what_takes_turns_with_the_baseline_needs_no_other_run_of_it(machine):
    simulated = machine({"a": 1.3, "b": 1.0, "c": 0.8}, noise=0.02, in_turns=True)
    simulated.search(130.0)
    assert simulated.order.count("now") == 1
    results = simulated.results()
    assert results["now"].n_runs > 5
    assert [results[name].verdict.value for name in "abc"] == ["faster", "no_difference", "slower"]


def test_another_process_of_the_baseline_comes_after_many_visits(machine):
    simulated = machine({"a": 1.3, "b": 1.0}, noise=0.2, in_turns=True)
    simulated.search(480.0)
    places = [at for at, name in enumerate(simulated.order) if name == "now"]
    assert places[:3] == [0, MOST_VISITS_OF_BASELINE, 2 * MOST_VISITS_OF_BASELINE]
    # Not when there is time for little more than its start.
    assert 480.0 - 6.0 * places[-1] >= 4 * 6.0


def test_a_machine_that_changes_its_pace_does_not_change_what_turns_tell(machine):
    wild = machine({"a": 1.1, "same": 1.0}, noise=0.01, drift=5.0, in_turns=True)
    results = wild.results(120.0)
    assert results["a"].verdict.value == "faster"
    assert results["same"].verdict.value == "no_difference"
    assert results["a"].speedup.low < 1.1 < results["a"].speedup.high
    assert results["a"].speedup.high / results["a"].speedup.low < 1.06


def test_where_memory_is_short_a_visit_costs_a_start():
    assert cost_s([*visits(11.0, 2.3), *visits(10.0, process=2)]) == 10.0


def test_a_first_visit_that_is_held_up_loses_neither_a_winner_nor_a_verdict(machine):
    for seed in range(5):
        held_up = machine(
            {"a": 1.2, "best": 1.5, "same": 1.0, "c": 0.8}, noise=0.02, seed=seed, in_turns=True,
            slow_starts={"best": 2.6, "same": 2.6},
        )  # fmt: skip
        results = held_up.results(200.0)
        assert results["best"].verdict.value == "faster"
        assert results["best"].speedup.mid == pytest.approx(1.5, rel=0.03)
        assert results["same"].verdict.value == "no_difference"
