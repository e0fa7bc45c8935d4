"""Runs the requests of a plan, a fresh child for each set of conditions, one child at a time.

Nothing is dropped: whatever was asked for is answered, by a figure or by the reason why there is
none.
Leaves to others: what to ask (`probes.bench.plan`), in which order (`probes.bench.visits`), who
has the turn and how long (`probes.bench.turns`), one visit (`probes.bench.visit_run`), the child
(`probes.bench.process`).
"""

import datetime as dt
import time
from collections.abc import Callable, Iterable, Mapping

from advisor.model.machine import MachineProfile
from advisor.model.measurement import (
    BenchmarkRequest,
    Measurement,
    MeasurementSet,
    StabilityWarning,
)
from probes.bench.cancel import followed_by
from probes.bench.collector import Collector, Result
from probes.bench.commands import WorkerCommand, worker_command
from probes.bench.events import SessionEvent, SessionFinished, SessionStarted
from probes.bench.load import LoadMeter
from probes.bench.plan import REFERENCE_SUFFIX
from probes.bench.process import CancelToken, Deadlines
from probes.bench.stability import (
    has_become_slower,
    warnings_of_load,
    warnings_of_machine,
)
from probes.bench.tuning_store import TuningStore
from probes.bench.turns import Turns
from probes.bench.visit_run import Surroundings, wire_kernel
from probes.bench.visits import schedule

__all__ = ["DEADLINES", "Session", "wire_kernel"]

# A framework on a slow disk takes a minute to import; a value lasts four seconds at most.
DEADLINES = Deadlines(start_s=30.0, import_s=120.0, stage_s=20.0, silence_s=10.0)


def _checked(requests: Iterable[BenchmarkRequest]) -> tuple[BenchmarkRequest, ...]:
    asked = tuple(requests)
    if len({request.id for request in asked}) != len(asked):
        raise ValueError("two requests have the same id")
    return asked


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
        deadlines: Deadlines = DEADLINES,
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
            budget_s: seconds in all, or by the id of each device; the rest is skipped.

        Raises:
            ValueError: when two requests have the same id.
        """
        asked = _checked(requests)
        tell = on_event or (lambda _event: None)
        started = self._clock()
        visits = schedule(asked, budget_s=budget_s)
        collector = Collector(asked, tell)
        meter = LoadMeter()
        tell(SessionStarted(n_kernels=len(asked)))
        around = self._surroundings(collector, cancel=cancel)
        with followed_by(cancel), Turns(visits, around=around, budget_s=budget_s) as turns:
            turns.take()
        measurements = MeasurementSet(
            measured_on=self._today().isoformat(),
            duration_s=max(0.0, self._clock() - started),
            results=tuple(collector.results),
            warnings=self._warnings(collector.results, meter=meter),
        )
        tell(SessionFinished(measurements=measurements))
        return measurements

    def _surroundings(self, collector: Collector, *, cancel: CancelToken | None) -> Surroundings:
        return Surroundings(
            profile=self._profile,
            python=self._python,
            command=self._command,
            deadlines=self._deadlines,
            tuning=self._tuning,
            collector=collector,
            cancel=cancel,
            clock=self._clock,
        )

    def _warnings(
        self, results: Iterable[Result], *, meter: LoadMeter
    ) -> tuple[StabilityWarning, ...]:
        measured = [result for result in results if isinstance(result, Measurement)]
        found = [*warnings_of_machine(self._profile), *warnings_of_load(meter.share())]
        if has_become_slower(measured, suffix=REFERENCE_SUFFIX):
            found.append(StabilityWarning.THROTTLED)
        return tuple(found)
