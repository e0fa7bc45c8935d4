"""Threads of the libraries below a framework: how many there are, and waiting until they sleep.

Their number is to be set before the framework is imported.
Leaves to others: what a framework itself must be told (its runner).
"""

import contextlib
import importlib
import os
import sys
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
# How far apart we look: the time of a thread on another core is counted in ticks, of 16 ms on
# Windows and up to 10 ms on Linux.
_LOOK_S = 0.04 if os.name == "nt" else 0.012
# Whether products of NumPy leave no thread that looks out for work.
_known = {"checks_sleep": False}


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
    is_first = "numpy" not in sys.modules
    name = "OPENBLAS_NUM_THREADS"
    before = os.environ.get(name)
    os.environ[name] = "1"
    try:
        with contextlib.suppress(ImportError):
            numpy = importlib.import_module("numpy")
            _known["checks_sleep"] = is_first and "openblas" in (blas_of(numpy)[0] or "")
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def blas_of(numpy):
    """Return name and version of the BLAS of a NumPy module, None for what it does not tell."""
    try:
        found = numpy.show_config(mode="dicts")["Build Dependencies"]["blas"]
        return found.get("name") or None, found.get("version") or None
    except (AttributeError, KeyError, TypeError):
        pass  # before NumPy 1.25
    try:
        libraries = numpy.__config__.blas_ilp64_opt_info.get("libraries", [])
        return (libraries[0] if libraries else None), None
    except AttributeError:
        return None, None


def wait_after_check():
    """Wait until the threads of a check sleep, unless they are known to."""
    if not _known["checks_sleep"]:
        wait_until_idle()


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
