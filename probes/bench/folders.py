"""The temporary folder of a worker, and those that were left behind when this program was killed.

Leaves to others: what happens in a folder (`probes.bench.process`).
"""

import contextlib
import functools
import importlib
import itertools
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from advisor.errors import InputError

_PREFIX = "dl-advisor-"
_OF_PROCESS = re.compile(re.escape(_PREFIX) + r"(\d+)-")
# Other containers may share the folder, where the number of a process says nothing here: what is
# younger than any run may be in use.
_OLD_S = 86_400.0
_NUMBERS = itertools.count()


@contextlib.contextmanager
def worker_folder() -> Iterator[str]:
    """Make a fresh folder that is removed when its context ends, whenever Ctrl-C comes.

    Raises:
        InputError: no place for temporary files can be written.
    """
    _sweep_once()
    place, prefix = _place(), f"{_PREFIX}{os.getpid()}-{next(_NUMBERS)}-"
    try:
        with tempfile.TemporaryDirectory(
            prefix=prefix, dir=place, ignore_cleanup_errors=True
        ) as folder:
            yield folder
    except KeyboardInterrupt:
        # It may have come after the folder was made, and before anybody was to remove it.
        for left in Path(place).glob(f"{prefix}*"):
            shutil.rmtree(left, ignore_errors=True)
        raise


def _place() -> str:
    try:
        return tempfile.gettempdir()
    except FileNotFoundError:
        raise InputError(
            "no folder for temporary files can be written: make room, or set TMPDIR to one that can"
        ) from None


@functools.cache
def _sweep_once() -> None:
    sweep_leftovers(Path(_place()), now_s=time.time())


def sweep_leftovers(place: Path, *, now_s: float) -> None:
    """Remove the folders of runs that ended without doing it, a day after.

    Args:
        place: where temporary folders are made.
        now_s: seconds since 1970.
    """
    try:
        found = [entry for entry in place.iterdir() if _OF_PROCESS.match(entry.name)]
    except OSError:
        return
    for folder in found:
        if _is_left(folder, now_s):
            shutil.rmtree(folder, ignore_errors=True)


def _is_left(folder: Path, now_s: float) -> bool:
    found = _OF_PROCESS.match(folder.name)
    try:
        is_old = now_s - folder.lstat().st_mtime > _OLD_S
        is_folder = folder.is_dir() and not folder.is_symlink()
    except OSError:
        return False
    if found is None or not (is_old and is_folder):
        return False
    # Only here: the first page of the window waits for no library.
    psutil = importlib.import_module("psutil")
    return not psutil.pid_exists(int(found.group(1)))
