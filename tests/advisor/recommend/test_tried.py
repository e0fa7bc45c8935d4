"""What was tried goes before what was predicted, wherever the table had put it."""

import dataclasses

import pytest

from advisor.model.measurement import Setting
from advisor.model.quantity import Basis, Interval, Phase
from advisor.model.recommendation import Preferences, ReasonCode
from advisor.model.trial import TrialReport, TrialResult, TrialSetup, TrialVerdict
from advisor.model.workload import Job
from advisor.network.load import bundled_workload
from advisor.recommend.recommend import recommend
from advisor.recommend.tried import trials_of
from tests.helpers.bundled import bundled_index, bundled_knowledge

KNOWLEDGE = bundled_knowledge()
WORKLOAD = bundled_workload("mnist-cnn", job=Job(phase=Phase.TRAINING), networks=KNOWLEDGE.networks)


def result(name, verdict, step_s, *, option_id=None, batch=None, **setup):
    speedup = None if verdict is TrialVerdict.BASELINE else 0.1 / step_s
    return TrialResult(
        setup=TrialSetup(id=name, title=name, option_id=option_id, **setup),
        verdict=verdict,
        speedup=speedup and Interval(low=speedup * 0.98, mid=speedup, high=speedup * 1.02),
        step_s=Interval(low=step_s * 0.99, mid=step_s, high=step_s * 1.01),
        samples_per_step=batch or WORKLOAD.batch_size,
        n_runs=3,
    )


NOW = result("now", TrialVerdict.BASELINE, 0.1, option_id="stay")
TRIALS = TrialReport(
    measured_on="2026-11-22",
    source=WORKLOAD.network,
    title=WORKLOAD.title,
    phase=WORKLOAD.phase,
    batch_size=WORKLOAD.batch_size,
    precision=WORKLOAD.precision,
    results=(
        NOW,
        result("half", TrialVerdict.FASTER, 0.08, option_id="threads-physical"),
        result("xla", TrialVerdict.SLOWER, 0.5, option_id="xla-cpu"),
        result("huge", TrialVerdict.NO_DIFFERENCE, 0.0999, option_id="thp"),
        result("wrong", TrialVerdict.WRONG_RESULT, 0.001, option_id="bf16-cpu-tf"),
        result(
            "malloc-keep",
            TrialVerdict.FASTER,
            0.05,
            settings=(Setting(name="MALLOC_MMAP_MAX_", value="0"),),
        ),
    ),
    duration_s=100.0,
)


def advise(profile, trials):
    return recommend(
        profile,
        None,
        WORKLOAD,
        Preferences(allows_cloud=False, allows_buying=False),
        KNOWLEDGE,
        today="2026-11-22",
        app_version="0",
        trials=trials,
        index=bundled_index(),
    )


@pytest.fixture
def machine():
    from tests.probes.bench.conftest import PROFILE

    return PROFILE


def test_the_state_now_is_what_was_measured(machine):
    advice = advise(machine, TRIALS)
    assert advice.baseline.basis is Basis.MEASURED
    assert advice.baseline.step_s == NOW.step_s
    assert advice.baseline.total_s.mid == pytest.approx(0.1 * WORKLOAD.total_steps)
    assert advice.trials == TRIALS
    assert "in processes of its own: " in advice.baseline.evidence[0].statement


def test_what_was_assumed_of_the_step_is_gone_and_its_parts_add_up_as_before(machine):
    predicted, tried = advise(machine, None).baseline, advise(machine, TRIALS).baseline
    assert "No kernel of the framework was timed yet: the times follow from the data sheet." in (
        predicted.assumptions
    )
    assert tried.assumptions == tuple(WORKLOAD.notes)
    parts = [sum(part.time_s for part in found.breakdown) for found in (predicted, tried)]
    assert parts[1] / tried.step_s.mid == pytest.approx(parts[0] / predicted.step_s.mid)


def test_a_setting_without_a_row_that_is_faster_is_ranked_with_its_settings(machine):
    advice = advise(machine, TRIALS)
    own = next(r for r in advice.ranked if r.option.id == "tried:malloc-keep")
    assert own.prediction.basis is Basis.MEASURED
    # As sure as the trial was, however much both times may be off.
    assert own.speedup.mid == pytest.approx(2.0)
    assert (own.speedup.low, own.speedup.high) == pytest.approx((1.96, 2.04))
    assert "MALLOC_MMAP_MAX_" in own.steps[0].content


def test_slower_is_avoided_and_no_difference_refused_by_the_figures(machine):
    advice = advise(machine, TRIALS)
    slow = next(a for a in advice.avoid if a.option.id == "xla-cpu")
    assert slow.reasons[0].code is ReasonCode.MEASURED_SLOWER
    assert slow.speedup.mid == pytest.approx(0.2)
    assert [a.option.id for a in advice.avoid].count("xla-cpu") == 1
    assert "thp" in {r.option_id for r in advice.rejected}


def test_a_wrong_result_is_no_figure(machine):
    assert "bf16-cpu-tf" not in trials_of(TRIALS, workload=WORKLOAD)


@pytest.mark.parametrize(
    "changes", [{"source": "other"}, {"batch_size": 7}, {"results": TRIALS.results[1:]}]
)
def test_trials_of_another_job_or_without_a_baseline_change_nothing(machine, changes):
    other = dataclasses.replace(TRIALS, **changes)
    assert trials_of(other, workload=WORKLOAD) == {}
    without, with_other = advise(machine, None), advise(machine, other)
    assert dataclasses.replace(with_other, trials=None) == without


def test_of_several_batch_sizes_the_fastest_counts(machine):
    results = (
        NOW,
        result("batch-64", TrialVerdict.FASTER, 0.04, option_id="batch-size", batch=64),
        result("batch-512", TrialVerdict.FASTER, 0.2, option_id="batch-size", batch=512),
    )
    trials = dataclasses.replace(TRIALS, results=results)
    assert trials_of(trials, workload=WORKLOAD)["batch-size"].setup.id == "batch-512"
    advice = advise(machine, trials)
    found = next(r for r in advice.ranked if r.option.id == "batch-size")
    assert found.prediction.step_s.mid == pytest.approx(0.2 * WORKLOAD.batch_size / 512)
