"""The main job as the window sees it: each stage, stopping, failing, closing, writing."""

import dataclasses
import json
import threading

import pytest

from advisor.errors import InputError
from probes.bench.events import KernelFinished
from tests.ui.advice_values import FakeWalk, a_first_guess, an_advice, results
from ui.journey import (
    JourneyRequest,
    PlanReady,
)
from ui.presenters.advise import REPAINT_MS, AdvisePresenter, Stage


@pytest.fixture
def make(qtbot, tr):
    """Return a function that makes a presenter around a walk; its states are in `.told`."""
    made = []

    def build(walk_line):
        presenter = AdvisePresenter(translator=tr, walk_line=walk_line, keep=kept.append)
        presenter.told = []
        presenter.kept = kept
        presenter.state_changed.connect(presenter.told.append)
        made.append(presenter)
        return presenter

    kept = []
    yield build
    for presenter in made:
        presenter.close()
        assert presenter.wait(5.0)


def until(qtbot, presenter, *stages, timeout=5000):
    qtbot.waitUntil(lambda: presenter.state.stage in stages, timeout=timeout)


def stages(presenter):
    return list(dict.fromkeys(state.stage for state in presenter.told))


def test_an_advice_that_cannot_be_kept_is_there_and_the_reason_is_told(qtbot, tr):
    reason = "/data: cannot be written: No space left on device"
    presenter = AdvisePresenter(translator=tr, walk_line=FakeWalk(1), keep=lambda _advice: reason)
    refused = []
    presenter.refused.connect(refused.append)
    presenter.start(JourneyRequest())
    until(qtbot, presenter, Stage.DONE)
    assert presenter.state.recommendation is not None
    assert refused == [f"The advice could not be kept for later: {reason}"]
    assert presenter.wait(5.0)


def test_a_whole_run_goes_through_its_stages(make, qtbot):
    presenter = make(FakeWalk(6))
    assert presenter.state.stage is Stage.EMPTY
    presenter.start(JourneyRequest())
    assert presenter.state.stage is Stage.PROBING
    until(qtbot, presenter, Stage.DONE)
    assert stages(presenter) == [Stage.PROBING, Stage.MEASURING, Stage.DONE]
    state = presenter.state
    assert state.results == results(6)
    assert state.n_total == 6
    assert state.running is None
    assert not state.is_provisional
    assert state.recommendation.measurements is not None
    assert presenter.kept == [state.recommendation]


def test_the_first_guess_is_shown_before_the_measurements(make, qtbot):
    walk = FakeWalk(6, is_gated=True)
    presenter = make(walk)
    presenter.start(JourneyRequest())
    qtbot.waitUntil(lambda: presenter.state.profile is not None)
    walk.gate.set()
    until(qtbot, presenter, Stage.DONE)
    guesses = [s for s in presenter.told if s.is_provisional and s.stage is Stage.MEASURING]
    assert guesses
    assert guesses[0].recommendation == a_first_guess()
    assert guesses[0].results == ()


def test_what_the_form_says_reaches_the_walk(make, qtbot):
    walk = FakeWalk(1)
    presenter = make(walk)
    request = JourneyRequest(network="resnet50")
    presenter.start(request)
    until(qtbot, presenter, Stage.DONE)
    assert walk.requests == [request]
    assert walk.threads[0] is not threading.current_thread()


def test_a_second_start_while_it_runs_does_nothing(make, qtbot):
    walk = FakeWalk(4, is_gated=True)
    presenter = make(walk)
    presenter.start(JourneyRequest())
    presenter.start(JourneyRequest())
    walk.gate.set()
    until(qtbot, presenter, Stage.DONE)
    assert len(walk.requests) == 1


def test_it_can_be_run_again(make, qtbot):
    walk = FakeWalk(2)
    presenter = make(walk)
    for count in (1, 2):
        presenter.start(JourneyRequest())
        until(qtbot, presenter, Stage.DONE)
        assert len(walk.requests) == count
        assert len(presenter.state.results) == 2


def test_stopping_keeps_what_was_measured(make, qtbot):
    cancels = []

    def walk(request, *, on_event, cancel):
        cancels.append(cancel)
        on_event(PlanReady(n_kernels=8))
        for n, result in enumerate(results(3)):
            on_event(KernelFinished(result=result, n_done=n + 1, n_total=8))
        while not cancel.is_cancelled:
            threading.Event().wait(0.005)
        return an_advice()

    presenter = make(walk)
    presenter.start(JourneyRequest())
    qtbot.waitUntil(lambda: len(presenter.state.results) == 3)
    presenter.cancel()
    assert presenter.state.stage is Stage.CANCELLING
    assert cancels[0].is_cancelled
    until(qtbot, presenter, Stage.CANCELLED)
    assert presenter.state.results == results(3)
    assert presenter.state.recommendation == an_advice()


def test_stopping_before_anything_is_measured_leaves_the_first_guess(make, qtbot):
    presenter = make(FakeWalk(6, is_gated=True))
    presenter.start(JourneyRequest())
    presenter.cancel()
    until(qtbot, presenter, Stage.CANCELLED)
    assert presenter.state.is_provisional
    assert presenter.state.recommendation == a_first_guess()


def test_a_plan_that_comes_after_stopping_does_not_hide_it(make, qtbot):
    presenter = make(FakeWalk(6, is_gated=True))
    presenter.start(JourneyRequest())
    presenter.cancel()
    until(qtbot, presenter, Stage.CANCELLED)
    assert Stage.MEASURING not in stages(presenter)


def test_stopping_when_nothing_runs_does_nothing(make):
    presenter = make(FakeWalk())
    presenter.cancel()
    assert presenter.state.stage is Stage.EMPTY


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (InputError("too large:\n  take less"), "too large: take less"),
        (OSError(28, "No space left on device"), "[Errno 28] No space left on device"),
    ],
)
def test_a_bad_job_is_one_line(make, qtbot, error, expected):
    presenter = make(FakeWalk(error=error))
    with qtbot.assertNotEmitted(presenter.unexpected):
        presenter.start(JourneyRequest())
        until(qtbot, presenter, Stage.FAILED)
    assert presenter.state.message == expected
    assert presenter.state.recommendation is None


def test_a_fault_of_the_app_is_told_as_one(make, qtbot):
    presenter = make(FakeWalk(error=KeyError("gone")))
    with qtbot.waitSignal(presenter.unexpected) as told:
        presenter.start(JourneyRequest())
    assert isinstance(told.args[0], KeyError)
    assert "KeyError: 'gone'" in presenter.state.message
    assert "mistake" in presenter.state.message
    presenter.start(JourneyRequest())
    until(qtbot, presenter, Stage.FAILED)


def test_kernels_that_finish_fast_are_told_a_few_times_a_second(make, qtbot):
    presenter = make(FakeWalk(100, pause_s=0.005))
    presenter.start(JourneyRequest())
    until(qtbot, presenter, Stage.DONE)
    measuring = [s for s in presenter.told if s.stage is Stage.MEASURING]
    assert REPAINT_MS >= 200
    assert 1 <= len(measuring) <= 12
    assert len(presenter.state.results) == 100


def test_closing_when_nothing_runs_is_told_at_once(make, qtbot):
    presenter = make(FakeWalk())
    with qtbot.waitSignal(presenter.closed, timeout=500):
        presenter.close()
    presenter.start(JourneyRequest())
    assert presenter.state.stage is Stage.EMPTY


def test_closing_while_it_runs_does_not_wait_and_leaves_no_thread(make, qtbot):
    walk = FakeWalk(6, is_gated=True)
    presenter = make(walk)
    presenter.start(JourneyRequest())
    qtbot.waitUntil(lambda: presenter.state.profile is not None)
    with qtbot.waitSignal(presenter.closed, timeout=3000):
        presenter.close()
        assert presenter.state.is_busy
    assert presenter.wait(1.0)


def test_a_job_that_does_not_stop_cannot_hold_the_window(make, qtbot, monkeypatch):
    monkeypatch.setattr("ui.presenters.advise.CLOSE_TIMEOUT_S", 0.05)
    gate = threading.Event()

    def deaf(request, *, on_event, cancel):
        gate.wait(5.0)
        return an_advice()

    presenter = make(deaf)
    presenter.start(JourneyRequest())
    with qtbot.waitSignal(presenter.closed, timeout=2000):
        presenter.close()
    gate.set()
    until(qtbot, presenter, Stage.CANCELLED)


def test_the_last_advice_is_shown_without_running(qtbot, tr):
    walk, advice = FakeWalk(), an_advice()
    presenter = AdvisePresenter(translator=tr, walk_line=walk, read=lambda: advice)
    presenter.show_last()
    state = presenter.state
    assert state.stage is Stage.LAST
    assert (state.recommendation, state.profile) == (advice, advice.profile)
    assert state.results == advice.measurements.results
    assert not state.is_provisional
    assert walk.requests == []


def test_a_last_advice_that_cannot_be_read_is_told(qtbot, tr):
    presenter = AdvisePresenter(translator=tr, walk_line=FakeWalk(), read=lambda: None)
    with qtbot.waitSignal(presenter.refused) as told:
        presenter.show_last()
    assert "press Advise me" in told.args[0]
    assert presenter.state.stage is Stage.EMPTY


def test_the_last_advice_does_not_disturb_a_run(make, qtbot):
    walk = FakeWalk(3, is_gated=True)
    presenter = make(walk)
    presenter.start(JourneyRequest())
    presenter.show_last()
    assert presenter.state.stage is Stage.PROBING
    walk.gate.set()
    until(qtbot, presenter, Stage.DONE)


@pytest.fixture
def finished(make, qtbot):
    presenter = make(FakeWalk(3))
    presenter.start(JourneyRequest())
    until(qtbot, presenter, Stage.DONE)
    return presenter


def test_the_advice_is_written_as_pdf(finished, qtbot, tmp_path):
    path = tmp_path / "advice.pdf"
    with qtbot.waitSignal(finished.saved, timeout=10_000) as told:
        finished.export_pdf_to(str(path))
    assert told.args == [str(path)]
    assert path.read_bytes().startswith(b"%PDF-")


def test_the_advice_is_written_as_json(finished, qtbot, tmp_path):
    path = tmp_path / "advice.json"
    with qtbot.waitSignal(finished.saved, timeout=10_000):
        finished.save_json_to(str(path))
    assert json.loads(path.read_text(encoding="utf-8"))["kind"] == "Recommendation"


@pytest.mark.parametrize("method", ["export_pdf_to", "save_json_to"])
def test_a_place_that_cannot_be_written_is_refused(finished, qtbot, tmp_path, method):
    path = tmp_path / "missing" / "advice"
    with qtbot.waitSignal(finished.refused, timeout=10_000) as told:
        getattr(finished, method)(str(path))
    assert "cannot be written" in told.args[0]
    assert not path.exists()


def test_a_place_that_cannot_be_written_is_refused_in_the_language_of_the_user(
    finished, qtbot, tmp_path, monkeypatch
):
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    with qtbot.waitSignal(finished.refused, timeout=10_000) as told:
        finished.save_json_to(str(tmp_path / "missing" / "advice"))
    assert told.args[0].endswith("无法写入：没有这个文件或文件夹")


@pytest.mark.parametrize("method", ["export_pdf_to", "save_json_to"])
def test_without_advice_nothing_is_written(make, tmp_path, method):
    presenter = make(FakeWalk())
    getattr(presenter, method)(str(tmp_path / "advice"))
    assert list(tmp_path.iterdir()) == []


def test_a_second_run_is_guessed_by_what_the_first_measured(make, qtbot):
    walk = FakeWalk(1)
    presenter = make(walk)
    for _ in range(2):
        presenter.start(JourneyRequest())
        until(qtbot, presenter, Stage.DONE)
        assert presenter.wait(5.0)
    first, second = walk.requests
    assert first.earlier is None
    assert second.earlier.measurements == presenter.state.recommendation.measurements


class AddingWalk(FakeWalk):
    """Takes what is known, as the real one does, and adds one figure."""

    def __call__(self, request, *, on_event, cancel):
        advice = super().__call__(request, on_event=on_event, cancel=cancel)
        if request.known is None:
            return advice
        known, (added, *_rest) = request.known.measurements, advice.measurements.measured
        both = dataclasses.replace(known, results=(*known.results, added))
        return dataclasses.replace(advice, measurements=both)


def test_a_new_job_of_the_sitting_takes_what_was_measured_and_all_can_be_asked_for(make, qtbot):
    walk = AddingWalk(5)
    presenter = make(walk)
    for _job in range(2):
        presenter.start(JourneyRequest(network="mnist-cnn"))
        until(qtbot, presenter, Stage.DONE)
    first, second = walk.requests
    assert first.known is None
    assert second.known is not None
    state = presenter.state
    # The table of what was measured shows all that the advice rests on.
    assert state.results == state.recommendation.measurements.results
    assert state.n_taken == len(state.results) - 1 == 5
    presenter.start(JourneyRequest(network="mnist-cnn"), is_anew=True)
    until(qtbot, presenter, Stage.DONE)
    assert walk.requests[-1].known is None
    assert presenter.state.n_taken == 0
