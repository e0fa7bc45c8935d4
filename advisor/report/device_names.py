"""What people call a device that the probe numbered."""

from advisor.model.machine import CPU_DEVICE_ID, MachineProfile


def device_name(device_id: str, profile: MachineProfile | None) -> str:
    """Return what people call a device, with its id where another is called the same.

    Its id alone where the profile does not know it.
    """
    if device_id == CPU_DEVICE_ID:
        return "CPU"
    devices = () if profile is None else profile.opencl
    name = next((device.name for device in devices if device.id == device_id), None)
    if name is None:
        return device_id
    is_shared = sum(device.name == name for device in devices) > 1
    return f"{name} ({device_id})" if is_shared else name
