"""What was asked to be measured, what came out, and what failed.

Leaves to others: running (`probes.bench`), rates and ceilings (`advisor.predict`).
"""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from advisor.model.kernel import Direction, KernelShape, StreamShape
from advisor.model.quantity import Precision


class Runner(StrEnum):
    """Which worker runs a kernel."""

    NUMPY = "numpy"
    KERAS = "keras"
    OPENCL = "opencl"
    STREAM = "stream"
    TORCH = "torch"
    JAX = "jax"
    ONNXRUNTIME = "onnxruntime"
    OPENVINO = "openvino"
    CLOCK = "clock"


class Outcome(StrEnum):
    """The parent's verdict on a child or on one kernel in it."""

    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    TIMED_OUT = "timed_out"
    CRASHED = "crashed"
    OUT_OF_MEMORY = "out_of_memory"
    PROTOCOL_ERROR = "protocol_error"
    WRONG_RESULT = "wrong_result"
    UNSUPPORTED = "unsupported"
    SKIPPED = "skipped"


class StabilityWarning(StrEnum):
    """Why a figure may not be steady."""

    NOISY = "noisy"
    OUTLIER = "outlier"
    TOO_SHORT = "too_short"
    ON_BATTERY = "on_battery"
    GOVERNOR = "governor"
    THROTTLED = "throttled"
    BUSY = "busy"
    CPU_LIMIT = "cpu_limit"
    STEAL = "steal"
    UNSTEADY = "unsteady"


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """An environment variable under which a kernel runs."""

    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftwareStack:
    """Software that ran a kernel: framework and version, library below it and version."""

    framework: str
    framework_version: str | None
    backend: str | None
    backend_version: str | None


# Role of what is timed again and again to tell whether the machine has changed.
REFERENCE = "reference"


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkRequest:
    """One kernel to be timed.

    Attributes:
        id: unique within a plan, readable: "keras/conv/forward/...".
        role: "headline" (shown to the user), "calibration", "anchor" (of every step: timed over the
            whole run), "replay", "setting",
            "reference" (timed again to tell whether the machine has changed) or "sustained"
            (timed until its values have lasted n_values times min_value_s together).
        device_id: `CPU_DEVICE_ID` or the id of an OpenCL device of the profile.
        threads: number of compute threads, None for the default of the stack.
        min_value_s: shortest duration of one timed value; n_values: how many are taken.
    """

    id: str
    role: str
    runner: Runner
    device_id: str
    shape: KernelShape
    direction: Direction
    precision: Precision
    threads: int | None = None
    settings: tuple[Setting, ...] = ()
    min_value_s: float = 0.1
    n_values: int = 5


_QUARTER = 0.25


def figure_of(values_s: Sequence[float], *, is_median: bool) -> float:
    """Return the one figure of a kernel's values: their lower quartile or their median.

    What disturbs a computer makes most values longer, so the lower quartile scatters least from
    run to run. Two kinds of values are as often too short as too long, and have the median:
    differences of two times, and the traffic of memory, which for tenths of a second to seconds
    may be up to twice as fast as usual (decision 0010).
    """
    return statistics.median(values_s) if is_median else _quantile(values_s, _QUARTER)


def _quantile(values: Sequence[float], share: float) -> float:
    """Return the value below which so large a share lies, between the two nearest."""
    in_order = sorted(values)
    whole, part = divmod(share * (len(in_order) - 1), 1.0)
    low = in_order[int(whole)]
    return low if part == 0.0 else low + part * (in_order[int(whole) + 1] - low)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """One kernel, timed. `values_s` are seconds for one execution of the kernel.

    Attributes:
        warmups_s: discarded values, the first includes compilation.
        loops: executions inside one timed value.
        check: how the result was verified against a reference, in words.
        is_difference: each value is the time of a whole less that of a part.
        n_dropped: values that were none: a negative difference, a clock that was set back.
    """

    request: BenchmarkRequest
    stack: SoftwareStack
    warmups_s: tuple[float, ...]
    values_s: tuple[float, ...]
    loops: int
    check: str
    warnings: tuple[StabilityWarning, ...] = ()
    is_difference: bool = False
    n_dropped: int = 0

    @property
    def figure_s(self) -> float:
        """Seconds of one execution that stand for the kernel, see `figure_of`."""
        return figure_of(self.values_s, is_median=self.is_figure_median)

    @property
    def is_figure_median(self) -> bool:
        """Whether the median stands for the kernel, and not the lower quartile."""
        shape = self.request.shape
        return self.is_difference or (isinstance(shape, StreamShape) and shape.op != "local")

    @property
    def median_s(self) -> float:
        """Median seconds of one execution."""
        return statistics.median(self.values_s)

    @property
    def middle_half_s(self) -> tuple[float, float]:
        """Lower and upper quartile of the seconds of one execution."""
        return _quantile(self.values_s, _QUARTER), _quantile(self.values_s, 1.0 - _QUARTER)

    @property
    def min_s(self) -> float:
        """Shortest seconds of one execution."""
        return min(self.values_s)

    @property
    def mad_s(self) -> float:
        """Median absolute deviation from the median, in seconds."""
        middle = self.median_s
        return statistics.median(abs(value - middle) for value in self.values_s)

    @property
    def spread(self) -> float | None:
        """Median absolute deviation over the median; None: a single value tells none."""
        if len(self.values_s) < 2 or self.median_s <= 0.0:
            return None
        return self.mad_s / self.median_s


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedMeasurement:
    """A kernel that gave no figure: the verdict and one sentence."""

    request: BenchmarkRequest
    outcome: Outcome
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasurementSet:
    """The results of one session on one machine, in the order in which they came."""

    measured_on: str
    duration_s: float
    results: tuple[Measurement | FailedMeasurement, ...]
    warnings: tuple[StabilityWarning, ...] = ()

    @property
    def measured(self) -> tuple[Measurement, ...]:
        """Only those that gave a figure."""
        return tuple(r for r in self.results if isinstance(r, Measurement))

    @property
    def failed(self) -> tuple[FailedMeasurement, ...]:
        """Only those that did not."""
        return tuple(r for r in self.results if isinstance(r, FailedMeasurement))

    @property
    def is_cancelled(self) -> bool:
        """Whether the user stopped the session before all that was asked for had its answer."""
        return any(failed.outcome is Outcome.CANCELLED for failed in self.failed)
