"""Which steps of a user's network are timed, and when there are enough: with a fake clock."""

import pytest


class Clock:
    def __init__(self):
        self.now_s = 0.0

    def __call__(self):
        return self.now_s


def step_clock(**more):
    from user_network import StepClock

    request = {"check_steps": 2, "min_time_s": 1.0, "max_steps": 100, "max_time_s": 1e9, **more}
    clock = Clock()
    return StepClock(request, clock=clock), clock


def take(steps, clock, *times_s):
    steps.begin()
    for at, seconds in enumerate(times_s, start=1):
        clock.now_s += seconds
        if steps.end():
            return at
        steps.follow(lambda: (2.3, "fine"))
    return None


def test_the_first_two_steps_are_apart():
    steps, clock = step_clock()
    assert take(steps, clock, 5.0, 9.0, 0.4, 0.4, 0.4, 0.4) == 5
    assert steps.first_step_s == 5.0
    assert steps.values_s(1) == pytest.approx([0.4])
    assert len(steps.values_s(5)) == 3


def test_a_clock_that_rests_tells_what_it_has_and_begins_anew():
    steps, clock = step_clock(min_time_s=1.0)
    told = []

    def rest(value, check):
        told.append((steps.values_s(3), value, check))
        clock.now_s += 100.0

    steps.on_enough = rest
    steps.begin()
    for seconds in (5.0, 9.0, 0.4, 0.4, 0.4, 7.0, 0.5, 0.5, 0.5, 8.0):
        clock.now_s += seconds
        assert not steps.end()
        steps.follow(lambda: (2.3, "fine"))
    # What followed a rest is not timed, nor is the rest itself.
    assert [values for values, *_rest in told] == [
        pytest.approx([0.4] * 3),
        pytest.approx([0.5] * 3),
    ]
    assert told[0][1:] == (2.3, "fine")
    assert steps.first_step_s == 5.0
    assert steps.n_steps == 10


def turns(*times_s):
    """Return (steps so far, timed seconds of each step) at each rest of a process in turns."""
    steps, clock = step_clock(turn_s=0.05)
    told = []
    steps.on_enough = lambda *_checked: told.append((steps.n_steps, list(steps.times_s)))
    take(steps, clock, *times_s)
    return told


@pytest.mark.parametrize(
    ("step_s", "n_start", "n_timed", "n_between"),
    [(0.6, 2, 1, 1), (0.3, 3, 1, 1), (0.03, 18, 2, 2), (0.011, 47, 5, 6)],
)
def test_a_turn_is_one_long_step_or_several_short_ones(step_s, n_start, n_timed, n_between):
    first, second, third = turns(5.0, *[step_s] * (n_start + n_timed + 2 * n_between))[:3]
    # The first step compiles; half a second after it is not timed, nor a short step after a rest.
    assert (first[0], len(first[1])) == (n_start + n_timed, n_timed)
    assert (second[0] - first[0], len(second[1])) == (n_between, n_timed)
    assert (third[0] - second[0], len(third[1])) == (n_between, n_timed)


def test_steps_that_settle_after_a_rest_are_not_timed_for_half_a_second():
    start = [9.0, *[0.11] * 5, 0.11]
    assert turns(*start, 0.3, 0.2, 0.1)[1:] == [(10, [pytest.approx(0.1)])]
    # What stays slow is timed after it, and two steps at least are waited for.
    assert turns(*start, *[0.3] * 3)[1:] == [(10, [pytest.approx(0.3)])]
    assert turns(*start, *[0.7] * 3)[1:] == [(10, [pytest.approx(0.7)])]
    # So is what only scatters.
    assert turns(*start, 0.14, 0.08)[1:] == [
        (8, [pytest.approx(0.14)]),
        (9, [pytest.approx(0.08)]),
    ]


def test_how_many_steps_a_turn_has_does_not_hang_on_how_they_turn_out():
    start = [9.0, *[0.03] * 17, 0.03, 0.03]
    assert turns(*start, 0.04, 0.01, 0.04, 0.04)[1:] == [
        (22, pytest.approx([0.04, 0.01])),
        (24, pytest.approx([0.04, 0.04])),
    ]


def test_threads_that_look_out_for_work_are_waited_for():
    import threading
    import time

    import worker_threads

    over = time.perf_counter() + 0.15

    def spin():
        while time.perf_counter() < over:
            pass

    thread = threading.Thread(target=spin)
    thread.start()
    worker_threads.wait_until_idle(most_s=5.0)
    assert 0.0 <= time.perf_counter() - over < 1.0
    began = time.perf_counter()
    worker_threads.wait_until_idle(most_s=5.0)
    assert time.perf_counter() - began < 1.0
    thread.join()


def test_a_hopeless_setting_rests_after_three_steps_of_each_visit():
    steps, clock = step_clock(hopeless_step_s=0.5, min_time_s=60.0)
    told = []
    steps.on_enough = lambda *_checked: told.append(steps.n_steps)
    assert take(steps, clock, 9.0, *[0.6] * 5) is None
    assert told == [3, 5]


def test_check_values_are_taken_after_twice_as_many_steps_each_time():
    steps, clock = step_clock(check_steps=12, min_time_s=20.0)
    marks = []
    steps.begin()
    for _ in range(20):
        clock.now_s += 1.0
        steps.end()
        steps.follow()
        if steps.is_checked:
            marks.append(steps.n_steps)
            steps.check(0.5)
    assert marks == [2, 4, 8, 12]
    assert steps.checks == [(2, 0.5), (4, 0.5), (8, 0.5), (12, 0.5)]


def test_a_hopeless_setting_ends_after_three_steps_however_slow_the_first():
    steps, clock = step_clock(hopeless_step_s=0.5, min_time_s=60.0)
    assert take(steps, clock, 9.0, *[0.6] * 10) == 3
    assert steps.values_s(5) == pytest.approx([0.6, 0.6])
    steps, clock = step_clock(hopeless_step_s=0.5, min_time_s=1.0)
    assert take(steps, clock, 9.0, 0.9, *[0.4] * 10) == 5


def test_a_slow_network_ends_early_with_what_there_is():
    steps, clock = step_clock(check_steps=8, max_time_s=10.0)
    assert take(steps, clock, *[6.0] * 10) == 3
    assert steps.values_s(5) == pytest.approx([6.0, 6.0])
    assert steps.n_steps == 3


def test_blocks_share_all_steps():
    steps, clock = step_clock(min_time_s=70.0)
    take(steps, clock, 1.0, 1.0, *[float(n) for n in range(1, 13)])
    values = steps.values_s(5)
    assert len(values) == 5
    assert values == sorted(values)
