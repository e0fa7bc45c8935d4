"""The list of OpenCL devices."""

import sys
import types

import opencl_list
import pytest

from tests.helpers.opencl import set_up_pocl


class Error(Exception):
    """Stands for pyopencl.Error."""


class Device:
    type = 4
    name = "Vega 8 \0"
    vendor = "AMD"
    version = "OpenCL 1.2"
    driver_version = "1.0"
    max_compute_units = 8
    max_clock_frequency = 1100
    global_mem_size = 1 << 31
    max_mem_alloc_size = 1 << 30
    local_mem_size = 65536
    max_work_group_size = 256
    host_unified_memory = 1
    extensions = "cl_khr_fp16 cl_khr_fp64"


class Platform:
    name = "Vendor"
    version = "OpenCL 1.2 of a vendor"

    def __init__(self, devices=(), error=None):
        self._devices, self._error = devices, error

    def get_devices(self):
        if self._error is not None:
            raise self._error
        return list(self._devices)


def opencl(*platforms, error=None):
    def get_platforms():
        if error is not None:
            raise error
        return list(platforms)

    kinds = types.SimpleNamespace(GPU=4, CPU=2, ACCELERATOR=8)
    return types.SimpleNamespace(
        Error=Error, device_type=kinds, get_platforms=get_platforms, __file__=__file__
    )


def test_the_bundled_device_is_listed_and_told_to_be_bundled():
    set_up_pocl()
    found = opencl_list.list_devices()
    assert found["failed"] == []
    row = next((r for r in found["devices"] if r["is_bundled_driver"]), None)
    if row is None:
        pytest.skip("no OpenCL driver is bundled for this machine")
    assert row["platform"] == "Portable Computing Language"
    assert row["type"] == "cpu"
    assert row["has_unified_memory"] is True
    assert row["compute_units"] >= 1
    assert row["max_work_group_size"] >= 1
    assert row["max_alloc_bytes"] <= row["global_mem_bytes"]
    assert "cl_khr_fp64" in row["extensions"]


def test_each_property_has_its_place_and_its_type():
    (row,) = opencl_list.list_devices(opencl(Platform([Device()])))["devices"]
    assert row == {
        "platform_index": 0, "device_index": 0, "platform": "Vendor",
        "platform_version": "OpenCL 1.2 of a vendor", "type": "gpu", "name": "Vega 8",
        "vendor": "AMD", "device_version": "OpenCL 1.2", "driver_version": "1.0",
        "compute_units": 8, "max_mhz": 1100, "global_mem_bytes": 1 << 31,
        "max_alloc_bytes": 1 << 30, "local_mem_bytes": 65536, "max_work_group_size": 256,
        "has_unified_memory": True, "extensions": ["cl_khr_fp16", "cl_khr_fp64"],
        "is_bundled_driver": False,
    }  # fmt: skip


def test_a_broken_platform_costs_its_own_row_only():
    broken = Platform(error=Error("clGetDeviceIDs failed: OUT_OF_HOST_MEMORY\nmore"))
    found = opencl_list.list_devices(opencl(broken, Platform([Device()])))
    assert [(row["platform_index"], row["name"]) for row in found["devices"]] == [(1, "Vega 8")]
    assert found["failed"] == [
        {
            "platform_index": 0,
            "platform": "Vendor",
            "message": "clGetDeviceIDs failed: OUT_OF_HOST_MEMORY",
        }
    ]


def test_a_platform_that_raises_anything_is_a_failure_too():
    found = opencl_list.list_devices(opencl(Platform(error=MemoryError())))
    assert found["failed"][0]["message"] == "MemoryError"


def test_a_platform_without_devices_is_no_failure():
    found = opencl_list.list_devices(opencl(Platform(error=Error("DEVICE_NOT_FOUND"))))
    assert found == {"devices": [], "failed": []}


def test_a_loader_without_any_platform_gives_an_empty_list():
    error = Error("clGetPlatformIDs failed: PLATFORM_NOT_FOUND_KHR")
    assert opencl_list.list_devices(opencl(error=error)) == {"devices": [], "failed": []}


def test_a_loader_that_fails_otherwise_is_a_failure():
    found = opencl_list.list_devices(opencl(error=Error("clGetPlatformIDs failed: OTHER")))
    assert found["devices"] == []
    assert found["failed"][0]["platform_index"] is None


def test_a_property_that_the_driver_cannot_tell_is_none():
    class Silent(Device):
        @property
        def max_clock_frequency(self):
            raise Error("INVALID_VALUE")

    (row,) = opencl_list.list_devices(opencl(Platform([Silent()])))["devices"]
    assert row["max_mhz"] is None
    assert row["compute_units"] == 8


@pytest.mark.parametrize(
    ("bits", "name"), [(2, "cpu"), (4, "gpu"), (8, "accelerator"), (1, "other")]
)
def test_kinds_of_devices_have_names(bits, name):
    device = Device()
    device.type = bits
    (row,) = opencl_list.list_devices(opencl(Platform([device])))["devices"]
    assert row["type"] == name


def test_without_pyopencl_the_list_says_why(monkeypatch):
    set_up_pocl()
    monkeypatch.setitem(sys.modules, "pyopencl", None)
    found = opencl_list.list_devices()
    assert found["devices"] == []
    assert "pyopencl" in found["failed"][0]["message"]


def test_the_worker_says_what_it_does_and_returns_the_list():
    set_up_pocl()
    events = []
    channel = types.SimpleNamespace(send=lambda kind, **fields: events.append((kind, fields)))
    found = opencl_list.run({}, channel)
    assert events == [("stage", {"stage": "opencl_list"})]
    assert set(found) == {"devices", "failed"}
