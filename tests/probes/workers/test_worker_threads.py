"""Threads of the numerical libraries."""

import os

from worker_threads import set_library_threads, usable_cpus


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
