"""A prediction stays one after the network was tried, and what it took stands beside it."""

import dataclasses

import pytest

from advisor.model.quantity import Basis
from advisor.model.recommendation import Preferences
from advisor.recommend.recommend import recommend
from advisor.share.steps import step_pair
from tests.advisor.recommend.test_tried import KNOWLEDGE, NOW, TRIALS, WORKLOAD
from tests.advisor.share.builders import machine, measured
from tests.helpers.bundled import bundled_index


@pytest.fixture(scope="module")
def advise():
    def make(trials):
        preferences = Preferences(allows_cloud=False, allows_buying=False)
        return recommend(
            machine(), measured(), WORKLOAD, preferences, KNOWLEDGE,
            today="2026-11-22", app_version="0", trials=trials,
            index=bundled_index(),
        )  # fmt: skip

    return make


def test_before_a_trial_there_is_only_the_prediction(advise):
    advice = advise(None)
    pair = step_pair(advice, knowledge=KNOWLEDGE, index=bundled_index())
    assert (pair.predicted, pair.measured_s) == (advice.baseline, None)


def test_after_a_trial_both_are_told(advise):
    advice = advise(TRIALS)
    assert advice.baseline.basis is Basis.MEASURED
    pair = step_pair(advice, knowledge=KNOWLEDGE, index=bundled_index())
    assert pair.measured_s == pytest.approx(0.1)
    assert pair.predicted == advise(None).baseline
    assert pair.predicted.basis is not Basis.MEASURED


def test_a_step_of_another_batch_counts_by_its_samples(advise):
    twice = dataclasses.replace(NOW, samples_per_step=2 * WORKLOAD.batch_size)
    trials = dataclasses.replace(TRIALS, results=(twice, *TRIALS.results[1:]))
    assert step_pair(
        advise(trials), knowledge=KNOWLEDGE, index=bundled_index()
    ).measured_s == pytest.approx(0.05)


@pytest.mark.parametrize(
    "change", [{"has_own_data": True}, {"source": "other"}, {"batch_size": 1}, {"results": ()}]
)
def test_own_data_or_another_job_are_not_told(advise, change):
    advice = advise(dataclasses.replace(TRIALS, **change))
    pair = step_pair(advice, knowledge=KNOWLEDGE, index=bundled_index())
    assert pair.measured_s is None
    assert pair.predicted.basis is not Basis.MEASURED
