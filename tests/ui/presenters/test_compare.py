"""The compare page's state: worked out once for each set of subjects, beside the window."""

import threading

import pytest

from advisor.model.comparison import Comparison
from advisor.model.measurement import MeasurementSet
from tests.advisor.recommend.builders import a_profile, a_workload
from tests.ui.advice_values import an_advice
from ui.background import BackgroundTask
from ui.presenters.compare import (
    ComparePresenter,
    CompareStage,
    Subjects,
    compare_with_dataset,
)

NOTHING = Comparison(machine="x", collected_on="2026-11-21", measured_on=None, groups=())
SUBJECTS = Subjects(profile=a_profile(), measurements=None, workload=None)


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
    presenter = make(lambda _subjects: NOTHING)
    presenter.show()
    assert presenter.state.stage is CompareStage.EMPTY


def test_the_same_subjects_are_compared_once_and_beside_the_window(make, qtbot):
    threads = []

    def compare(_subjects):
        threads.append(threading.current_thread())
        return NOTHING

    presenter = make(compare)
    for _ in range(2):
        presenter.take(SUBJECTS)
        presenter.show()
        qtbot.waitUntil(lambda: presenter.state.stage is CompareStage.READY)
    assert presenter.state.comparison == NOTHING
    assert len(threads) == 1
    assert threads[0] is not threading.main_thread()


def test_a_comparison_that_has_ended_leaves_nothing_behind(make, qtbot):
    presenter = make(lambda _subjects: NOTHING)
    for measured_on in ("2026-11-20", "2026-11-21"):
        measured = MeasurementSet(measured_on=measured_on, duration_s=1.0, results=(), warnings=())
        presenter.take(Subjects(profile=a_profile(), measurements=measured, workload=None))
        presenter.show()
        qtbot.waitUntil(lambda: presenter.state.stage is CompareStage.READY)
    qtbot.waitUntil(lambda: presenter.findChildren(BackgroundTask) == [])


def test_a_fault_is_told(make, qtbot):
    def compare(_subjects):
        raise ValueError("bad row")

    presenter = make(compare)
    presenter.take(SUBJECTS)
    with qtbot.waitSignal(presenter.unexpected):
        presenter.show()
    assert (presenter.state.stage, presenter.state.message) == (CompareStage.FAILED, "bad row")


def test_the_network_comes_before_the_kernels():
    advice = an_advice()
    found = compare_with_dataset(
        Subjects(profile=advice.profile, measurements=None, workload=a_workload())
    )
    assert found.groups[0].workload is not None
    assert len(found.groups) > 1
