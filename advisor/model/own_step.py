"""A step that was tried on this machine, beside what had been predicted of it.

Leaves to others: what it tells of other jobs (`advisor.predict.own_steps`), keeping (`ui.history`).
"""

from dataclasses import dataclass

from advisor.model.quantity import Phase, Precision


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnStep:
    """A job whose steps were run as everything is now: seconds of a step, told and taken.

    Attributes:
        network: short name.
        predicted_s: by the model alone, from kernels measured here; log_sd: standard deviation of
            the logarithm of its error, as its interval has it.
        measured_s: median over runs; measured_on: ISO date.
    """

    network: str
    phase: Phase
    precision: Precision
    batch_size: int
    predicted_s: float
    log_sd: float
    measured_s: float
    measured_on: str
