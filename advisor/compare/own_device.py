"""A device of this machine, by the id under which it is measured.

Leaves to others: what it is compared with (`advisor.compare.kernels`, `advisor.compare.sheets`).
"""

from dataclasses import dataclass

from advisor.model.device_names import opencl_name
from advisor.model.machine import CPU_DEVICE_ID, DeviceKind, MachineProfile


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnDevice:
    """A device of this machine by the id that measurements are filed under."""

    device_id: str
    name: str
    kind: DeviceKind


def own_device(profile: MachineProfile, device_id: str) -> OwnDevice | None:
    """Return the processor or an OpenCL device; None: the machine has no such device any more."""
    if device_id == CPU_DEVICE_ID:
        return OwnDevice(device_id=device_id, name=profile.cpu.brand, kind=DeviceKind.CPU)
    for device in profile.opencl:
        if device.id == device_id:
            return OwnDevice(
                device_id=device_id, name=opencl_name(device, profile), kind=device.kind
            )
    return None
