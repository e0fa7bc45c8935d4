"""How much of what the hardware could do was reached, and what probably keeps it from more.

Leaves to others: computing and judging (`advisor.normal`), words (`advisor.report.normal_text`).
"""

from dataclasses import dataclass
from enum import StrEnum

from advisor.model.measurement import BenchmarkRequest


class Verdict(StrEnum):
    """Whether a share of the peak is what such hardware and software usually reach."""

    NORMAL = "normal"
    LOW = "low"
    HIGH = "high"
    UNKNOWN = "unknown"


class PeakBasis(StrEnum):
    """What the bound of a figure follows from."""

    CORES_CLOCK_ISA = "cores_clock_isa"
    CORES_BASE_CLOCK_ISA = "cores_base_clock_isa"
    CORES_MEASURED_CLOCK_ISA = "cores_measured_clock_isa"
    UNITS_CLOCK = "units_clock"
    DATA_SHEET = "data_sheet"
    MEMORY_CHANNELS = "memory_channels"
    MEASURED_PEAK = "measured_peak"
    USUAL_COST = "usual_cost"


class UnknownPeak(StrEnum):
    """Why there is no bound for a figure."""

    CORES = "cores"
    CLOCK = "clock"
    CLOCK_NONSENSE = "clock_nonsense"
    MICROARCHITECTURE = "microarchitecture"
    COMPUTE_UNITS = "compute_units"
    MEMORY = "memory"
    SHARED_HOST = "shared_host"
    PEAK_NOT_MEASURED = "peak_not_measured"


class CauseCode(StrEnum):
    """What probably keeps a figure from the usual share; chosen by evidence."""

    SINGLE_CHANNEL = "single_channel"
    FEW_CHANNELS = "few_channels"
    MESA_DRIVER = "mesa_driver"
    LAYERED_DRIVER = "layered_driver"
    GENERIC_POCL = "generic_pocl"
    CPU_QUOTA = "cpu_quota"
    AFFINITY = "affinity"
    FEW_THREADS = "few_threads"
    ON_BATTERY = "on_battery"
    POWER_LIMIT = "power_limit"
    GOVERNOR = "governor"
    THROTTLED = "throttled"
    BUSY = "busy"
    STEAL = "steal"
    SLOW_LIBRARY = "slow_library"
    UNTUNED_KERNEL = "untuned_kernel"
    UNEVEN_CORES = "uneven_cores"
    VIRTUAL_CPUS = "virtual_cpus"
    VIRTUAL_CLOCK = "virtual_clock"
    BASE_CLOCK = "base_clock"
    CLOCK_NONSENSE = "clock_nonsense"
    MATRIX_UNIT = "matrix_unit"
    CACHE = "cache"
    UNEXPLAINED = "unexplained"


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """A named value of a cause; a number keeps its unit in the name ("clock_mhz")."""

    name: str
    value: str | float


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """A probable cause with what it rests on."""

    code: CauseCode
    details: tuple[Detail, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Efficiency:
    """The best figure of a class of kernels on a device, against its bound.

    Attributes:
        request: the kernel that gave the figure.
        value: median, in `unit` ("flop/s", "B/s", or "s" for a fixed cost).
        peak: the bound in the same unit, None when it is not known; then `unknown` says why.
        ratio: share of the bound that was reached; of a fixed cost usual / measured.
        normal_low, normal_high: shares between which the verdict is normal.
        cause: None when there is nothing to explain; a remark where the verdict is normal.
    """

    device_id: str
    request: BenchmarkRequest
    value: float
    unit: str
    peak: float | None
    basis: PeakBasis | None
    unknown: UnknownPeak | None
    ratio: float | None
    normal_low: float
    normal_high: float
    verdict: Verdict
    cause: Cause | None
