"""Two advices compared: what was measured anew, and what only looks so."""

import dataclasses

from advisor.model.quantity import Basis
from tests.ui.history_values import measured_advice
from ui.models.history_diff import Change, diff_advices

NAMES = ("before", "after")


def test_the_same_measurements_are_not_compared_with_themselves():
    advice = measured_advice(time_s=0.5)
    later = dataclasses.replace(advice, created_on="2026-12-24")
    diff = diff_advices(advice, later, names=NAMES)
    assert [row for row in diff.rows if row.request is not None] == []
    assert "Both rest on the same measurements." in diff.notes
    assert diff.n_lost == 0


def test_kernels_are_compared_by_the_figure_that_is_shown():
    before, after = measured_advice(time_s=0.5), measured_advice(time_s=0.25)
    kernels = [r for r in diff_advices(before, after, names=NAMES).rows if r.request is not None]
    shown = [result.figure_s for result in before.measurements.measured]
    assert [row.before_s for row in kernels] == shown
    assert {row.change for row in kernels} == {Change.FASTER}


def test_a_prediction_beside_a_trial_is_told():
    advice = measured_advice(time_s=0.5)
    tried = dataclasses.replace(
        advice, baseline=dataclasses.replace(advice.baseline, basis=Basis.MEASURED)
    )
    told = "One of the two was tried, the other is a prediction."
    assert (told in diff_advices(advice, tried, names=NAMES).notes) is (
        advice.baseline.basis is not Basis.MEASURED
    )
    assert told not in diff_advices(tried, tried, names=NAMES).notes
