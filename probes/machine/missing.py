"""What could not be had, why, and the one command that would help.

Leaves to others: finding the facts; this module compares what the bus has with what drivers offer.
"""

from advisor.model.machine import (
    Cpu,
    DeviceKind,
    GraphicsDevice,
    Memory,
    MissingFact,
    Npu,
    OpenclDevice,
    OsFamily,
)
from probes.machine.opencl import find_vendor
from probes.machine.reader import Reader
from probes.machine.tables import OpenclDriver, find_opencl_driver, find_pci_device

_GPU_KINDS = (DeviceKind.IGPU, DeviceKind.DGPU)

# AMD before GCN, Intel before Broadwell: no OpenCL driver is maintained.
_ABANDONED_FAMILIES = (
    *("rs780", "rs880", "sumo", "wrestler", "trinity"),
    *("intel-gen6", "intel-gen7"),
)
_OLD_GCN_FAMILIES = ("kaveri", "kabini", "mullins")
_CIK_REMEDY = "boot with radeon.cik_support=0 amdgpu.cik_support=1"


def list_missing_gpu_drivers(
    graphics: tuple[GraphicsDevice, ...], *, npus: tuple[Npu, ...], system: OsFamily
) -> tuple[MissingFact, ...]:
    """Return a fact for each GPU and NPU on the bus that no kernel driver serves."""
    if system is OsFamily.MACOS:
        return ()
    found = [
        MissingFact(
            fact=f"graphics.{gpu.id}.kernel_driver",
            reason=f"no kernel driver serves {gpu.name}",
            remedy=_driver_remedy(gpu, system=system),
        )
        for gpu in graphics
        if gpu.kind in _GPU_KINDS and gpu.kernel_driver is None
    ]
    found += [
        MissingFact(
            fact=f"npus.{npu.id}.kernel_driver",
            reason=f"no kernel driver serves {npu.name}",
            remedy="update the kernel or install the vendor's driver",
        )
        for npu in npus
        if npu.kernel_driver is None
    ]
    return tuple(found)


def _family(gpu: GraphicsDevice) -> str | None:
    known = find_pci_device(gpu.pci_vendor_id, device_id=gpu.pci_device_id)
    return known.family if known is not None else None


def _driver_remedy(gpu: GraphicsDevice, *, system: OsFamily) -> str:
    if system is OsFamily.WINDOWS:
        return f"install the current graphics driver from {gpu.vendor or 'the vendor'}"
    if _family(gpu) in _OLD_GCN_FAMILIES:
        return f"load the amdgpu driver: {_CIK_REMEDY}"
    modules = {"AMD": "amdgpu", "Intel": "i915 (or xe)", "NVIDIA": "nvidia"}
    module = modules.get(gpu.vendor or "")
    if module is None:
        return "update the kernel or install the vendor's driver"
    return f"load the {module} driver, or update the kernel and its firmware package"


def list_missing_opencl(
    graphics: tuple[GraphicsDevice, ...],
    *,
    opencl: tuple[OpenclDevice, ...],
    system: OsFamily,
    distribution: str,
) -> tuple[MissingFact, ...]:
    """Return a fact for each GPU on the bus whose vendor offers no OpenCL device.

    Args:
        graphics: GPUs on the bus.
        opencl: what OpenCL offers; the list must have been read.
        system: operating system family.
        distribution: family of the Linux distribution, or "".
    """
    served = {
        find_vendor(device.vendor) or find_vendor(device.name)
        for device in opencl
        if device.kind in _GPU_KINDS
    }
    return tuple(
        _describe_missing_opencl(gpu, system=system, distribution=distribution)
        for gpu in graphics
        if gpu.kind in _GPU_KINDS and gpu.vendor not in served
    )


def _describe_missing_opencl(
    gpu: GraphicsDevice, *, system: OsFamily, distribution: str
) -> MissingFact:
    word = "iGPU" if gpu.kind is DeviceKind.IGPU else "GPU"
    fact = f"graphics.{gpu.id}.opencl"
    if _family(gpu) in _ABANDONED_FAMILIES:
        reason = f"your {word} ({gpu.name}) is older than any OpenCL driver that still works"
        return MissingFact(fact=fact, reason=reason, remedy=None)
    reason = f"your {word} ({gpu.name}) has no OpenCL driver"
    driver = find_opencl_driver(gpu.vendor or "", system=system.value, distribution=distribution)
    if driver is None:
        return MissingFact(fact=fact, reason=reason, remedy=None)
    remedy = _word_driver(driver)
    if gpu.kernel_driver == "radeon" and _family(gpu) in _OLD_GCN_FAMILIES:
        remedy += f"; the amdgpu driver is faster: {_CIK_REMEDY}"
    return MissingFact(fact=fact, reason=reason, remedy=remedy)


def _word_driver(driver: OpenclDriver) -> str:
    if driver.environment is None:
        return driver.command
    return f"{driver.command}; then start the app with {driver.environment} set"


def list_closed_nodes(reader: Reader) -> tuple[MissingFact, ...]:
    """Return a fact when this user may not open the GPU's device nodes."""
    nodes = [f"/dev/dri/{n}" for n in reader.list_dir("/dev/dri") if n.startswith("renderD")]
    nodes.append("/dev/kfd")
    return tuple(
        MissingFact(
            fact=f"access:{node}",
            reason=f"this user may not open {node}",
            remedy="sudo usermod -aG render,video $USER, then log in again",
        )
        for node in nodes
        if reader.can_use(node) is False
    )


def list_missing_basics(cpu: Cpu, *, memory: Memory) -> tuple[MissingFact, ...]:
    """Return a fact for each basic value that the system did not tell."""
    values: tuple[tuple[str, object], ...] = (
        ("cpu.microarchitecture", cpu.microarchitecture),
        ("cpu.isa_features", cpu.isa_features),
        ("cpu.n_physical_cores", cpu.n_physical_cores),
        ("cpu.caches", cpu.caches),
        ("memory.total_bytes", memory.total_bytes),
        ("memory.available_bytes", memory.available_bytes),
    )
    return tuple(
        MissingFact(
            fact=name,
            reason="the system does not tell",
            remedy=f"set it by hand with an override of {name}",
        )
        for name, value in values
        if value is None or value == ()
    )
