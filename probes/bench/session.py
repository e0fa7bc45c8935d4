"""Runs the requests of a plan, a fresh child for each set of conditions, one child at a time.

A child that dies or hangs takes only the kernel with it that it was at: that one gets the verdict
and the rest goes on in another child. Nothing is dropped: whatever was asked for is answered, by
a figure or by the reason why there is none.
Leaves to others: what to ask (`probes.bench.plan`), the child (`probes.bench.process`).
"""

import datetime as dt
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from advisor.model.codec import encode
from advisor.model.kernel import KernelShape
from advisor.model.machine import MachineProfile
from advisor.model.measurement import (
    BenchmarkRequest,
    Measurement,
    MeasurementSet,
    Outcome,
    Runner,
    StabilityWarning,
)
from probes.bench.allowance import Allowance
from probes.bench.collector import Collector, Result
from probes.bench.commands import WorkerCommand, worker_command
from probes.bench.events import (
    SessionEvent,
    SessionFinished,
    SessionStarted,
)
from probes.bench.load import LoadMeter
from probes.bench.plan import HEADLINE, REFERENCE, REFERENCE_SUFFIX, SUSTAINED
from probes.bench.process import CancelToken, Deadlines, WorkerVerdict, run_worker
from probes.bench.protocol import Message
from probes.bench.stability import (
    has_become_slower,
    warnings_of_load,
    warnings_of_machine,
)
from probes.bench.tuning_store import Tuning, TuningStore

# So many children may die on the kernels of one group before the rest of it is given up.
MAX_DEATHS = 3
# A child ends by itself when its time is used up, after the kernel that it is at.
OVERTIME_S = 15.0
_DEADLINES = Deadlines(start_s=30.0, stage_s=120.0, silence_s=60.0)
# Runners that measure the framework of a foreign interpreter when there is one.
_FOREIGN = frozenset(Runner) - {Runner.OPENCL, Runner.STREAM, Runner.CLOCK}
# So many kernels are timed in turn between two looks at the reference.
_BOUTS = {Runner.KERAS: 8, Runner.NUMPY: 4}
# Seconds that are kept for each group that comes after another of the same device.
_RESERVE_S = 1.0
# Share of all time that is kept for each group of a setting: it imports the framework anew.
_RESERVE_SHARE = 0.05
# Verdicts on a child that was not in a state to say where it was.
_ENDED = frozenset({Outcome.CRASHED, Outcome.OUT_OF_MEMORY, Outcome.TIMED_OUT})


@dataclass(frozen=True, slots=True)
class _Conditions:
    """What requires a child of its own."""

    runner: Runner
    device_id: str
    threads: int | None
    settings: tuple[Any, ...]
    is_last: bool


def _conditions(request: BenchmarkRequest) -> _Conditions:
    # The clock is measured before everything else and after it.
    is_last = request.runner is Runner.CLOCK and request.id.endswith(REFERENCE_SUFFIX)
    return _Conditions(
        request.runner, request.device_id, request.threads, request.settings, is_last
    )


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
        wire["is_spread"] = request.role == HEADLINE and request.runner is Runner.KERAS
        wire["is_reference"] = request.role == REFERENCE
    return wire


def _reserve_s(
    device_id: str,
    waiting: Mapping[_Conditions, Sequence[BenchmarkRequest]],
    *,
    budget_s: float | Mapping[str, float] | None,
) -> float:
    """Return the seconds that are kept for the groups of a device that are still to come."""
    whole = budget_s.get(device_id) if isinstance(budget_s, Mapping) else budget_s
    share_s = _RESERVE_SHARE * (whole or 0.0)
    return sum(
        _RESERVE_S + (share_s if _is_setting(group) else 0.0)
        for conditions, group in waiting.items()
        if conditions.device_id == device_id
    )


def _is_setting(group: Sequence[BenchmarkRequest]) -> bool:
    return bool(group[0].settings) or group[0].threads is not None


class Session:
    """Measures on one machine.

    Args:
        profile: the machine.
        python: interpreter whose Keras and NumPy are measured; None: our own.
        command: makes the command of a worker; replaced in tests.
        clock: seconds, for the budget and the duration.
        today: the date that the results get.
        deadlines: of each child; its budget is set by the session.
        tuning: where it is kept what OpenCL devices run best; None: found anew each time.
    """

    def __init__(
        self,
        *,
        profile: MachineProfile,
        python: str | None = None,
        command: Callable[..., WorkerCommand] = worker_command,
        clock: Callable[[], float] = time.monotonic,
        today: Callable[[], dt.date] = dt.date.today,
        deadlines: Deadlines = _DEADLINES,
        tuning: TuningStore | None = None,
    ) -> None:
        self._profile = profile
        self._python = python
        self._command = command
        self._clock = clock
        self._today = today
        self._deadlines = deadlines
        self._tuning = tuning

    def run(
        self,
        requests: Iterable[BenchmarkRequest],
        *,
        on_event: Callable[[SessionEvent], None] | None = None,
        cancel: CancelToken | None = None,
        budget_s: float | Mapping[str, float] | None = None,
    ) -> MeasurementSet:
        """Answer every request.

        Args:
            requests: what to time; ids are unique.
            on_event: called in this thread.
            cancel: stops early; what is not measured by then is answered as cancelled.
            budget_s: seconds in all, or for each device by its id (see `plan.budgets_s`); what
                does not fit is answered as skipped.

        Raises:
            ValueError: when two requests have the same id.
        """
        asked = tuple(requests)
        if len({request.id for request in asked}) != len(asked):
            raise ValueError("two requests have the same id")
        tell = on_event or (lambda _event: None)
        started = self._clock()
        allowance = Allowance(budget_s, clock=self._clock)
        collector = Collector(asked, tell)
        meter = LoadMeter()
        tell(SessionStarted(n_kernels=len(asked)))
        groups: dict[_Conditions, list[BenchmarkRequest]] = {}
        for request in asked:
            groups.setdefault(_conditions(request), []).append(request)
        waiting = dict(groups)
        for conditions, group in groups.items():
            del waiting[conditions]
            reserve_s = _reserve_s(conditions.device_id, waiting, budget_s=budget_s)
            allowance.begin(conditions.device_id, reserve_s=reserve_s)
            self._run_group(group, collector=collector, cancel=cancel, allowance=allowance)
            allowance.end()
        measurements = MeasurementSet(
            measured_on=self._today().isoformat(),
            duration_s=max(0.0, self._clock() - started),
            results=tuple(collector.results),
            warnings=self._warnings(collector.results, meter=meter),
        )
        tell(SessionFinished(measurements=measurements))
        return measurements

    def _warnings(
        self, results: Iterable[Result], *, meter: LoadMeter
    ) -> tuple[StabilityWarning, ...]:
        measured = [result for result in results if isinstance(result, Measurement)]
        found = [*warnings_of_machine(self._profile), *warnings_of_load(meter.share())]
        if has_become_slower(measured, suffix=REFERENCE_SUFFIX):
            found.append(StabilityWarning.THROTTLED)
        return tuple(found)

    def _run_group(
        self,
        group: Sequence[BenchmarkRequest],
        *,
        collector: Collector,
        cancel: CancelToken | None,
        allowance: Allowance,
    ) -> None:
        """Answer the requests of one group, with as many children as it takes."""
        n_deaths = 0
        tuning = self._tuning_for(group[0])
        while pending := [request for request in group if collector.is_open(request)]:
            if cancel is not None and cancel.is_cancelled:
                collector.fail_all(pending, Outcome.CANCELLED, "cancelled before its turn")
                return
            rest_s = allowance.rest_s()
            if rest_s is not None and rest_s <= 0.0:
                collector.fail_all(pending, Outcome.SKIPPED, "the time set aside was used up")
                return
            if n_deaths == MAX_DEATHS:
                text = f"given up after {MAX_DEATHS} kernels had ended their worker"
                collector.fail_all(pending, Outcome.SKIPPED, text)
                return
            verdict = self._run_child(
                pending, collector=collector, cancel=cancel, rest_s=rest_s, tuning=tuning
            )
            if tuning is not None and tuning.end_child(verdict.outcome):
                continue  # once more, without what an earlier run had compiled
            n_deaths += 1
            self._settle(verdict, group, collector=collector)

    def _settle(
        self, verdict: WorkerVerdict, group: Sequence[BenchmarkRequest], *, collector: Collector
    ) -> None:
        """Answer what a verdict decides: the kernel at which the child ended, or all."""
        if verdict.outcome is Outcome.CANCELLED:
            for request in group:
                collector.keep_values(request)
        pending = [request for request in group if collector.is_open(request)]
        if verdict.outcome is Outcome.COMPLETED:
            text = "the worker ended without a word about this kernel"
            collector.fail_all(pending, Outcome.PROTOCOL_ERROR, text)
            return
        at = [request for request in pending if request.id == collector.current]
        has_begun = bool(at) or len(pending) < len(group)
        is_final = verdict.outcome in (Outcome.CANCELLED, Outcome.UNSUPPORTED)
        # A child that ends before its first kernel would end so again.
        doomed = at if has_begun and not is_final else pending
        text = verdict.message
        if collector.is_loading and verdict.outcome in _ENDED:
            text += f" while it loaded {group[0].runner.value}"
        collector.fail_all(doomed, verdict.outcome, text)

    def _run_child(
        self,
        pending: Sequence[BenchmarkRequest],
        *,
        collector: Collector,
        cancel: CancelToken | None,
        rest_s: float | None,
        tuning: Tuning | None,
    ) -> WorkerVerdict:
        first = pending[0]
        python = self._python if first.runner in _FOREIGN else None
        command = self._command("main", python=python, settings=first.settings)
        request = {
            "runner": first.runner.value,
            "options": {**self._options(first), **(tuning.options if tuning else {})},
            "kernels": [wire_kernel(kernel) for kernel in pending],
            "bout": 1 if first.role == SUSTAINED else _BOUTS.get(first.runner, 1),
            "budget_s": rest_s,
        }
        deadlines = Deadlines(
            start_s=self._deadlines.start_s,
            stage_s=self._deadlines.stage_s,
            silence_s=self._deadlines.silence_s,
            budget_s=None if rest_s is None else rest_s + OVERTIME_S,
        )
        collector.begin_child()

        def take(message: Message) -> None:
            if tuning is None or tuning.take(message):
                collector.take(message)

        return run_worker(command, request, deadlines=deadlines, on_event=take, cancel=cancel)

    def _tuning_for(self, request: BenchmarkRequest) -> Tuning | None:
        """Return what is known of the device of a request; None for what is not tuned."""
        if self._tuning is None or request.runner is not Runner.OPENCL:
            return None
        found = (device for device in self._profile.opencl if device.id == request.device_id)
        device = next(found, None)
        return None if device is None else self._tuning.open(device, cpu=self._profile.cpu)

    def _options(self, request: BenchmarkRequest) -> dict[str, Any]:
        """Return what the runner is told besides the kernels."""
        options: dict[str, Any] = {"threads": request.threads, "device_id": request.device_id}
        if request.runner is Runner.CLOCK:
            options["isa"] = list(self._profile.cpu.isa_features)
            options["cores"] = self._profile.cpu.n_physical_cores
        for device in self._profile.opencl:
            if device.id == request.device_id:
                # An id is a place in a list; the names tell whether the list is still the same.
                options["device_name"] = device.name
                options["platform_name"] = device.platform
        return options
