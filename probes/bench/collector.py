"""Turns the messages of the children of a session into one answer for each request.

Leaves to others: starting children (`probes.bench.session`), the form of messages
(`probes.bench.protocol`).
"""

import dataclasses
from collections.abc import Callable, Iterable, Sequence

from advisor.model.measurement import (
    BenchmarkRequest,
    FailedMeasurement,
    Measurement,
    Outcome,
    SoftwareStack,
    StabilityWarning,
)
from probes.bench.events import KernelFinished, KernelProgress, KernelStarted, SessionEvent
from probes.bench.parsing import parse_stack, parse_times
from probes.bench.protocol import Message
from probes.bench.stability import MOVED, warnings_of_values

Result = Measurement | FailedMeasurement


class Collector:
    """Takes the messages of the children, gives results and events.

    Attributes:
        results: the answers so far.
        current: id of the kernel at which the child is; None between kernels.
        is_loading: whether the child is importing its framework.
    """

    def __init__(
        self, requests: Sequence[BenchmarkRequest], on_event: Callable[[SessionEvent], None]
    ) -> None:
        self._requests = {request.id: request for request in requests}
        self._on_event = on_event
        self._stack: SoftwareStack | None = None
        self._done: set[str] = set()
        self.results: list[Result] = []
        self.current: str | None = None
        self.is_loading = False
        self._check = ""
        self._values_s: list[float] = []
        self._loops = 0
        self._elapsed_s = 0.0

    def begin_child(self) -> None:
        """Forget the child before."""
        self._stack = None
        self.current = None
        self.is_loading = False

    def is_open(self, request: BenchmarkRequest) -> bool:
        """Whether a request has no answer yet."""
        return request.id not in self._done

    def fail(self, request: BenchmarkRequest, outcome: Outcome, message: str) -> None:
        """Answer a request with the reason why there is no figure."""
        self._finish(FailedMeasurement(request=request, outcome=outcome, message=message))

    def take(self, message: Message) -> None:
        """Take one message of a child; what does not fit is ignored."""
        kind = message["type"]
        if kind == "stage":
            self.is_loading = message.get("stage") == "import"
        if kind == "stage" and "stack" in message:
            self._stack = parse_stack(message["stack"])
        request = self._requests.get(str(message.get("id")))
        if request is not None and kind == "value" and not self.is_open(request):
            self._take_more(request, message)
        if request is None or not self.is_open(request):
            return
        if kind == "stage":
            self._begin(request, message)
            stage = str(message.get("stage"))
            self._on_event(KernelStarted(request=request, stage=stage))
        elif kind == "progress":
            self._take_progress(request, message)
        elif kind == "value":
            self._take_value(request, message)
        elif kind == "kernel_failed":
            outcome = next((o for o in Outcome if o == message.get("outcome")), Outcome.FAILED)
            self.fail(request, outcome, str(message.get("message") or "no reason was given"))

    def _begin(self, request: BenchmarkRequest, message: Message) -> None:
        self.current = request.id
        self._check = str(message.get("check") or "")
        self._values_s, self._loops, self._elapsed_s = [], 0, 0.0

    def _take_progress(self, request: BenchmarkRequest, message: Message) -> None:
        values, loops = parse_times([message.get("value_s")]), message.get("loops")
        if not values or not isinstance(loops, int) or loops < 1:
            return
        self._values_s.append(values[0])
        self._loops = loops
        self._elapsed_s += values[0] * loops
        self._on_event(KernelProgress(request=request, value_s=values[0], at_s=self._elapsed_s))

    def keep_values(self, request: BenchmarkRequest) -> None:
        """Answer a request that was stopped with the values that it told, if there are any."""
        if self.current != request.id or not self._values_s or self._stack is None:
            return
        values = tuple(self._values_s)
        self._finish(
            Measurement(
                request=request,
                stack=self._stack,
                warmups_s=(),
                values_s=values,
                loops=self._loops,
                check=self._check,
                warnings=warnings_of_values(values, lasted_s=min(values) * self._loops),
            )
        )

    def _take_value(self, request: BenchmarkRequest, message: Message) -> None:
        values = parse_times(message.get("values_s"))
        loops = message.get("loops")
        if not values or not isinstance(loops, int) or loops < 1 or self._stack is None:
            self.fail(request, Outcome.PROTOCOL_ERROR, "the worker gave times that make no sense")
            return
        lasted = parse_times([message.get("lasted_s")])
        shortest = min(values) * loops
        moved = parse_times([message.get("moved")])
        unsteady = (StabilityWarning.UNSTEADY,) if moved and moved[0] > MOVED else ()
        self._finish(
            Measurement(
                request=request,
                stack=self._stack,
                warmups_s=parse_times(message.get("warmups_s")),
                values_s=values,
                loops=loops,
                check=str(message.get("check") or ""),
                warnings=(
                    *warnings_of_values(values, lasted_s=lasted[0] if lasted else shortest),
                    *unsteady,
                ),
            )
        )

    def _take_more(self, request: BenchmarkRequest, message: Message) -> None:
        """Take all values of a kernel that went on being timed after its first ones were told."""
        values = parse_times(message.get("values_s"))
        for index, result in enumerate(self.results):
            if not isinstance(result, Measurement) or result.request.id != request.id:
                continue
            if len(values) > len(result.values_s):
                lasted_s = min(values) * result.loops
                kept = {StabilityWarning.UNSTEADY} & set(result.warnings)
                warnings = (*warnings_of_values(values, lasted_s=lasted_s), *kept)
                self.results[index] = dataclasses.replace(
                    result, values_s=values, warnings=warnings
                )

    def _finish(self, result: Result) -> None:
        self.results.append(result)
        self._done.add(result.request.id)
        if self.current == result.request.id:
            self.current = None
        self._on_event(
            KernelFinished(result=result, n_done=len(self.results), n_total=len(self._requests))
        )

    def fail_all(
        self, requests: Iterable[BenchmarkRequest], outcome: Outcome, message: str
    ) -> None:
        """Answer several requests with the same reason."""
        for request in requests:
            self.fail(request, outcome, message)
