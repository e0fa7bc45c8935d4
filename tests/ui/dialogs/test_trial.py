"""Nothing runs before consent; runs are seen as they come; the verdict feeds the advice."""

import dataclasses
import threading

import pytest
from PySide6.QtCore import Qt

from advisor.format import format_duration
from advisor.model.measurement import Outcome
from advisor.model.quantity import Basis
from advisor.model.recommendation import Preferences
from advisor.model.trial import TrialRun, TrialVerdict
from tests.ui.advice_values import an_advice
from ui import dataset, journey
from ui.dialogs.trial import TrialDialog
from ui.history.store import History
from ui.models.history_entries import read_trials
from ui.presenters.trial import TrialPresenter, TrialStage
from ui.settings import read_last, trials_file

SPEEDS = {"xla": 0.5, "malloc-keep": 1.5}


def an_own_advice(network="mnist-mlp"):
    """Return an advice for this very machine, made without measurements."""
    knowledge = dataset.bundled_knowledge()
    workload = journey.load_job(journey.JourneyRequest(network=network), knowledge)
    profile = journey.probe_machine(with_opencl=False, overrides={})
    return journey.advise(
        profile, None, workload, Preferences(), knowledge, index=dataset.bundled_index()
    )


@pytest.fixture(scope="module")
def advice():
    return an_own_advice()


class FakeRuns:
    """Runs a setup in no time; `gate` holds the third run until it is set or cancelled."""

    def __init__(self, *, is_gated=False, error=None, outcome=Outcome.COMPLETED):
        self.order = []
        self.error, self.outcome = error, outcome
        self.gate = threading.Event()
        if not is_gated:
            self.gate.set()

    def __call__(self, source, setup, *, started_s, limits, cancel):
        if self.error is not None:
            raise self.error
        self.order.append(setup.id)
        while len(self.order) == 3 and not self.gate.wait(0.01) and not cancel.is_cancelled:
            pass
        outcome = Outcome.CANCELLED if cancel.is_cancelled else self.outcome
        step_s = 0.1 / SPEEDS.get(setup.id, 1.0) * (1 + len(self.order) % 3 / 300)
        return TrialRun(
            setup_id=setup.id, started_s=started_s, duration_s=5.0, outcome=outcome,
            message="" if outcome is Outcome.COMPLETED else "it crashed",
            values_s=(step_s,), batch_size=source.batch_size, check_value=2.3,
        )  # fmt: skip


@pytest.fixture
def make(qtbot, tr, advice):
    made = []

    def build(runs, *, option_id="xla-cpu", of=None, **more):
        presenter = TrialPresenter(run=runs, **more)
        made.append(presenter)
        presenter.prepare(of or advice, option_id=option_id)
        dialog = TrialDialog(presenter, translator=tr)
        qtbot.addWidget(dialog)
        dialog.show()
        qtbot.waitUntil(
            lambda: presenter.state.stage in (TrialStage.READY, TrialStage.FAILED), timeout=20_000
        )
        return dialog, presenter

    yield build
    for presenter in made:
        assert presenter.wait(20.0)


def start(dialog):
    dialog.agree_box.click()
    dialog.start_button.click()


def ended(presenter):
    return presenter.state.stage in (TrialStage.DONE, TrialStage.STOPPED, TrialStage.FAILED)


def items(dialog):
    return {
        dialog.setups.item(n).data(Qt.ItemDataRole.UserRole): dialog.setups.item(n)
        for n in range(dialog.setups.count())
    }


def test_the_option_is_chosen_and_nothing_runs_without_consent(make):
    runs = FakeRuns()
    dialog, _presenter = make(runs)
    checked = [name for name, item in items(dialog).items() if item.checkState().value]
    assert checked == ["xla"]
    assert "Chosen settings: 1. They and the state now run in turn" in dialog.text.text()
    assert "up to 2 min" in dialog.text.text()
    assert not dialog.start_button.isEnabled()
    dialog.start_button.click()
    assert runs.order == []


def test_a_change_takes_the_consent_back(make):
    dialog, _presenter = make(FakeRuns())
    dialog.agree_box.click()
    assert dialog.start_button.isEnabled()
    dialog.minutes.setValue(7)
    assert not dialog.start_button.isEnabled()
    assert "up to 7 min" in dialog.text.text()
    items(dialog)["xla"].setCheckState(Qt.CheckState.Unchecked)
    assert not dialog.agree_box.isEnabled()


def test_an_option_that_cannot_be_tried_says_so(make):
    dialog, _presenter = make(FakeRuns(), option_id="cloud:aws:x")
    assert "cannot be tried by itself" in dialog.note.text()
    assert dialog.setups.count() > 1
    assert not dialog.agree_box.isEnabled()


def test_runs_take_turns_and_the_verdict_feeds_the_advice(make, qtbot):
    runs = FakeRuns()
    dialog, presenter = make(runs)
    advised = []
    presenter.advised.connect(advised.append)
    start(dialog)
    qtbot.waitUntil(lambda: ended(presenter), timeout=20_000)
    assert runs.order[:3] == ["now", "xla", "now"]
    results = presenter.state.report.results
    assert dialog.table.model().rowCount() == len(results) == 2
    for number, result in enumerate(results):
        steps = dialog.table.model().index(number, 2)
        assert steps.data() == format_duration(result.step_s.mid)
    assert dialog.table.model().index(1, 5).data() == "slower"
    now = f"As it is now: {format_duration(results[0].step_s.mid)} a step (runs: "
    assert now in dialog.verdict.text()
    assert "slower, 0.5×" in dialog.verdict.text()
    assert "95 % interval" in dialog.verdict.text()
    assert "made anew" in dialog.verdict.text()
    (advice,) = advised
    assert advice.trials == presenter.state.report
    assert advice.baseline.basis is Basis.MEASURED
    assert read_last() == advice
    (entry,) = read_trials(trials_file())
    assert " " in entry.date, "the time of day is kept"
    assert [r.verdict for r in entry.report.results] == [
        TrialVerdict.BASELINE, TrialVerdict.SLOWER,
    ]  # fmt: skip
    assert dialog.start_button.isVisible()
    assert not dialog.stop_button.isVisible()


def test_stopping_is_seen_at_once_and_keeps_what_was_run(make, qtbot):
    runs = FakeRuns(is_gated=True)
    dialog, presenter = make(runs)
    start(dialog)
    assert dialog.stop_button.isVisible()
    qtbot.waitUntil(lambda: len(runs.order) == 3, timeout=10_000)
    qtbot.waitUntil(lambda: dialog.table.model().rowCount() == 2, timeout=10_000)
    qtbot.waitUntil(lambda: dialog.status.text() == "Running: As it is now …")
    dialog.stop_button.click()
    assert dialog.status.text().startswith("Stopping")
    assert not dialog.stop_button.isEnabled()
    qtbot.waitUntil(lambda: ended(presenter), timeout=5000)
    assert presenter.state.stage is TrialStage.STOPPED
    with History(trials_file()) as history:
        assert [row.setup.id for row in history.rows()] == ["now", "xla"]


def test_closing_the_dialog_stops_it(make, qtbot):
    runs = FakeRuns(is_gated=True)
    dialog, presenter = make(runs)
    start(dialog)
    qtbot.waitUntil(lambda: len(runs.order) == 3, timeout=10_000)
    dialog.close()
    qtbot.waitUntil(lambda: ended(presenter), timeout=5000)


def test_a_network_that_cannot_be_run_changes_no_advice(make, qtbot):
    dialog, presenter = make(FakeRuns(outcome=Outcome.CRASHED))
    start(dialog)
    qtbot.waitUntil(lambda: ended(presenter), timeout=20_000)
    assert dialog.verdict.text() == "The network gave no figure: it crashed"
    assert "it crashed" in dialog.table.model().index(0, 5).data()
    # Why there is no figure is a sentence: it has the most room.
    widths = [dialog.table.columnWidth(column) for column in range(6)]
    assert widths[5] == max(widths)
    assert read_last() is None


def test_an_advice_for_another_machine_cannot_be_tried(make):
    dialog, presenter = make(FakeRuns(), of=an_advice())
    assert presenter.state.stage is TrialStage.FAILED
    assert "another machine" in dialog.status.text()
    assert not dialog.agree_box.isEnabled()


def test_a_network_whose_file_is_not_at_hand_cannot_be_tried(make, advice):
    workload = dataclasses.replace(advice.workload, network="mine", title="My net")
    dialog, _presenter = make(FakeRuns(), of=dataclasses.replace(advice, workload=workload))
    assert "My net" in dialog.status.text()


@pytest.mark.parametrize("error", [OSError("the disk is full"), KeyError("oops")])
def test_what_goes_wrong_is_one_line_and_a_fault_is_told_apart(make, qtbot, error):
    dialog, presenter = make(FakeRuns(error=error))
    faults = []
    presenter.unexpected.connect(faults.append)
    start(dialog)
    qtbot.waitUntil(lambda: ended(presenter), timeout=10_000)
    assert dialog.status.text().startswith("Not done: ")
    assert bool(faults) is isinstance(error, KeyError)
    assert dialog.agree_box.isEnabled()


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_real_network_is_tried(qtbot, tr, advice):
    presenter = TrialPresenter()
    presenter.prepare(advice, option_id="xla-cpu")
    dialog = TrialDialog(presenter, translator=tr)
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitUntil(lambda: presenter.state.stage is TrialStage.READY, timeout=20_000)
    dialog.minutes.setValue(1)
    start(dialog)
    qtbot.waitUntil(lambda: ended(presenter), timeout=240_000)
    state = presenter.state
    assert state.stage is TrialStage.DONE, state.message
    assert [setup.id for setup, _run in state.runs][:2] == ["now", "xla"]
    assert all(run.is_completed for _setup, run in state.runs)
    assert state.report.results[0].step_s.mid > 0
    assert state.report.results[1].speedup is not None
    assert all(run.beside_s for setup, run in state.runs if setup.id != "now")
    assert presenter.wait(10.0)
