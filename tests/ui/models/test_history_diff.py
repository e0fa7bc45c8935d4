"""Two advices compared: what was measured anew, and what only looks so."""

import dataclasses

from advisor.model.quantity import Basis
from tests.ui.history_values import measured_advice
from ui.models.history_diff import Change, diff_advices
from ui.models.history_rows import diff_rows, diff_text

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


def with_values(advice, values_s):
    """The advice with these values of each of its kernels."""
    results = tuple(
        dataclasses.replace(result, values_s=values_s) for result in advice.measurements.measured
    )
    return dataclasses.replace(
        advice, measurements=dataclasses.replace(advice.measurements, results=results)
    )


def compared(before_s, after_s):
    """An advice whose kernels took these values, beside one of those values."""
    advice = measured_advice(time_s=0.5)
    before, after = with_values(advice, before_s), with_values(advice, after_s)
    return diff_advices(before, after, names=NAMES)


def test_what_scatters_more_than_it_differs_is_unclear_and_no_tie():
    def changes(before_s, after_s):
        rows = compared(before_s, after_s).rows
        return {row.change for row in rows if row.request is not None}

    scattered = (1.0, 1.1, 1.2, 1.3, 1.4)
    assert changes(scattered, tuple(0.9 * value for value in scattered)) == {Change.UNCLEAR}
    assert changes(scattered, tuple(0.97 * value for value in scattered)) == {Change.TIE}
    wide = (1.0, 1.1, 4.0, 9.0, 9.5)
    assert changes(wide, tuple(0.23 * value for value in wide)) == {Change.UNCLEAR}
    assert changes(scattered, tuple(0.6 * value for value in scattered)) == {Change.FASTER}
    steady = (1.0, 1.001, 1.002, 1.003, 1.004)
    assert changes(steady, tuple(0.9 * value for value in steady)) == {Change.FASTER}
    assert changes(steady, tuple(1.1 * value for value in steady)) == {Change.SLOWER}
    assert changes(steady, tuple(0.97 * value for value in steady)) == {Change.TIE}


def test_the_unclear_ones_are_counted_apart_from_the_ties(tr):
    scattered = (1.0, 1.1, 1.2, 1.3, 1.4)
    diff = compared(scattered, tuple(0.9 * value for value in scattered))
    n_kernels = sum(row.request is not None for row in diff.rows)
    n_jobs = len(diff.rows) - n_kernels
    counted = f"0 faster, 0 slower, {n_jobs} as before, {n_kernels} unclear."
    assert counted in diff_text(diff, tr)
    (words,) = {row[-1].text for row in diff_rows(diff, tr)[n_jobs:]}
    assert words == "unclear"
    assert not any(cell.is_strong for cell in diff_rows(diff, tr)[-1])


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
