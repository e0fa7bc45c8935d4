"""Sees to it that the user's code outlives nobody and that memory runs out for us first.

Works on Linux; elsewhere the parent alone ends what is left.
Leaves to others: limits on memory and time (the parent).
"""

import contextlib
import ctypes
import os
import signal
import sys
import warnings

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def prefer_for_killing():
    """Ask Linux to end us, not a program of the user, when memory runs out."""
    if sys.platform.startswith("linux"):
        with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:  # noqa: PTH123
            file.write("1000")


def end_group_with_us():
    """Keep the children of foreign code below us, and end our process group when we end.

    A watcher process stays behind for it; it ends with the group.
    """
    if not sys.platform.startswith("linux"):
        return
    library = ctypes.CDLL(None)
    with contextlib.suppress(AttributeError):
        library.prctl(_PR_SET_CHILD_SUBREAPER, 1)
    ours = os.getpid()
    with warnings.catch_warnings():
        # Only system calls follow in the watcher: what other threads hold does not matter.
        warnings.simplefilter("ignore")
        watcher = os.fork()
    if watcher == 0:
        _watch(library, ours)


def _watch(library, parent):
    """Wait for the parent to end, then end the group. Never returns."""
    try:
        signals = {signal.SIGUSR1}
        signal.pthread_sigmask(signal.SIG_BLOCK, {*signals, signal.SIGTERM, signal.SIGINT})
        library.prctl(_PR_SET_PDEATHSIG, int(signal.SIGUSR1))
        os.closerange(0, 1024)
        while os.getppid() == parent:
            signal.sigtimedwait(signals, 1.0)
        os.killpg(0, signal.SIGKILL)
    finally:
        os._exit(0)
