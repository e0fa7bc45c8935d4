"""The real worker, with runners that break where they are told to. Standard library only.

The first argument is the folder of the workers. A fault is "what@stage"; the stages are start,
import, prepare, check, warm_up, measure and teardown. A kernel's id is "name:fault,fault"; faults
of the first two stages stand in DL_DRILL. The number of the process goes to the file DL_TEST_LOG
when a fault is reached. Runners that DL_REAL names are left as they are.
"""

import collections
import ctypes
import itertools
import os
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, sys.argv[1])

import main as worker_main
import worker_errors
import worker_timing

CHATTER = 1_000_000
# Two runs at least come before the first value; some searches take more.
_FIFTH_VALUE = 8


def spin():
    """Never return, never release the interpreter: no other thread of Python runs."""
    collections.deque(itertools.repeat(0), 0)


def chatter():
    """Write a lot where libraries write, from Python and below it."""
    print("o" * CHATTER)
    print("e" * CHATTER, file=sys.stderr)
    os.write(1, b"O" * CHATTER)
    os.write(2, b"E" * CHATTER)


def run_out_of_memory():
    """Ask for more than the system gives."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, hard))
    try:
        bytearray(4 << 30)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def signalled(name):
    def fault():
        os.kill(os.getpid(), getattr(signal, name))
        time.sleep(60)

    return fault


def wrong():
    raise worker_errors.WrongResult("the result is off by 0.5 of the definition (allowed 0.0003)")


def complain():
    raise RuntimeError("no such luck \x1b[31m" + "y" * CHATTER)


FAULTS = {
    "raise": complain,
    "spin": spin,
    "sleep": lambda: time.sleep(60),
    "delay": lambda: time.sleep(0.3),
    "abort": os.abort,
    "segfault": lambda: ctypes.string_at(8),
    "illegal": signalled("SIGILL"),
    "kill": lambda: signalled("SIGKILL")(),
    "memory": run_out_of_memory,
    "wrong": wrong,
    "chatter": chatter,
}


def reach(faults, stage):
    """Do what a list of faults says about a stage."""
    for fault in faults.split(","):
        what, _, where = fault.partition("@")
        if where == stage and what in FAULTS:
            with Path(os.environ["DL_TEST_LOG"]).open("a") as log:
                log.write(f"{os.getpid()}\n")
            FAULTS[what]()


class DrillKernel:
    """Takes next to no time, and breaks at one stage."""

    def __init__(self, name):
        self._faults = name.partition(":")[2]
        self._n_runs = 0
        reach(self._faults, "prepare")

    def check(self):
        reach(self._faults, "check")
        return "fine"

    def run(self, loops):
        self._n_runs += 1
        # First the warm-up, then the search for the number of loops, then the values.
        stages = {1: "warm_up", 3: "measure", _FIFTH_VALUE: "fifth"}
        reach(self._faults, stages.get(self._n_runs, "later"))
        slow_s = 0.02 if "endless" in self._faults else 1e-4
        seconds = worker_timing.elapsed_s(lambda: time.sleep(slow_s), loops)
        is_backwards = "always_backwards" in self._faults or (
            "once_backwards" in self._faults and self._n_runs == 3
        )
        return -seconds if is_backwards else seconds

    def close(self):
        reach(self._faults, "teardown")


class DrillRunner:
    """Prepares such kernels."""

    def __init__(self, options):
        reach(os.environ.get("DL_DRILL", ""), "import")

    def stack(self):
        return {"framework": "drill", "framework_version": "1"}

    def prepare(self, kernel):
        return DrillKernel(kernel["id"])


real = os.environ.get("DL_REAL", "").split(",")
for runner in set(worker_main.KERNEL_RUNNERS) - set(real):
    worker_main.KERNEL_RUNNERS[runner] = ("__main__", "DrillRunner")
if "DL_PROTOCOL" in os.environ:
    worker_main.worker_protocol.PROTOCOL_VERSION = int(os.environ["DL_PROTOCOL"])
reach(os.environ.get("DL_DRILL", ""), "start")
worker_main.main("main")
