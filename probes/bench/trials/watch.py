"""Watches the memory and the number of processes of a child, and ends it when it takes too much.

Leaves to others: the deadlines and the protocol (`probes.bench.process`).
"""

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterable

import psutil

POLL_S = 0.05
MOST_PROCESSES = 64
_GIB = 1 << 30


class TreeWatch:
    """Follows a child and all its descendants in a thread, inside `with`.

    `reason` is why it was ended, "" when it was not; `peak_bytes` the most memory seen. While the
    child rests it is not watched.
    """

    def __init__(self, *, limit_bytes: int | None, most_processes: int = MOST_PROCESSES) -> None:
        self._limit_bytes = limit_bytes
        self._most_processes = most_processes
        self._root: psutil.Process | None = None
        self._seen: dict[int, psutil.Process] = {}
        self._is_over = threading.Event()
        self._rests = False
        self._thread: threading.Thread | None = None
        self.reason = ""
        self.peak_bytes: int | None = None

    def __enter__(self) -> "TreeWatch":
        """Return itself; nothing is watched before `follow`."""
        return self

    def __exit__(self, *_details: object) -> None:
        """Stop watching and end what is left of the tree."""
        self.close()

    def close(self) -> None:
        """Stop watching and end what is left of the tree."""
        self._is_over.set()
        if self._thread is not None:
            self._thread.join()
        _kill(self._seen.values())

    def follow(self, pid: object) -> None:
        """Begin to watch a child of ours; any other number is ignored."""
        if self._thread is not None or not isinstance(pid, int) or pid <= 0:
            return
        with contextlib.suppress(psutil.Error):
            root = psutil.Process(pid)
            if root.ppid() == os.getpid():
                self._root = root
                self._thread = threading.Thread(target=self._watch, daemon=True)
                self._thread.start()

    @property
    def is_alive(self) -> bool:
        """Whether the child still runs, as far as is known."""
        try:
            return self._root is None or self._root.status() != psutil.STATUS_ZOMBIE
        except psutil.Error:
            return False

    def rest(self) -> None:
        """Leave the child alone: it waits for us, and looking takes time from others."""
        self._rests = True

    def go_on(self, *, limit_bytes: int | None) -> None:
        """Watch again, under a limit of now."""
        self._limit_bytes = limit_bytes
        self._rests = False

    def _watch(self) -> None:
        while not self._is_over.wait(POLL_S):
            if self._rests:
                continue
            tree = self._tree()
            used = sum(map(_resident_bytes, tree))
            self.peak_bytes = max(used, self.peak_bytes or 0)
            if len(tree) > self._most_processes:
                self._end(f"it started more than {self._most_processes} processes")
            elif self._is_too_large(tree, used):
                self._end(f"it used more than {(self._limit_bytes or 0) / _GIB:.1f} GiB of memory")

    def _is_too_large(self, tree: list[psutil.Process], used_bytes: int) -> bool:
        if self._limit_bytes is None or used_bytes <= self._limit_bytes:
            return False
        # What processes share counts once; that takes longer to find out.
        return len(tree) == 1 or sum(map(_share_bytes, tree)) > self._limit_bytes

    def _tree(self) -> list[psutil.Process]:
        assert self._root is not None
        try:
            below = self._root.children(recursive=True)
        except psutil.Error:
            return []
        self._seen.update({process.pid: process for process in below})
        return [self._root, *below]

    def _end(self, reason: str) -> None:
        self.reason = self.reason or reason
        assert self._root is not None
        if sys.platform != "win32":
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._root.pid, signal.SIGKILL)
        _kill([self._root, *self._seen.values()])


def _resident_bytes(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0


def _share_bytes(process: psutil.Process) -> int:
    """Return the memory of a process with its share of what it has in common with others."""
    try:
        found = process.memory_full_info()
    except psutil.Error:
        return 0
    return int(getattr(found, "pss", found.rss))


def _kill(processes: Iterable[psutil.Process]) -> None:
    for process in processes:
        # psutil compares the time of creation: a number that was given away again is safe.
        with contextlib.suppress(psutil.Error):
            process.kill()
