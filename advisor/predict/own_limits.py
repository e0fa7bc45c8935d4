"""Limits of this processor as they were measured, in place of those of its data sheet.

A guest is told a base clock that its cores exceed, a laptop does not reach the clock of its data
sheet, and not all cores of a hybrid processor are alike: the measured clock and the measured rate
of multiply-adds on all cores know. For comparing this machine with others.
Leaves to others: the data sheet (`advisor.predict.hardware`), times of kernels
(`advisor.predict.ceilings`).
"""

import dataclasses

from advisor.model.kernel import CLOCK_CYCLES, PEAK_FLOP, ClockShape, PeakShape
from advisor.model.machine import CPU_DEVICE_ID
from advisor.model.measurement import Measurement, MeasurementSet, Runner
from advisor.model.quantity import Precision
from advisor.predict.hardware import CpuLimits

# Beyond these shares of the data sheet the measurement is taken for a mistake.
_LEAST_SHARE = 0.2
_MOST_SHARE = 4.0


def own_limits(
    limits: CpuLimits,
    measurements: MeasurementSet | None,
    *,
    bandwidth_byte_per_s: float | None = None,
) -> CpuLimits:
    """Return limits with the clock and the rate that were measured on all cores.

    Args:
        limits: of the data sheet.
        measurements: None before anything was measured.
        bandwidth_byte_per_s: of the main memory as measured; None leaves that of the data sheet.
    """
    measured = measurements.measured if measurements else ()
    own = [m for m in measured if _is_of_processor(m)]
    clocks = [m for m in own if m.request.shape == ClockShape(load="vector")]
    peaks = [m for m in own if m.request.shape == PeakShape()]
    ghz = CLOCK_CYCLES / clocks[0].figure_s / 1e9 if clocks else limits.ghz
    ghz = ghz if _is_plausible(ghz / limits.ghz) else limits.ghz
    per_cycle = limits.flop_per_cycle
    if peaks:
        share = PEAK_FLOP / peaks[0].figure_s / limits.peak_flop_per_s(Precision.FLOAT32)
        if _is_plausible(share):
            # The rate is what counts: a core does so much in a cycle of the measured clock.
            factor = share * limits.ghz / ghz
            per_cycle = tuple((precision, rate * factor) for precision, rate in per_cycle)
    return dataclasses.replace(
        limits,
        ghz=ghz,
        flop_per_cycle=per_cycle,
        bandwidth_byte_per_s=bandwidth_byte_per_s or limits.bandwidth_byte_per_s,
    )


def _is_of_processor(measurement: Measurement) -> bool:
    request = measurement.request
    return (
        request.device_id == CPU_DEVICE_ID
        and request.runner is Runner.CLOCK
        and request.precision is Precision.FLOAT32
        and request.threads is None
        and measurement.figure_s > 0.0
    )


def _is_plausible(share: float) -> bool:
    return _LEAST_SHARE <= share <= _MOST_SHARE
