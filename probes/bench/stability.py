"""Why a figure, or a whole session, may not be steady.

Leaves to others: the words of each warning (`advisor.report`), changing anything: the app never
changes the user's system.
"""

from collections.abc import Iterable

from advisor.model.kernel import ClockShape
from advisor.model.machine import MachineProfile
from advisor.model.measurement import Measurement, StabilityWarning
from probes.bench.load import LoadShare
from probes.bench.statistics import largest_departure, relative_deviation, scatter_in_turn

NOISY_DEVIATION = 0.10
OUTLIER_DEPARTURE = 0.50
SHORTEST_VALUE_S = 1e-3
BUSY_SHARE = 0.10
# A core that is busy for a quarter of the run is one that others held for part of it.
BUSY_CORES = 0.25
STEAL_SHARE = 0.02
# A kernel timed first and last may differ by this much on a quiet machine.
DRIFT = 0.10
# A reference between bouts that moves by more makes the values between unsteady.
MOVED = 0.05
# No other process slows the clock: it may fall by less.
CLOCK_DRIFT = 0.05
# A fall of the clock is sure from so many times what one value differs from the next.
_SCATTERS = 2.0
# So many values of a reference are looked at at either end: those of two looks.
_END_VALUES = 6
_FULL_PERCENT = 99.0


def warnings_of_values(
    values_s: tuple[float, ...], *, lasted_s: float, n_dropped: int = 0
) -> tuple[StabilityWarning, ...]:
    """Return what the values of one kernel tell against it.

    Args:
        values_s: seconds of one execution.
        lasted_s: how long a whole value lasted by the clock.
        n_dropped: values that were none; where noise swallows a difference, the others are noisy.
    """
    found = []
    if relative_deviation(values_s) >= NOISY_DEVIATION or n_dropped > 0:
        found.append(StabilityWarning.NOISY)
    if largest_departure(values_s) >= OUTLIER_DEPARTURE:
        found.append(StabilityWarning.OUTLIER)
    if lasted_s < SHORTEST_VALUE_S:
        found.append(StabilityWarning.TOO_SHORT)
    return tuple(found)


def warnings_of_machine(profile: MachineProfile) -> tuple[StabilityWarning, ...]:
    """Return what the state of the machine tells against anything measured on it."""
    found = []
    power = profile.power
    if power.on_battery:
        found.append(StabilityWarning.ON_BATTERY)
    is_capped = power.max_performance_percent is not None and (
        power.max_performance_percent < _FULL_PERCENT
    )
    if is_capped or power.governor not in (None, "performance"):
        found.append(StabilityWarning.GOVERNOR)
    quota, logical = profile.cpu.quota_cpus, profile.cpu.n_logical_cpus
    usable = profile.cpu.usable_cpus
    if (quota is not None and quota < logical) or (usable is not None and usable < logical):
        found.append(StabilityWarning.CPU_LIMIT)
    return tuple(found)


def warnings_of_load(share: LoadShare | None) -> tuple[StabilityWarning, ...]:
    """Return what others did on the machine meanwhile; None: it is not known."""
    if share is None:
        return ()
    found = []
    is_share = share.others is not None and share.others >= BUSY_SHARE
    is_core = share.others_cores is not None and share.others_cores >= BUSY_CORES
    if is_share or is_core:
        found.append(StabilityWarning.BUSY)
    if share.steal >= STEAL_SHARE:
        found.append(StabilityWarning.STEAL)
    return tuple(found)


def _has_fallen(reference: Measurement) -> bool:
    """Return whether the values of a kernel, taken over a run, end higher than they began."""
    values = reference.values_s
    if len(values) < 2 * _END_VALUES or isinstance(reference.request.shape, ClockShape):
        return False
    return min(values[-_END_VALUES:]) > min(values[:_END_VALUES]) / (1.0 - DRIFT)


def _has_clock_fallen(measured: Iterable[Measurement]) -> bool | None:
    """Return whether the last look at the clock under vector load is below how the run began.

    Equal numbers of values are compared, as the best of many is better than the best of few, and
    the fall must be more than what values in turn differ by. None without two looks.
    """
    looks = [
        m
        for m in measured
        if isinstance(m.request.shape, ClockShape) and m.request.shape.load == "vector"
    ]
    if len(looks) < len(("before", "after")):
        return None
    last = looks[-1]
    n = len(last.values_s)
    began_s = min(min(look.values_s[:n]) for look in looks[:-1])
    scatter = max(scatter_in_turn(look.values_s) for look in looks)
    fall = max(CLOCK_DRIFT, _SCATTERS * scatter)
    return last.min_s > began_s / (1.0 - fall)


def has_become_slower(measured: Iterable[Measurement], *, suffix: str) -> bool:
    """Return whether the machine was slower at the end than at first.

    Where the clock was measured at least twice, it decides alone: other programs and the host
    make kernels slower, but not the clock. Else a kernel that was timed again decides.

    Args:
        measured: all figures of a session, in the order in which they came.
        suffix: what the id of the second timing has more than that of the first.
    """
    found = tuple(measured)
    fallen = _has_clock_fallen(found)
    if fallen is not None:
        return fallen
    if any(_has_fallen(m) for m in found if m.request.role == "reference"):
        return True
    by_id = {measurement.request.id: measurement for measurement in found}
    for name, again in by_id.items():
        first = by_id.get(name.removesuffix(suffix)) if name.endswith(suffix) else None
        if first is not None and again.min_s > first.min_s / (1.0 - DRIFT):
            return True
    return False
