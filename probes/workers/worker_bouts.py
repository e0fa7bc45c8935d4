"""Times several kernels in turn, round by round, between two looks at a reference.

Values that lie apart in time tell more than the same number in a row: a processor that is slower
for a second spoils one value of each kernel, not all values of one. A reference kernel is timed
before and after each bout; when it moved, the machine has changed meanwhile: the bout is timed
again while there is time, but for what is looked at over the whole run, and all its values are
reported with how far the reference moved at last. When the time is used up in the middle of a bout,
what there is by then is reported.
Kernels with "looks" are timed again every other second, whatever else goes on, so that their values
cover the run: a machine is slower for seconds. A look takes several short values, as a machine is
slower for hundredths of a second too. A child that "rests" does nothing else: it rests before each
round, while others have their turn.
Leaves to others: preparing, checking and running a kernel (the runners), what counts as moved for
the user (the parent).
"""

import time
import traceback

import worker_protocol
import worker_threads
import worker_timing

# A reference that differs by more has moved.
MOVED = 0.05
# How often a bout is timed again at most.
REPEATS = 1
# Share of the time of all that goes into timing bouts again: where nothing keeps still, more
# kernels tell more than the same ones again.
_REPEAT_SHARE = 0.05
# Values of a kernel with "looks" that are taken in its bout; the others follow.
FIRST_VALUES = 3
# Seconds from one round of further values to the next, at least.
SPREAD_EVERY_S = 2.0
_REFERENCE_VALUES = 3


class Piece:
    """One kernel of a bout: prepared, checked, and warm."""

    def __init__(self, runner, kernel, channel):
        self.kernel = kernel
        self.name = kernel["id"]
        self.values_s = []
        self.n_told = 0
        self.n_dropped = 0
        channel.send("stage", id=self.name, stage="prepare")
        self._prepared = runner.prepare(kernel)
        try:
            self.check = self._prepared.check()
            worker_threads.wait_after_check()
            channel.send("stage", id=self.name, stage="warm_up", check=self.check)
            self._warmth = worker_timing.warm_up(
                self._prepared.run,
                kernel["min_value_s"],
                kernel["n_values"],
                getattr(self._prepared, "loops_per_call", 1),
                looks=kernel.get("looks"),
            )
        except Exception:
            self._prepared.close()
            raise
        self.wanted = self._warmth.wanted
        self.first_wanted = min(self.wanted, FIRST_VALUES) if self.is_spread else self.wanted

    @property
    def is_spread(self):
        """Whether its values are to cover the whole run."""
        return "looks" in self.kernel

    @property
    def at_once(self):
        """How many values a look takes."""
        return -(-self.wanted // self.kernel.get("looks", 1))

    @property
    def round_s(self):
        """How long one value takes."""
        return self._warmth.lasted_s

    def take(self):
        """Take one value; noise may make a difference negative, but not for ever."""
        for _ in range(worker_timing.MAX_BAD_VALUES + 1):
            seconds = self._prepared.run(self._warmth.loops)
            if worker_timing.is_usable(seconds):
                self.values_s.append(seconds / self._warmth.loops)
                return
            self.n_dropped += 1
        raise worker_timing.ClockError(
            "the clock gave {!r} s for {} loops".format(seconds, self._warmth.loops)
        )

    def settle(self):
        """Run it as long as one look lasts, without timing it."""
        for _ in range(self.at_once):
            self._prepared.run(self._warmth.loops)

    def report(self, channel, moved=None):
        """Tell the values; `moved` is how far the reference moved meanwhile, as a share."""
        self.n_told = len(self.values_s)
        channel.send(
            "value",
            id=self.name,
            warmups_s=self._warmth.warmups_s,
            values_s=list(self.values_s),
            loops=self._warmth.loops,
            lasted_s=self._warmth.lasted_s,
            check=self.check,
            moved=moved,
            is_difference=bool(getattr(self._prepared, "is_difference", False)),
            n_dropped=self.n_dropped,
        )

    def close(self):
        """Let go of the kernel."""
        self._prepared.close()


class Bouts:
    """Runs the kernels of a request in bouts.

    Args:
        runner: prepares kernels.
        channel: where results are told.
        fail: called with a kernel and an exception.
        skip: called with the kernels for which no time is left.
        has_time: called with seconds, tells whether so many are left.
        repeat_s: seconds that may go into timing bouts again, None for no limit.
        clock: seconds.
    """

    def __init__(self, runner, channel, fail, skip, has_time, repeat_s=None, clock=time.monotonic):
        self._runner, self._channel = runner, channel
        self._repeat_s = repeat_s
        self._fail, self._skip, self._has_time = fail, skip, has_time
        self._clock = clock
        self._reference = None
        self._spread = []
        self._spread_at = clock()
        self._slowest_s = {}

    def begin(self, reference):
        """Prepare the reference, a kernel or None; without one nothing is compared."""
        self._reference = None if reference is None else self._prepare(reference)

    def run(self, kernels):
        """Time the kernels of one bout and report them."""
        pieces = self._prepare_all(kernels)
        before = self._look()
        moved = None
        for attempt in range(REPEATS + 1):
            pieces = self._rounds(pieces, is_again=attempt > 0)
            after = self._look()
            moved = None if before is None or after is None else abs(after / before - 1.0)
            retimed = [piece for piece in pieces if not piece.is_spread]
            cost_s = sum(piece.round_s * piece.first_wanted for piece in retimed)
            is_steady = moved is None or moved <= MOVED
            if is_steady or not retimed or not self._may_repeat(attempt, cost_s):
                break
            before = after
        for piece in pieces:
            if piece.is_spread:
                self._spread.append(piece)
            else:
                # Said before: a library that dies now dies at this kernel.
                self._channel.send("stage", id=piece.name, stage="close", check=piece.check)
                piece.close()
            piece.report(self._channel, moved)
        self._tend_spread()

    def _prepare_all(self, kernels):
        """Prepare the kernels that there is time for, and for one value of each before them.

        Preparing one is taken to last as long as the slowest of its kind did.
        """
        pieces, late = [], []
        for kernel in kernels:
            kind = (kernel.get("shape", {}).get("type"), kernel.get("direction"))
            slowest_s = self._slowest_s.get(kind, 0.0)
            if not self._has_time(sum(piece.round_s for piece in pieces) + slowest_s):
                late.append(kernel)
                continue
            started = self._clock()
            piece = self._prepare(kernel)
            self._slowest_s[kind] = max(slowest_s, self._clock() - started)
            if piece is not None:
                pieces.append(piece)
            self._tend_spread()
        if late:
            self._skip(late)
        return pieces

    def _may_repeat(self, attempt, cost_s):
        """Return whether a bout may be timed again, and count what it costs."""
        is_too_much = self._repeat_s is not None and cost_s > self._repeat_s
        if attempt == REPEATS or is_too_much or not self._has_time(2.0 * cost_s):
            return False
        if self._repeat_s is not None:
            self._repeat_s -= cost_s
        return True

    def end(self, rests=False):
        """Take and report what is left of what is timed over the whole run, and let go of it.

        Args:
            rests: rest before each round, settle then, and report after it.
        """
        while any(self._is_due(piece) for piece in self._spread):
            if rests:
                self._channel.rest()
                self._settle()
            self._take_of_spread()
            for piece in self._spread if rests else ():
                piece.report(self._channel)
        for piece in self._spread:
            if len(piece.values_s) > piece.n_told:
                piece.report(self._channel)
            piece.close()
        self._spread = []
        if self._reference is not None:
            self._reference.report(self._channel)
            self._reference.close()
            self._reference = None

    def _prepare(self, kernel):
        self._channel.check_cancelled()
        try:
            return Piece(self._runner, kernel, self._channel)
        except worker_protocol.Cancelled:
            raise
        except Exception as error:
            traceback.print_exc()
            self._fail(kernel, error)
            return None

    def _take(self, piece):
        """Take a value; return whether that went well."""
        self._channel.check_cancelled()
        self._channel.send("stage", id=piece.name, stage="timing", check=piece.check)
        try:
            piece.take()
        except Exception as error:
            traceback.print_exc()
            self._fail(piece.kernel, error)
            piece.close()
            return False
        return True

    def _rounds(self, pieces, is_again=False):
        """Take the values of all pieces in turn; return those that did not fail.

        One value of each is taken in any case, further ones while there is time. When it is done
        again, what has further values at other moments anyway is left out.
        """

        def is_done(piece, index):
            return index >= piece.first_wanted or (is_again and piece.is_spread)

        for index in range(max([piece.first_wanted for piece in pieces], default=0)):
            if index > 0 and not self._has_time(sum(piece.round_s for piece in pieces)):
                break
            pieces = [piece for piece in pieces if is_done(piece, index) or self._take(piece)]
            self._tend_spread()
        return pieces

    def _look(self):
        """Return the seconds of the reference now, None where there is none."""
        reference = self._reference
        if reference is None:
            return None
        before = len(reference.values_s)
        for _ in range(_REFERENCE_VALUES):
            if not self._take(reference):
                self._reference = None
                return None
        return min(reference.values_s[before:])

    def _tend_spread(self):
        """Take a round of what covers the run, unless there was one a moment ago."""
        if self._clock() - self._spread_at >= SPREAD_EVERY_S:
            self._take_of_spread()

    def _settle(self):
        """Bring the machine back to speed after a rest: memory takes a tenth of a second for it."""
        for piece in self._spread:
            if self._is_due(piece):
                piece.settle()

    def _take_of_spread(self):
        """Look once more at each kernel whose values cover the run."""
        for piece in list(self._spread):
            self._channel.check_cancelled()
            try:
                for _ in range(piece.at_once):
                    if self._is_due(piece):
                        piece.take()
            except Exception:
                # Its first values are told already, and they stand.
                traceback.print_exc()
                self._spread.remove(piece)
                piece.close()
        self._spread_at = self._clock()

    def _is_due(self, piece):
        return len(piece.values_s) < piece.wanted and self._has_time(piece.round_s)


def run_in_bouts(runner, request, channel, fail, skip, started, clock=time.monotonic):
    """Run the kernels of a request in bouts of "bout" kernels.

    Args:
        runner: prepares kernels.
        request: "kernels", of which one may have "is_reference", "bout", "budget_s", and "rests".
        channel: where results are told.
        fail: called with a kernel and an exception.
        skip: called with the kernels for which no time is left.
        started: from when the budget counts, by the clock.
        clock: seconds.
    """
    budget_s = request.get("budget_s")
    left = worker_timing.TimeLeft(budget_s, started, clock)
    channel.on_resume = left.grant
    reference = next((k for k in request["kernels"] if k.get("is_reference")), None)
    kernels = [kernel for kernel in request["kernels"] if kernel is not reference]
    if not left.has(0.0):
        skip(request["kernels"])
        return
    repeat_s = None if budget_s is None else _REPEAT_SHARE * budget_s
    bouts = Bouts(runner, channel, fail, skip, left.has, repeat_s, clock)
    bouts.begin(reference)
    size = request["bout"]
    for first in range(0, max(1, len(kernels)), size):
        if not left.has(0.0):
            skip(kernels[first:])
            break
        bouts.run(kernels[first : first + size])
    bouts.end(bool(request.get("rests")))
