"""What people call a device: the processor's own name where PoCL has one of its own."""

import dataclasses

import pytest

from advisor.model.device_names import (
    POCL_PLATFORM,
    device_name,
    is_renamed,
    opencl_name,
    short_device_name,
)
from advisor.model.machine import CPU_DEVICE_ID, DeviceKind
from tests.advisor.predict.builders import opencl_device, profile

IGPU = opencl_device()


def pocl(**changes):
    values = {
        "id": "opencl:0:0", "kind": DeviceKind.CPU, "name": "pthread-haswell-AMD EPYC",
        "platform": POCL_PLATFORM, "driver_version": "3.1+debian", **changes,
    }  # fmt: skip
    return dataclasses.replace(IGPU, **values)


def names(*devices):
    machine = profile(opencl=devices)
    return [opencl_name(device, machine) for device in devices]


def test_pocl_goes_by_the_name_of_the_processor():
    brand = profile().cpu.brand
    assert names(pocl(), IGPU) == [f"{brand} (OpenCL, PoCL)", "Test iGPU"]
    assert is_renamed(pocl())


def test_two_versions_of_pocl_are_told_apart():
    brand = profile().cpu.brand
    assert names(pocl(), pocl(id="opencl:1:0", driver_version="3.0-rc2")) == [
        f"{brand} (OpenCL, PoCL 3.1)",
        f"{brand} (OpenCL, PoCL 3.0-rc2)",
    ]
    assert names(pocl(), pocl(id="opencl:1:0")) == [
        f"{brand} (OpenCL, PoCL 3.1) (opencl:0:0)",
        f"{brand} (OpenCL, PoCL 3.1) (opencl:1:0)",
    ]


@pytest.mark.parametrize(
    "device", [pocl(kind=DeviceKind.DGPU), pocl(platform="Intel(R) OpenCL"), IGPU]
)
def test_others_keep_the_name_of_their_driver(device):
    assert names(device) == [device.name]
    assert not is_renamed(device)


def test_by_id():
    machine = profile(opencl=(pocl(), IGPU))
    assert device_name(CPU_DEVICE_ID, machine) == "CPU"
    assert device_name("opencl:0:0", machine) == f"{machine.cpu.brand} (OpenCL, PoCL)"
    assert device_name("opencl:9:9", machine) == device_name("opencl:9:9", None) == "opencl:9:9"
    twins = profile(opencl=(IGPU, dataclasses.replace(IGPU, id="opencl1")))
    assert device_name("opencl1", twins) == "Test iGPU (opencl1)"


def test_in_a_narrow_place_two_versions_of_pocl_are_still_told_apart():
    machine = profile(opencl=(pocl(), pocl(id="opencl:1:0", driver_version="3.0-rc2"), IGPU))
    names = [short_device_name(each.id, machine) for each in machine.opencl]
    assert names == ["OpenCL, PoCL 3.1", "OpenCL, PoCL 3.0-rc2", "Test iGPU"]
    assert short_device_name(CPU_DEVICE_ID, machine) == "CPU"
    assert short_device_name("opencl:0:0", None) == "opencl:0:0"
