"""Finds the fastest of several ways to compute something by trying them, and holds it.

A way whose result is wrong is not held, however fast it is: the next one is taken.
Leaves to others: what was chosen earlier (`opencl_choices`), how a way runs (`opencl_work`).
"""

import time

import opencl_choices
import worker_errors

# How long one candidate may be tried, and the time from which a trial needs no repetition.
_TRIAL_S = 0.04
_MIN_TRIAL_S = 0.01
# So many ways may give a wrong result before the kernel is given up.
_MAX_WRONG = 3
# Ways that take at most so many times the best, and how many of them, are tried once more: what
# decides between them must not be a moment.
_NEAR, _MOST_NEAR = 1.15, 3
# Part of the time that is left which may go into trying the ways of one kernel: what is not tried
# now is compiled sooner next time, while a kernel that is left out has no figure at all.
_TUNING_SHARE = 0.12


class Patience:
    """How long may be spent on trying ways.

    Args:
        clock: seconds.

    Attributes:
        ends_at: when all must be done, by the clock; None: it does not matter.
    """

    def __init__(self, clock=time.monotonic):
        self._clock = clock
        self._tuned_at = None
        self.ends_at = None

    def begin(self):
        """Begin with a kernel: it may be tried for a part of the time that is left."""
        self._tuned_at = None
        if self.ends_at is not None:
            now = self._clock()
            self._tuned_at = now + _TUNING_SHARE * max(0.0, self.ends_at - now)

    def is_over(self):
        """Return whether no further way is to be tried for the kernel."""
        return self._tuned_at is not None and self._clock() >= self._tuned_at


def trial_s(work):
    """Return about how long one execution takes, by as few of them as will do."""
    work.settle()
    best_s, loops, spent_s = work.run(1), 1, 0.0
    while spent_s < _TRIAL_S:
        elapsed_s = work.run(loops)
        spent_s += elapsed_s
        best_s = min(best_s, elapsed_s / loops)
        if elapsed_s < _MIN_TRIAL_S:
            loops *= 4
    return best_s


def seconds_of(device, build, time_work=trial_s):
    """Return about how long the work of a function takes, None when the device cannot run it."""
    try:
        return _time(build, time_work)
    except (device.cl.Error, worker_errors.UnsupportedKernel):
        return None


def _time(build, time_work):
    work = build()
    try:
        return time_work(work)
    finally:
        work.close()


def try_all(device, candidates, trial=1):
    """Try candidates, the likeliest first, while there is time; the first ones that run always.

    Args:
        device: the `OpenclDevice`.
        candidates: functions that return a `Work`; one that the device cannot run is passed over.
        trial: the size of a trial, which is kept with the result.

    Returns:
        `opencl_choices.Tried`.

    Raises:
        The error of the last candidate, when none can be run.
    """
    found, failure, is_complete = [], None, True
    for index, build in enumerate(candidates):
        if found and device.patience.is_over():
            is_complete = False
            break
        try:
            found.append((index, _time(build, trial_s)))
        except (device.cl.Error, worker_errors.UnsupportedKernel) as error:
            failure = error
    if not found:
        raise failure
    _try_near_again(device, candidates, found)
    return opencl_choices.Tried(sorted(found, key=lambda pair: pair[1]), trial, is_complete)


def _try_near_again(device, candidates, found):
    """Try ways of nearly equal speed once more, the last first; the better time counts."""
    found.sort(key=lambda pair: pair[1])
    near = [place for place, pair in enumerate(found) if pair[1] <= _NEAR * found[0][1]]
    near = near[:_MOST_NEAR] if len(near) > 1 else []
    for place in reversed(near):
        if device.patience.is_over():
            return
        index, seconds = found[place]
        again_s = seconds_of(device, candidates[index])
        found[place] = (index, seconds if again_s is None else min(seconds, again_s))


class Faster:
    """Two prepared ways of nearly equal speed that run in turn; the faster one's time counts.

    Which of them is ahead changes from moment to moment: figures of two runs agree only if both
    ways have their chance in each.

    Args:
        first: the one that is held to be the fastest.
        second: the next.
    """

    def __init__(self, first, second):
        self._both = (first, second)

    @property
    def work(self):
        """The work of the way that is held to be the fastest."""
        return self._both[0].work

    def settle(self):
        """Find out for each in which slices to execute."""
        for way in self._both:
            way.settle()

    def check(self):
        """Check both; return the statement on the first."""
        statements = [way.check() for way in self._both]
        return statements[0]

    def run(self, loops):
        """Execute each `loops` times and return the lesser time."""
        return min(way.run(loops) for way in self._both)

    def close(self):
        """Give the memory back."""
        for way in self._both:
            way.close()


class Chosen:
    """The work of the fastest way that gives a right result.

    Args:
        device: the `OpenclDevice`.
        key: under which the choice is remembered.
        builders: functions that return the work of each way.
        time_one: function of an index and the size of a trial, gives seconds or None; absent:
            the ways themselves are tried.
        time_all: function that gives what was `opencl_choices.Tried`, or absent.

    Attributes:
        index: of the way.
        work: of that way.
    """

    def __init__(self, device, key, builders, time_one=None, time_all=None):
        self._device, self._key, self._builders = device, key, builders
        self._time_one = time_one or (lambda index, _trial: seconds_of(device, builders[index]))
        self._time_all = time_all or (lambda: try_all(device, builders))
        self._has_choice = len(builders) > 1
        self.index = 0
        self.work = self._build()

    def _build(self):
        """Return the work of the best way that can be built; what is tried may be smaller."""
        order = [0]
        if self._has_choice:
            choices, count = self._device.choices, len(self._builders)
            order = choices.pick(self._key, count, self._time_one, self._time_all)
            passed = {*order, *choices.wrong(self._key)}
            order += [index for index in range(count) if index not in passed]
        failure = None
        for index in order:
            try:
                work = self._builders[index]()
            except worker_errors.UnsupportedKernel as error:
                failure = failure or error
                continue
            self.index = index
            return work
        raise failure

    def settle(self):
        """Find out in which slices to execute."""
        self.work.settle()

    def check(self):
        """Execute once and compare with the reference; the next way when it is wrong."""
        for attempt in range(_MAX_WRONG):
            try:
                statement = self.work.check()
            except worker_errors.WrongResult as error:
                if not self._has_choice:
                    raise
                self._device.choices.reject(self._key, self.index)
                if attempt + 1 == _MAX_WRONG or not self._replace():
                    raise error from None
                continue
            if self._has_choice:
                self._device.choices.accept(self._key, self.index)
            return statement
        return None

    def _replace(self):
        """Take the next way; return whether there is one."""
        self.work.close()
        try:
            self.work = self._build()
        except (worker_errors.WrongResult, worker_errors.UnsupportedKernel, self._device.cl.Error):
            return False
        return True

    def run(self, loops):
        """Execute `loops` times and return the seconds."""
        return self.work.run(loops)

    def close(self):
        """Give the memory back."""
        self.work.close()
