"""Facts about the machine that only trials need: cores, allocators, huge pages.

Leaves to others: what follows from them (`advisor.trial.plan`).
"""

import contextlib
import ctypes.util
import os
import platform
import sys
from pathlib import Path

from advisor.model.machine import MachineProfile
from advisor.model.measurement import Setting

_CPUS = Path("/sys/devices/system/cpu")
_HUGE_PAGES = Path("/sys/kernel/mm/transparent_hugepage/enabled")
_LIBRARY_FOLDERS = (
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    f"/usr/lib/{platform.machine()}-linux-gnu",
)
_ALLOCATORS = (("tcmalloc", "tcmalloc_minimal"), ("tcmalloc", "tcmalloc"), ("jemalloc", "jemalloc"))
# What is left to the system and to other programs.
_MEMORY_SHARE = 0.8


def first_cpus_of_cores(folder: Path = _CPUS) -> tuple[int, ...]:
    """Return one logical CPU of each core that we may use; empty where it cannot be told."""
    if not hasattr(os, "sched_getaffinity"):
        return ()
    chosen: dict[str, int] = {}
    for cpu in sorted(os.sched_getaffinity(0)):
        try:
            siblings = (folder / f"cpu{cpu}/topology/thread_siblings_list").read_text().strip()
        except OSError:
            return ()
        chosen.setdefault(siblings, cpu)
    return tuple(chosen.values())


def installed_allocators() -> tuple[Setting, ...]:
    """Return allocators that can be preloaded: option id and path, each id once."""
    if not sys.platform.startswith("linux"):
        return ()
    found: dict[str, str] = {}
    for option_id, name in _ALLOCATORS:
        # It asks a compiler, which needs a place for temporary files.
        file_name = None
        with contextlib.suppress(OSError):
            file_name = ctypes.util.find_library(name)
        for folder in _LIBRARY_FOLDERS if file_name else ():
            path = Path(folder) / str(file_name)
            if path.is_file():
                found.setdefault(option_id, str(path))
    return tuple(Setting(name=name, value=path) for name, path in found.items())


def has_huge_pages(path: Path = _HUGE_PAGES) -> bool:
    """Return whether the system gives huge pages to programs that ask."""
    try:
        return "[madvise]" in path.read_text() or "[always]" in path.read_text()
    except OSError:
        return False


def has_glibc() -> bool:
    """Return whether programs here use the GNU C library."""
    return sys.platform.startswith("linux") and platform.libc_ver()[0] == "glibc"


def memory_limit_bytes(profile: MachineProfile) -> int | None:
    """Return how much memory a trial may take; None when it is not known what there is."""
    memory = profile.memory
    sizes = [memory.available_bytes or memory.total_bytes, memory.limit_bytes]
    known = [size for size in sizes if size]
    return int(_MEMORY_SHARE * min(known)) if known else None
