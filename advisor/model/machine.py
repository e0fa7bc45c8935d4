"""Facts about one machine, as the probe found them. Unknown is None, absent is an empty tuple.

Leaves to others: finding the facts (`probes.machine`) and judging them (`advisor.recommend`).
"""

from dataclasses import dataclass
from enum import StrEnum

CPU_DEVICE_ID = "cpu"


class OsFamily(StrEnum):
    """Operating system family."""

    LINUX = "linux"
    WINDOWS = "windows"
    MACOS = "macos"
    OTHER = "other"


class DeviceKind(StrEnum):
    """Kind of a compute device. An APU is a product (CPU + iGPU), not a kind."""

    CPU = "cpu"
    IGPU = "igpu"
    DGPU = "dgpu"
    NPU = "npu"
    OTHER = "other"


class Chassis(StrEnum):
    """What a machine is built into; only a desktop or a server has room for a card."""

    DESKTOP = "desktop"
    COMPACT = "compact"
    PORTABLE = "portable"
    SERVER = "server"


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingFact:
    """A fact that could not be had, why, and what the user may do about it (None: nothing)."""

    fact: str
    reason: str
    remedy: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatingSystem:
    """Operating system and what it runs in.

    `hypervisor` and `container` are names ("kvm", "docker"), "" when known to be absent.
    `architecture` is the machine word of the platform: "x86_64", "aarch64", "armv7l".
    """

    family: OsFamily
    name: str
    version: str | None
    kernel: str | None
    architecture: str
    hypervisor: str | None
    container: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cache:
    """One cache level: size of one instance and the number of logical CPUs that share it."""

    level: int
    kind: str
    size_bytes: int
    shared_by: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cpu:
    """The processor(s) of the machine.

    Attributes:
        isa_features: lower-case flag names as Linux spells them ("avx2", "avx512f", "neon").
        n_physical_cores: cores of the machine; n_logical_cpus: hardware threads seen by the OS.
        usable_cpus: logical CPUs that this process may run on (affinity).
        quota_cpus: CPU time limit of the container in CPUs, None when there is no limit.
    """

    vendor: str | None
    brand: str
    microarchitecture: str | None
    isa_features: tuple[str, ...]
    n_packages: int | None
    n_physical_cores: int | None
    n_logical_cpus: int
    usable_cpus: int | None
    quota_cpus: float | None
    base_mhz: float | None
    max_mhz: float | None
    caches: tuple[Cache, ...]
    n_numa_nodes: int | None

    @property
    def last_cache(self) -> Cache | None:
        """Return one cache of the last level that holds data; None where none is known."""
        data = [cache for cache in self.caches if cache.kind.lower() != "instruction"]
        return max(data, key=lambda cache: cache.level, default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Main memory; `limit_bytes` is the container's limit, None when there is none."""

    total_bytes: int | None
    available_bytes: int | None
    limit_bytes: int | None
    channels: int | None = None
    speed_mt_per_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphicsDevice:
    """A GPU on the bus, whether or not a driver serves it.

    Attributes:
        id: stable within a profile, e.g. "gpu0".
        pci_vendor_id, pci_device_id: four lower-case hex digits.
        kernel_driver: name of the bound kernel driver; None when none is bound.
        carve_out_bytes: memory reserved for the GPU; shared_limit_bytes: system memory
            that it may use besides (GTT).
    """

    id: str
    kind: DeviceKind
    vendor: str | None
    name: str
    pci_vendor_id: str | None
    pci_device_id: str | None
    kernel_driver: str | None
    carve_out_bytes: int | None
    shared_limit_bytes: int | None
    compute_units: int | None
    max_mhz: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenclDevice:
    """A device that an OpenCL platform offers; `id` is "opencl:<platform>:<device>".

    Attributes:
        driver: description file of its driver, which is loaded alone because together with the
            others of this machine it cannot be; None: it is loaded with them.
    """

    id: str
    kind: DeviceKind
    name: str
    vendor: str
    platform: str
    platform_version: str
    device_version: str
    driver_version: str
    compute_units: int
    max_mhz: float | None
    global_mem_bytes: int
    max_alloc_bytes: int
    local_mem_bytes: int
    max_work_group_size: int
    has_unified_memory: bool
    has_fp16: bool
    has_fp64: bool
    is_bundled_driver: bool
    driver: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Npu:
    """A neural processing unit seen on the bus."""

    id: str
    vendor: str | None
    name: str
    kernel_driver: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class InstalledFramework:
    """A framework found installed, by its distribution name ("tensorflow-cpu")."""

    name: str
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """A Python environment: interpreter path, version, kind ("venv", "conda", "system", "ours")."""

    python: str
    version: str | None
    kind: str
    frameworks: tuple[InstalledFramework, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Power:
    """Power state; None where the system does not tell.

    `scaling_driver` sets the clock; "powersave" is no brake with those that let the processor.
    `has_battery` tells a machine that is carried about (or stands behind an emergency supply).
    """

    on_battery: bool | None
    governor: str | None
    max_performance_percent: float | None = None
    scaling_driver: str | None = None
    has_battery: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """How busy the machine was: 1-minute load average, share of CPU time busy and stolen."""

    load_average_1m: float | None
    busy_fraction: float | None
    steal_fraction: float | None
    temperature_c: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineProfile:
    """All facts about a machine at one date (`collected_on`, ISO).

    `overrides` lists the dotted names of values that the user replaced. `chassis` is None where
    the firmware does not tell, in virtual machines always.
    """

    collected_on: str
    os: OperatingSystem
    cpu: Cpu
    memory: Memory
    graphics: tuple[GraphicsDevice, ...]
    opencl: tuple[OpenclDevice, ...]
    npus: tuple[Npu, ...]
    environments: tuple[Environment, ...]
    power: Power
    load: Load
    missing: tuple[MissingFact, ...]
    overrides: tuple[str, ...] = ()
    chassis: Chassis | None = None
