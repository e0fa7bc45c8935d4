"""Kernels that were measured: the work and the time of each, from all its measurements.

Leaves to others: which measurements count (`advisor.predict.ceilings`), what they tell of other
kernels (`advisor.predict.efficiency`).
"""

import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass

from advisor.model.kernel import Direction, KernelShape, OperatorKind
from advisor.model.measurement import REFERENCE, Measurement
from advisor.model.quantity import Precision
from advisor.predict.work import bytes_moved, flop, operator_kind

_STREAM_KINDS = frozenset(
    {OperatorKind.STREAM, OperatorKind.TRANSFER, OperatorKind.PEAK, OperatorKind.OVERHEAD}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelPoint:
    """A measured kernel.

    Attributes:
        flop, bytes_moved: its work; time_s: the median of its values.
        spread: median absolute deviation of the values over their median.
    """

    shape: KernelShape
    direction: Direction
    precision: Precision
    flop: int
    bytes_moved: int
    time_s: float
    spread: float


_Key = tuple[KernelShape, Direction, Precision]


def pooled_s(same: Iterable[Measurement]) -> float:
    """Return what the kernel takes as a rule: the median of the values of all its measurements.

    A step takes what its kernels take under the disturbance that the machine has, not their best
    (decision 0014).
    """
    return statistics.median(value for measurement in same for value in measurement.values_s)


def kernel_points(measurements: Iterable[Measurement]) -> tuple[KernelPoint, ...]:
    """Return one point for each distinct kernel, pooling the values of repeated measurements.

    Looks at a reference do not count: they are there for the machine's pace. Both directions
    together are no kernel of a step: without the forward part they are the backward one, where
    that was not timed by itself.
    """
    pooled: dict[_Key, list[Measurement]] = {}
    for measurement in measurements:
        request = measurement.request
        if operator_kind(request.shape) in _STREAM_KINDS or request.role == REFERENCE:
            continue
        key = (request.shape, request.direction, request.precision)
        pooled.setdefault(key, []).append(measurement)
    times = {key: (pooled_s(same), _deviation_s(same)) for key, same in pooled.items()}
    points = []
    for (shape, direction, precision), (time_s, deviation_s) in times.items():
        if direction is not Direction.BOTH:
            points.append(_point((shape, direction, precision), time_s, deviation_s))
            continue
        backward = (shape, Direction.BACKWARD, precision)
        part_s, of_part_s = times.get((shape, Direction.FORWARD, precision), (math.inf, 0.0))
        if backward not in times and time_s > part_s:
            points.append(_point(backward, time_s - part_s, math.hypot(deviation_s, of_part_s)))
    return tuple(sorted(points, key=lambda p: (p.time_s, repr(p.shape), p.direction, p.precision)))


def _deviation_s(same: list[Measurement]) -> float:
    middle = pooled_s(same)
    return statistics.median(abs(value - middle) for m in same for value in m.values_s)


def _point(key: _Key, time_s: float, deviation_s: float) -> KernelPoint:
    shape, direction, precision = key
    return KernelPoint(
        shape=shape,
        direction=direction,
        precision=precision,
        flop=flop(shape, direction=direction),
        bytes_moved=bytes_moved(shape, direction=direction, precision=precision),
        time_s=time_s,
        spread=deviation_s / time_s if time_s > 0.0 else 0.0,
    )
