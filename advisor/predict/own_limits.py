"""Limits of this processor as they were measured, in place of those of its data sheet.

A guest is told a base clock that its cores exceed, a laptop does not reach the clock of its data
sheet, and not all cores of a hybrid processor are alike: the measured clock and the measured rate
of multiply-adds on all cores know. For comparing this machine with others.
Leaves to others: the data sheet (`advisor.predict.hardware`), times of kernels
(`advisor.predict.ceilings`).
"""

import dataclasses

from advisor.model.kernel import CLOCK_CYCLES, PEAK_FLOP, ClockShape, GemmShape, PeakShape
from advisor.model.machine import CPU_DEVICE_ID
from advisor.model.measurement import Measurement, MeasurementSet, Runner
from advisor.model.quantity import Precision
from advisor.predict.hardware import CpuLimits
from advisor.predict.work import flop

# The measurement counts within these shares of the data sheet.
_LEAST_SHARE = 0.2
_MOST_SHARE = 4.0


def own_limits(
    limits: CpuLimits,
    measurements: MeasurementSet | None,
    *,
    bandwidth_byte_per_s: float | None = None,
) -> CpuLimits:
    """Return limits with the clock and the rate that were measured on all cores.

    No core multiplies faster than its best: where a product was faster than the measured peak,
    something else took the cores from that. A product alone tells of its library as well.

    Args:
        limits: of the data sheet.
        measurements: None before anything was measured.
        bandwidth_byte_per_s: of the main memory as measured; None leaves that of the data sheet.
    """
    measured = measurements.measured if measurements else ()
    own = [m for m in measured if _is_of_processor(m)]
    ghz = limits.ghz
    for m in own:
        if m.request.shape == ClockShape(load="vector"):
            ghz = _bounded(CLOCK_CYCLES / m.figure_s / 1e9, limits.ghz)
    peaks = [PEAK_FLOP / m.figure_s for m in own if m.request.shape == PeakShape()]
    product = max((_rate(m) for m in own if isinstance(m.request.shape, GemmShape)), default=0.0)
    per_cycle = limits.flop_per_cycle
    if peaks:
        rate = max(peaks[0], product)
        sheet = limits.peak_flop_per_s(Precision.FLOAT32)
        # The rate is what counts: a core does so much in a cycle of the measured clock.
        factor = _bounded(rate, sheet) / sheet * limits.ghz / ghz
        per_cycle = tuple((precision, each * factor) for precision, each in per_cycle)
    return dataclasses.replace(
        limits,
        ghz=ghz,
        flop_per_cycle=per_cycle,
        bandwidth_byte_per_s=bandwidth_byte_per_s or limits.bandwidth_byte_per_s,
    )


def _rate(measurement: Measurement) -> float:
    request = measurement.request
    return flop(request.shape, direction=request.direction) / measurement.figure_s


def _bounded(measured: float, sheet: float) -> float:
    return min(max(measured, _LEAST_SHARE * sheet), _MOST_SHARE * sheet)


def _is_of_processor(measurement: Measurement) -> bool:
    """Whether a figure is one of all cores, by machine code or by a library."""
    request = measurement.request
    return (
        request.device_id == CPU_DEVICE_ID
        and request.runner in (Runner.CLOCK, Runner.KERAS, Runner.NUMPY)
        and request.precision is Precision.FLOAT32
        and request.threads is None
        and not request.settings
        and measurement.figure_s > 0.0
    )
