"""What others used of the machine."""

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


def test_others_are_told_in_cores_as_well():
    answers = iter([counters(0, 0), counters(10, 640)])
    found = LoadMeter(lambda: next(answers), n_cpus=64).share()
    assert found.others_cores == pytest.approx(1.0)
    answers = iter([counters(0, 0, own_s=None), counters(10, 640, own_s=None)])
    assert LoadMeter(lambda: next(answers), n_cpus=64).share().others_cores is None
