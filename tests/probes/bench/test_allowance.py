"""Seconds that are left."""

from probes.bench.allowance import Allowance


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def test_without_a_budget_there_is_no_limit():
    assert Allowance(None, clock=Clock()).rest_s() is None


def test_devices_share_one_budget_or_have_their_own():
    clock = Clock()
    shared = Allowance(10.0, clock=clock)
    own = Allowance({"cpu": 10.0}, clock=clock)
    for allowance in (shared, own):
        allowance.begin("cpu")
    clock.now = 4.0
    for allowance in (shared, own):
        allowance.end()
        allowance.begin("opencl:0:0")
    assert shared.rest_s() == 6.0
    assert own.rest_s() is None
    own.begin("cpu")
    assert own.rest_s() == 6.0


def test_a_clock_that_is_set_back_gives_no_time_back():
    clock = Clock()
    allowance = Allowance(10.0, clock=clock)
    clock.now = -5.0
    allowance.end()
    assert allowance.rest_s() == 10.0


def test_what_is_reserved_is_left_to_what_comes_after():
    clock = Clock()
    allowance = Allowance({"cpu": 10.0}, clock=clock)
    allowance.begin("cpu", reserve_s=3.0)
    assert allowance.rest_s() == 7.0
    clock.now = 6.0
    assert allowance.rest_s() == 1.0
    allowance.end()
    allowance.begin("cpu")
    assert allowance.rest_s() == 4.0
