"""Processes that a child has started and that left its group: found by a mark, and killed.

A driver or a user's code may start what makes a session of its own; a signal to the group does
not reach that. It has inherited the environment, where the mark stands.
Leaves to others: the child and its group (`probes.bench.child`).
"""

import contextlib
import os
import sys
import time
import uuid
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import psutil

MARK = "DL_ADVISOR_CHILD"
# Who forks meanwhile is found in a later look: the last two find nobody.
_MOST_LOOKS = 12
_LOOK_AGAIN_S = 0.01


def new_mark() -> str:
    """Return what tells one child with all that it starts from any other process."""
    return uuid.uuid4().hex


def kill_strays(mark: str) -> int:
    """Kill every process that has inherited a mark and return how many there were.

    On Windows, where a child is ended with all its descendants, none is looked for.
    """
    if sys.platform == "win32":
        return 0
    # Not before a child ends: the window opens without it.
    import psutil

    killed: set[int] = set()
    n_empty = 0
    for _ in range(_MOST_LOOKS):
        found = {process.pid: process for process in psutil.process_iter() if _has(process, mark)}
        n_empty = 0 if found.keys() - killed else n_empty + 1
        if n_empty == 2:
            break
        for process in found.values():
            with contextlib.suppress(psutil.Error):
                process.kill()
        killed |= found.keys()
        time.sleep(_LOOK_AGAIN_S)
    return len(killed)


def _has(process: "psutil.Process", mark: str) -> bool:
    """Return whether a process of ours has inherited the mark and still runs."""
    import psutil

    try:
        if process.pid == os.getpid() or process.uids().real != os.getuid():
            return False
        return process.environ().get(MARK) == mark and process.status() != psutil.STATUS_ZOMBIE
    except (psutil.Error, OSError):
        return False
