"""Threads of the numerical libraries."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from worker_threads import import_numpy_for_checks, set_library_threads, usable_cpus

import probes.workers


def test_a_number_is_set_for_every_library(monkeypatch):
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.setenv(name, "99")
    set_library_threads(None)
    assert os.environ["OMP_NUM_THREADS"] == "99"
    set_library_threads(3)
    assert os.environ["OMP_NUM_THREADS"] == os.environ["OPENBLAS_NUM_THREADS"] == "3"


def test_there_is_at_least_one_cpu(monkeypatch):
    assert usable_cpus() >= 1
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert usable_cpus() == 1


# The time that our threads are busy in 0.2 s after a product, as a share of a core.
BUSY = """
import sys, time
sys.path.insert(0, sys.argv[1])
import worker_threads
if sys.argv[2] == "checks":
    worker_threads.import_numpy_for_checks()
import numpy as np
a = np.ones((64, 1024)); b = np.ones((1024, 1024))
a @ b
time.sleep(0.5)
a @ b
before = time.process_time()
time.sleep(0.05)
print((time.process_time() - before) / 0.05)
"""


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="one core has one thread")
def test_a_check_leaves_no_thread_that_looks_out_for_work():
    folder = str(Path(next(iter(probes.workers.__path__))))

    def busy(how):
        command = [sys.executable, "-c", BUSY, folder, how]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
        return float(done.stdout)

    assert busy("checks") < 0.2


def test_the_number_of_threads_of_others_is_left_alone(monkeypatch):
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "7")
    import_numpy_for_checks()
    assert os.environ["OPENBLAS_NUM_THREADS"] == "7"
    monkeypatch.delenv("OPENBLAS_NUM_THREADS")
    import_numpy_for_checks()
    assert "OPENBLAS_NUM_THREADS" not in os.environ
