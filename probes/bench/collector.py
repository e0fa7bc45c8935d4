"""Turns the messages of the children of a session into one answer for each request.

A request may be visited by several children: its values are those of all of them, in order.
Leaves to others: starting children (`probes.bench.visit_run`), the form of messages
(`probes.bench.protocol`).
"""

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from advisor.model.measurement import (
    BenchmarkRequest,
    FailedMeasurement,
    Measurement,
    Outcome,
    SoftwareStack,
    StabilityWarning,
)
from probes.bench.events import KernelFinished, KernelProgress, KernelStarted, SessionEvent
from probes.bench.exits import plain_reason
from probes.bench.parsing import parse_stack, parse_times
from probes.bench.protocol import Message
from probes.bench.stability import MOVED, warnings_of_values

Result = Measurement | FailedMeasurement
_NO_SENSE = "the worker gave times that make no sense"


@dataclass(slots=True)
class ChildState:
    """What is known of the child that is being listened to.

    Attributes:
        before: measurements of what it was asked, as they were before it.
        current: id of the kernel at which it is; None between kernels.
        is_loading: whether it is importing its framework.
    """

    asked: frozenset[str] = frozenset()
    before: dict[str, Measurement] = field(default_factory=dict)
    stack: SoftwareStack | None = None
    current: str | None = None
    is_loading: bool = False
    check: str = ""
    values_s: list[float] = field(default_factory=list)
    loops: int = 0
    elapsed_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """What one message says of one kernel."""

    values_s: tuple[float, ...]
    warmups_s: tuple[float, ...]
    loops: int
    lasted_s: float
    check: str
    is_unsteady: bool
    is_difference: bool
    n_dropped: int


def _parse_told(message: Message) -> _Told | None:
    """Return what a message says; None when it makes no sense."""
    values, loops = parse_times(message.get("values_s")), message.get("loops")
    if not values or not isinstance(loops, int) or loops < 1:
        return None
    lasted, moved = parse_times([message.get("lasted_s")]), parse_times([message.get("moved")])
    dropped = message.get("n_dropped")
    return _Told(
        values_s=values,
        warmups_s=parse_times(message.get("warmups_s")),
        loops=loops,
        lasted_s=lasted[0] if lasted else min(values) * loops,
        check=plain_reason(message.get("check")),
        is_unsteady=bool(moved) and moved[0] > MOVED,
        is_difference=message.get("is_difference") is True,
        n_dropped=dropped if isinstance(dropped, int) and dropped > 0 else 0,
    )


class Collector:
    """Takes the messages of the children, gives results and events.

    Attributes:
        results: the answers so far.
    """

    def __init__(
        self, requests: Sequence[BenchmarkRequest], on_event: Callable[[SessionEvent], None]
    ) -> None:
        self._requests = {request.id: request for request in requests}
        self._on_event = on_event
        self._open = set(self._requests)
        self._places: dict[str, int] = {}
        self._child = ChildState(asked=frozenset(self._requests))
        self.results: list[Result] = []

    @property
    def current(self) -> str | None:
        """Id of the kernel at which the child is; None between kernels."""
        return self._child.current

    @property
    def is_loading(self) -> bool:
        """Whether the child is importing its framework."""
        return self._child.is_loading

    def begin_visit(self, requests: Iterable[BenchmarkRequest]) -> None:
        """Ask for more values of requests; what has failed is not asked again."""
        self._open |= {
            r.id for r in requests if not isinstance(self._result(r.id), FailedMeasurement)
        }

    def begin_child(self, asked: Iterable[BenchmarkRequest] | None = None) -> ChildState:
        """Listen to a new child, which is asked some requests; None: all.

        Returns:
            The state of the child before, for `return_to`.
        """
        previous = self._child
        ids = frozenset(self._requests if asked is None else (request.id for request in asked))
        found = {name: self._result(name) for name in ids}
        before = {name: r for name, r in found.items() if isinstance(r, Measurement)}
        self._child = ChildState(asked=ids, before=before)
        return previous

    def return_to(self, child: ChildState) -> None:
        """Listen again to a child that rested meanwhile."""
        self._child = child

    def is_open(self, request: BenchmarkRequest) -> bool:
        """Whether a request has no answer yet, or not yet one of this visit."""
        return request.id in self._open

    def _result(self, name: str) -> Result | None:
        place = self._places.get(name)
        return None if place is None else self.results[place]

    def fail(self, request: BenchmarkRequest, outcome: Outcome, message: str) -> None:
        """Answer a request with the reason why there is no figure.

        What was measured in an earlier visit stands, unless the kernel computes wrong.
        """
        failed = FailedMeasurement(
            request=self._requests[request.id], outcome=outcome, message=message
        )
        if self._result(request.id) is None:
            self._finish(failed)
            return
        if outcome is Outcome.WRONG_RESULT:
            self.results[self._places[request.id]] = failed
        self._close(request.id)

    def fail_all(
        self, requests: Iterable[BenchmarkRequest], outcome: Outcome, message: str
    ) -> None:
        """Answer several requests with the same reason."""
        for request in requests:
            self.fail(request, outcome, message)

    def take(self, message: Message) -> None:
        """Take one message of a child; what does not fit is ignored."""
        kind, child = message["type"], self._child
        if kind == "stage":
            child.is_loading = message.get("stage") == "import"
            if "stack" in message:
                child.stack = parse_stack(message["stack"])
        name = str(message.get("id"))
        request = self._requests.get(name)
        if request is None or name not in child.asked:
            return
        if name not in self._open:
            if kind == "value":
                self._take_more(name, message)
        elif kind == "stage":
            self._begin(request, message)
        elif kind == "progress":
            self._take_progress(request, message)
        elif kind == "value":
            self._take_value(request, message)
        elif kind == "kernel_failed":
            outcome = next((o for o in Outcome if o == message.get("outcome")), Outcome.FAILED)
            reason = plain_reason(message.get("message")) or "no reason was given"
            self.fail(request, outcome, reason)

    def _begin(self, request: BenchmarkRequest, message: Message) -> None:
        child = self._child
        child.current = request.id
        child.check = plain_reason(message.get("check"))
        child.values_s, child.loops, child.elapsed_s = [], 0, 0.0
        if self._result(request.id) is None:
            self._on_event(KernelStarted(request=request, stage=str(message.get("stage"))))

    def _take_progress(self, request: BenchmarkRequest, message: Message) -> None:
        values, loops = parse_times([message.get("value_s")]), message.get("loops")
        if not values or not isinstance(loops, int) or loops < 1:
            return
        child = self._child
        child.values_s.append(values[0])
        child.loops = loops
        child.elapsed_s += values[0] * loops
        self._on_event(KernelProgress(request=request, value_s=values[0], at_s=child.elapsed_s))

    def keep_values(self, request: BenchmarkRequest) -> None:
        """Answer a request that was stopped with the values that it told, if there are any."""
        child = self._child
        if child.current != request.id or not child.values_s or child.stack is None:
            return
        values = tuple(child.values_s)
        told = _Told(
            values_s=values,
            warmups_s=(),
            loops=child.loops,
            lasted_s=min(values) * child.loops,
            check=child.check,
            is_unsteady=False,
            is_difference=False,
            n_dropped=0,
        )
        self._put(request.id, told, stack=child.stack)

    def _take_value(self, request: BenchmarkRequest, message: Message) -> None:
        told, stack = _parse_told(message), self._child.stack
        if told is None or stack is None:
            self.fail(request, Outcome.PROTOCOL_ERROR, _NO_SENSE)
            return
        self._put(request.id, told, stack=stack)

    def _take_more(self, name: str, message: Message) -> None:
        """Take all values of a kernel that went on being timed after its first ones were told."""
        told, result, stack = _parse_told(message), self._result(name), self._child.stack
        if told is None or stack is None or not isinstance(result, Measurement):
            return
        before = self._child.before.get(name)
        n_before = 0 if before is None else len(before.values_s)
        if n_before + len(told.values_s) > len(result.values_s):
            is_unsteady = told.is_unsteady or StabilityWarning.UNSTEADY in result.warnings
            told = dataclasses.replace(told, is_unsteady=is_unsteady)
            self._put(name, told, stack=stack)

    def _put(self, name: str, told: _Told, *, stack: SoftwareStack) -> None:
        """Make what a child told, and what is known from before it, the answer."""
        before = self._child.before.get(name)
        values = (*(before.values_s if before else ()), *told.values_s)
        n_dropped = told.n_dropped + (before.n_dropped if before else 0)
        was_unsteady = before is not None and StabilityWarning.UNSTEADY in before.warnings
        unsteady = (StabilityWarning.UNSTEADY,) if told.is_unsteady or was_unsteady else ()
        result = Measurement(
            request=self._requests[name],
            stack=stack,
            warmups_s=before.warmups_s if before else told.warmups_s,
            values_s=values,
            loops=told.loops,
            check=told.check,
            warnings=(
                *warnings_of_values(values, lasted_s=told.lasted_s, n_dropped=n_dropped),
                *unsteady,
            ),
            is_difference=told.is_difference,
            n_dropped=n_dropped,
        )
        if self._result(name) is None:
            self._finish(result)
            return
        self.results[self._places[name]] = result
        self._close(name)

    def _close(self, name: str) -> None:
        self._open.discard(name)
        if self._child.current == name:
            self._child.current = None

    def _finish(self, result: Result) -> None:
        self._places[result.request.id] = len(self.results)
        self.results.append(result)
        self._close(result.request.id)
        self._on_event(
            KernelFinished(result=result, n_done=len(self.results), n_total=len(self._requests))
        )
