"""Times the kernels of a device in several visits that lie apart, as far as the time goes.

The clock of a machine wanders over tens of seconds: values that were taken in a row share its
state. Each kernel is first prepared, checked and timed once, in the order of the request; then
all are visited again, and what they give is told once more with all values so far. Nothing is
held between visits: kernels need not fit into the memory of a device together. A child that "rests"
does so between visits, as others have their turn.
Leaves to others: preparing and running a kernel (`opencl_kernels`), how long a value must last
(`worker_timing`).
"""

import time
import traceback

import worker_kernels
import worker_protocol
import worker_threads
import worker_timing

# Unless the request says how many.
N_VISITS = 3


class Visited:
    """What is known of a kernel after its first visit."""

    def __init__(self, kernel, check, warmth, n_visits=N_VISITS):
        self.kernel, self.check, self.warmth = kernel, check, warmth
        self._n_visits = n_visits
        self.values_s = []
        self.n_dropped = 0
        self.cost_s = 0.0

    def wanted_after(self, visit):
        """Return how many values there are to be after a visit, counted from 1."""
        return -(-self.warmth.wanted * visit // self._n_visits)

    def take(self, prepared, visit):
        """Take the values of a visit; noise may spoil one, but not for ever."""
        n_bad = 0
        while len(self.values_s) < self.wanted_after(visit):
            seconds = prepared.run(self.warmth.loops)
            if worker_timing.is_usable(seconds):
                self.values_s.append(seconds / self.warmth.loops)
                continue
            n_bad += 1
            self.n_dropped += 1
            if n_bad > worker_timing.MAX_BAD_VALUES:
                raise worker_timing.ClockError(
                    "the clock gave {!r} s for {} loops".format(seconds, self.warmth.loops)
                )


class Visits:
    """Visits kernels and tells what they give.

    Args:
        runner: prepares kernels, and says what it `learned`.
        channel: where results are told.
        clock: seconds.
        n_visits: how many there are to be of each kernel; None: as usual.
    """

    def __init__(self, runner, channel, clock=time.monotonic, n_visits=None):
        self._runner, self._channel, self._clock = runner, channel, clock
        self._looks, self._n_visits = n_visits, n_visits or N_VISITS

    @property
    def n_visits(self):
        """How many visits there are to be."""
        return self._n_visits

    def first(self, kernel):
        """Prepare, check and time a kernel; return what is known of it, None when it failed."""
        started = self._clock()
        try:
            visited = self._first(kernel)
        except worker_protocol.Cancelled:
            raise
        except Exception as error:
            traceback.print_exc()
            self._channel.send(
                "kernel_failed",
                id=kernel["id"],
                outcome=worker_kernels.outcome_of(error),
                message=worker_kernels.sentence_of(error),
                **self._learned(),
            )
            return None
        visited.cost_s = self._clock() - started
        return visited

    def _first(self, kernel):
        self._say(kernel, "prepare")
        prepared = self._runner.prepare(kernel)
        try:
            check = prepared.check()
            worker_threads.wait_after_check()
            self._say(kernel, "warm_up", check=check)
            warmth = worker_timing.warm_up(
                prepared.run, kernel["min_value_s"], kernel["n_values"], looks=self._looks
            )
            visited = Visited(kernel, check, warmth, self._n_visits)
            self._say(kernel, "timing", check=check)
            visited.take(prepared, 1)
        finally:
            prepared.close()
        self._tell(visited)
        return visited

    def again(self, visited, visit):
        """Time a kernel once more; return whether that went well."""
        if len(visited.values_s) >= visited.wanted_after(visit):
            return True
        started = self._clock()
        try:
            self._say(visited.kernel, "prepare")
            prepared = self._runner.prepare(visited.kernel)
            try:
                prepared.settle()
                prepared.run(1)
                visited.take(prepared, visit)
            finally:
                prepared.close()
        except worker_protocol.Cancelled:
            raise
        except Exception:
            # What was told of it stands.
            traceback.print_exc()
            return False
        visited.cost_s = self._clock() - started
        self._tell(visited)
        return True

    def _say(self, kernel, stage, **more):
        self._channel.check_cancelled()
        self._channel.send("stage", id=kernel["id"], stage=stage, **more)

    def _tell(self, visited):
        warmth = visited.warmth
        self._channel.send(
            "value",
            id=visited.kernel["id"],
            warmups_s=warmth.warmups_s,
            values_s=list(visited.values_s),
            loops=warmth.loops,
            lasted_s=warmth.lasted_s,
            check=visited.check,
            n_dropped=visited.n_dropped,
            **self._learned(),
        )

    def _learned(self):
        learned = self._runner.learned()
        return {"learned": dict(learned)} if learned else {}


def run_in_visits(runner, request, channel, started, clock=time.monotonic):
    """Run the kernels of a request.

    Args:
        runner: see `Visits`.
        request: its "kernels" and "budget_s", None or absent for no limit; "visits", how many, and
            "rests".
        channel: where each result is told.
        started: from when the budget counts, by the clock.
        clock: seconds.
    """
    budget_s = request.get("budget_s")
    left = worker_timing.TimeLeft(budget_s, started, clock)
    channel.on_resume = left.grant
    visits, known = Visits(runner, channel, clock, request.get("visits")), []
    for kernel in request["kernels"]:
        if left.has(0.0):
            visited = visits.first(kernel)
            if visited is not None:
                known.append(visited)
            continue
        channel.send(
            "kernel_failed",
            id=kernel["id"],
            outcome="skipped",
            message="the time set aside ({:.3g} s) was used up".format(budget_s),
        )
    # Those of which most values are wanted are shown: they come first when time is short, and
    # among them what costs least, so that most of them have values of every visit.
    known.sort(key=lambda visited: (-visited.kernel["n_values"], visited.cost_s))
    for visit in range(2, visits.n_visits + 1):
        if request.get("rests"):
            channel.rest()
        known = [v for v in known if not left.has(v.cost_s) or visits.again(v, visit)]
