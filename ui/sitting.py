"""What was measured in this sitting, and for how long it stands for the machine.

A new job of the same sitting needs only the kernels that its network adds (`ui.rest_of_run`).
Leaves to others: measuring (`ui.journey`), when the user wants it whole again (the start page).
"""

import dataclasses
import time
from collections.abc import Callable

from advisor.model.machine import MachineProfile
from advisor.model.measurement import MeasurementSet
from advisor.model.recommendation import Recommendation
from ui.journey import JourneyRequest
from ui.last_measured import MeasuredRun

# Afterwards a machine may be another one: warmer, throttled, on battery.
FRESH_S = 30 * 60.0


class Sitting:
    """Keeps the last whole run of a window."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Take the clock in seconds; tests pass another."""
        self._clock = clock
        self._run: MeasuredRun | None = None
        self._asked: tuple[object, ...] = ()
        self._began_s = 0.0

    def keep(self, request: JourneyRequest, advice: Recommendation) -> None:
        """Take a finished run; one that was stopped takes the place of none.

        What was added to an earlier run is as old as that.
        """
        results = advice.measurements
        if results is None or results.is_cancelled or not results.measured:
            return
        if self._run is None or not n_taken(results, self._run.measurements):
            self._began_s = self._clock()
        self._run = MeasuredRun(profile=advice.profile, measurements=results)
        self._asked = _asked(request)

    def with_known(self, request: JourneyRequest) -> JourneyRequest:
        """Return a request with what still stands of the last run, where it asked for the same."""
        is_fresh = self._run is not None and self._clock() - self._began_s <= FRESH_S
        if not is_fresh or _asked(request) != self._asked:
            return request
        return dataclasses.replace(request, known=self._run)


def _asked(request: JourneyRequest) -> tuple[object, ...]:
    """Return what a run must have in common with another for its figures to stand for it."""
    return request.budget, request.device_ids, request.python, request.job.precision


def known_of(request: JourneyRequest, profile: MachineProfile) -> MeasurementSet | None:
    """Return what is known of a machine, None where it has another processor or other devices."""
    if request.known is None:
        return None
    before = request.known.profile
    same = [(p.cpu.brand, tuple(device.id for device in p.opencl)) for p in (before, profile)]
    return request.known.measurements if same[0] == same[1] else None


def n_taken(results: MeasurementSet | None, known: MeasurementSet | None) -> int:
    """Return how many figures of a run are those of an earlier one."""
    if results is None or known is None:
        return 0
    before = {id(each) for each in known.measured}
    return sum(id(each) in before for each in results.measured)
