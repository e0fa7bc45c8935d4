"""Threads of the libraries below a framework: how many there are, and waiting until they sleep.

Their number is to be set before the framework is imported.
Leaves to others: what a framework itself must be told (its runner).
"""

import contextlib
import importlib
import os
import time

# OpenMP, OpenBLAS, MKL, BLIS, Accelerate: each reads its own.
_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
# Of the time in which threads that sleep may still be seen to work: our own look costs some.
_IDLE_SHARE = 0.2
# How far apart we look: Windows counts the time of a processor in ticks of 16 ms.
_LOOK_S = 0.04 if os.name == "nt" else 0.003


def set_library_threads(threads):
    """Set the number of threads of the numerical libraries; None leaves them their default."""
    if threads is not None:
        for name in _VARIABLES:
            os.environ[name] = str(threads)


def import_numpy_for_checks():
    """Import NumPy with products of one thread: it serves for checks beside what is timed.

    After a product of several threads OpenBLAS lets them look out for work for 0.1 s (measured:
    one core of two was busy for 105 ms), which takes cores from the kernel that is timed next.
    Other libraries that are imported later have threads as before.
    """
    name = "OPENBLAS_NUM_THREADS"
    before = os.environ.get(name)
    os.environ[name] = "1"
    try:
        with contextlib.suppress(ImportError):
            importlib.import_module("numpy")
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def usable_cpus():
    """Return how many logical CPUs this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def wait_until_idle(most_s=0.3):
    """Wait until our threads sleep: those of OpenMP look out for work for a while after a step.

    Others would find a core taken meanwhile.
    """
    until = time.perf_counter() + most_s
    before_s = time.process_time()
    while time.perf_counter() < until:
        time.sleep(_LOOK_S)
        now_s = time.process_time()
        if now_s - before_s < _IDLE_SHARE * _LOOK_S:
            return
        before_s = now_s
