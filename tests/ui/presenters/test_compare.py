"""The compare page's state: worked out once for each set of subjects, beside the window."""

import dataclasses
import threading

import pytest

from advisor.model.comparison import Comparison, OwnBasis
from advisor.model.measurement import MeasurementSet
from advisor.model.quantity import Basis
from tests.ui.advice_values import an_advice
from ui.background import BackgroundTask
from ui.presenters.compare import (
    ComparePresenter,
    CompareStage,
    compare_with_dataset,
)

NOTHING = Comparison(machine="x", collected_on="2026-11-21", measured_on=None, groups=())
ADVICE = an_advice()


@pytest.fixture
def make(qapp):
    made = []

    def build(compare):
        presenter = ComparePresenter(compare=compare)
        made.append(presenter)
        return presenter

    yield build
    for presenter in made:
        assert presenter.wait(5.0)


def test_without_subjects_nothing_is_done(make):
    presenter = make(lambda _advice: NOTHING)
    presenter.show()
    assert presenter.state.stage is CompareStage.EMPTY


def test_the_same_subjects_are_compared_once_and_beside_the_window(make, qtbot):
    threads = []

    def compare(_advice):
        threads.append(threading.current_thread())
        return NOTHING

    presenter = make(compare)
    for _ in range(2):
        presenter.take(ADVICE)
        presenter.show()
        qtbot.waitUntil(lambda: presenter.state.stage is CompareStage.READY)
    assert presenter.state.comparison == NOTHING
    assert len(threads) == 1
    assert threads[0] is not threading.main_thread()


def test_a_comparison_that_has_ended_leaves_nothing_behind(make, qtbot):
    presenter = make(lambda _advice: NOTHING)
    for measured_on in ("2026-11-20", "2026-11-21"):
        measured = MeasurementSet(measured_on=measured_on, duration_s=1.0, results=(), warnings=())
        presenter.take(dataclasses.replace(ADVICE, measurements=measured))
        presenter.show()
        qtbot.waitUntil(lambda: presenter.state.stage is CompareStage.READY)
    qtbot.waitUntil(lambda: presenter.findChildren(BackgroundTask) == [])


def test_a_fault_is_told(make, qtbot):
    def compare(_advice):
        raise ValueError("bad row")

    presenter = make(compare)
    presenter.take(ADVICE)
    with qtbot.waitSignal(presenter.unexpected):
        presenter.show()
    assert (presenter.state.stage, presenter.state.message) == (CompareStage.FAILED, "bad row")


def test_other_wishes_for_the_same_job_are_not_compared_anew(make, qtbot):
    asked = []
    presenter = make(lambda advice: asked.append(advice) or NOTHING)
    for max_usd in (None, 5.0):
        wishes = dataclasses.replace(ADVICE.preferences, max_usd=max_usd)
        presenter.take(dataclasses.replace(ADVICE, preferences=wishes))
        presenter.show()
        qtbot.waitUntil(lambda: presenter.state.stage is CompareStage.READY)
    assert asked == [ADVICE]


def test_the_network_comes_before_the_kernels_with_the_time_of_the_advice():
    found = compare_with_dataset(ADVICE)
    first = found.groups[0]
    assert first.workload is not None
    assert len(found.groups) > 1
    step_s = ADVICE.baseline.step_s
    assert first.own.mid == pytest.approx(ADVICE.workload.batch_size / step_s.mid)


def test_what_was_tried_stands_as_measured():
    tried = dataclasses.replace(ADVICE.baseline, basis=Basis.MEASURED)
    found = compare_with_dataset(dataclasses.replace(ADVICE, baseline=tried))
    assert found.groups[0].own_basis is OwnBasis.MEASURED
