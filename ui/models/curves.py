"""Measured kernels as points of a chart: rate by size, and the roofline with the network on it.

Leaves to others: drawing (`ui.widgets.chart`), names of devices and kernels (`advisor.report`).
"""

from collections.abc import Iterable
from dataclasses import dataclass

from advisor.i18n import N_, Translator
from advisor.model.device_names import short_device_name
from advisor.model.kernel import (
    ConvShape,
    GemmShape,
    KernelShape,
    PeakShape,
    RecurrentShape,
    StreamShape,
)
from advisor.model.machine import MachineProfile
from advisor.model.measurement import FailedMeasurement, Measurement
from advisor.model.quantity import Precision
from advisor.predict.work import bytes_moved, flop
from advisor.report.names import request_name

Results = Iterable[Measurement | FailedMeasurement]
REPLAY_ROLE = "replay"
_FAMILIES = (
    (GemmShape, N_("GEMM")),
    (ConvShape, N_("convolution")),
    (RecurrentShape, N_("LSTM, GRU")),
)
# Where the slanted part of a roofline begins, operations per byte.
_LEAST_INTENSITY = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """A kernel: x in the unit of the chart's axis, y in FLOP/s, and what it is."""

    x: float
    y: float
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """Points of one kind on one device; `is_line` for a ceiling, which has no points to name.

    Attributes:
        shade: number of the device, which decides the colour; mark: number of the kind of kernel.
    """

    name: str
    points: tuple[CurvePoint, ...]
    shade: int
    mark: int
    is_line: bool = False


def _measured(results: Results) -> list[Measurement]:
    return [
        result
        for result in results
        if isinstance(result, Measurement)
        and result.median_s > 0
        and result.request.precision is Precision.FLOAT32
    ]


def _family(shape: KernelShape) -> int | None:
    kinds = [number for number, (kind, _name) in enumerate(_FAMILIES) if isinstance(shape, kind)]
    return kinds[0] if kinds else None


def _devices(found: list[Measurement]) -> list[str]:
    return list(dict.fromkeys(each.request.device_id for each in found))


def _rate(measurement: Measurement) -> float:
    request = measurement.request
    return flop(request.shape, direction=request.direction) / measurement.figure_s


def rate_series(
    results: Results, profile: MachineProfile | None, tr: Translator
) -> tuple[Series, ...]:
    """Return GFLOP/s over the work of one execution, by device and kind of kernel."""
    found = _measured(results)
    series = []
    for shade, device in enumerate(_devices(found)):
        for mark, (_kind, name) in enumerate(_FAMILIES):
            points = [
                _rate_point(each, tr)
                for each in found
                if each.request.device_id == device and _family(each.request.shape) == mark
            ]
            if points:
                title = f"{short_device_name(device, profile)}: {tr(name)}"
                ordered = tuple(sorted(points, key=lambda point: point.x))
                series.append(Series(name=title, points=ordered, shade=shade, mark=mark))
    return tuple(series)


def _rate_point(measurement: Measurement, tr: Translator) -> CurvePoint:
    request = measurement.request
    work = flop(request.shape, direction=request.direction)
    label = request_name(request, tr)
    return CurvePoint(x=float(work), y=_rate(measurement), label=label)


def _intensity(measurement: Measurement) -> float | None:
    request = measurement.request
    moved = bytes_moved(request.shape, direction=request.direction, precision=request.precision)
    return flop(request.shape, direction=request.direction) / moved if moved else None


def roofline_series(
    results: Results, profile: MachineProfile | None, tr: Translator
) -> tuple[Series, ...]:
    """Return the measured roof of each device, and the network's own kernels below it.

    The roof is the best arithmetic rate seen and the best memory rate seen on the device.
    """
    found = _measured(results)
    series = []
    for shade, device in enumerate(_devices(found)):
        own = [each for each in found if each.request.device_id == device]
        roof = _roof(own)
        if roof:
            title = tr(N_("{device}: measured roof"), device=short_device_name(device, profile))
            series.append(Series(name=title, points=roof, shade=shade, mark=0, is_line=True))
        points = _own_kernels(own, tr)
        if points:
            title = tr(N_("{device}: your network"), device=short_device_name(device, profile))
            series.append(Series(name=title, points=points, shade=shade, mark=1))
    return tuple(series)


def _roof(own: list[Measurement]) -> tuple[CurvePoint, ...]:
    rates = [
        _rate(e) for e in own if isinstance(e.request.shape, PeakShape | GemmShape | ConvShape)
    ]
    traffic = [_byte_rate(e) for e in own if isinstance(e.request.shape, StreamShape)]
    if not rates or not traffic:
        return ()
    peak, byte_per_s = max(rates), max(traffic)
    ridge = peak / byte_per_s
    return (
        CurvePoint(x=_LEAST_INTENSITY, y=_LEAST_INTENSITY * byte_per_s, label=""),
        CurvePoint(x=ridge, y=peak, label=""),
        CurvePoint(x=max(1000.0, ridge * 10), y=peak, label=""),
    )


def _byte_rate(measurement: Measurement) -> float:
    request = measurement.request
    moved = bytes_moved(request.shape, direction=request.direction, precision=request.precision)
    return moved / measurement.figure_s


def _own_kernels(own: list[Measurement], tr: Translator) -> tuple[CurvePoint, ...]:
    points = []
    for each in own:
        intensity = _intensity(each)
        if each.request.role == REPLAY_ROLE and intensity:
            points.append(
                CurvePoint(x=intensity, y=_rate(each), label=request_name(each.request, tr))
            )
    return tuple(points)
