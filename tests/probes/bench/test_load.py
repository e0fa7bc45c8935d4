"""What others used of the machine."""

import subprocess
import sys
import time

import psutil
import pytest

from probes.bench.load import CpuCounters, LoadMeter, read_counters


def counters(busy_s, total_s, steal_s=0.0, own_s=0.0):
    return CpuCounters(busy_s=busy_s, total_s=total_s, steal_s=steal_s, own_s=own_s)


def share(first, last):
    answers = iter([first, last])
    return LoadMeter(lambda: next(answers)).share()


def test_others_are_what_was_busy_and_not_ours():
    found = share(counters(10, 100, own_s=2), counters(40, 200, steal_s=5, own_s=22))
    assert found.others == pytest.approx(0.10)
    assert found.steal == pytest.approx(0.05)


def test_counters_that_do_not_fit_give_no_nonsense():
    assert share(counters(10, 100), counters(10, 100)) is None
    assert share(counters(10, 100), counters(11, 101, own_s=5)).others == 0.0
    unknown = share(counters(10, 100, own_s=None), counters(50, 150, own_s=None))
    assert unknown.others is None


def test_the_counters_of_this_machine_grow():
    first = read_counters()
    sum(range(300_000))
    last = read_counters()
    assert last.total_s >= first.total_s > 0
    assert first.busy_s <= first.total_s
    assert last.own_s is None or last.own_s > 0


def test_a_child_that_still_runs_is_not_another():
    before = read_counters()
    if before.own_s is None:
        pytest.skip("nobody tells")
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as child:
        deadline = time.monotonic() + 10.0
        while psutil.Process(child.pid).cpu_times().user < 0.3 and time.monotonic() < deadline:
            time.sleep(0.01)
        alive = read_counters().own_s - before.own_s
        child.kill()
    # When it has ended it counts as before.
    assert alive >= 0.3
    assert read_counters().own_s - before.own_s >= alive - 0.02


def test_others_are_told_in_cores_as_well():
    answers = iter([counters(0, 0), counters(10, 640)])
    found = LoadMeter(lambda: next(answers), n_cpus=64).share()
    assert found.others_cores == pytest.approx(1.0)
    answers = iter([counters(0, 0, own_s=None), counters(10, 640, own_s=None)])
    assert LoadMeter(lambda: next(answers), n_cpus=64).share().others_cores is None
