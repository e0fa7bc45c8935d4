"""CPU time of this process and all its children on Windows, where no counter has the dead.

The process joins a job, which its children inherit; the job counts everybody's time, also of
those that have ended. It has no limits and changes nothing else.
Leaves to others: what the time is compared with (`probes.bench.load`).
"""

import contextlib
import ctypes
import functools
import sys
from typing import Any

_BASIC_ACCOUNTING = 1
_TICKS_PER_S = 10_000_000


class Accounting(ctypes.Structure):
    """What Windows counts of a job; times in ticks of 100 ns."""

    _fields_ = (
        ("total_user", ctypes.c_int64),
        ("total_kernel", ctypes.c_int64),
        ("period_user", ctypes.c_int64),
        ("period_kernel", ctypes.c_int64),
        ("page_faults", ctypes.c_uint32),
        ("processes", ctypes.c_uint32),
        ("active", ctypes.c_uint32),
        ("terminated", ctypes.c_uint32),
    )


class Job:
    """The job of this process.

    Args:
        kernel: kernel32, with the functions for jobs.

    Raises:
        OSError: the system refuses one, as very strict surroundings do.
    """

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel
        for function in (kernel.CreateJobObjectW, kernel.GetCurrentProcess):
            function.restype = ctypes.c_void_p
        self._handle = ctypes.c_void_p(kernel.CreateJobObjectW(None, None))
        if self._handle.value is None:
            raise OSError("the system gives no job")
        own = ctypes.c_void_p(kernel.GetCurrentProcess())
        if not kernel.AssignProcessToJobObject(self._handle, own):
            raise OSError("the system lets no process join a job")

    def cpu_s(self) -> float | None:
        """Return the CPU seconds of all processes since the job began, None when unknown."""
        found = Accounting()
        is_known = self._kernel.QueryInformationJobObject(
            self._handle, _BASIC_ACCOUNTING, ctypes.byref(found), ctypes.sizeof(found), None
        )
        if not is_known:
            return None
        return float(found.total_user + found.total_kernel) / _TICKS_PER_S


@functools.cache
def _own_job() -> Job | None:
    """Return the job of this process, which it joins once; None where there is none."""
    if sys.platform == "win32":
        with contextlib.suppress(OSError, AttributeError):
            return Job(ctypes.windll.kernel32)
    return None


def own_and_children_s() -> float | None:
    """Return the CPU seconds of this process and its children since the first call."""
    job = _own_job()
    return None if job is None else job.cpu_s()
