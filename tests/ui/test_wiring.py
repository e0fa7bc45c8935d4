"""What one part of the window tells another: a choice of the theme, a failure that is over."""

import dataclasses

import pytest
from PySide6.QtWidgets import QMessageBox

from advisor.errors import InputError
from tests.ui.advice_values import FakeWalk, an_advice
from tests.ui.test_app import settle
from ui.app import build_window
from ui.dialogs.settings import SettingsDialog
from ui.presenters.advise import AdvisePresenter, Stage
from ui.presenters.workload import WorkloadPresenter, WorkloadStage
from ui.settings import keep_last
from ui.theme import is_dark
from ui.theme_choice import Theme, chosen_theme


class Wrong(FakeWalk):
    """Refuses a model file, and walks with everything else."""

    def __call__(self, request, *, on_event, cancel):
        if request.model_file is not None:
            raise InputError(f"{request.model_file}: not a Keras model")
        return super().__call__(request, on_event=on_event, cancel=cancel)


@pytest.fixture
def presenter(qapp, tr):
    made = AdvisePresenter(translator=tr, walk_line=Wrong(3), keep=lambda _advice: None)
    yield made
    made.close()
    assert made.wait(5.0)


@pytest.fixture
def window(presenter, tr, monkeypatch):
    monkeypatch.setattr(QMessageBox, "warning", lambda *_words: None)
    made = build_window(presenter, translator=tr)
    made.show()
    yield made
    for reader in made.findChildren(WorkloadPresenter):
        # Nothing may begin once the window goes.
        reader._timer.stop()
        reader._wanted = None
    settle(made)
    made.hide()
    made.deleteLater()


@pytest.fixture
def failed(window, presenter, qtbot, tmp_path):
    """Drop a file that is no model, ask for advice, and be told that this cannot be."""
    path = tmp_path / "wrong.json"
    path.write_text("{}")
    window.model_dropped.emit(str(path))
    window.show_page("start")
    window.page("start").advise_button.click()
    qtbot.waitUntil(lambda: presenter.state.stage is Stage.FAILED)
    assert status(window) == ("Not done.", True)
    return path


def status(window):
    label = window.page("start").status
    return label.text(), label.property("failed")


def test_another_job_takes_the_failure_off_the_pages(window, presenter, failed, qtbot):
    form = window.page("workload").form
    reader = window.findChild(WorkloadPresenter)
    qtbot.waitUntil(lambda: reader.state.stage is WorkloadStage.FAILED, timeout=10_000)
    start = window.page("start")
    reason = start.job.text()
    assert failed.name in reason
    assert start.job.property("problem")
    assert not start.advise_button.isEnabled()
    assert start.advise_button.toolTip() == reason
    assert form.network.currentText() == "wrong.json (refused)"
    form.network.setCurrentIndex(0)
    form.network.activated.emit(0)
    text, is_failed = status(window)
    assert "Not done" not in text
    assert not is_failed
    assert window.page("start").message.title.text().startswith("What happens when")
    assert reader.state.stage is WorkloadStage.READING
    assert window.page("start").advise_button.isEnabled()
    assert not window.page("workload").text.isVisibleTo(window.page("workload"))
    window.page("start").advise_button.click()
    qtbot.waitUntil(lambda: presenter.state.stage is Stage.DONE)
    assert status(window)[0].startswith("Done.")
    assert not status(window)[1]


def test_another_dropped_file_takes_it_off_as_well(window, failed):
    window.model_dropped.emit(str(failed.with_name("right.onnx")))
    assert status(window)[1] is False


def test_the_last_advice_takes_it_off_even_when_there_is_none(window, presenter, failed, qtbot):
    with qtbot.waitSignal(presenter.refused):
        window.page("start").last_requested.emit()
    assert status(window)[1] is False
    assert "cannot be read" in window.statusBar().currentMessage()


def test_what_was_known_when_a_run_failed_stays(presenter, window):
    presenter.show_advice(an_advice())
    presenter._on_failed(OSError("no space"))
    assert status(window) == ("no space", True)
    presenter.forget_failure()
    assert status(window)[0].startswith("Stopped.")
    assert presenter.state.recommendation == an_advice()
    presenter.forget_failure()
    assert presenter.state.stage is Stage.CANCELLED


def test_a_refusal_goes_from_the_status_bar_with_the_next_action(window, presenter, tmp_path):
    keep_last(an_advice())
    assert not presenter.open_file(str(tmp_path / "none.json"))
    assert "none.json" in window.statusBar().currentMessage()
    window.page("start").last_requested.emit()
    assert window.statusBar().currentMessage() == ""
    window.show_saved("/tmp/a.pdf")
    window.forget_refused()
    assert "a.pdf" in window.statusBar().currentMessage()


def test_a_theme_that_is_chosen_is_shown_and_kept(window, themed_app, qtbot):
    window.settings_button.click()
    (dialog,) = window.findChildren(SettingsDialog)
    for theme in (Theme.DARK, Theme.LIGHT):
        dialog.theme.setCurrentIndex(dialog.theme.findData(theme.value))
        dialog.theme.activated.emit(dialog.theme.currentIndex())
        qtbot.waitUntil(lambda: is_dark(window.page("start").title) is is_dark(themed_app))
        assert is_dark(themed_app) is is_dark(dialog) is (theme is Theme.DARK)
        assert chosen_theme() is theme
    dialog.close()


def test_a_limit_is_named_on_the_first_page_while_more_settings_are_closed(
    window, presenter, qtbot
):
    form, start = window.page("workload").form, window.page("start")
    reader = window.findChild(WorkloadPresenter)
    qtbot.waitUntil(lambda: reader.state.stage is WorkloadStage.READY, timeout=10_000)
    request = reader.state.request
    advice = dataclasses.replace(
        an_advice(), workload=reader.state.workload, preferences=request.preferences
    )
    presenter.show_advice(advice)
    assert not start.other_job.isVisibleTo(start)
    form.max_usd.setValue(20.0)
    qtbot.waitUntil(lambda: "at most 20.00 USD" in start.job.text(), timeout=10_000)
    assert not form.more.isVisibleTo(form)
    assert start.other_job.isVisibleTo(start)
    form.max_usd.setValue(0.0)
    qtbot.waitUntil(lambda: not start.other_job.isVisibleTo(start), timeout=10_000)
