"""Makes one visit: runs as many children, one after the other, as its requests take.

A child that dies or hangs takes only the kernel with it that it was at: that one gets the verdict
and the rest goes on in another child, within the time of the visit.
Leaves to others: the order of visits (`probes.bench.visits`), the child (`probes.bench.process`).
"""

import contextlib
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from advisor.model.codec import encode
from advisor.model.kernel import KernelShape
from advisor.model.machine import MachineProfile
from advisor.model.measurement import BenchmarkRequest, Outcome, Runner
from probes.bench.collector import Collector
from probes.bench.commands import WorkerCommand
from probes.bench.plan import REFERENCE, SUSTAINED
from probes.bench.plan_builder import SPREAD, n_looks
from probes.bench.process import CancelToken, Deadlines, Left, WorkerVerdict, work
from probes.bench.protocol import Message
from probes.bench.tuning_store import Tuning, TuningStore

# So many children may die on the kernels of one visit before the rest of it is given up.
MAX_DEATHS = 3
# What a child may take over its time for the kernel that it is at: a share, and at most this.
OVERTIME_SHARE = 0.06
OVERTIME_S = 5.0
# The least of it for an OpenCL kernel, unless that is more than a share of a short limit.
_OPENCL_OVERTIME_S = 3.0
_OPENCL_OVERTIME_SHARE = 1.0 / 3.0
# Ending a child takes a moment: it is told before the limit is reached.
_KILL_SHARE = 0.98
# A child that rested has so long at least to end by itself, even if its time is used up.
_LEAST_TO_END_S = 2.0
# A kernel may prepare itself in silence for this share of what is left.
_STAGE_SHARE = 1.0 / 3.0
# Runners that measure the framework of a foreign interpreter when there is one.
_FOREIGN = frozenset(Runner) - {Runner.OPENCL, Runner.STREAM, Runner.CLOCK}
# So many kernels are timed in turn between two looks at the reference.
_BOUTS = {Runner.KERAS: 8, Runner.NUMPY: 4, Runner.STREAM: 4, Runner.CLOCK: 3}
# Verdicts on a child that was not in a state to say where it was.
_ENDED = frozenset({Outcome.CRASHED, Outcome.OUT_OF_MEMORY, Outcome.TIMED_OUT})


def wire_kernel(request: BenchmarkRequest) -> dict[str, Any]:
    """Return a request as the worker gets it."""
    wire = {
        "id": request.id,
        "shape": encode(request.shape, annotation=KernelShape),
        "direction": request.direction.value,
        "precision": request.precision.value,
        "min_value_s": request.min_value_s,
        "n_values": request.n_values,
    }
    if request.role == SUSTAINED:
        wire["duration_s"] = request.min_value_s * request.n_values
    if request.runner in _BOUTS:
        if request.role in SPREAD:
            wire["looks"] = n_looks(request)
        wire["is_reference"] = request.role == REFERENCE and request.runner is Runner.KERAS
    return wire


def overtime_s(limit_s: float, *, runner: Runner) -> float:
    """Return what of a limit is kept for the kernel that a child is at when its time is up.

    An OpenCL kernel that is compiled and checked takes seconds, however short the limit is.
    """
    least_s = 0.0
    if runner is Runner.OPENCL:
        least_s = min(_OPENCL_OVERTIME_S, _OPENCL_OVERTIME_SHARE * limit_s)
    return min(OVERTIME_S, max(OVERTIME_SHARE * limit_s, least_s))


def deadlines_within(limit_s: float | None, *, longest: Deadlines) -> Deadlines:
    """Return the deadlines of a child that may take so many seconds in all; None: no limit.

    One kernel that hangs while it prepares must leave time for the others.
    """
    if limit_s is None:
        return longest
    stage_s = min(longest.stage_s, max(longest.silence_s, _STAGE_SHARE * limit_s))
    return Deadlines(
        start_s=longest.start_s,
        stage_s=stage_s,
        silence_s=longest.silence_s,
        budget_s=_KILL_SHARE * limit_s,
        import_s=longest.import_s,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What all visits of a session share; see `probes.bench.session.Session`.

    Attributes:
        loaded_s: the least that a child of a runner took until it was ready.
    """

    profile: MachineProfile
    python: str | None
    command: Callable[..., WorkerCommand]
    deadlines: Deadlines
    tuning: TuningStore | None
    collector: Collector
    cancel: CancelToken | None
    clock: Callable[[], float] = time.monotonic
    loaded_s: dict[Runner, float] = field(default_factory=dict)


class VisitRun:
    """One visit.

    Args:
        requests: of one set of conditions; `n_values` are those of this visit.
        around: what it shares with other visits.
        rest_s: tells the seconds that are left for it now; None: no limit.
        rest_every_s: its child rests after so many seconds of work; None: it does not.
        rests: whether its child rests between two rounds by itself.
        n_rounds: of a device that is visited in rounds; None: as it is usual.
    """

    def __init__(
        self,
        requests: Sequence[BenchmarkRequest],
        *,
        around: Surroundings,
        rest_s: Callable[[], float | None],
        rest_every_s: float | None = None,
        rests: bool = False,
        n_rounds: int | None = None,
    ) -> None:
        self._requests = requests
        self._around = around
        self._collector = around.collector
        self._rest_s = rest_s
        self._rest_every_s = rest_every_s
        self._told = {"rests": rests, "visits": n_rounds}
        self._tuning = self._open_tuning()
        self._child_began = 0.0
        # What was said of kernels of which an earlier run may be the cause: it counts if there is
        # no time to ask again.
        self._doubted: list[Message] = []

    def steps(self) -> Generator[None, None, None]:
        """Answer the requests; yield while the child rests."""
        self._collector.begin_visit(self._requests)
        n_deaths = 0
        while pending := self._pending():
            if self._must_stop(n_deaths=n_deaths):
                break
            limit_s = self._rest_s()
            verdict = yield from self._run_child(pending, limit_s=limit_s)
            if self._is_to_be_repeated(verdict):
                continue  # once more, without what an earlier run had compiled
            n_deaths += 1
            self._settle(verdict)

    def _pending(self) -> list[BenchmarkRequest]:
        return [request for request in self._requests if self._collector.is_open(request)]

    def _has_time(self) -> bool:
        limit_s = self._rest_s()
        # What another child of this kind took to load at least, this one takes, too.
        least_s = self._around.loaded_s.get(self._requests[0].runner, 0.0)
        return limit_s is None or limit_s > least_s

    def _must_stop(self, *, n_deaths: int) -> bool:
        """Answer what is pending when no child is to be started any more."""
        cancel = self._around.cancel
        if cancel is not None and cancel.is_cancelled:
            why = (Outcome.CANCELLED, "cancelled before its turn")
        elif not self._has_time():
            why = (Outcome.SKIPPED, "the time set aside was used up")
        elif n_deaths == MAX_DEATHS:
            text = f"given up after {MAX_DEATHS} kernels had ended their worker"
            why = (Outcome.SKIPPED, text)
        else:
            return False
        self._believe()
        self._collector.fail_all(self._pending(), *why)
        return True

    def _is_to_be_repeated(self, verdict: WorkerVerdict) -> bool:
        """Tell the tuning how a child ended; whether its verdict may be that on a broken cache."""
        if self._tuning is None:
            return False
        at = self._collector.current
        is_blamed = self._tuning.end_child(verdict.outcome, at=at)
        if not self._has_time():
            self._believe()
        elif is_blamed and at is not None and verdict.outcome in _ENDED:
            fields = {"id": at, "outcome": verdict.outcome.value, "message": verdict.message}
            self._doubted.append({"type": "kernel_failed", **fields})
        return is_blamed and self._has_time()

    def _believe(self) -> None:
        for message in self._doubted:
            self._collector.take(message)
        self._doubted.clear()

    def _settle(self, verdict: WorkerVerdict) -> None:
        """Answer what a verdict decides: the kernel at which the child ended, or all."""
        collector = self._collector
        if verdict.outcome is Outcome.CANCELLED:
            for request in self._requests:
                collector.keep_values(request)
        pending = self._pending()
        if verdict.outcome is Outcome.COMPLETED:
            text = "the worker ended without a word about this kernel"
            collector.fail_all(pending, Outcome.PROTOCOL_ERROR, text)
            return
        at = [request for request in pending if request.id == collector.current]
        has_begun = bool(at) or len(pending) < len(self._requests)
        is_final = verdict.outcome in (Outcome.CANCELLED, Outcome.UNSUPPORTED)
        # A child that ends before its first kernel would end so again.
        doomed = at if has_begun and not is_final else pending
        text = verdict.message
        if collector.is_loading and verdict.outcome in _ENDED:
            text += f" while it loaded {self._requests[0].runner.value}"
        collector.fail_all(doomed, verdict.outcome, text)

    def _run_child(
        self, pending: Sequence[BenchmarkRequest], *, limit_s: float | None
    ) -> Generator[None, None, WorkerVerdict]:
        around, first = self._around, pending[0]
        python = around.python if first.runner in _FOREIGN else None
        over_s = 0.0 if limit_s is None else overtime_s(limit_s, runner=first.runner)
        left = self._left(limit_s, over_s=over_s)
        request = {
            "runner": first.runner.value,
            "options": {**self._options(first), **(self._tuning.options if self._tuning else {})},
            "kernels": [wire_kernel(kernel) for kernel in pending],
            "bout": 1 if first.role == SUSTAINED else _BOUTS.get(first.runner, 1),
            "budget_s": None if left is None else left.budget_s,
            **{key: value for key, value in self._told.items() if value},
        }
        self._collector.begin_child(pending)
        self._child_began = around.clock()
        steps = work(
            around.command("main", python=python, settings=first.settings),
            request,
            deadlines=deadlines_within(limit_s, longest=around.deadlines),
            on_event=self._take,
            cancel=around.cancel,
            rest_every_s=self._rest_every_s,
        )
        with contextlib.closing(steps):
            try:
                next(steps)
                while True:
                    child = self._collector.begin_child(())
                    yield
                    self._collector.return_to(child)
                    steps.send(self._left(self._rest_s(), over_s=over_s))
            except StopIteration as stop:
                verdict: WorkerVerdict = stop.value
                return verdict

    def _left(self, limit_s: float | None, *, over_s: float) -> Left | None:
        """Return what a child still has of a limit when so much is kept for its last kernel."""
        if limit_s is None:
            return None
        limit_s = max(0.0, limit_s)
        end_s = max(_KILL_SHARE * limit_s, _LEAST_TO_END_S)
        return Left(limit_s=end_s, budget_s=max(0.0, limit_s - over_s))

    def _take(self, message: Message) -> None:
        if message["type"] == "stage" and message.get("stage") == "ready":
            self._learn_loading(self._around.clock() - self._child_began)
        if self._tuning is None or self._tuning.take(message):
            self._collector.take(message)
        else:
            self._doubted.append(message)

    def _learn_loading(self, seconds: float) -> None:
        runner, known_s = self._requests[0].runner, self._around.loaded_s
        known_s[runner] = min(known_s.get(runner, seconds), max(0.0, seconds))

    def _open_tuning(self) -> Tuning | None:
        """Return what is known of the device of a request; None for what is not tuned."""
        request, store = self._requests[0], self._around.tuning
        if store is None or request.runner is not Runner.OPENCL:
            return None
        profile = self._around.profile
        found = (device for device in profile.opencl if device.id == request.device_id)
        device = next(found, None)
        if device is None:
            return None
        on_battery = bool(profile.power.on_battery)
        return store.open(device, cpu=profile.cpu, on_battery=on_battery)

    def _options(self, request: BenchmarkRequest) -> Mapping[str, Any]:
        """Return what the runner is told besides the kernels."""
        profile = self._around.profile
        options: dict[str, Any] = {"threads": request.threads, "device_id": request.device_id}
        if request.runner is Runner.CLOCK:
            options["isa"] = list(profile.cpu.isa_features)
            options["cores"] = profile.cpu.n_physical_cores
        for device in profile.opencl:
            if device.id == request.device_id:
                # An id is a place in a list; the names tell whether the list is still the same.
                options["device_name"] = device.name
                options["platform_name"] = device.platform
                options["driver"] = device.driver
        return options
