"""A device of this machine, by the id under which it is measured.

Leaves to others: what it is compared with (`advisor.compare.kernels`, `advisor.compare.sheets`).
"""

from dataclasses import dataclass

from advisor.model.device_names import opencl_name
from advisor.model.machine import CPU_DEVICE_ID, DeviceKind, MachineProfile, OpenclDevice
from advisor.recommend.circumstances import opencl_vendor


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnDevice:
    """A device of this machine by the id that measurements are filed under.

    `hardware` is the same of devices that several drivers offer of one piece of hardware.
    """

    device_id: str
    name: str
    kind: DeviceKind
    hardware: str = ""


def own_device(profile: MachineProfile, device_id: str) -> OwnDevice | None:
    """Return the processor or an OpenCL device; None: the machine has no such device any more."""
    if device_id == CPU_DEVICE_ID:
        return OwnDevice(device_id=device_id, name=profile.cpu.brand, kind=DeviceKind.CPU)
    for device in profile.opencl:
        if device.id == device_id:
            return OwnDevice(
                device_id=device_id,
                name=opencl_name(device, profile),
                kind=device.kind,
                hardware=_hardware_of(device, profile),
            )
    return None


def _hardware_of(device: OpenclDevice, profile: MachineProfile) -> str:
    """Return what a driver offers, said alike of all drivers; its id where that is not certain.

    Of several GPUs of a kind and vendor the order tells, if each driver offers as many.
    """
    if device.kind is DeviceKind.CPU:
        return "opencl cpu"
    vendor = opencl_vendor(device)
    offered: dict[str, list[str]] = {}
    for other in profile.opencl:
        if other.kind is device.kind and opencl_vendor(other) == vendor:
            offered.setdefault(_driver_of(other), []).append(other.id)
    if vendor is None or len({len(ids) for ids in offered.values()}) > 1:
        return device.id
    return f"{vendor} {device.kind.value} {offered[_driver_of(device)].index(device.id)}"


def _driver_of(device: OpenclDevice) -> str:
    """Return the platform by its number: two of one driver's versions are called alike."""
    return device.id.rpartition(":")[0] or device.platform
