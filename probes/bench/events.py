"""What a session tells while it runs; each event is a frozen value for the window and the terminal.

Leaves to others: showing them (`ui`).
"""

from dataclasses import dataclass

from advisor.model.measurement import (
    BenchmarkRequest,
    FailedMeasurement,
    Measurement,
    MeasurementSet,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStarted:
    """The session begins with so many kernels."""

    n_kernels: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelStarted:
    """A kernel has reached a stage: "prepare", "warm_up"."""

    request: BenchmarkRequest
    stage: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelProgress:
    """A kernel that is timed for long gave a value: `value_s` for one execution, after `at_s`."""

    request: BenchmarkRequest
    value_s: float
    at_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelFinished:
    """A kernel gave a figure or failed; `n_done` of `n_total` are over."""

    result: Measurement | FailedMeasurement
    n_done: int
    n_total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFinished:
    """The session is over."""

    measurements: MeasurementSet


SessionEvent = SessionStarted | KernelStarted | KernelProgress | KernelFinished | SessionFinished
