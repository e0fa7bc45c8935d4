"""How much wider a step's interval is for what disturbed the machine while it was measured.

The widths of the model are of quiet runs (decision 0014). Three things tell of another run:

- The spread s of the reference, a product that is timed again and again over the run, all values
  kept: half the distance of its 10th and 90th percentile in logarithms, in standard deviations
  of a normal distribution. What a quiet run has of it, `QUIET_SD`, is in the model already:
  sqrt(s^2 - QUIET_SD^2) is not.
- The spread k of the kernels' own values, the median over all kernels that the framework ran: a
  loud host moves most of them, a quiet one few. `KERNEL_SHARE` * sqrt(k^2 - QUIET_KERNEL_SD^2).
- The verdict that the machine was busy or throttled. A load that never pauses slows every value
  alike and leaves no spread. Its verdict says how much of the processor was lost at the least;
  a network waits for its slowest thread, so a core that lost the share f makes a step 1 / (1 - f)
  times as long. The 80 % interval reaches at least so far, to a quiet machine.

All tell of the same cause, so the largest counts, and is added to the doubt of the model as
errors add up: new = sqrt(old^2 + largest^2). Without any the interval stays exactly as it is.
Leaves to others: the verdicts (`probes.bench.stability`), the doubt of the model
(`advisor.predict.workload_time`).
"""

import dataclasses
import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from advisor.format import format_percent
from advisor.model.kernel import ClockShape
from advisor.model.machine import CPU_DEVICE_ID
from advisor.model.measurement import REFERENCE, Measurement, MeasurementSet, StabilityWarning
from advisor.model.quantity import Basis
from advisor.predict.ceilings import is_of_network
from advisor.predict.workload_time import Z_80, StepEstimate, interval_of

# Largest spread of the reference in four quiet calibrations on two days was 0.127.
QUIET_SD = 0.13
# Of fewer values no spread is told: two looks at the reference are six.
FEWEST_VALUES = 6
# Of the kernels, with those of a replay, the largest in five recordings of quiet hosts was 0.053;
# the two of loud ones (zen5-1 and -3) have 0.07 to 0.11.
QUIET_KERNEL_SD = 0.06
# What errors had more on those two than on quiet hosts, over the spread beyond (decision 0014).
KERNEL_SHARE = 1.3
# A bout is three values, and fewer kernels tell of themselves, not of the machine.
FEWEST_BOUT_VALUES = 3
FEWEST_KERNELS = 20
# What the verdicts say at the least (`probes.bench.stability`; a test holds them together):
# others had this share of all CPUs, or this much of one,
LEAST_BUSY_SHARE = 0.10
LEAST_BUSY_CPUS = 0.25
# the host took this share, the clock fell by this one.
LEAST_STEAL = 0.02
LEAST_FALL = 0.05

_REASONS = {
    StabilityWarning.BUSY: "Measured while other programs used the processor: repeat on a quiet "
    "machine.",
    StabilityWarning.STEAL: "Measured while the host gave the processor to others: repeat at "
    "another time.",
    StabilityWarning.THROTTLED: "Measured while the machine became slower: let it cool down and "
    "repeat.",
    StabilityWarning.ON_BATTERY: "Measured on battery: repeat on mains power.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Disturbance:
    """What a run that was not quiet adds to the doubt of a step.

    Attributes:
        log_sd: of the logarithm of a step's time, 0 for a quiet run.
        notes: why, a sentence each; a state without a figure has a sentence alone.
    """

    log_sd: float = 0.0
    notes: tuple[str, ...] = ()

    def of(self, step: StepEstimate) -> StepEstimate:
        """Return a step with a wider interval and the reasons.

        After a quiet run it is as it was, and so is one from a data sheet, which nothing disturbs.
        """
        if step.basis is Basis.MODEL_ONLY:
            return step
        if self.log_sd > 0.0:
            log_sd = math.hypot(step.log_sd, self.log_sd)
            step = dataclasses.replace(
                step, log_sd=log_sd, step_s=interval_of(step.step_s.mid, log_sd=log_sd)
            )
        return dataclasses.replace(step, notes=(*step.notes, *self.notes))


def disturbance(measurements: MeasurementSet | None, *, n_cpus: int) -> Disturbance:
    """Return what disturbed the processor while kernels were timed on it.

    Args:
        measurements: of a session; None: nothing was measured, and nothing disturbed.
        n_cpus: logical CPUs that may be used.
    """
    if measurements is None:
        return Disturbance()
    warnings = measurements.warnings
    spread = reference_sd(measurements.measured)
    beyond = _beyond(spread, QUIET_SD)
    kernels = kernels_sd(measurements.measured)
    kernels_beyond = KERNEL_SHARE * _beyond(kernels, QUIET_KERNEL_SD)
    notes = tuple(reason for warning, reason in _REASONS.items() if warning in warnings)
    if beyond > 0.0 and not notes:
        notes = (_spread_note(spread),)
    elif kernels_beyond > 0.0 and not notes:
        notes = (_kernels_note(kernels),)
    least = _least_sd(warnings, n_cpus=n_cpus)
    return Disturbance(log_sd=max(beyond, kernels_beyond, least), notes=notes)


def _beyond(spread: float, quiet: float) -> float:
    """Return what a spread has more than a quiet run has of it."""
    return math.sqrt(max(0.0, spread**2 - quiet**2))


def reference_sd(measured: Iterable[Measurement]) -> float:
    """Return the spread of what was timed throughout the run, as an sd of logarithms.

    0 without such a kernel on the processor. The clock is none: other programs do not move it.
    """
    found = (m.values_s for m in measured if _is_reference(m))
    return max((_sd(values) for values in found if len(values) >= FEWEST_VALUES), default=0.0)


def kernels_sd(measured: Iterable[Measurement]) -> float:
    """Return the median over kernels of the spread of their values, as an sd of logarithms.

    Of what the framework ran on the processor, without the reference; 0 of too few kernels.
    """
    found = [
        _sd(m.values_s)
        for m in measured
        if m.request.device_id == CPU_DEVICE_ID
        and is_of_network(m)
        and m.request.role != REFERENCE
        and len(m.values_s) >= FEWEST_BOUT_VALUES
    ]
    return statistics.median(found) if len(found) >= FEWEST_KERNELS else 0.0


def _is_reference(measurement: Measurement) -> bool:
    request = measurement.request
    return (
        request.role == REFERENCE
        and request.device_id == CPU_DEVICE_ID
        and not isinstance(request.shape, ClockShape)
    )


def _sd(values_s: Sequence[float]) -> float:
    logs = [math.log(value) for value in values_s if value > 0.0]
    if len(logs) < 2:
        return 0.0
    tenths = statistics.quantiles(logs, n=10, method="inclusive")
    return (tenths[-1] - tenths[0]) / (2.0 * Z_80)


def _least_sd(warnings: Sequence[StabilityWarning], *, n_cpus: int) -> float:
    """Return what the verdicts alone say: the largest share lost, as the half of an interval."""
    lost = {
        StabilityWarning.BUSY: min(LEAST_BUSY_CPUS, LEAST_BUSY_SHARE * n_cpus),
        StabilityWarning.STEAL: LEAST_STEAL,
        StabilityWarning.THROTTLED: LEAST_FALL,
    }
    largest = max((lost.get(warning, 0.0) for warning in warnings), default=0.0)
    return -math.log1p(-largest) / Z_80


def _spread_note(spread: float) -> str:
    share = format_percent(math.expm1(Z_80 * spread))
    return (
        f"A product timed throughout the run varied by {share}, more than on a quiet machine: "
        "repeat on one."
    )


def _kernels_note(spread: float) -> str:
    share = format_percent(math.expm1(Z_80 * spread))
    return (
        f"Half of the kernels varied by more than {share}, more than on a quiet machine: "
        "repeat on one."
    )
