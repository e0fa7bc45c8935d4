"""An unexpected error is logged and shown once, wherever it came from."""

import sys
import threading

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMessageBox

from ui.excepthook import ExceptionDialog


@pytest.fixture
def shown(monkeypatch):
    """Replace the waiting of the box; the list holds every box that was shown."""
    boxes = []
    monkeypatch.setattr(QMessageBox, "exec", lambda box: boxes.append(box))
    return boxes


@pytest.fixture
def dialog(qapp, tr, monkeypatch):
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    return ExceptionDialog(translator=tr)


def an_error():
    try:
        raise RuntimeError("broken")
    except RuntimeError as error:
        return error


def test_the_dialog_names_the_error_and_copies_all_of_it(dialog, shown, caplog):
    dialog.handle_error(an_error())
    assert shown[0].informativeText() == "RuntimeError: broken"
    copy = next(b for b in shown[0].buttons() if "Copy" in b.text())
    copy.click()
    text = QGuiApplication.clipboard().text()
    head, _, trace = text.partition("Traceback")
    assert head.startswith("dl-advisor 0.")
    assert "log: ~" in head
    assert trace
    assert "an_error" in text
    assert "broken" in caplog.text


def test_a_second_error_does_not_open_a_second_dialog(dialog, monkeypatch, caplog):
    boxes = []

    def another_error(box):
        boxes.append(box)
        dialog.handle_error(an_error())

    monkeypatch.setattr(QMessageBox, "exec", another_error)
    dialog.handle_error(an_error())
    assert len(boxes) == 1
    assert caplog.text.count("unexpected error") == 2
    dialog.handle_error(an_error())
    assert len(boxes) == 2


def test_an_error_of_a_thread_is_shown_on_the_main_thread(dialog, shown, qtbot, monkeypatch):
    dialog.install()
    where = []
    monkeypatch.setattr(QMessageBox, "exec", lambda _box: where.append(threading.current_thread()))

    def fail():
        raise RuntimeError("in a thread")

    thread = threading.Thread(target=fail)
    with qtbot.waitSignal(dialog.caught, timeout=2000):
        thread.start()
    qtbot.waitUntil(lambda: bool(where), timeout=2000)
    thread.join()
    assert where == [threading.current_thread()]


def test_ctrl_c_is_not_an_error(dialog, shown, monkeypatch):
    passed = []
    monkeypatch.setattr(sys, "__excepthook__", lambda *words: passed.append(words))
    dialog.handle(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert shown == []
    assert len(passed) == 1
