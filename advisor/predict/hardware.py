"""Limits of processors by their data sheets: cores x clock x flop per cycle, and bandwidth.

For machines before anything is measured, and for machines that are only offered for rent or sale.
Leaves to others: measured limits (`advisor.predict.ceilings`), scaling between machines
(`advisor.predict.transfer`).
"""

import math
import re
from dataclasses import dataclass

from advisor.knowledge.cloud import clock_under_load, usual_clocks
from advisor.knowledge.graphics import find_gpu
from advisor.knowledge.lookup import find_device, find_isa
from advisor.knowledge.store import Knowledge
from advisor.model.machine import Cpu, DeviceKind, MachineProfile, Memory
from advisor.model.offer import CpuPlatform
from advisor.model.published import CpuIsaRow, DeviceSpec
from advisor.model.quantity import Precision
from advisor.predict.hybrid import CoreMix, core_mix

# Share of cores x clock x flop/cycle that a good matrix product reaches (Zen 5: 0.88 measured).
GEMM_SHARE_OF_PEAK = 0.8
# Speed of Keras' mixed bfloat16 over float32, middle of 16 networks in training and inference each:
# 1.15 and 1.16 on a Sapphire Rapids with AMX (0.7 to 2.4), 1.06 and 1.0 on a Zen 5 (0.6 to 1.7).
BFLOAT16_GAIN = 1.15
# Loss by each further core (convolutional networks over oneDNN, 2 to 36 cores).
_CONTENTION = 0.03
# Share of the bandwidth of the data sheet that a stream reaches.
STREAM_SHARE_OF_PEAK = 0.75
# Between base and highest clock, where all cores work with wide vectors.
_ALL_CORE_SHARE_OF_BOOST = 0.4
# Of small and mobile processors the base clock is that of their least power, not of their work.
_LEAST_SHARE_OF_BOOST = 0.65
_DEFAULT_GHZ = 2.8

# Flop per cycle and core by instruction set, where the microarchitecture is not known.
_FLOP_PER_CYCLE = (
    (("avx512f",), 64.0),
    (("avx2", "fma"), 32.0),
    (("avx",), 16.0),
    (("sse4_2",), 8.0),
    (("asimddp",), 16.0),
    (("asimd",), 8.0),
    (("neon",), 8.0),
)
_DEFAULT_FLOP_PER_CYCLE = 8.0

# First year of a memory generation: byte/s of a client (2 channels) and of a server socket.
_MEMORY_BY_YEAR = ((2022, 60e9, 300e9), (2016, 34e9, 140e9), (2011, 20e9, 50e9), (0, 10e9, 25e9))
# Names of processors with the memory channels of a server; of workstations and Ampere's servers.
_SERVER_WORDS = ("epyc", "xeon", "neoverse", "graviton")
_LIKE_SERVERS = ("threadripper", "ampere", "altra")
# Microarchitectures that the probe names and the table does not, by a row of the same width.
_SAME_WIDTH = {
    "cortex_a55": "Cortex-A53", "cortex_a57": "Cortex-A72", "cortex_a77": "Cortex-A76",
    "cortex_a78": "Cortex-A76", "cortex_a78ae": "Cortex-A76", "cortex_a78c": "Cortex-A76",
    "goldmont_plus": "Goldmont", "icelake_server": "Ice Lake-SP",
    "meteorlake": "Meteor Lake (Redwood Cove)", "neoverse_n3": "Neoverse N2",
    "neoverse_v3": "Neoverse V2", "neoverse_v3ae": "Neoverse V2", "pantherlake": "Lunar Lake",
    "tremont": "Goldmont",
}  # fmt: skip
# What one core can draw alone.
_BYTE_PER_S_OF_CORE = 12e9


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuLimits:
    """Limits of a processor, or of the share of it that a virtual machine has.

    Attributes:
        cores: physical cores; units: threads that a kernel would use.
        slow_cores: how many of them are of the slower kind, where there are two.
        flop_per_cycle: of one fast core, for each precision that it computes natively.
        bandwidth_byte_per_s: sustained.
        is_guessed: True where clock, cores or instruction set had to be assumed.
        architecture: as the published rows spell it; None unknown, as vendor and year.
        training_step_factor: what a training step takes over the sum of its kernels on
            processors of this kind; 1 where none was recorded.
    """

    name: str
    cores: float
    units: int
    ghz: float
    flop_per_cycle: tuple[tuple[Precision, float], ...]
    bandwidth_byte_per_s: float
    is_guessed: bool
    notes: tuple[str, ...] = ()
    vendor: str | None = None
    architecture: str | None = None
    year: int | None = None
    slow_cores: float = 0.0
    training_step_factor: float = 1.0

    @property
    def precisions(self) -> tuple[Precision, ...]:
        """Precisions whose rate is known; float32 is the first."""
        return tuple(precision for precision, _rate in self.flop_per_cycle)

    def peak_flop_per_s(self, precision: Precision, *, cores: float | None = None) -> float:
        """Return cores x clock x flop per cycle; float32 where the precision has no units.

        Args:
            precision: of the numbers.
            cores: how many are used, the fast ones first; None: all.
        """
        known = dict(self.flop_per_cycle)
        per_cycle = known.get(precision, known[Precision.FLOAT32])
        return CoreMix(self.cores, self.slow_cores).worth(cores) * self.ghz * 1e9 * per_cycle

    def network_flop_per_s(self, precision: Precision) -> float:
        """Return the peak of which networks get their share, the same in every precision.

        A mixed policy leaves much to float32 and converts between: networks gain far less from
        bfloat16 than its units could give.
        """
        peak = self.peak_flop_per_s(precision)
        if precision is not Precision.BFLOAT16:
            return peak
        return min(peak, BFLOAT16_GAIN * self.peak_flop_per_s(Precision.FLOAT32))

    def sustained_flop_per_s(self, precision: Precision) -> float:
        """Return what a good matrix product of a network reaches on all cores."""
        share = core_speedup(self.cores) / self.cores
        return GEMM_SHARE_OF_PEAK * self.network_flop_per_s(precision) * share


def core_speedup(cores: float) -> float:
    """Return how many times one core some cores are at products; below one core, the fraction."""
    return cores / (1.0 + _CONTENTION * max(0.0, cores - 1.0))


def isa_row(
    knowledge: Knowledge, *, microarchitecture: str | None, isa_features: tuple[str, ...] = ()
) -> CpuIsaRow | None:
    """Return the row of a microarchitecture in any spelling of the tables: "Zen4 (Genoa)".

    A platform that may be either of two ("Cascade Lake | Skylake-SP") is taken for the last one
    named, the older. None when no spelling is known.
    """
    if not microarchitecture:
        return None
    for name in reversed(microarchitecture.split("|")):
        plain = re.sub(r"\(.*?\)", "", name).strip()
        spellings = (name.strip(), plain, plain.removesuffix(" Lake"), plain.removesuffix("1"))
        for spelling in spellings:
            row = find_isa(knowledge, microarchitecture=spelling, isa_features=isa_features)
            if row is not None:
                return row
    return None


def _per_cycle(
    row: CpuIsaRow | None, features: tuple[str, ...], *, known: float | None = None
) -> tuple[tuple[tuple[Precision, float], ...], bool]:
    """Return flop per cycle and core by precision, and whether it was guessed from flags."""
    single = known or (row.fp32_flop_per_cycle_per_core if row else None)
    is_guessed = single is None
    if single is None:
        single = next(
            (rate for flags, rate in _FLOP_PER_CYCLE if set(flags) <= set(features)),
            _DEFAULT_FLOP_PER_CYCLE,
        )
    rates = [(Precision.FLOAT32, single)]
    if row and row.bf16_flop_per_cycle_per_core:
        rates.append((Precision.BFLOAT16, row.bf16_flop_per_cycle_per_core))
    if row and row.int8_op_per_cycle_per_core:
        rates.append((Precision.INT8, row.int8_op_per_cycle_per_core))
    return tuple(rates), is_guessed


def _first_year(row: CpuIsaRow | None) -> int:
    found = re.search(r"\d{4}", row.years) if row else None
    return int(found.group()) if found else 2018


def shared_bandwidth(
    cores: float, *, year: int, is_server: bool, socket_byte_per_s: float | None = None
) -> float:
    """Return sustained byte/s of some cores: each draws its own until the socket is full.

    Args:
        cores: that draw.
        year: of the processor, for what a socket of its time has.
        is_server: whether it has a server's channels.
        socket_byte_per_s: sustained by the whole socket, where it is known.
    """
    client, server = next(row[1:] for row in _MEMORY_BY_YEAR if year >= row[0])
    socket = socket_byte_per_s or (server if is_server else client)
    return socket * (1.0 - math.exp(-cores * _BYTE_PER_S_OF_CORE / socket))


def _clock(base_ghz: float | None, boost_ghz: float | None) -> float | None:
    if base_ghz and boost_ghz:
        usual = base_ghz + _ALL_CORE_SHARE_OF_BOOST * max(0.0, boost_ghz - base_ghz)
        return max(usual, _LEAST_SHARE_OF_BOOST * boost_ghz)
    return base_ghz or boost_ghz


def _usable_cores(cpu: Cpu) -> tuple[float, int]:
    """Return physical cores and threads that this process may really use."""
    threads = cpu.usable_cpus or cpu.n_logical_cpus
    physical = cpu.n_physical_cores or cpu.n_logical_cpus
    share = min(1.0, threads / max(1, cpu.n_logical_cpus))
    cores = max(1.0, physical * share)
    if cpu.quota_cpus:
        cores = min(cores, cpu.quota_cpus)
        threads = min(threads, max(1, math.ceil(cpu.quota_cpus)))
    return cores, max(1, min(threads, math.ceil(cores)))


def _memory_bandwidth(memory: Memory, *, most_channels: int | None) -> float | None:
    """Return sustained byte/s of the channels in use, of 64 bits each.

    Firmware may name halves of the channels of soldered memory: no processor has more than
    `most_channels` of its data sheet.
    """
    if memory.channels and memory.speed_mt_per_s:
        channels = min(memory.channels, most_channels or memory.channels)
        return channels * memory.speed_mt_per_s * 1e6 * 8 * STREAM_SHARE_OF_PEAK
    return None


def _beside_gpu(profile: MachineProfile, knowledge: Knowledge) -> float | None:
    """Return the sustained byte/s of memory that is soldered beside an integrated GPU's cores.

    Only the data sheet of such a GPU names it; elsewhere it is whatever the maker plugged in.
    """
    for gpu in profile.graphics:
        if gpu.kind is DeviceKind.IGPU:
            spec = find_gpu(knowledge, gpu, cpu_brand=profile.cpu.brand)
            if spec and spec.shares_system_memory and spec.memory_bandwidth_byte_per_s:
                return spec.memory_bandwidth_byte_per_s * STREAM_SHARE_OF_PEAK
    return None


def _is_server(name: str, *, more: tuple[str, ...] = ()) -> bool:
    return any(word in name.lower() for word in (*_SERVER_WORDS, *more))


def is_rented(profile: MachineProfile) -> bool:
    """Return whether this is a guest, most likely on a server; Windows' Linux is at home."""
    return profile.os.hypervisor not in (None, "", "wsl")


def cpu_limits(profile: MachineProfile, *, knowledge: Knowledge) -> CpuLimits:
    """Return the limits of this machine's processor by what is known of its type."""
    cpu = profile.cpu
    known_as = _SAME_WIDTH.get(cpu.microarchitecture or "", cpu.microarchitecture)
    row = isa_row(knowledge, microarchitecture=known_as, isa_features=cpu.isa_features)
    spec = find_device(knowledge, cpu.brand, kind=DeviceKind.CPU)
    notes = []
    cores, units = _usable_cores(cpu)
    base = cpu.base_mhz / 1e3 if cpu.base_mhz else (spec.base_ghz if spec else None)
    boost = cpu.max_mhz / 1e3 if cpu.max_mhz else (spec.boost_ghz if spec else None)
    ghz = _clock(base, boost)
    if ghz is None:
        ghz = _DEFAULT_GHZ
        notes.append(f"The clock of the processor is not known: {_DEFAULT_GHZ} GHz assumed.")
    if is_rented(profile) and row is not None:
        # A guest is told the base clock, as the guests of offers are.
        clocks = usual_clocks(knowledge.cpu_platforms)
        ghz = clock_under_load(ghz, (row.microarchitecture,), clocks=clocks) or ghz
    known = spec.fp32_flop_per_cycle_per_core if spec else None
    per_cycle, is_guessed = _per_cycle(row, cpu.isa_features, known=known)
    mix = core_mix(
        cpu.n_physical_cores or cpu.n_logical_cpus,
        threads=cpu.n_logical_cpus,
        architecture=cpu.microarchitecture or (spec.architecture if spec else None),
        spec=spec,
    )
    if is_guessed:
        notes.append("The microarchitecture is not known: its vector width is assumed.")
    packages = max(1, cpu.n_packages or 1)
    most_channels = packages * spec.memory_channels if spec and spec.memory_channels else None
    bandwidth = _memory_bandwidth(profile.memory, most_channels=most_channels)
    if bandwidth is None and spec and spec.memory_bandwidth_byte_per_s:
        bandwidth = spec.memory_bandwidth_byte_per_s * STREAM_SHARE_OF_PEAK
    names = f"{cpu.brand} {cpu.microarchitecture}"
    is_server = is_rented(profile) or _is_server(names, more=_LIKE_SERVERS)
    least = packages * shared_bandwidth(
        cores / packages,
        year=_first_year(row),
        is_server=is_server,
        socket_byte_per_s=_beside_gpu(profile, knowledge),
    )
    if bandwidth is not None and cores < (cpu.n_physical_cores or cores):
        bandwidth = min(bandwidth, cores * _BYTE_PER_S_OF_CORE)
    return CpuLimits(
        name=cpu.brand,
        cores=cores,
        units=units,
        ghz=ghz,
        flop_per_cycle=per_cycle,
        bandwidth_byte_per_s=bandwidth or least,
        is_guessed=bool(notes),
        notes=tuple(notes),
        vendor=spec.vendor if spec else row.vendor if row else None,
        architecture=spec.architecture if spec else row.microarchitecture if row else None,
        year=spec.year if spec else _first_year(row),
        slow_cores=mix.limited_to(cores).slow,
        training_step_factor=(row and row.training_step_factor) or 1.0,
    )


def spec_limits(spec: DeviceSpec, *, knowledge: Knowledge) -> CpuLimits | None:
    """Return the limits of a processor that is for sale; None without cores or clock."""
    ghz = _clock(spec.base_ghz, spec.boost_ghz)
    if not spec.cores or ghz is None:
        return None
    row = isa_row(knowledge, microarchitecture=spec.architecture)
    per_cycle, is_guessed = _per_cycle(row, (), known=spec.fp32_flop_per_cycle_per_core)
    mix = core_mix(spec.cores, threads=spec.threads, architecture=spec.architecture, spec=spec)
    is_server = _is_server(spec.device)
    bandwidth = spec.memory_bandwidth_byte_per_s
    return CpuLimits(
        name=spec.device,
        cores=float(spec.cores),
        units=spec.cores,
        ghz=ghz,
        flop_per_cycle=per_cycle,
        bandwidth_byte_per_s=bandwidth * STREAM_SHARE_OF_PEAK
        if bandwidth
        else shared_bandwidth(spec.cores, year=spec.year or _first_year(row), is_server=is_server),
        is_guessed=is_guessed,
        vendor=spec.vendor,
        architecture=spec.architecture,
        year=spec.year,
        slow_cores=mix.slow,
    )


def platform_limits(
    platform: CpuPlatform | None,
    *,
    vcpus: float,
    architecture: str | None,
    knowledge: Knowledge,
    ghz: float | None = None,
) -> CpuLimits:
    """Return the limits of a rented machine: its vCPUs are threads, two of which share a core.

    Args:
        platform: what its guests see of the processor, None unknown.
        vcpus: how many it has.
        architecture: "x86_64" or "arm64".
        knowledge: instruction sets.
        ghz: its clock under load; None: as its guests are told.
    """
    per_core = 1 if architecture and "arm" in architecture else 2
    if platform and platform.vcpus_per_core:
        per_core = platform.vcpus_per_core
    uarch = platform.microarchitecture if platform else None
    row = isa_row(knowledge, microarchitecture=uarch)
    flags = platform.isa_features if platform else ()
    is_arm = architecture is not None and "arm" in architecture
    if not flags:
        flags = ("asimddp",) if is_arm else ("avx2", "fma")
    per_cycle, is_guessed = _per_cycle(row, flags)
    reported = platform.reported_ghz if platform else None
    cores = max(0.5, vcpus / per_core)
    notes = []
    if is_guessed or reported is None:
        notes.append(
            "The processor behind this offer is not known exactly: a usual one is assumed."
        )
    return CpuLimits(
        name=platform.cpu_models if platform else "unknown processor",
        cores=cores,
        units=max(1, math.ceil(cores)),
        ghz=ghz or reported or _DEFAULT_GHZ,
        flop_per_cycle=per_cycle,
        bandwidth_byte_per_s=shared_bandwidth(cores, year=_first_year(row), is_server=True),
        is_guessed=bool(notes),
        notes=tuple(notes),
        # Most machines whose processor the provider hides have one of these.
        vendor=row.vendor if row else "Arm" if is_arm else "Intel",
        architecture=uarch,
        year=None,
    )
