"""What people call a device that the probe numbered.

PoCL names the processor after its own target, "pthread-haswell-AMD EPYC": people know it by the
name of the processor. The driver's own name stays in the profile.
"""

from advisor.model.machine import CPU_DEVICE_ID, DeviceKind, MachineProfile, OpenclDevice

POCL_PLATFORM = "Portable Computing Language"


def device_name(device_id: str, profile: MachineProfile | None) -> str:
    """Return what people call a device, with its id where another is called the same.

    Its id alone where the profile does not know it.
    """
    if device_id == CPU_DEVICE_ID:
        return "CPU"
    devices = () if profile is None else profile.opencl
    found = next((device for device in devices if device.id == device_id), None)
    return device_id if found is None or profile is None else opencl_name(found, profile)


def short_device_name(device_id: str, profile: MachineProfile | None) -> str:
    """Return a name for a narrow place, where the processor's own need not be said again."""
    name = device_name(device_id, profile)
    if profile is None or not name.startswith(f"{profile.cpu.brand} ("):
        return name
    return name.removeprefix(f"{profile.cpu.brand} (").removesuffix(")")


def opencl_name(device: OpenclDevice, profile: MachineProfile) -> str:
    """Return what people call an OpenCL device of a machine, which no other one is called there."""
    for names in (_short_name, _full_name):
        name = names(device, profile)
        if sum(names(other, profile) == name for other in profile.opencl) < 2:
            return name
    return f"{name} ({device.id})"


def short_software(name: str) -> str:
    """Return the name of a software as people say it; figures and saved files have the long one."""
    return name.replace(POCL_PLATFORM, "PoCL")


def is_renamed(device: OpenclDevice) -> bool:
    """Return whether a device goes by another name than its driver's."""
    return device.kind is DeviceKind.CPU and device.platform == POCL_PLATFORM


def _short_name(device: OpenclDevice, profile: MachineProfile) -> str:
    return f"{profile.cpu.brand} (OpenCL, PoCL)" if is_renamed(device) else device.name


def _full_name(device: OpenclDevice, profile: MachineProfile) -> str:
    """Return the short name with the version of PoCL, without that of the distribution."""
    if not is_renamed(device):
        return device.name
    version = device.driver_version.partition("+")[0]
    return f"{profile.cpu.brand} (OpenCL, PoCL {version})"
