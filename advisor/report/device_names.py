"""What people call a device that the probe numbered."""

from advisor.model.machine import CPU_DEVICE_ID, MachineProfile


def device_name(device_id: str, profile: MachineProfile | None) -> str:
    """Return what people call a device; its id where the profile does not know it."""
    if device_id == CPU_DEVICE_ID:
        return "CPU"
    devices = () if profile is None else profile.opencl
    return next((device.name for device in devices if device.id == device_id), device_id)
