"""What probably keeps a figure from its usual share, by evidence, the strongest first.

Each clue looks at one thing and answers with a cause or None. Leaves to others: whether there is
anything to explain (`advisor.normal.judge`), the sentences (`advisor.report.normal_text`).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from advisor.model.device_names import POCL_PLATFORM
from advisor.model.efficiency import Cause, CauseCode, Detail, PeakBasis
from advisor.model.machine import CPU_DEVICE_ID, DeviceKind, MachineProfile, OpenclDevice
from advisor.model.measurement import Measurement, Runner, StabilityWarning
from advisor.normal.peaks import Peak, is_clock

# Share of the bandwidth of two channels that one gives, between these.
_ONE_OF_TWO = (0.25, 0.55)
# Another library that is so much faster on the same processor is evidence against this one.
_SLOW_LIBRARY_FACTOR = 1.5
_FULL_PERCENT = 99.0
# Governors that hold the clock down under load; the others raise it.
_SLOW_GOVERNORS = frozenset({"powersave", "conservative", "userspace"})
# With these drivers the processor chooses its clock by load, and "powersave" is the usual governor.
_OWN_CLOCK_DRIVERS = frozenset({"intel_pstate", "amd-pstate-epp", "amd_pstate_epp"})
_MESA_PLATFORMS = frozenset({"rusticl", "clover"})
_LAYERS = ("openclon12", "clvk", "clon12")
_POCL_DRIVERS = ("pthread-", "cpu-", "basic-", "cpu-minimal-")
_BRANDS = ("amd", "intel", "generic", "genuine", "authentic", "0x")


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What a cause is chosen by.

    Attributes:
        device: None for the processor as its frameworks use it.
        best_elsewhere: highest figure of the same kind by another library on the same processor
            and its name, None when there is none.
        warnings: of the session and of the measurement.
    """

    profile: MachineProfile
    measurement: Measurement
    device: OpenclDevice | None
    peak: Peak | None
    value: float
    ratio: float
    warnings: frozenset[StabilityWarning]
    best_elsewhere: tuple[float, str] | None = None

    @property
    def runs_on_cpu(self) -> bool:
        """Whether the cores of the processor do the work."""
        return self.device is None or self.device.kind is DeviceKind.CPU

    @property
    def shares_the_package(self) -> bool:
        """Whether heat and power of the processor's package bound it."""
        return self.runs_on_cpu or (self.device is not None and self.device.kind is DeviceKind.IGPU)


Clue = Callable[[Evidence], Cause | None]


def cause(code: CauseCode, **values: str | float) -> Cause:
    """Return a cause with its named values."""
    details = tuple(Detail(name=name, value=value) for name, value in values.items())
    return Cause(code=code, details=details)


def clock_nonsense(evidence: Evidence) -> Cause | None:
    """The driver tells a clock that nothing can have."""
    mhz = evidence.device.max_mhz if evidence.device else evidence.profile.cpu.max_mhz
    if mhz is None or is_clock(mhz):
        return None
    return cause(CauseCode.CLOCK_NONSENSE, clock_mhz=mhz)


def cpu_quota(evidence: Evidence) -> Cause | None:
    """A container gets less CPU time than the cores have."""
    cpu = evidence.profile.cpu
    cores = cpu.n_physical_cores or cpu.n_logical_cpus
    if not evidence.runs_on_cpu or cpu.quota_cpus is None or cpu.quota_cpus >= cores:
        return None
    return cause(CauseCode.CPU_QUOTA, quota=cpu.quota_cpus, cores=cores)


def affinity(evidence: Evidence) -> Cause | None:
    """The process may run on some logical CPUs only."""
    cpu = evidence.profile.cpu
    cores = cpu.n_physical_cores or cpu.n_logical_cpus
    if not evidence.runs_on_cpu or cpu.usable_cpus is None or cpu.usable_cpus >= cores:
        return None
    return cause(CauseCode.AFFINITY, usable=cpu.usable_cpus, cores=cores)


def few_threads(evidence: Evidence) -> Cause | None:
    """Fewer threads than cores were prescribed."""
    cores = evidence.profile.cpu.n_physical_cores
    threads = evidence.measurement.request.threads
    if not evidence.runs_on_cpu or threads is None or cores is None or threads >= cores:
        return None
    return cause(CauseCode.FEW_THREADS, threads=threads, cores=cores)


def throttled(evidence: Evidence) -> Cause | None:
    """A kernel became slower during the session."""
    is_slower = StabilityWarning.THROTTLED in evidence.warnings
    return cause(CauseCode.THROTTLED) if is_slower and evidence.shares_the_package else None


def on_battery(evidence: Evidence) -> Cause | None:
    """The machine ran on battery."""
    is_on = evidence.profile.power.on_battery or StabilityWarning.ON_BATTERY in evidence.warnings
    return cause(CauseCode.ON_BATTERY) if is_on else None


def power_limit(evidence: Evidence) -> Cause | None:
    """The system holds the processor below its full clock."""
    percent = evidence.profile.power.max_performance_percent
    if percent is None or percent >= _FULL_PERCENT or not evidence.runs_on_cpu:
        return None
    return cause(CauseCode.POWER_LIMIT, limit_percent=percent)


def governor(evidence: Evidence) -> Cause | None:
    """The governor of the clock does not raise it under load."""
    power = evidence.profile.power
    name = power.governor
    if name not in _SLOW_GOVERNORS or not evidence.runs_on_cpu:
        return None
    if name == "powersave" and power.scaling_driver in _OWN_CLOCK_DRIVERS:
        return None
    return cause(CauseCode.GOVERNOR, governor=name)


def steal(evidence: Evidence) -> Cause | None:
    """The host took CPU time away."""
    is_taken = StabilityWarning.STEAL in evidence.warnings and evidence.runs_on_cpu
    return cause(CauseCode.STEAL) if is_taken else None


def busy(evidence: Evidence) -> Cause | None:
    """Other programs computed meanwhile."""
    is_busy = StabilityWarning.BUSY in evidence.warnings and evidence.shares_the_package
    return cause(CauseCode.BUSY) if is_busy else None


def slow_library(evidence: Evidence) -> Cause | None:
    """Another library is much faster on the same processor."""
    if evidence.best_elsewhere is None:
        return None
    best, other = evidence.best_elsewhere
    if best < _SLOW_LIBRARY_FACTOR * evidence.value:
        return None
    stack = evidence.measurement.stack
    name = stack.backend or stack.framework
    return cause(CauseCode.SLOW_LIBRARY, library=name, other=other, factor_x=best / evidence.value)


def uneven_cores(evidence: Evidence) -> Cause | None:
    """Some cores have two threads and some one: they are of two kinds."""
    cpu = evidence.profile.cpu
    cores = cpu.n_physical_cores
    if not evidence.runs_on_cpu or cores is None or not cores < cpu.n_logical_cpus < 2 * cores:
        return None
    return cause(CauseCode.UNEVEN_CORES, fast=cpu.n_logical_cpus - cores, cores=cores)


def virtual_cpus(evidence: Evidence) -> Cause | None:
    """The CPUs of a virtual machine may be threads that share cores."""
    name = evidence.profile.os.hypervisor
    return cause(CauseCode.VIRTUAL_CPUS, name=name) if name and evidence.runs_on_cpu else None


def generic_pocl(evidence: Evidence) -> Cause | None:
    """PoCL does not know the processor by name, so it compiles for any."""
    device = evidence.device
    if device is None or device.platform != POCL_PLATFORM or not is_generic_pocl(device.name):
        return None
    return cause(CauseCode.GENERIC_POCL, device=device.name)


def is_generic_pocl(name: str) -> bool:
    """Return whether the name of a PoCL device, "pthread-<target>-<brand>", lacks the target."""
    rest = name
    for driver in sorted(_POCL_DRIVERS, key=len, reverse=True):
        if name.startswith(driver):
            rest = name.removeprefix(driver)
            break
    return rest.lower().startswith(_BRANDS)


def is_mesa(device: OpenclDevice) -> bool:
    """Return whether Mesa serves an OpenCL device."""
    if device.platform.strip().lower() in _MESA_PLATFORMS:
        return True
    texts = (device.platform_version, device.device_version, device.driver_version, device.name)
    return any("mesa" in text.lower() or "(drm " in text.lower() for text in texts)


def mesa_driver(evidence: Evidence) -> Cause | None:
    """The open driver of Mesa compiles the kernels, not the vendor's."""
    device = evidence.device
    if device is None or not is_mesa(device):
        return None
    return cause(CauseCode.MESA_DRIVER, driver=f"{device.platform} {device.driver_version}".strip())


def layered_driver(evidence: Evidence) -> Cause | None:
    """OpenCL is translated to another interface."""
    device = evidence.device
    if device is None or not any(word in device.platform.lower() for word in _LAYERS):
        return None
    return cause(CauseCode.LAYERED_DRIVER, driver=device.platform)


def channels_told(evidence: Evidence) -> Cause | None:
    """The firmware reports one memory channel, or fewer than the processor has."""
    told = evidence.profile.memory.channels
    if told is None or not evidence.shares_the_package:
        return None
    could = evidence.peak.channels if evidence.peak else None
    if told == 1:
        return cause(CauseCode.SINGLE_CHANNEL, channels=1)
    if could is not None and told < could:
        return cause(CauseCode.FEW_CHANNELS, channels=told, possible=could)
    return None


def half_bandwidth(evidence: Evidence) -> Cause | None:
    """Nothing tells the channels in use, and the bandwidth is that of one of two."""
    profile = evidence.profile
    is_known = profile.memory.channels is not None or (profile.cpu.n_packages or 1) > 1
    could = evidence.peak.channels if evidence.peak else None
    if is_known or not evidence.shares_the_package or could not in (None, 2):
        return None
    low, high = _ONE_OF_TWO
    if not low <= evidence.ratio <= high:
        return None
    return cause(CauseCode.SINGLE_CHANNEL, share_percent=100.0 * evidence.ratio)


def cache(_evidence: Evidence) -> Cause | None:
    """More than the memory can give comes from the caches."""
    return cause(CauseCode.CACHE)


def untuned_kernel(_evidence: Evidence) -> Cause | None:
    """A product far below the device's own peak is not fitted to it."""
    return cause(CauseCode.UNTUNED_KERNEL)


def low_clock_counted(evidence: Evidence) -> Cause | None:
    """The bound was computed with the base clock, as no other was known."""
    if evidence.peak is None or evidence.peak.basis is not PeakBasis.CORES_BASE_CLOCK_ISA:
        return None
    name = evidence.profile.os.hypervisor
    mhz = evidence.profile.cpu.base_mhz or 0.0
    if name:
        return cause(CauseCode.VIRTUAL_CLOCK, name=name, clock_mhz=mhz)
    return cause(CauseCode.BASE_CLOCK, clock_mhz=mhz)


def matrix_unit(evidence: Evidence) -> Cause | None:
    """Apple's library uses a matrix unit beside the vector units."""
    is_apple = evidence.profile.cpu.vendor == "Apple" and evidence.device is None
    return cause(CauseCode.MATRIX_UNIT) if is_apple else None


# What limits the processor as a whole.
_LIMITS: tuple[Clue, ...] = (cpu_quota, affinity, few_threads)
# The host and other programs first: both make a later look slower, as heat does.
_STATES: tuple[Clue, ...] = (steal, busy, throttled, on_battery, power_limit)
LOW_CPU: tuple[Clue, ...] = (
    *_LIMITS, slow_library, *_STATES, uneven_cores, virtual_cpus, governor,
)  # fmt: skip
LOW_PEAK: tuple[Clue, ...] = (
    clock_nonsense, layered_driver, mesa_driver, *_LIMITS, generic_pocl, *_STATES, uneven_cores,
    virtual_cpus, governor,
)  # fmt: skip
LOW_PRODUCT: tuple[Clue, ...] = (layered_driver, mesa_driver, untuned_kernel)
LOW_MEMORY: tuple[Clue, ...] = (channels_told, *_LIMITS, half_bandwidth, *LOW_PEAK)
LOW_COST: tuple[Clue, ...] = (
    layered_driver, mesa_driver, generic_pocl, *_LIMITS, *_STATES, virtual_cpus, governor,
)  # fmt: skip
HIGH_RATE: tuple[Clue, ...] = (clock_nonsense, low_clock_counted, matrix_unit)
HIGH_MEMORY: tuple[Clue, ...] = (cache,)
REMARKS: tuple[Clue, ...] = (clock_nonsense,)
MEMORY_REMARKS: tuple[Clue, ...] = (channels_told,)


def first_cause(evidence: Evidence, clues: Iterable[Clue]) -> Cause | None:
    """Return the answer of the first clue that has one."""
    for clue in clues:
        found = clue(evidence)
        if found is not None:
            return found
    return None


def is_of_cpu(measurement: Measurement) -> bool:
    """Return whether a framework ran it on the processor."""
    return measurement.request.device_id == CPU_DEVICE_ID and (
        measurement.request.runner is not Runner.OPENCL
    )
