"""What the window does once it is painted, so that it answers at once later.

The dataset is loaded beside it; then the modules of the pages and the pages themselves, one at a
time, and the search for garbage leaves them out from then on.
Leaves to others: what a page is (`ui.views`), the search for garbage (`ui.garbage`).
"""

import importlib
import sys
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from ui.background import BackgroundTask
from ui.garbage import GarbageSearch
from ui.journey import warm_up
from ui.views.main_window import MainWindow

_END_S = 5.0
# The window is painted by then.
_BEGIN_MS = 150
_BETWEEN_PAGES_MS = 120
# The window waits so long for a thread that computes, each time that it asks Qt or a file.
SWITCH_S = 0.001
# What the pages import when they are first looked at.
_PAGES = (
    "ui.views.machine",
    "ui.views.workload",
    "ui.views.measure",
    "ui.views.compare",
    "ui.views.advice_page",
    "ui.views.history",
    "ui.presenters.history",
)


class MakingReady(QObject):
    """Loads and makes ahead what has not been looked at yet, until `stop`."""

    def __init__(self, window: Callable[[], MainWindow], *, parent: QObject) -> None:
        """Begin soon.

        Args:
            window: tells the window that is shown; it is another one after a change of language.
            parent: lives as long as the window's thread turns its loop.
        """
        super().__init__(parent)
        self._window = window
        self._garbage = GarbageSearch(self)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._make_a_page)
        sys.setswitchinterval(SWITCH_S)
        self._task = BackgroundTask(
            lambda _send: warm_up(("ui.comparing", "ui.doctor")), parent=self
        )
        self._task.done.connect(self._load_modules)
        QTimer.singleShot(_BEGIN_MS, self._task, self._task.start)

    def _load_modules(self, _answer: object) -> None:
        # On this thread: Qt's classes are made when they are first named, and two threads that
        # name one at a time may get the class above it instead.
        for name in _PAGES:
            importlib.import_module(name)
        self._timer.start(_BETWEEN_PAGES_MS)

    def _make_a_page(self) -> None:
        if self._window().make_page_ahead():
            self._timer.start(_BETWEEN_PAGES_MS)
        else:
            self._garbage.keep_what_is_loaded()

    def stop(self) -> None:
        """Wait for what is being loaded; give the search for garbage back to Python."""
        self._timer.stop()
        self._task.wait(_END_S)
        self._garbage.stop()
