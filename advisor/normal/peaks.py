"""What the parts of a machine could do at most, by the facts about them.

A bound that some fact is missing for is not known: the missing fact is named instead.
Leaves to others: figures and verdicts (`advisor.normal.judge`); estimates for predictions, which
do fill gaps (`advisor.predict.hardware`).
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from advisor.knowledge.graphics import find_gpu_family
from advisor.knowledge.lookup import find_device
from advisor.knowledge.store import Knowledge
from advisor.model.efficiency import PeakBasis, UnknownPeak
from advisor.model.kernel import ClockShape, PeakShape
from advisor.model.machine import (
    CPU_DEVICE_ID,
    DeviceKind,
    GraphicsDevice,
    MachineProfile,
    OpenclDevice,
)
from advisor.model.measurement import Measurement
from advisor.model.published import DeviceSpec, GpuFamily
from advisor.predict.hardware import isa_row
from advisor.predict.hybrid import SLOW_PEAK, SLOW_WIDTH, CoreMix, core_mix
from advisor.predict.work import rate

# No processor and no GPU has another clock; a driver once told 42 949 672 MHz.
LEAST_CLOCK_MHZ = 50.0
MOST_CLOCK_MHZ = 7000.0
# By so much the clock of a driver may be off that of the data sheet: partners sell faster cards.
_SPEC_CLOCK_RANGE = (0.25, 1.3)
# Bytes of one transfer over one memory channel.
_CHANNEL_BYTES = 8
_FLOP_PER_LANE = 2.0
# Operations per cycle are powers of two; a measured figure is this close to one, or says nothing.
_PER_CYCLE_TOLERANCE = 0.15
_EXACT_PER_CYCLE = 0.05
# Processors of one microarchitecture differ in how many of their two vector units are there.
_ONE_UNIT_OF_TWO = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Peak:
    """A bound.

    Attributes:
        value: flop/s or B/s.
        floor_share: share that the lowest sure clock gives, 1 where there is but one clock.
        ceiling_share: share that the data sheet promises to code that pairs its instructions.
        channels: memory channels that it counts, None where they are not what it follows from.
    """

    value: float
    basis: PeakBasis
    floor_share: float = 1.0
    ceiling_share: float = 1.0
    channels: int | None = None


Bound = Peak | UnknownPeak


def is_clock(mhz: float | None) -> bool:
    """Return whether this can be the clock of a processor."""
    return mhz is not None and LEAST_CLOCK_MHZ <= mhz <= MOST_CLOCK_MHZ


def cpu_spec(profile: MachineProfile, *, knowledge: Knowledge) -> DeviceSpec | None:
    """Return the data sheet of the machine's processor, None when its name tells too little."""
    return find_device(knowledge, profile.cpu.brand, kind=DeviceKind.CPU)


def _cpu_clocks_mhz(profile: MachineProfile, spec: DeviceSpec | None) -> tuple[float, ...]:
    """Return base and highest clock as far as they are known and can be true."""
    cpu = profile.cpu
    base = cpu.base_mhz or (spec.base_ghz * 1e3 if spec and spec.base_ghz else None)
    most = cpu.max_mhz or (spec.boost_ghz * 1e3 if spec and spec.boost_ghz else None)
    return tuple(mhz for mhz in (base, most) if mhz is not None and is_clock(mhz))


def _has_high_clock(profile: MachineProfile, spec: DeviceSpec | None) -> bool:
    return is_clock(profile.cpu.max_mhz) or bool(spec and spec.boost_ghz)


def measured_clock_hz(measured: Iterable[Measurement]) -> float | None:
    """Return the highest clock that the cores held under vector load, or without it.

    None where no clock was measured.
    """
    clocks: dict[str, list[float]] = {}
    for measurement in measured:
        shape = measurement.request.shape
        if isinstance(shape, ClockShape):
            clocks.setdefault(shape.load, []).append(rate(measurement)[0])
    found = clocks.get("vector") or clocks.get("scalar")
    return max(found) if found else None


def measured_flop_per_cycle(
    measured: Iterable[Measurement], *, cores: float, clock_hz: float, told: float | None
) -> float | None:
    """Return the operations per cycle of one core that multiply-adds without memory reached.

    They tell how many vector units there are, which the name of a processor does not always. None
    where they were not measured or are far from a power of two: then something disturbed them.
    Fewer than the table tells (`told`) are believed only where they are just half of it.
    """
    peaks = [
        rate(measurement)[0]
        for measurement in measured
        if isinstance(measurement.request.shape, PeakShape)
        and measurement.request.device_id == CPU_DEVICE_ID
    ]
    if not peaks:
        return None
    found = max(peaks) / (cores * clock_hz)
    whole = 2.0 ** round(math.log2(found))
    if abs(found / whole - 1.0) > _PER_CYCLE_TOLERANCE:
        return None
    # What disturbs multiply-adds makes them fewer: a low figure has to be exact.
    is_exact = abs(found / whole - 1.0) <= _EXACT_PER_CYCLE
    if told is None or whole >= told:
        return whole
    return whole if is_exact and whole == told * _ONE_UNIT_OF_TWO else told


def _measured_peak(
    profile: MachineProfile, measured: Iterable[Measurement], *, mix: CoreMix, told: float | None
) -> Peak | None:
    """Return the bound by the measured clock, None where there is none."""
    found = tuple(measured)
    clock_hz = measured_clock_hz(found)
    if clock_hz is None or not is_clock(clock_hz / 1e6):
        return None
    # The measured clock is the mean of fast and slow cores.
    usable = mix.worth(profile.cpu.usable_cpus, slow_rate=SLOW_WIDTH)
    reached = measured_flop_per_cycle(found, cores=usable, clock_hz=clock_hz, told=told)
    per_cycle = reached or told
    if per_cycle is None:
        return None
    cores = mix.worth(slow_rate=SLOW_WIDTH)
    return Peak(value=cores * clock_hz * per_cycle, basis=PeakBasis.CORES_MEASURED_CLOCK_ISA)


def cpu_flop_peak(
    profile: MachineProfile, *, knowledge: Knowledge, measured: Iterable[Measurement] = ()
) -> Bound:
    """Return cores x clock x operations per cycle, in float32, of the whole processor.

    Where there are fast and slow cores, each slow one counts as what it does of a fast one.

    Args:
        profile: the machine.
        knowledge: operations per cycle, data sheets.
        measured: a clock among them is taken for what it is; else the highest one that is told.
    """
    cpu = profile.cpu
    spec = cpu_spec(profile, knowledge=knowledge)
    cores = cpu.n_physical_cores or (spec.cores if spec else None)
    if not cores:
        return UnknownPeak.CORES
    row = isa_row(knowledge, microarchitecture=cpu.microarchitecture, isa_features=cpu.isa_features)
    per_cycle = row.fp32_flop_per_cycle_per_core if row else None
    per_cycle = per_cycle or (spec.fp32_flop_per_cycle_per_core if spec else None)
    mix = core_mix(
        cores,
        threads=cpu.n_logical_cpus,
        architecture=cpu.microarchitecture or (spec.architecture if spec else None),
        spec=spec,
    )
    known = _measured_peak(profile, measured, mix=mix, told=per_cycle)
    if known is not None:
        return known
    if not per_cycle:
        return UnknownPeak.MICROARCHITECTURE
    clocks = _cpu_clocks_mhz(profile, spec)
    if not clocks:
        told = cpu.base_mhz or cpu.max_mhz
        return UnknownPeak.CLOCK_NONSENSE if told else UnknownPeak.CLOCK
    is_high = _has_high_clock(profile, spec)
    return Peak(
        value=mix.worth(slow_rate=SLOW_PEAK) * max(clocks) * 1e6 * per_cycle,
        basis=PeakBasis.CORES_CLOCK_ISA if is_high else PeakBasis.CORES_BASE_CLOCK_ISA,
        floor_share=min(clocks) / max(clocks),
    )


def main_memory_peak(profile: MachineProfile, *, knowledge: Knowledge) -> Bound:
    """Return the bandwidth of main memory with all channels of the processor in use.

    A virtual machine shares the memory of a host that it does not see.
    """
    memory = profile.memory
    if profile.os.hypervisor and not (memory.channels and memory.speed_mt_per_s):
        return UnknownPeak.SHARED_HOST
    spec = cpu_spec(profile, knowledge=knowledge)
    channels = memory.channels
    if spec and spec.memory_channels:
        channels = spec.memory_channels * (profile.cpu.n_packages or 1)
    if channels and memory.speed_mt_per_s:
        value = channels * memory.speed_mt_per_s * 1e6 * _CHANNEL_BYTES
        return Peak(value=value, basis=PeakBasis.MEMORY_CHANNELS, channels=channels)
    if spec and spec.memory_bandwidth_byte_per_s:
        value = spec.memory_bandwidth_byte_per_s * (profile.cpu.n_packages or 1)
        return Peak(value=value, basis=PeakBasis.DATA_SHEET)
    return UnknownPeak.MEMORY


def matching_graphics(profile: MachineProfile, *, device: OpenclDevice) -> GraphicsDevice | None:
    """Return the GPU on the bus behind an OpenCL device, None when that is in doubt."""
    text = f"{device.vendor} {device.name}".lower()
    found = [
        graphics
        for graphics in profile.graphics
        if graphics.kind is device.kind and graphics.vendor and _is_of(graphics.vendor, text)
    ]
    return found[0] if len(found) == 1 else None


def _is_of(vendor: str, text: str) -> bool:
    words = {"amd": ("amd", "advanced micro devices", "radeon")}
    return any(word in text for word in words.get(vendor.lower(), (vendor.lower(),)))


def gpu_spec(
    profile: MachineProfile, *, device: OpenclDevice, knowledge: Knowledge
) -> DeviceSpec | None:
    """Return the data sheet of an OpenCL GPU by its own name or the one on the bus."""
    graphics = matching_graphics(profile, device=device)
    names = [device.name, *([graphics.name] if graphics else [])]
    if device.kind is DeviceKind.IGPU:
        names.append(profile.cpu.brand)
    for name in names:
        spec = find_device(knowledge, name, kind=device.kind, compute_units=device.compute_units)
        if spec is not None:
            return spec
    return None


def gpu_family(
    profile: MachineProfile, *, device: OpenclDevice, knowledge: Knowledge
) -> GpuFamily | None:
    """Return the family of an OpenCL GPU."""
    graphics = matching_graphics(profile, device=device)
    return find_gpu_family(
        knowledge,
        pci_vendor_id=graphics.pci_vendor_id if graphics else None,
        pci_device_id=graphics.pci_device_id if graphics else None,
        name=device.name,
    )


def gpu_clock_mhz(
    profile: MachineProfile, *, device: OpenclDevice, spec: DeviceSpec | None
) -> float | None:
    """Return the highest clock of a GPU: of its driver, the kernel or the data sheet.

    A clock far from the data sheet's is not believed.
    """
    graphics = matching_graphics(profile, device=device)
    sheet = spec.boost_ghz * 1e3 if spec and spec.boost_ghz else None
    for mhz in (device.max_mhz, graphics.max_mhz if graphics else None):
        if mhz is None or not is_clock(mhz):
            continue
        low, high = _SPEC_CLOCK_RANGE
        if sheet is None or low * sheet <= mhz <= high * sheet:
            return mhz
    return sheet


def gpu_flop_peak(profile: MachineProfile, *, device: OpenclDevice, knowledge: Knowledge) -> Bound:
    """Return lanes x clock x 2 of an OpenCL GPU in float32."""
    spec = gpu_spec(profile, device=device, knowledge=knowledge)
    family = gpu_family(profile, device=device, knowledge=knowledge)
    clock = gpu_clock_mhz(profile, device=device, spec=spec)
    if clock is None:
        is_told = device.max_mhz is not None
        return UnknownPeak.CLOCK_NONSENSE if is_told else UnknownPeak.CLOCK
    per_cycle = None
    if spec and spec.cores:
        per_cycle = spec.cores * _FLOP_PER_LANE
    elif family and family.fp32_flop_per_cycle_per_unit:
        per_cycle = family.fp32_flop_per_cycle_per_unit * device.compute_units
    if per_cycle is None:
        return UnknownPeak.COMPUTE_UNITS
    return Peak(
        value=per_cycle * clock * 1e6,
        basis=PeakBasis.UNITS_CLOCK,
        ceiling_share=_pairing(spec),
    )


def _pairing(spec: DeviceSpec | None) -> float:
    """Return how many operations a lane does in a cycle when the compiler finds pairs of them."""
    parts = (spec.cores, spec.boost_ghz, spec.peak_fp32_flop_per_s) if spec else ()
    known = [float(part) for part in parts if part]
    if len(known) < len(("cores", "clock", "peak")):
        return 1.0
    lanes, ghz, promised = known
    return max(1.0, promised / (lanes * ghz * 1e9 * _FLOP_PER_LANE))


def opencl_flop_peak(
    profile: MachineProfile,
    *,
    device: OpenclDevice,
    knowledge: Knowledge,
    measured: Iterable[Measurement] = (),
) -> Bound:
    """Return the arithmetic bound of any OpenCL device; a CPU's is that of the processor."""
    if device.kind is DeviceKind.CPU:
        return cpu_flop_peak(profile, knowledge=knowledge, measured=measured)
    return gpu_flop_peak(profile, device=device, knowledge=knowledge)


def opencl_memory_peak(
    profile: MachineProfile, *, device: OpenclDevice, knowledge: Knowledge
) -> Bound:
    """Return the bandwidth of a device's memory: its own, or main memory that it shares."""
    if device.kind in (DeviceKind.CPU, DeviceKind.IGPU):
        shared = main_memory_peak(profile, knowledge=knowledge)
        if isinstance(shared, Peak) or device.kind is DeviceKind.CPU:
            return shared
    spec = gpu_spec(profile, device=device, knowledge=knowledge)
    if spec and spec.memory_bandwidth_byte_per_s:
        return Peak(value=spec.memory_bandwidth_byte_per_s, basis=PeakBasis.DATA_SHEET)
    return UnknownPeak.MEMORY
