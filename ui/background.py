"""The only place that leaves the GUI thread: runs a function, brings its news back.

Every callback runs on the GUI thread, in the order in which the function sent them, and none
comes after `done` or `failed`. A task deletes itself after that: who made it has but to forget it.
Leaves to others: what is run (`ui.journey`).
"""

import logging
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal
from shiboken6 import isValid

from advisor.report.called import as_called
from advisor.report.said import said_line
from ui.language import user_translator
from ui.program import program_name

_log = logging.getLogger(__name__)
# A thread that has told its end has nothing more to do.
_END_S = 1.0
_tasks: "weakref.WeakSet[BackgroundTask]" = weakref.WeakSet()


def wait_for_all(timeout_s: float) -> bool:
    """Wait for every function that still runs; tell whether none is left."""
    until = time.monotonic() + timeout_s
    return all(task.wait(max(0.0, until - time.monotonic())) for task in tuple(_tasks))


def error_line(error: Exception) -> str:
    """Return what an exception says as one line in the user's language, else its name."""
    line = said_line(" ".join(str(error).split()), user_translator())
    return as_called(line, program_name()) or type(error).__name__


class BackgroundTask(QObject):
    """One function running beside the window.

    Signals:
        sent: something the function sent while it ran.
        done: its return value.
        failed: the exception that ended it.
    """

    sent = Signal(object)
    done = Signal(object)
    failed = Signal(object)
    _news = Signal(str, object)

    def __init__(
        self, function: Callable[[Callable[[Any], None]], Any], *, parent: QObject | None = None
    ) -> None:
        """Keep the function; it is called with a function that sends events."""
        super().__init__(parent)
        self._function = function
        self._thread = threading.Thread(target=self._run, name="journey", daemon=True)
        _tasks.add(self)
        # Queued: the slot runs where this object lives, whatever thread emits.
        self._news.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def start(self) -> None:
        """Start the function."""
        self._thread.start()

    def wait(self, timeout_s: float) -> bool:
        """Wait for the function to end; tell whether it did, or was never started."""
        if self._thread.ident is None:
            return True
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            result = self._function(lambda event: self._tell("sent", event))
        except Exception as error:
            _log.info("background task failed", exc_info=True)
            self._tell("failed", error)
        else:
            self._tell("done", result)

    def _tell(self, kind: str, value: object) -> None:
        """Send news to the window's thread; after the task is gone there is nobody to tell."""
        try:
            self._news.emit(kind, value)
        except RuntimeError:
            if isValid(self):
                raise

    def _deliver(self, kind: str, value: object) -> None:
        getattr(self, kind).emit(value)
        if kind != "sent":
            self._end()

    def _end(self) -> None:
        self._thread.join(_END_S)
        # What is connected goes with the task, and may hold the last of its parent: as a child of
        # that, the task would be deleted a second time while it is being deleted.
        self.setParent(QCoreApplication.instance())
        self.deleteLater()
