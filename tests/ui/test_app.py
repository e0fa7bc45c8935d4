"""The window put together: what is wired to what, what it imports, how it goes."""

import subprocess
import sys
import threading

import pytest
from PySide6.QtWidgets import QFileDialog, QMessageBox
from shiboken6 import isValid

from tests.ui.advice_values import FakeWalk, an_advice
from ui.app import Shell, build_window, open_saved
from ui.background import BackgroundTask
from ui.dialogs.settings import SettingsDialog
from ui.files import write_document
from ui.language import chosen_language
from ui.presenters.advise import AdvisePresenter, Stage
from ui.presenters.compare import ComparePresenter
from ui.presenters.history import HistoryPresenter
from ui.presenters.machine import MachinePresenter
from ui.presenters.workload import WorkloadPresenter
from ui.settings import keep_last
from ui.window_command import PAGES
from ui.window_memory import WindowMemory

# Loaded when they are needed: the window would come later for each of them.
SLOW = ("numpy", "reportlab", "pyqtgraph", "requests", "jsonschema", "psutil", "archspec")
HEAVY = ("tensorflow", "keras", "pyopencl", "torch", "onnx", "reportlab.graphics.renderPM")


def settle(window):
    """Wait for whatever reads or probes beside the window."""
    for kind in (MachinePresenter, WorkloadPresenter, ComparePresenter, HistoryPresenter):
        for presenter in window.findChildren(kind):
            assert presenter.wait(20.0)


@pytest.fixture
def make(qapp, tr):
    made = []

    def build(walk, memory=None):
        presenter = AdvisePresenter(translator=tr, walk_line=walk, keep=lambda _advice: None)
        window = build_window(presenter, translator=tr, memory=memory)
        window.show()
        made.append((window, presenter))
        return window, presenter

    yield build
    for window, presenter in made:
        presenter.close()
        assert presenter.wait(5.0)
        settle(window)
        window.hide()
        window.deleteLater()


def test_from_one_click_to_a_pdf(make, qtbot, tmp_path, monkeypatch):
    window, presenter = make(FakeWalk(5))
    view = window.page("start")
    view.advise_button.click()
    qtbot.waitUntil(lambda: presenter.state.stage is Stage.DONE)
    path = tmp_path / "advice.pdf"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_words: (str(path), ""))
    view.options_button.click()
    assert window.page_name == "advice"
    with qtbot.waitSignal(presenter.saved, timeout=10_000):
        window.page("advice").advice.pdf_button.click()
    assert path.read_bytes().startswith(b"%PDF-")
    assert str(path) in window.statusBar().currentMessage()


def test_stopping_from_the_window(make, qtbot):
    window, presenter = make(FakeWalk(5, is_gated=True))
    view = window.page("start")
    view.advise_button.click()
    qtbot.waitUntil(lambda: presenter.state.profile is not None)
    view.cancel_button.click()
    qtbot.waitUntil(lambda: presenter.state.stage is Stage.CANCELLED)
    assert view.status.text().startswith("Stopped.")


def test_closing_in_the_middle_hides_at_once_and_leaves_no_thread(make, qtbot):
    window, presenter = make(FakeWalk(5, is_gated=True))
    window.page("start").advise_button.click()
    qtbot.waitUntil(lambda: presenter.state.profile is not None)
    with qtbot.waitSignal(presenter.closed, timeout=3000):
        window.close()
        assert not window.isVisible()
    assert presenter.wait(1.0)


def test_the_last_advice_comes_back_at_the_next_start(make, qapp):
    keep_last(an_advice())
    window, presenter = make(FakeWalk())
    view = window.page("start")
    assert view.last_button.isVisible()
    view.last_button.click()
    assert presenter.state.recommendation == an_advice()
    assert view.card.isVisible()


def test_a_saved_advice_opens_on_its_page(make, tmp_path):
    path = tmp_path / "a b 结果.dl-advisor.json"
    write_document(str(path), an_advice())
    window, presenter = make(FakeWalk())
    open_saved(str(path), presenter=presenter, window=window)
    assert presenter.state.recommendation == an_advice()
    assert presenter.state.stage is Stage.LAST
    assert window.page_name == "advice"


@pytest.mark.parametrize("text", [None, "", "{", '{"schema_version": 1}', "no\x00text"])
def test_a_file_that_is_no_advice_is_refused_in_a_dialog(make, tmp_path, monkeypatch, text):
    told = []
    monkeypatch.setattr(QMessageBox, "warning", lambda _window, _title, said: told.append(said))
    path = tmp_path / "x.dl-advisor.json"
    if text is not None:
        path.write_text(text)
    window, presenter = make(FakeWalk())
    open_saved(str(path), presenter=presenter, window=window)
    assert len(told) == 1
    assert told[0].startswith(f"{path}: ")
    assert "\n" not in told[0]
    assert window.page_name == "start"
    assert presenter.state.recommendation is None


def test_a_dropped_model_reaches_the_form(make):
    window, _presenter = make(FakeWalk())
    window.model_dropped.emit("/models/mine.onnx")
    assert window.page("workload").form.network.currentText() == "mine.onnx"
    assert window.page_name == "workload"


def test_a_dropped_advice_is_shown_and_is_no_model(make, tmp_path):
    window, presenter = make(FakeWalk())
    before = window.page("workload").form.network.currentText()
    path = tmp_path / "saved.json"
    write_document(str(path), an_advice())
    window.model_dropped.emit(str(path))
    assert window.page_name == "advice"
    assert presenter.state.recommendation == an_advice()
    assert window.page("workload").form.network.currentText() == before


def test_a_dropped_model_is_not_taken_while_a_job_runs(make, qtbot):
    window, presenter = make(FakeWalk(5, is_gated=True))
    before = window.page("workload").form.network.currentText()
    window.page("start").advise_button.click()
    qtbot.waitUntil(lambda: presenter.state.profile is not None)
    window.model_dropped.emit("/models/mine.onnx")
    assert window.page("workload").form.network.currentText() == before
    assert window.page_name == "start"


def test_the_job_of_the_form_stands_on_the_first_page_and_is_what_is_run(make, qtbot):
    walk = FakeWalk(1)
    window, presenter = make(walk)
    form, start = window.page("workload").form, window.page("start")
    form.epochs.setValue(7)
    qtbot.waitUntil(lambda: "× 7 epochs" in start.job.text(), timeout=5000)
    start.advise_button.click()
    qtbot.waitUntil(lambda: presenter.state.stage is Stage.DONE)
    assert walk.requests[0].job.epochs == 7


def test_every_page_can_be_opened_at_any_time(make, qtbot):
    window, presenter = make(FakeWalk(5))
    names = [page for page in PAGES if window.has_page(page)]
    assert names == list(PAGES)
    for name in names:
        window.show_page(name)
        assert window.page(name).isVisible()
    window.page("start").advise_button.click()
    qtbot.waitUntil(lambda: presenter.state.stage is Stage.DONE)
    for name in names:
        window.show_page(name)
    settle(window)


def test_the_window_remembers_the_job_when_it_is_closed(make, tmp_path):
    file = tmp_path / "window.ini"
    window, _presenter = make(FakeWalk(), WindowMemory(file))
    window.page("workload").form.epochs.setValue(77)
    window.close()
    again, _presenter = make(FakeWalk(), WindowMemory(file))
    assert again.page("workload").form.epochs.value() == 77


def test_the_window_loads_no_framework():
    code = f"import sys, ui.app; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "[]"


WINDOW = f"""
import sys
from PySide6.QtWidgets import QApplication
from advisor.i18n import translator_for
from ui.app import build_window
from ui.presenters.advise import AdvisePresenter
app, tr = QApplication([]), translator_for("en")
window = build_window(AdvisePresenter(translator=tr), translator=tr)
window.show()
app.processEvents()
print([m for m in {(*HEAVY, *SLOW)!r} if m in sys.modules])
"""


def test_the_first_page_waits_for_no_large_library():
    done = subprocess.run(
        [sys.executable, "-c", WINDOW], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "[]"


RUN = """
import sys
from PySide6.QtCore import QTimer
from ui import app, journey
from tests.ui.advice_values import FakeWalk
app.AdvisePresenter.__init__.__kwdefaults__.update(walk_line=FakeWalk(5, is_gated=True))
def drive(window):
    view = window.page("start")
    QTimer.singleShot(0, view.advise_button.click)
    QTimer.singleShot(300, window.close)
sys.exit(app.run(on_window=drive))
"""


def test_the_app_ends_when_the_window_is_closed_in_the_middle_of_a_run():
    done = subprocess.run(
        [sys.executable, "-c", RUN], capture_output=True, text=True, timeout=30, check=False
    )
    assert (done.returncode, done.stderr.replace("\n", "")) in (
        (0, ""),
        (0, "This plugin does not support propagateSizeHints()"),
    )


def test_the_language_changes_without_a_restart(qapp, tr, qtbot, tmp_path):
    walk = FakeWalk(5)
    presenter = AdvisePresenter(translator=tr, walk_line=walk, keep=lambda _advice: None)
    shell = Shell(presenter, memory=WindowMemory(tmp_path / "w.ini"), translator=tr)
    first = shell.window
    first.show()
    first.page("workload").form.epochs.setValue(33)
    first.page("start").advise_button.click()
    qtbot.waitUntil(lambda: presenter.state.stage is Stage.DONE)
    for page in ("machine", "measure", "compare", "history", "advice"):
        first.show_page(page)
        settle(first)
    spoken = []
    shell.spoken.connect(spoken.append)
    first.settings_button.click()
    (dialog,) = first.findChildren(SettingsDialog)
    dialog.move(70, 90)
    place = dialog.pos()
    dialog.language.setCurrentIndex(dialog.language.findData("zh_CN"))
    dialog.language.activated.emit(dialog.language.currentIndex())
    qtbot.waitUntil(lambda: shell.window is not first)
    window = shell.window
    (settings,) = window.findChildren(SettingsDialog)
    assert settings.isVisible()
    assert settings.pos() == place
    assert settings.windowTitle() == "设置"
    settings.close()
    assert window.isVisible()
    assert not first.isVisible()
    assert window.page_name == "advice"
    assert window.page("advice").advice.has_advice
    assert window.page("workload").form.epochs.value() == 33
    assert window.page("start").advise_button.text() != "&Advise me"
    assert chosen_language() == spoken[0].language == "zh_CN"
    qtbot.waitUntil(lambda: not isValid(first))
    # Nothing of the old window is called any more, on any page.
    for page in ("compare", "history", "start"):
        window.show_page(page)
        window.page("start").advise_button.click()
        qtbot.waitUntil(lambda: presenter.state.stage is Stage.DONE)
        settle(window)
    with qtbot.waitSignal(presenter.closed, timeout=3000):
        window.close()
    assert presenter.wait(5.0)
    window.deleteLater()


def test_settings_that_are_closed_stay_closed_in_another_language(qapp, tr, qtbot, tmp_path):
    presenter = AdvisePresenter(translator=tr, walk_line=FakeWalk(5), keep=lambda _advice: None)
    shell = Shell(presenter, memory=WindowMemory(tmp_path / "w.ini"), translator=tr)
    first = shell.window
    first.show()
    first.settings_button.click()
    (dialog,) = first.findChildren(SettingsDialog)
    dialog.close()
    qtbot.waitUntil(lambda: not isValid(dialog))
    shell.speak("zh_CN")
    assert not shell.window.findChildren(SettingsDialog)
    qtbot.waitUntil(lambda: not isValid(first))
    settle(shell.window)
    shell.window.close()
    assert presenter.wait(5.0)
    shell.window.deleteLater()


def test_a_window_is_deleted_when_nothing_of_it_runs_any_more(qapp, tr, qtbot, tmp_path):
    presenter = AdvisePresenter(translator=tr, walk_line=FakeWalk(5), keep=lambda _advice: None)
    shell = Shell(presenter, memory=WindowMemory(tmp_path / "w.ini"), translator=tr)
    first = shell.window
    first.show()
    ended = threading.Event()
    task = BackgroundTask(lambda _send: ended.wait(10.0), parent=first)
    task.start()
    shell.speak("zh_CN")
    qtbot.wait(500)
    assert isValid(first)
    assert not first.isVisible()
    ended.set()
    qtbot.waitUntil(lambda: not isValid(first))
    settle(shell.window)
    shell.window.close()
    assert presenter.wait(5.0)
    shell.window.deleteLater()


def test_the_comparison_comes_by_itself_when_the_advice_does(make, qtbot):
    window, presenter = make(FakeWalk(5))
    window.show_page("compare")
    compare = window.findChild(ComparePresenter)
    assert compare.state.comparison is None
    presenter.show_advice(an_advice())
    qtbot.waitUntil(lambda: compare.state.comparison is not None, timeout=20_000)
