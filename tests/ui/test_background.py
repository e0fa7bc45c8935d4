"""What runs beside the window brings its news back in order, on the window's own thread."""

import logging
import threading
import weakref

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, Signal
from shiboken6 import delete, isValid

from advisor.errors import InputError
from ui.background import BackgroundTask, error_line
from ui.program import VARIABLE


def collect(task):
    news, threads = [], []

    def note(kind):
        def take(value):
            news.append((kind, value))
            threads.append(threading.current_thread())

        return take

    task.sent.connect(note("sent"))
    task.done.connect(note("done"))
    task.failed.connect(note("failed"))
    return news, threads


def test_news_come_in_order_and_the_result_last(qtbot):
    ran_on = []

    def work(send):
        ran_on.append(threading.current_thread())
        for number in range(200):
            send(number)
        return "result"

    task = BackgroundTask(work)
    news, threads = collect(task)
    with qtbot.waitSignal(task.done, timeout=5000):
        task.start()
    assert news == [*(("sent", n) for n in range(200)), ("done", "result")]
    assert set(threads) == {threading.current_thread()}
    assert ran_on[0] is not threading.current_thread()
    assert task.wait(1.0)


def test_an_exception_is_handed_over_once(qtbot):
    def work(send):
        send(1)
        raise ValueError("no")

    task = BackgroundTask(work)
    news, threads = collect(task)
    with qtbot.waitSignal(task.failed, timeout=5000):
        task.start()
    assert [kind for kind, _ in news] == ["sent", "failed"]
    assert str(news[-1][1]) == "no"
    assert set(threads) == {threading.current_thread()}
    assert task.wait(1.0)


def test_waiting_tells_when_it_is_still_running(qtbot):
    gate = threading.Event()
    task = BackgroundTask(lambda _send: gate.wait(5.0))
    with qtbot.waitSignal(task.done, timeout=5000):
        task.start()
        assert not task.wait(0.01)
        gate.set()
    assert task.wait(1.0)


def test_starting_does_not_wait_for_the_work(qtbot):
    gate = threading.Event()
    task = BackgroundTask(lambda _send: gate.wait(5.0))
    news, _threads = collect(task)
    with qtbot.waitSignal(task.done, timeout=5000):
        task.start()
        assert news == []
        gate.set()


class Owner(QObject):
    """Made a task whose slot holds what made it, as presenters do."""

    told = Signal(object)

    def __init__(self):
        super().__init__()
        self.task = BackgroundTask(lambda _send: "result", parent=self)
        self.task.done.connect(lambda value: self.told.emit(value))


def test_a_task_that_has_ended_deletes_itself_and_takes_no_owner_down(qtbot):
    owner = Owner()
    task, seen = weakref.ref(owner.task), weakref.ref(owner)
    with qtbot.waitSignal(owner.told, timeout=5000):
        owner.task.start()
    assert owner.findChildren(BackgroundTask) == []
    assert owner.task.wait(0.0)
    # The slot of its own task has the last of it now; both go at once, each of them once.
    del owner
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert seen() is None
    assert task() is None or not isValid(task())


@pytest.mark.parametrize("fails", [False, True])
def test_work_that_outlives_its_window_ends_in_silence(qtbot, caplog, fails):
    gate, ended = threading.Event(), []

    def work(send):
        assert gate.wait(5.0)
        send("news")
        ended.append(threading.current_thread())
        return 1 // (not fails)

    with caplog.at_level(logging.INFO):
        task = BackgroundTask(work)
        task.start()
        delete(task)
        gate.set()
        assert task.wait(5.0)
    assert len(ended) == 1
    told = [record.exc_info[0] for record in caplog.records if record.exc_info]
    assert told == ([ZeroDivisionError] if fails else [])


def test_an_error_is_one_line_that_names_the_program_as_it_was_called(monkeypatch):
    monkeypatch.setenv(VARIABLE, "python3 start.py")
    error = InputError("nothing was measured:\n run `dl-advisor advise`")
    assert error_line(error) == "nothing was measured: run `python3 start.py advise`"
    assert error_line(ValueError()) == "ValueError"
