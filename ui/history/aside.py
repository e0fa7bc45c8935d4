"""A damaged database is put aside, never deleted; one that is only held or full is left.

Leaves to others: finding out that it is damaged (`ui.history.store`).
"""

import itertools
import sqlite3
from pathlib import Path

_WHY = {
    sqlite3.SQLITE_BUSY: "another program holds it: close that one, then try again",
    sqlite3.SQLITE_READONLY: "the file or its folder is read-only: allow writing, then try again",
    sqlite3.SQLITE_FULL: "the disk is full: free some space, then try again",
}


def why_unusable(error: sqlite3.Error | OSError) -> str:
    """Return why a database cannot be used, with what to do where that is known."""
    code = getattr(error, "sqlite_errorcode", None)
    # The lowest byte is the kind; what is above it tells the kind more closely.
    return _WHY.get(code & 0xFF, str(error)) if isinstance(code, int) else str(error)


def put_aside(path: Path) -> Path:
    """Move a database, with what belongs to it, to a name that is free; return that.

    Raises:
        OSError: when it cannot be moved.
    """
    names = (f"{path.name}.broken{number or ''}" for number in itertools.count())
    target = next(place for place in map(path.with_name, names) if not place.exists())
    for ending in ("", "-wal", "-shm"):
        part = path.with_name(path.name + ending)
        if part.exists():
            part.replace(target.with_name(target.name + ending))
    return target
