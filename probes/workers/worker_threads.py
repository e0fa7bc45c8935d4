"""Sets how many threads the libraries below a framework use. To be called before it is imported.

Leaves to others: what a framework itself must be told (its runner).
"""

import os

# OpenMP, OpenBLAS, MKL, BLIS, Accelerate: each reads its own.
_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


def set_library_threads(threads):
    """Set the number of threads of the numerical libraries; None leaves them their default."""
    if threads is not None:
        for name in _VARIABLES:
            os.environ[name] = str(threads)


def usable_cpus():
    """Return how many logical CPUs this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
