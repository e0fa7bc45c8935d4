"""The order in which the children of a session visit what is asked.

What is shown, or compared, is measured at several moments that lie apart, and its values are those
of all of them: a machine that is slower for some seconds then spoils a few values of everything,
not all values of one thing. The children of what is cheap (NumPy, memory, the clock, the processor
seen through OpenCL) stay beside the long child of Keras: they rest while it works, and each time
that it rests they take one more value. Settings take turns: A B A B, with the default among them.
Leaves to others: what is asked (`probes.bench.plan`), running a visit (`probes.bench.visit_run`),
who has the turn (`probes.bench.turns`).
"""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from advisor.model.machine import CPU_DEVICE_ID
from advisor.model.measurement import BenchmarkRequest, Runner, Setting
from probes.bench.plan import HEADLINE, REFERENCE, REFERENCE_SUFFIX
from probes.bench.plan_builder import CHEAP, n_looks
from probes.bench.plan_opencl import SHORT_BUDGET_S

# Visits of each setting.
N_TURNS = 2
_OTHER_FRAMEWORKS = frozenset({Runner.TORCH, Runner.JAX, Runner.ONNXRUNTIME, Runner.OPENVINO})
# Seconds that each turn must have, lest all time goes into starting frameworks.
_LEAST_TURN_S = 20.0
# Share of all time that is kept for the settings and other frameworks: in all, at most for each.
_SHARE_OF_ALL = 0.3
_MOST_SHARE = 0.1
# Share that is kept for the default framework while NumPy, memory and the clock are measured.
_MAIN_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Conditions:
    """What requires a child of its own."""

    runner: Runner
    device_id: str
    threads: int | None
    settings: tuple[Setting, ...]
    is_last: bool

    @property
    def is_compared(self) -> bool:
        """Whether this is a setting or a framework that is compared with the default."""
        is_setting = bool(self.settings) or self.threads is not None
        return is_setting or self.runner in _OTHER_FRAMEWORKS

    @property
    def is_main(self) -> bool:
        """Whether this is the default framework on the processor."""
        is_ours = self.runner is Runner.KERAS and self.device_id == CPU_DEVICE_ID
        return is_ours and not self.is_compared


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """Requests that are put to one child, as often timed as in this visit.

    Attributes:
        is_again: whether what it asks has been visited before.
        share: of all time of the device, kept for it by those that come before.
        is_beside: whether its child rests after each round, until others have had their turn.
    """

    conditions: Conditions
    requests: tuple[BenchmarkRequest, ...]
    is_again: bool = False
    share: float = 0.0
    is_beside: bool = False

    @property
    def n_rounds(self) -> int:
        """So often it is looked at what is shown, at most once in a round."""
        shown = [n_looks(request) for request in self.requests if request.role == HEADLINE]
        return max(shown, default=1)


def conditions_of(request: BenchmarkRequest) -> Conditions:
    """Return under what a request is run; the last look at the clock stands by itself."""
    is_last = request.runner is Runner.CLOCK and request.id.endswith(REFERENCE_SUFFIX)
    return Conditions(request.runner, request.device_id, request.threads, request.settings, is_last)


def schedule(
    requests: Iterable[BenchmarkRequest], *, budget_s: float | Mapping[str, float] | None
) -> tuple[Visit, ...]:
    """Return the visits of a session in their order: those that stay beside the others first.

    Without a limit of time everything is visited once, one thing after the other.
    """
    groups: dict[Conditions, list[BenchmarkRequest]] = {}
    for request in requests:
        groups.setdefault(conditions_of(request), []).append(request)
    limit_s = budget_s.get(CPU_DEVICE_ID) if isinstance(budget_s, Mapping) else budget_s
    compared = [conditions for conditions in groups if conditions.is_compared]
    share = min(_MOST_SHARE, _SHARE_OF_ALL / len(compared)) if compared else 0.0
    firsts = [
        Visit(
            conditions=conditions,
            requests=tuple(group),
            share=share if conditions.is_compared else _MAIN_SHARE if conditions.is_main else 0.0,
        )
        for conditions, group in groups.items()
    ]
    if limit_s is None:
        return tuple(firsts)
    is_worth_turns = bool(compared) and (limit_s / (N_TURNS * len(compared) + 1) >= _LEAST_TURN_S)
    if is_worth_turns:
        firsts = _in_turns(firsts)
    visits = [dataclasses.replace(v, is_beside=_stays_beside(v, budget_s)) for v in firsts]
    return tuple(sorted(visits, key=lambda visit: not visit.is_beside))


def _stays_beside(visit: Visit, budget_s: float | Mapping[str, float] | None) -> bool:
    """Return whether a visit is one of what is cheap, or of a device that has little time."""
    conditions = visit.conditions
    if conditions.runner is Runner.OPENCL:
        limit_s = budget_s.get(conditions.device_id) if isinstance(budget_s, Mapping) else None
        return limit_s is not None and limit_s <= SHORT_BUDGET_S
    return conditions.runner in CHEAP and not conditions.is_last


def _part(n_values: int, *, index: int, n_parts: int) -> int:
    """Return how many of some values belong to a part; the first parts have the odd ones."""
    return n_values // n_parts + (index < n_values % n_parts)


def _some(
    requests: Sequence[BenchmarkRequest], *, index: int, n_parts: int
) -> tuple[BenchmarkRequest, ...]:
    """Return the requests with the values of one part; those that have none are left out."""
    parts = [
        dataclasses.replace(request, n_values=n_values)
        for request in requests
        if (n_values := _part(request.n_values, index=index, n_parts=n_parts))
    ]
    return tuple(parts)


def _in_turns(visits: Sequence[Visit]) -> list[Visit]:
    """Let what is compared take turns, with the same kernels of the default among them."""
    compared = [visit for visit in visits if visit.conditions.is_compared]
    kernels = {
        (request.shape, request.direction, request.precision)
        for visit in compared
        for request in visit.requests
    }
    turns: list[Visit] = []
    main = next((visit for visit in visits if visit.conditions.is_main), None)
    for index in range(N_TURNS):
        if main is not None:
            again = [
                request
                for request in main.requests
                if (request.shape, request.direction, request.precision) in kernels
                or request.role == REFERENCE
            ]
            some = _some(again, index=index, n_parts=N_TURNS)
            turns += [
                Visit(
                    conditions=main.conditions,
                    requests=some,
                    is_again=True,
                    share=compared[0].share / N_TURNS,
                )
            ]
        for visit in compared:
            some = _some(visit.requests, index=index, n_parts=N_TURNS)
            changed = {"requests": some, "is_again": index > 0, "share": visit.share / N_TURNS}
            turns += [dataclasses.replace(visit, **changed)]  # type: ignore[arg-type]
    turns = [visit for visit in turns if visit.requests]
    at = visits.index(compared[0])
    before = [visit for visit in visits[:at] if visit not in compared]
    return [*before, *turns, *[visit for visit in visits[at:] if visit not in compared]]
