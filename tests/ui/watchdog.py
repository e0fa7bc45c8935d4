"""Catches a window that does not answer, and says what it was doing then."""

import contextlib
import os
import sys
import threading
import time
import traceback
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt, QTimer

LIMIT_S = 0.05
_TICK_MS = 4
_LOOK_S = 0.012


@dataclass(frozen=True)
class Block:
    """A time without an answer.

    `gap_s` by the clock; `own_s` without the time for which threads of this process could have
    run and other processes, or the host of a virtual machine, had the processors, which is no
    fault of the window.
    """

    gap_s: float
    own_s: float
    stack: str


def _starved_s():
    """Return for how long each thread has been ready to run without a processor.

    Nothing where nobody counts it.
    """
    found = {}
    for file in Path("/proc/self/task").glob("*/schedstat"):
        with contextlib.suppress(OSError):
            found[file] = int(file.read_text(encoding="ascii").split()[1]) / 1e9
    return found


def _stolen_s():
    """Return for how long the host has kept the processors from this machine, all together."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        total = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0]
        return int(total.split()[8]) / os.sysconf("SC_CLK_TCK")
    return 0.0


class Watchdog:
    """Watches the thread that makes it, inside `with`.

    A timer of that thread says that it answers; a thread beside it notes where everybody stands
    when no answer has come for half of the limit.
    """

    def __init__(self, *, limit_s=LIMIT_S):
        self._limit_s = limit_s
        self._watched = threading.get_ident()
        self._name = Path(f"/proc/self/task/{threading.get_native_id()}/schedstat")
        self._last = 0.0
        self._starved = {}
        self._stolen_s = 0.0
        self.blocks: list[Block] = []
        self.longest_s = self.longest_gap_s = 0.0
        self.n_ticks = 0
        self._ended = threading.Event()
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self._tick)
        self._thread = threading.Thread(target=self._look, name="watchdog", daemon=True)
        self._stack = ""

    def __enter__(self):
        self._last = time.monotonic()
        self._starved, self._stolen_s = _starved_s(), _stolen_s()
        self._timer.start()
        self._thread.start()
        return self

    def __exit__(self, *_error):
        self._tick()
        self._timer.stop()
        self._ended.set()
        self._thread.join()

    def _tick(self):
        now = time.monotonic()
        gap = own = now - self._last
        if gap > self._limit_s:
            own -= self._starved_since() + _stolen_s() - self._stolen_s
        self._last = time.monotonic()
        self.n_ticks += 1
        self.longest_gap_s = max(self.longest_gap_s, gap)
        self.longest_s = max(self.longest_s, own)
        if own > self._limit_s:
            self.blocks.append(Block(gap_s=gap, own_s=own, stack=self._stack or "(not seen)"))
        self._stack = ""

    def _starved_since(self):
        """Return how long this thread and the one that it may have waited for were starved."""
        before, waited = self._starved, {}
        for name, seconds in _starved_s().items():
            waited[name] = seconds - before.get(name, seconds)
        waited.pop(Path(f"/proc/self/task/{self._thread.native_id}/schedstat"), None)
        mine = waited.pop(self._name, 0.0)
        return mine + max(waited.values(), default=0.0)

    def _look(self):
        while not self._ended.wait(_LOOK_S):
            is_late = time.monotonic() - self._last > self._limit_s / 2
            if not is_late:
                self._starved, self._stolen_s = _starved_s(), _stolen_s()
            elif not self._stack:
                self._stack = self._stacks()

    def _stacks(self):
        frames = sys._current_frames()
        names = {thread.ident: thread.name for thread in threading.enumerate()}
        order = [self._watched, *(frames.keys() - {self._watched, threading.get_ident()})]
        return "".join(
            f"--- {names.get(ident, 'a thread of Qt')}\n"
            + "".join(traceback.format_stack(frames[ident], limit=12))
            for ident in order
            if ident in frames
        )
