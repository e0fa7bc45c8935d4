"""Timing kernels, with a fake clock."""

import pytest
import worker_timing
from worker_timing import ClockError, calibrate, elapsed_s, time_kernel


class Clock:
    """A clock that only kernels advance; `drift_s` is added at each look at it."""

    def __init__(self, drift_s=0.0):
        self.now = 100.0
        self.drift_s = drift_s

    def __call__(self):
        self.now += self.drift_s
        return self.now


class Kernel:
    """Takes `cost_s` each time; the first execution compiles."""

    def __init__(self, clock, cost_s, compile_s=0.0):
        self.clock = clock
        self.cost_s = cost_s
        self.compile_s = compile_s
        self.asked = []

    def run(self, loops):
        self.asked.append(loops)
        seconds = loops * self.cost_s + self.compile_s
        self.compile_s = 0.0
        self.clock.now += seconds
        return seconds


def test_loops_go_straight_to_what_a_value_needs():
    clock = Clock()
    kernel = Kernel(clock, 0.003)
    loops, lasted_s, trials_s = calibrate(kernel.run, 0.02, clock=clock)
    assert kernel.asked == [1, 8]
    assert loops == 8
    assert lasted_s == pytest.approx(0.024)
    assert trials_s == pytest.approx([0.003] * 2)


def test_a_first_trial_that_was_slow_is_followed_by_more():
    clock = Clock()
    first = [0.019]

    def run(loops):
        seconds = loops * 1e-3 + (first.pop() if first else 0.0)
        clock.now += seconds
        return seconds

    loops, lasted_s, _ = calibrate(run, 0.02, clock=clock)
    assert lasted_s >= 0.02
    assert 20 <= loops < 45


def test_a_kernel_that_always_does_several_begins_with_them():
    clock = Clock()
    kernel = Kernel(clock, 0.001)
    loops, _, _ = calibrate(kernel.run, 0.01, first_loops=6, clock=clock)
    assert kernel.asked == [6, 12]
    assert loops == 12


def test_values_warmups_and_loops_of_a_kernel():
    clock = Clock()
    kernel = Kernel(clock, 0.05, compile_s=2.0)
    seen = []
    timing = time_kernel(kernel.run, 0.09, 5, on_value=lambda *v: seen.append(v), clock=clock)
    assert timing.loops == 2
    assert timing.values_s == pytest.approx([0.05] * 5)
    assert timing.warmups_s == pytest.approx([2.05, 0.05, 0.05])
    assert timing.lasted_s == pytest.approx(0.1)
    assert [seconds for seconds, _ in seen] == pytest.approx([0.1] * 5)
    assert {loops for _, loops in seen} == {2}


def test_values_are_taken_for_so_long_however_many_they_are():
    clock = Clock()
    kernel = Kernel(clock, 0.5)

    def slower(_seconds, _loops):
        kernel.cost_s = 1.0

    timing = time_kernel(kernel.run, 0.4, 2, on_value=slower, clock=clock, duration_s=9.0)
    assert timing.values_s == pytest.approx([0.5] + [1.0] * 9)


def test_a_value_longer_than_the_duration_is_taken():
    clock = Clock()
    timing = time_kernel(Kernel(clock, 60.0).run, 0.5, 2, clock=clock, duration_s=1.0)
    assert timing.values_s == pytest.approx([60.0])


def test_what_is_not_counted_still_makes_a_value_long_enough():
    # A net time near nothing, in a graph whose call takes a hundred times as long.
    clock = Clock()

    def run(loops):
        clock.now += loops * 1e-4
        return loops * 1e-6

    loops, _, _ = calibrate(run, 0.01, clock=clock)
    assert loops == 110


def test_a_slow_kernel_gets_fewer_values_and_at_least_one():
    clock = Clock()
    assert len(time_kernel(Kernel(clock, 1.5).run, 0.1, 5, clock=clock).values_s) == 2
    assert len(time_kernel(Kernel(clock, 60.0).run, 0.1, 5, clock=clock).values_s) == 1


def test_values_of_a_clock_that_was_set_back_are_taken_again():
    clock = Clock()
    kernel = Kernel(clock, 0.2)
    answers = iter([None, None, -3.0, None, float("nan"), None, None])

    def run(loops):
        seconds = kernel.run(loops)
        answer = next(answers, None)
        return seconds if answer is None else answer

    timing = time_kernel(run, 0.1, 3, clock=clock)
    assert timing.values_s == pytest.approx([0.2] * 3)


def test_a_clock_that_goes_backwards_all_the_time_is_an_error():
    clock = Clock(drift_s=-1e9)
    with pytest.raises(ClockError, match="by the clock"):
        time_kernel(Kernel(clock, 0.2).run, 0.1, 3, clock=clock)


def test_a_clock_that_begins_to_go_backwards_is_an_error():
    clock = Clock()
    kernel = Kernel(clock, 0.2)
    n_runs = iter(range(100))

    def run(loops):
        seconds = kernel.run(loops)
        return seconds if next(n_runs) < 3 else -seconds

    with pytest.raises(ClockError, match="loops"):
        time_kernel(run, 0.1, 3, clock=clock)


def test_a_kernel_that_takes_no_time_is_an_error(monkeypatch):
    monkeypatch.setattr(worker_timing, "MAX_LOOPS", 16)
    clock = Clock(drift_s=1e-9)
    with pytest.raises(ClockError, match="16 loops"):
        calibrate(lambda _loops: 1e-9, 0.1, clock=clock)


def test_elapsed_time_of_calls_by_a_clock():
    clock = Clock()
    calls = []

    def call():
        calls.append(1)
        clock.now += 0.25

    assert elapsed_s(call, 4, clock) == pytest.approx(1.0)
    assert len(calls) == 4
