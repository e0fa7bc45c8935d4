"""With another process on one core every run says so; on a quiet machine none does."""

import contextlib
import subprocess
import sys
import time

import psutil
import pytest

from advisor.model.measurement import Runner, StabilityWarning
from probes.bench.plan import Budget, plan
from probes.bench.session import Session

pytestmark = pytest.mark.slow

RUNS = 3
BUDGET_S = 20.0
# Part of one CPU that others may use on a machine that is quiet.
QUIET = 0.15
WATCHED_S = 0.2
N_WATCHED = 10


# Starts a program that is no child of ours: the time of children counts as our own.
STARTER = """
import subprocess, sys
process = subprocess.Popen(
    [sys.executable, "-c", "while True: pass"],
    start_new_session=True,
    stdout=subprocess.DEVNULL,
    stderr=subprocess.DEVNULL,
)
print(process.pid)
"""


@contextlib.contextmanager
def one_core_taken():
    """Keep one core busy with a process of no concern to us."""
    told = subprocess.run(
        [sys.executable, "-c", STARTER], check=True, capture_output=True, text=True
    ).stdout
    process = psutil.Process(int(told))
    try:
        yield
    finally:
        process.kill()


def short_run(profile):
    """Make a quick run, cut to what takes some seconds: real children, two frameworks."""
    requests = [
        request
        for request in plan(profile, budget=Budget.QUICK, device_ids=("cpu",))
        if request.runner in (Runner.NUMPY, Runner.KERAS)
        and request.role in ("headline", "reference")
        and getattr(request.shape, "m", 0) <= 1024
    ]
    found = Session(profile=profile).run(requests, budget_s=BUDGET_S)
    assert found.measured, found.failed
    return found


def used_by_others():
    """Return how many CPUs are busy while we do nothing."""
    psutil.cpu_percent()
    shares = []
    for _ in range(N_WATCHED):
        time.sleep(WATCHED_S)
        shares.append(psutil.cpu_percent())
    return max(shares) / 100.0 * psutil.cpu_count()


def test_a_busy_core_is_told_in_each_run(profile):
    with one_core_taken():
        told = [StabilityWarning.BUSY in short_run(profile).warnings for _ in range(RUNS)]
    assert told == [True] * RUNS


def test_a_quiet_machine_is_not_called_busy(profile):
    if used_by_others() > QUIET:
        pytest.skip("this machine is busy with something else")
    found = short_run(profile)
    if used_by_others() > QUIET:
        pytest.skip("this machine has become busy with something else")
    assert StabilityWarning.BUSY not in found.warnings
