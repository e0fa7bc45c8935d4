"""Gives the visits of a session their turns: one child works, the others rest or are not there.

What stays beside (see `probes.bench.visits`) begins, and rests after its first round. Then the
other visits are made; each time that the default framework rests (where there is none: any), some
of those beside it take one more round. What they have not taken by then they take at the end.
Leaves to others: one visit (`probes.bench.visit_run`), what is left of the time of a device
(`probes.bench.allowance`).
"""

import contextlib
from collections.abc import Callable, Generator, Mapping, Sequence
from types import TracebackType
from typing import Self

from advisor.model.measurement import Runner
from probes.bench.allowance import Allowance
from probes.bench.visit_run import Surroundings, VisitRun
from probes.bench.visits import Conditions, Visit

# Seconds that are kept for each visit that comes after another of the same device.
_RESERVE_S = 1.0
# A second visit may take so many times what the first took, and a second more.
_AGAIN_TIMES = 2.0
# So often a framework is asked to rest, if it takes its whole time; not before this many seconds.
_N_RESTS = 16
_LEAST_WORK_S = 1.0
# Before a round was seen to take longer, it takes so many times the least that its values last.
_ROUND_TIMES = 1.5


class _Beside:
    """A visit whose child rests between its rounds."""

    def __init__(self, visit: Visit, steps: Generator[None, None, None]) -> None:
        self.visit, self.steps = visit, steps
        self._n_done = 0
        self._round_s = _ROUND_TIMES * sum(request.min_value_s for request in visit.requests)

    @property
    def device_id(self) -> str:
        """The device that its time is taken from."""
        return self.visit.conditions.device_id

    @property
    def rest_s(self) -> float:
        """Seconds that its other rounds will take, as far as one can tell."""
        return self._round_s * max(0, self.visit.n_rounds - self._n_done)

    def count(self, seconds: float) -> None:
        """Count a round that took so long; the first has all that comes before it, too."""
        if self._n_done > 0:
            self._round_s = max(0.0, seconds)
        self._n_done += 1

    def is_due(self, rest: int, place: int) -> bool:
        """Whether it has its turn at a rest, when its rounds are spread over all of them."""
        every = max(1, round(_N_RESTS / self.visit.n_rounds))
        return rest % every == place % every


class Turns:
    """Makes all visits; a context manager, at whose end no child is left.

    Args:
        visits: in their order, those that stay beside the others first.
        around: what they share.
        budget_s: seconds in all, or by the id of each device; None: no limit.
    """

    def __init__(
        self,
        visits: Sequence[Visit],
        *,
        around: Surroundings,
        budget_s: float | Mapping[str, float] | None,
    ) -> None:
        self._waiting = list(visits)
        self._has_main = any(visit.conditions.is_main for visit in visits)
        self._around = around
        self._budget_s = budget_s
        self._clock = around.clock
        self._allowance = Allowance(budget_s, clock=around.clock)
        self._spent_s: dict[Conditions, float] = {}
        self._beside: list[_Beside] = []
        self._open = contextlib.ExitStack()

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End the children that rest."""
        self._open.close()

    def take(self) -> None:
        """Make the visits."""
        while self._waiting:
            visit = self._waiting.pop(0)
            if visit.is_beside:
                self._begin_beside(visit)
            elif visit.conditions.is_last:
                # The clock is looked at when everything else is over.
                self._finish_beside()
                self._make(visit)
            else:
                self._make(visit)
        self._finish_beside()

    def _begin_beside(self, visit: Visit) -> None:
        run = VisitRun(
            visit.requests,
            around=self._around,
            rest_s=self._allowance.rest_s,
            rests=True,
            n_rounds=visit.n_rounds,
        )
        beside = _Beside(visit, self._open.enter_context(contextlib.closing(run.steps())))
        self._beside.append(beside)
        self._step(beside)

    def _step(self, beside: _Beside) -> None:
        """Let a child that rests take a round; it is dropped when it is over."""
        with self._on(beside.device_id, but=beside):
            started = self._clock()
            if next(beside.steps, self) is self:
                self._beside.remove(beside)
            beside.count(self._clock() - started)

    def _finish_beside(self) -> None:
        while self._beside:
            for beside in list(self._beside):
                self._step(beside)

    def _make(self, visit: Visit) -> None:
        """Make a visit from its beginning to its end, with turns of others at its rests."""
        device_id = visit.conditions.device_id
        self._begin(device_id)
        started = self._clock()
        rest_s = self._rest_of(visit, started=started)
        run = VisitRun(
            visit.requests,
            around=self._around,
            rest_s=rest_s,
            rest_every_s=self._rest_every_s(visit, limit_s=rest_s()),
        )
        steps = self._open.enter_context(contextlib.closing(run.steps()))
        for rest, _ in enumerate(steps):
            self._allowance.end()
            for place, beside in enumerate(list(self._beside)):
                if beside.is_due(rest, place):
                    self._step(beside)
            self._begin(device_id)
        self._allowance.end()
        self._spent_s.setdefault(visit.conditions, max(0.0, self._clock() - started))

    def _rest_every_s(self, visit: Visit, *, limit_s: float | None) -> float | None:
        """Return after how many seconds a visit is to rest for those beside it; None: never."""
        conditions = visit.conditions
        can_rest = conditions.is_main if self._has_main else conditions.runner is not Runner.OPENCL
        if not (self._beside and can_rest) or limit_s is None:
            return None
        return max(_LEAST_WORK_S, limit_s / _N_RESTS)

    def _rest_of(self, visit: Visit, *, started: float) -> Callable[[], float | None]:
        """Return what tells the seconds that are left for a visit now."""
        if not (_is_short(visit) and visit.conditions in self._spent_s):
            return self._allowance.rest_s
        limit_s = _AGAIN_TIMES * self._spent_s[visit.conditions] + _RESERVE_S

        def rest_s() -> float | None:
            rest = self._allowance.rest_s()
            own = limit_s - max(0.0, self._clock() - started)
            return None if rest is None else min(rest, own)

        return rest_s

    @contextlib.contextmanager
    def _on(self, device_id: str, *, but: _Beside | None = None) -> Generator[None, None, None]:
        """Count what is done for a device."""
        self._begin(device_id, but=but)
        try:
            yield
        finally:
            self._allowance.end()

    def _begin(self, device_id: str, *, but: _Beside | None = None) -> None:
        """Begin to count for a device, and keep what others of it will need."""
        waiting = [visit for visit in self._waiting if visit.conditions.device_id == device_id]
        beside = [b for b in self._beside if b.device_id == device_id and b is not but]
        reserve_s = sum(map(self._reserve_s, waiting)) + sum(b.rest_s for b in beside)
        self._allowance.begin(device_id, reserve_s=reserve_s)

    def _reserve_s(self, visit: Visit) -> float:
        limit_s = self._budget_s
        if isinstance(limit_s, Mapping):
            limit_s = limit_s.get(visit.conditions.device_id)
        least_s = self._spent_s.get(visit.conditions, 0.0) if _is_short(visit) else 0.0
        # Not both: on a slow machine the first setting would leave nothing to the next.
        return max(_RESERVE_S + visit.share * (limit_s or 0.0), least_s)


def _is_short(visit: Visit) -> bool:
    """Whether a visit is a repetition of a short one, and takes about as long."""
    return visit.is_again and not visit.conditions.is_main
