"""Times a kernel: warms it up, finds how many loops make a value, takes the values.

A kernel is a function `run(loops)` that executes it `loops` times, waits for the end, and returns
the seconds that took by its own clock.
Leaves to others: preparing and checking kernels (the runners), judging the spread (the parent).
"""

import math
import time

# Longest that the values of one kernel may take together; a slow machine gets fewer, not none.
MAX_VALUES_S = 4.0
MAX_LOOPS = 1 << 20
# So many more loops than the last trial asks for, lest a value is a little too short.
_MARGIN = 1.1
# So much longer than they had to may all values of a kernel last that are spread over looks.
_SPARE = 1.3
# A clock may be set back, a difference of two times may come out negative, but not for ever.
MAX_BAD_VALUES = 5


class ClockError(Exception):
    """The clock gave no usable times."""


class TimeLeft:
    """What is left of the time for a request.

    Args:
        budget_s: seconds from `started`; None for no limit.
        started: by the clock.
        clock: seconds.
    """

    def __init__(self, budget_s, started, clock=time.monotonic):
        self._clock = clock
        self._ends_at = None if budget_s is None else started + budget_s

    def has(self, seconds):
        """Return whether so many seconds are left, and a moment more."""
        return self._ends_at is None or self._clock() + seconds < self._ends_at

    def grant(self, seconds):
        """Let so many seconds be left from now on."""
        self._ends_at = self._clock() + seconds


class Timing:
    """Seconds for one execution: `warmups_s` (the first includes compilation) and `values_s`.

    `lasted_s` is how long a whole value lasted, with all that is not counted; `n_dropped` values
    were none, as the clock had been set back or a difference was negative.
    """

    def __init__(self, warmups_s, values_s, loops, lasted_s, n_dropped=0):
        self.warmups_s = warmups_s
        self.values_s = values_s
        self.loops = loops
        self.lasted_s = lasted_s
        self.n_dropped = n_dropped


def elapsed_s(call, loops, clock=time.perf_counter):
    """Return the seconds that `loops` calls of a function take."""
    started = clock()
    for _ in range(loops):
        call()
    return clock() - started


def is_usable(seconds):
    """Return whether this can be the duration of something."""
    return math.isfinite(seconds) and seconds > 0.0


def calibrate(run, min_value_s, first_loops=1, clock=time.perf_counter):
    """Raise the loops, from `first_loops`, until a value lasts long enough by the clock.

    Returns:
        The loops, how long that value lasted with all that belongs to it, and the seconds of one
        execution of each trial that was usable.
    """
    loops = first_loops
    trials_s = []
    n_bad = 0
    while True:
        started = clock()
        seconds = run(loops)
        lasted_s = clock() - started
        if is_usable(seconds) and is_usable(lasted_s):
            trials_s.append(seconds / loops)
            if lasted_s >= min_value_s:
                return loops, lasted_s, trials_s
        else:
            n_bad += 1
        if loops >= MAX_LOOPS or n_bad > MAX_BAD_VALUES:
            raise ClockError(
                "{} loops lasted {!r} s by the clock, less than {} s".format(
                    loops, lasted_s, min_value_s
                )
            )
        # Straight to what a value needs, a little more, and at least twice as many.
        needed = _MARGIN * min_value_s * loops / lasted_s if is_usable(lasted_s) else 0.0
        whole = first_loops * math.ceil(needed / first_loops)
        loops = min(max(2 * loops, whole), max(MAX_LOOPS, 2 * loops))


class Warmth:
    """What warming up found: trials, loops of a value, how long it lasts, how many to take."""

    def __init__(self, warmups_s, loops, lasted_s, wanted):
        self.warmups_s = warmups_s
        self.loops = loops
        self.lasted_s = lasted_s
        self.wanted = wanted


def warm_up(run, min_value_s, n_values, first_loops=1, clock=time.perf_counter, looks=None):
    """Run a kernel until it is warm and a value lasts long enough.

    Args:
        run: the kernel.
        min_value_s: shortest duration of a value.
        n_values: how many values are wanted.
        first_loops: the loops that one call of the kernel does in any case.
        clock: seconds.
        looks: how often values are taken that lie apart; a kernel whose values last longer than
            they had to has fewer of them, at least one for each look. None: they are not apart.
    """
    first_s = run(first_loops) / first_loops
    loops, lasted_s, trials_s = calibrate(run, min_value_s, first_loops, clock)
    warmups_s = ([first_s] if is_usable(first_s) else []) + trials_s
    if looks is not None:
        n_values = min(n_values, max(looks, int(_SPARE * n_values * min_value_s / lasted_s)))
    return Warmth(warmups_s, loops, lasted_s, affordable_values(n_values, lasted_s))


def affordable_values(n_values, value_s):
    """Return how many values are taken when one lasts `value_s`: at least one."""
    return max(1, min(n_values, int(MAX_VALUES_S / value_s)))


def _has_all(values_s, wanted, ends_at, clock):
    """Return whether enough values were taken, by number or by the clock; at least one is."""
    if ends_at is None:
        return len(values_s) >= wanted
    return bool(values_s) and clock() >= ends_at


def time_kernel(
    run,
    min_value_s,
    n_values,
    on_value=None,
    first_loops=1,
    clock=time.perf_counter,
    duration_s=None,
):
    """Warm a kernel up and time it.

    Args:
        run: the kernel.
        min_value_s: shortest duration of a value.
        n_values: how many values to take.
        on_value: called with the seconds of each timed value and its loops, once it is taken.
        first_loops: the loops that one call of the kernel does in any case.
        clock: seconds.
        duration_s: take values for so long, however many they are; None: take `n_values`.
    """
    warmth = warm_up(run, min_value_s, n_values, first_loops, clock)
    loops, wanted = warmth.loops, warmth.wanted
    ends_at = None if duration_s is None else clock() + duration_s
    values_s = []
    n_bad = 0
    while not _has_all(values_s, wanted, ends_at, clock):
        seconds = run(loops)
        if is_usable(seconds):
            values_s.append(seconds / loops)
            if on_value is not None:
                on_value(seconds, loops)
            continue
        n_bad += 1
        if n_bad > MAX_BAD_VALUES:
            raise ClockError("the clock gave {!r} s for {} loops".format(seconds, loops))
    return Timing(warmth.warmups_s, values_s, loops, warmth.lasted_s, n_bad)
