"""How much of the machine others used while we measured, from counters before and after.

No thread watches meanwhile: it would take time from what is measured.
Leaves to others: what is too much (`probes.bench.stability`).
"""

import contextlib
import sys
from collections.abc import Callable
from dataclasses import dataclass

import psutil

from probes.bench.windows_job import own_and_children_s


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuCounters:
    """Seconds of CPU time since the machine started, over all CPUs.

    `own_s`: of this process and all that it has started, whether it still runs or not (on Windows
    since it was first asked); None where it is not known.
    """

    busy_s: float
    total_s: float
    steal_s: float
    own_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadShare:
    """Shares of all CPU time in a period, 0 to 1; None where it cannot be told.

    `others_cores`: how many CPUs others used on average.
    """

    others: float | None
    steal: float
    others_cores: float | None = None


def _own_seconds() -> float | None:
    if sys.platform == "win32":
        return own_and_children_s()
    import resource

    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages) + _of_the_living_s()


def _of_the_living_s() -> float:
    """Return the seconds of children that still run, with those that they have waited for."""
    found = 0.0
    for child in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            times = child.cpu_times()
            found += times.user + times.system + times.children_user + times.children_system
    return found


def read_counters() -> CpuCounters:
    """Return the counters now."""
    times = psutil.cpu_times()
    steal = float(getattr(times, "steal", 0.0))
    idle = float(times.idle) + float(getattr(times, "iowait", 0.0))
    # Time of guests is counted in user time as well.
    guests = float(getattr(times, "guest", 0.0)) + float(getattr(times, "guest_nice", 0.0))
    total = sum(float(value) for value in times) - guests
    return CpuCounters(
        busy_s=max(0.0, total - idle - steal),
        total_s=total,
        steal_s=steal,
        own_s=_own_seconds(),
    )


class LoadMeter:
    """Compares the counters with those at its start."""

    def __init__(
        self, read: Callable[[], CpuCounters] = read_counters, *, n_cpus: int | None = None
    ) -> None:
        self._read = read
        self._n_cpus = n_cpus or psutil.cpu_count() or 1
        self._first = read()

    def share(self) -> LoadShare | None:
        """Return the shares since the start; None when no time has passed by the counters."""
        first, last = self._first, self._read()
        total = last.total_s - first.total_s
        if total <= 0.0:
            return None
        others = None
        if first.own_s is not None and last.own_s is not None:
            foreign = (last.busy_s - first.busy_s) - (last.own_s - first.own_s)
            others = min(1.0, max(0.0, foreign / total))
        return LoadShare(
            others=others,
            steal=max(0.0, last.steal_s - first.steal_s) / total,
            others_cores=None if others is None else others * self._n_cpus,
        )
