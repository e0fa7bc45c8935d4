"""Lists the OpenCL devices of all platforms.

Some drivers crash when asked, so this runs in a process of its own. Leaves to others: what the
figures mean, and which may be wrong (`probes.machine`).
"""

import opencl_cache
import opencl_drivers
import opencl_pocl

_PCI = "cl_khr_pci_bus_info"


def _device_type(cl, device):
    kinds = cl.device_type
    for bit, name in ((kinds.GPU, "gpu"), (kinds.CPU, "cpu"), (kinds.ACCELERATOR, "accelerator")):
        if device.type & bit:
            return name
    return "other"


def _ask(cl, subject, attribute, convert):
    """Return a property, None when the driver cannot tell it."""
    try:
        return convert(getattr(subject, attribute))
    except (cl.Error, AttributeError, TypeError, ValueError, UnicodeDecodeError):
        return None


def _text(value):
    return str(value).strip("\0 \n\t")


# Name in our list, name in pyopencl, conversion.
_PROPERTIES = (
    ("name", "name", _text),
    ("vendor", "vendor", _text),
    ("device_version", "version", _text),
    ("driver_version", "driver_version", _text),
    ("compute_units", "max_compute_units", int),
    ("max_mhz", "max_clock_frequency", int),
    ("global_mem_bytes", "global_mem_size", int),
    ("max_alloc_bytes", "max_mem_alloc_size", int),
    ("local_mem_bytes", "local_mem_size", int),
    ("max_work_group_size", "max_work_group_size", int),
    ("has_unified_memory", "host_unified_memory", bool),
)


def _device_row(cl, platform, device, platform_index, device_index):
    row = {
        "platform_index": platform_index,
        "device_index": device_index,
        "platform": _ask(cl, platform, "name", _text),
        "platform_version": _ask(cl, platform, "version", _text),
        "type": _device_type(cl, device),
    }
    for name, attribute, convert in _PROPERTIES:
        row[name] = _ask(cl, device, attribute, convert)
    row["extensions"] = (_ask(cl, device, "extensions", _text) or "").split()
    row["is_bundled_driver"] = row[
        "platform"
    ] == opencl_pocl.PLATFORM_NAME and opencl_pocl.is_bundled(cl, row["platform_version"])
    return row


def _failure(platform_index, name, error):
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return {"platform_index": platform_index, "platform": name, "message": lines[0]}


def _platforms(cl):
    """Return the platforms. A loader that knows of none says so by an error: no platform."""
    try:
        return cl.get_platforms(), []
    except cl.Error as error:
        if "PLATFORM_NOT_FOUND" in str(error):
            return [], []
        return [], [_failure(None, None, error)]


def _platform_rows(cl, platform, platform_index):
    try:
        devices = platform.get_devices()
    except cl.Error as error:
        if "DEVICE_NOT_FOUND" in str(error):
            return []
        raise
    return [
        _device_row(cl, platform, device, platform_index, device_index)
        for device_index, device in enumerate(devices)
    ]


def list_devices(cl=None, driver=None):
    """Return "devices", an object for each device, and "failed", one for each broken platform.

    Args:
        cl: the module pyopencl, None to import it. Without it nothing can be listed: that is one
            failure without a platform.
        driver: see `opencl_drivers.load`.
    """
    opencl_cache.use_folder()
    if cl is None:
        try:
            cl = opencl_drivers.load(driver)
        except (ImportError, OSError, RuntimeError) as error:
            return {"devices": [], "failed": [_failure(None, None, error)]}
    devices, (platforms, failed) = [], _platforms(cl)
    for platform_index, platform in enumerate(platforms):
        try:
            devices += _platform_rows(cl, platform, platform_index)
        except Exception as error:  # one broken driver costs its own row
            failed.append(_failure(platform_index, _ask(cl, platform, "name", _text), error))
    return {"devices": devices, "failed": failed}


def run(request, channel):
    """Entry of the worker "opencl_list": list the devices, say so on the way.

    Args:
        request: "driver", see `opencl_drivers.load`.
        channel: to the parent.
    """
    channel.send("stage", stage="opencl_list")
    return list_devices(driver=request.get("driver"))
