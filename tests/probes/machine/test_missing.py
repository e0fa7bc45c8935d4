import dataclasses

import pytest

from advisor.model.machine import DeviceKind, GraphicsDevice, Npu, OsFamily
from probes.machine.missing import (
    list_closed_nodes,
    list_missing_gpu_drivers,
    list_missing_opencl,
)

KAVERI = GraphicsDevice(
    id="gpu0",
    kind=DeviceKind.IGPU,
    vendor="AMD",
    name="Kaveri",
    pci_vendor_id="1002",
    pci_device_id="130f",
    kernel_driver="radeon",
    carve_out_bytes=None,
    shared_limit_bytes=None,
    compute_units=None,
    max_mhz=None,
)


def gpu(**changes):
    return dataclasses.replace(KAVERI, **changes)


def missing_opencl(device, distribution="arch"):
    return list_missing_opencl(
        (device,), opencl=(), system=OsFamily.LINUX, distribution=distribution
    )


def test_the_old_driver_is_told_of_the_new_one():
    (fact,) = missing_opencl(KAVERI)
    assert fact.remedy is not None
    assert "pacman -S opencl-mesa" in fact.remedy
    assert "amdgpu.cik_support=1" in fact.remedy
    (fact,) = missing_opencl(gpu(kernel_driver="amdgpu"))
    assert "cik_support" not in (fact.remedy or "")


@pytest.mark.parametrize(
    ("vendor", "vendor_id", "device_id"),
    [("AMD", "1002", "9901"), ("Intel", "8086", "0162"), ("Intel", "8086", "0a16")],
)
def test_a_gpu_that_no_driver_serves_any_more_gets_no_false_hope(vendor, vendor_id, device_id):
    old = gpu(vendor=vendor, pci_vendor_id=vendor_id, pci_device_id=device_id)
    (fact,) = missing_opencl(old)
    assert fact.remedy is None
    assert "older than any OpenCL driver" in fact.reason


def test_a_card_is_called_a_gpu_and_a_display_adapter_nothing():
    (fact,) = missing_opencl(gpu(kind=DeviceKind.DGPU))
    assert fact.reason.startswith("your GPU (")
    assert missing_opencl(gpu(kind=DeviceKind.OTHER)) == ()


def test_a_vendor_without_advice_has_no_remedy():
    (fact,) = missing_opencl(gpu(vendor="Broadcom", pci_vendor_id=None, pci_device_id=None))
    assert fact.remedy is None


@pytest.mark.parametrize(
    ("system", "count"), [(OsFamily.LINUX, 2), (OsFamily.WINDOWS, 2), (OsFamily.MACOS, 0)]
)
def test_devices_without_a_kernel_driver(system, count):
    npu = Npu(id="npu0", vendor="Intel", name="NPU", kernel_driver=None)
    facts = list_missing_gpu_drivers((gpu(kernel_driver=None),), npus=(npu,), system=system)
    assert len(facts) == count


@pytest.mark.parametrize(
    ("vendor", "word"), [("Intel", "i915"), ("NVIDIA", "nvidia"), (None, "vendor's driver")]
)
def test_the_driver_to_load(vendor, word):
    device = gpu(vendor=vendor, kernel_driver=None, pci_device_id="0000")
    (fact,) = list_missing_gpu_drivers((device,), npus=(), system=OsFamily.LINUX)
    assert word in (fact.remedy or "")


def test_only_nodes_that_are_closed_are_told(make_machine):
    usable = {"/dev/dri/renderD128": True, "/dev/dri/renderD129": False, "/dev/kfd": False}
    facts = list_closed_nodes(make_machine({}, usable=usable))
    assert [fact.fact for fact in facts] == ["access:/dev/dri/renderD129", "access:/dev/kfd"]
    assert list_closed_nodes(make_machine({})) == ()
