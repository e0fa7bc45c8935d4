"""What values taken over minutes say: the rate of a burst, the rate that lasts, and why not more.

Processors of laptops and small machines run faster for seconds than they can for hours: they are
allowed more power until a budget is used up, or until they are hot. A training run lasts hours.
Leaves to others: taking the values (`probes.bench.sustained`), the words (`advisor.report`).
"""

import itertools
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from advisor.model.measurement import (
    BenchmarkRequest,
    Measurement,
    SoftwareStack,
    StabilityWarning,
)

ROLE = "sustained"
# The burst is this long at most, the end of the run that; both at most a quarter of the run.
BURST_S = 10.0
LASTING_S = 60.0
_LARGEST_PART = 0.25
# A run must last so long, with so many values, before anything can be said.
SHORTEST_S = 20.0
FEWEST_VALUES = 12
# A device that loses more than this share of its rate is throttled.
THROTTLED_LOSS = 0.10
# Values of a window that scatter by more than this (half the distance of the quartiles over the
# median: two kinds of values in turns are seen by it, one value that is far off is not).
_LARGEST_SCATTER = 0.10
_FEWEST_QUARTILES = 4
# So large a share of the stretches after a drop stay below the limit.
_NEARLY_ALL = 0.8
N_CURVE_POINTS = 12
_DISTURBANCES = frozenset({StabilityWarning.BUSY, StabilityWarning.STEAL})


class Steadiness(StrEnum):
    """Whether a device keeps up its rate; disturbed: others used the machine meanwhile."""

    STEADY = "steady"
    THROTTLED = "throttled"
    UNSTEADY = "unsteady"
    DISTURBED = "disturbed"
    TOO_SHORT = "too_short"


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """A stretch of the run, in seconds from its start, and the median seconds of an execution."""

    from_s: float
    to_s: float
    value_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SustainedSummary:
    """What a run of minutes says.

    Attributes:
        duration_s: of all values together.
        burst_s: median seconds of an execution in the first `burst_window_s` seconds.
        lasting_s: the same in the last `lasting_window_s` seconds.
        dropped_at_s: from when on the device stayed below the limit; None unless throttled.
        curve: the run in equal stretches.
    """

    request: BenchmarkRequest
    stack: SoftwareStack
    duration_s: float
    burst_s: float
    burst_window_s: float
    lasting_s: float
    lasting_window_s: float
    verdict: Steadiness
    dropped_at_s: float | None
    curve: tuple[CurvePoint, ...]

    @property
    def lasting_share(self) -> float:
        """What is left of the rate of the burst; above 1 when it became faster."""
        return self.burst_s / self.lasting_s


@dataclass(frozen=True, slots=True)
class _Timed:
    """Values and the second at which each ended."""

    values: tuple[float, ...]
    ends: tuple[float, ...]

    def between(self, start_s: float, end_s: float) -> tuple[float, ...]:
        """Return the values that ended in a stretch of time."""
        pairs = zip(self.values, self.ends, strict=True)
        return tuple(value for value, end in pairs if start_s < end <= end_s)


def burst_and_sustained(
    measurements: Iterable[Measurement], *, warnings: Iterable[StabilityWarning] = ()
) -> tuple[SustainedSummary, ...]:
    """Return a summary of each run of minutes among some measurements.

    Args:
        measurements: those of other roles are left out.
        warnings: of the session; a device is not called throttled when others used it.
    """
    is_disturbed = bool(_DISTURBANCES & frozenset(warnings))
    runs = [m for m in measurements if m.request.role == ROLE]
    return tuple(_summary(run, is_disturbed=is_disturbed) for run in runs)


def _summary(measurement: Measurement, *, is_disturbed: bool) -> SustainedSummary:
    lasted = [value * measurement.loops for value in measurement.values_s]
    timed = _Timed(measurement.values_s, tuple(itertools.accumulate(lasted)))
    duration_s = timed.ends[-1]
    burst_window_s = min(BURST_S, duration_s * _LARGEST_PART)
    lasting_window_s = min(LASTING_S, duration_s * _LARGEST_PART)
    # A single value may be longer than a window.
    burst = timed.between(0.0, burst_window_s) or timed.values[:1]
    lasting = timed.between(duration_s - lasting_window_s, duration_s)
    burst_s, lasting_s = statistics.median(burst), statistics.median(lasting)
    verdict = _verdict(burst, lasting, duration_s=duration_s, n_values=len(timed.values))
    if verdict is Steadiness.THROTTLED and is_disturbed:
        verdict = Steadiness.DISTURBED
    is_throttled = verdict is Steadiness.THROTTLED
    return SustainedSummary(
        request=measurement.request,
        stack=measurement.stack,
        duration_s=duration_s,
        burst_s=burst_s,
        burst_window_s=burst_window_s,
        lasting_s=lasting_s,
        lasting_window_s=lasting_window_s,
        verdict=verdict,
        dropped_at_s=_dropped_at(timed, burst_s=burst_s) if is_throttled else None,
        curve=_curve(timed),
    )


def _scatter(values: Sequence[float]) -> float:
    """Return half of the distance of the quartiles, as a share of the median."""
    if len(values) < _FEWEST_QUARTILES:
        return 0.0
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return (high - low) / 2.0 / middle


def _verdict(
    burst: Sequence[float], lasting: Sequence[float], *, duration_s: float, n_values: int
) -> Steadiness:
    if duration_s < SHORTEST_S or n_values < FEWEST_VALUES:
        return Steadiness.TOO_SHORT
    scatter = max(_scatter(burst), _scatter(lasting))
    share = statistics.median(burst) / statistics.median(lasting)
    if share < 1.0 - THROTTLED_LOSS and 1.0 - share > 2.0 * scatter:
        return Steadiness.THROTTLED
    return Steadiness.UNSTEADY if scatter > _LARGEST_SCATTER else Steadiness.STEADY


def _dropped_at(timed: _Timed, *, burst_s: float) -> float:
    """Return the second from which on nearly all stretches stay below the limit."""
    limit_s = burst_s / (1.0 - THROTTLED_LOSS)
    points = _curve(timed, n_points=4 * N_CURVE_POINTS)
    for index, point in enumerate(points):
        n_low = sum(other.value_s > limit_s for other in points[index:])
        if point.value_s > limit_s and n_low >= _NEARLY_ALL * (len(points) - index):
            return point.from_s
    return timed.ends[-1] - min(LASTING_S, timed.ends[-1] * _LARGEST_PART)


def _curve(timed: _Timed, *, n_points: int = N_CURVE_POINTS) -> tuple[CurvePoint, ...]:
    step_s = timed.ends[-1] / n_points
    points = []
    for index in range(n_points):
        # The last stretch ends with the last value, whatever rounding says.
        end_s = timed.ends[-1] if index == n_points - 1 else (index + 1) * step_s
        inside = timed.between(index * step_s, end_s)
        if inside:
            value_s = statistics.median(inside)
            points.append(CurvePoint(from_s=index * step_s, to_s=end_s, value_s=value_s))
    return tuple(points)
