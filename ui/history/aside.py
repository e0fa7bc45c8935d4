"""A damaged database is put aside, never deleted: somebody may get its rows back.

Leaves to others: finding out that it is damaged (`ui.history.store`).
"""

import itertools
from pathlib import Path


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
