"""The real window and a real quick run, watched; tells as JSON when the window did not answer.

Arguments: none. Shows one page after the other while kernels are timed, as a curious user does.
Run by `test_watched.py`.
"""

import dataclasses
import json
import sys
import time

from PySide6.QtCore import QTimer

from tests.ui.watchdog import Watchdog
from ui import app
from ui.presenters.advise import AdvisePresenter, Stage
from ui.window_command import PAGES

_PAGE_MS = 700
# All is loaded by then; the watch begins with the run.
_SETTLED_MS = 5000
_FORBIDDEN = ("tensorflow", "keras", "pyopencl", "torch", "onnx")


class Tour:
    """Presses the button, walks through the pages until the advice is there, and closes."""

    def __init__(self, window):
        self._window = window
        self._presenter = window.findChild(AdvisePresenter)
        self._presenter.state_changed.connect(self._look)
        self._number = self._n_after = 0
        self.watchdog = Watchdog()
        self._timer = QTimer(window)
        self._timer.timeout.connect(self._next_page)
        self.pages = []
        QTimer.singleShot(_SETTLED_MS, self._start)

    def _start(self):
        self.watchdog.__enter__()
        self._window.page("start").advise_button.click()
        self._timer.start(_PAGE_MS)

    def _next_page(self):
        self._number += 1
        name = PAGES[self._number % len(PAGES)]
        began = time.monotonic()
        self._window.show_page(name)
        self.pages.append((name, self._presenter.state.stage.value, time.monotonic() - began))
        if not self._presenter.state.is_busy:
            self._n_after += 1
        if self._n_after > 2 * len(PAGES):
            self._window.close()

    def _look(self, state):
        if state.stage is Stage.FAILED:
            self._window.close()


def main():
    tours = []
    code = app.run(on_window=lambda window: tours.append(Tour(window)))
    (tour,) = tours
    watchdog, presenter = tour.watchdog, tour._presenter
    watchdog.__exit__()
    state = presenter.state
    told = {
        "stage": state.stage.value,
        "message": state.message,
        "n_measured": len(state.results),
        "n_ticks": watchdog.n_ticks,
        "longest_s": watchdog.longest_s,
        "longest_gap_s": watchdog.longest_gap_s,
        "blocks": [dataclasses.asdict(block) for block in watchdog.blocks],
        "pages": tour.pages,
        "forbidden": [name for name in _FORBIDDEN if name in sys.modules],
    }
    print(json.dumps(told))
    return code


if __name__ == "__main__":
    sys.exit(main())
