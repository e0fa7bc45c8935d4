"""Threads of the numerical libraries."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from worker_threads import blas_of, import_numpy_for_checks, set_library_threads, usable_cpus

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


class OldNumpy:
    class __config__:
        blas_ilp64_opt_info = {"libraries": ["openblas64_"]}  # noqa: RUF012

    @staticmethod
    def show_config(mode):
        raise TypeError(mode)


class SilentNumpy:
    __config__ = object()


def test_the_blas_of_an_old_or_silent_numpy():
    assert blas_of(OldNumpy) == ("openblas64_", None)
    assert blas_of(SilentNumpy) == (None, None)


# What a rest of ours leaves to others: threads of a product that look out for work, or none.
RESTS = """
import sys, time
sys.path.insert(0, sys.argv[1])
import worker_protocol
channel = worker_protocol.open_channel()
channel.wait_for_run()
import numpy as np
a = np.ones((64, 1024)); b = np.ones((1024, 1024))
a @ b
sent = []
channel.send = lambda kind, **fields: sent.append(time.process_time())
channel._may_go_on.set()
a @ b
channel.rest()
time.sleep(0.05)
print((time.process_time() - sent[0]) / 0.05, file=sys.stderr)
"""


# Threads that wait for a core which other tests hold cannot fall asleep.
@pytest.mark.alone
@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="one core has one thread")
def test_whoever_rests_leaves_the_cores_to_others():
    folder = str(Path(next(iter(probes.workers.__path__))))
    command = [sys.executable, "-c", RESTS, folder]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    process.stdin.write('{"type": "run"}\n')
    process.stdin.flush()
    said = process.stderr.read()
    process.communicate(timeout=60)
    assert float(said.splitlines()[-1]) < 0.3, said
