"""Bounds follow from facts; what a fact is missing for has none."""

import dataclasses
import string

import pytest

from advisor.model.machine import DeviceKind, GraphicsDevice, OpenclDevice
from advisor.normal.causes import is_generic_pocl, is_mesa
from advisor.normal.peaks import (
    LEAST_CLOCK_MHZ,
    MOST_CLOCK_MHZ,
    Peak,
    gpu_clock_mhz,
    is_clock,
    matching_graphics,
    opencl_memory_peak,
)
from tests.helpers.bundled import bundled_knowledge

KNOWLEDGE = bundled_knowledge()


def gpu(name="Some GPU", *, vendor="AMD", kind=DeviceKind.DGPU, **changes):
    values = {
        "id": "opencl:0:0",
        "kind": kind,
        "name": name,
        "vendor": vendor,
        "platform": "P",
        "platform_version": "1",
        "device_version": "1",
        "driver_version": "1",
        "compute_units": 8,
        "max_mhz": 1000.0,
        "global_mem_bytes": 1,
        "max_alloc_bytes": 1,
        "local_mem_bytes": 1,
        "max_work_group_size": 1,
        "has_unified_memory": False,
        "has_fp16": False,
        "has_fp64": False,
        "is_bundled_driver": False,
    }
    return OpenclDevice(**{**values, **changes})


def card(vendor="AMD", *, kind=DeviceKind.DGPU, mhz=None, name="card"):
    return GraphicsDevice(
        id="gpu0", kind=kind, vendor=vendor, name=name, pci_vendor_id=None, pci_device_id=None,
        kernel_driver=None, carve_out_bytes=None, shared_limit_bytes=None, compute_units=None,
        max_mhz=mhz,
    )  # fmt: skip


@dataclasses.dataclass
class Profile:
    """The part of a profile that finding a GPU looks at."""

    graphics: tuple = ()


@pytest.mark.parametrize(
    ("mhz", "can_be"),
    [
        (None, False),
        (0.0, False),
        (LEAST_CLOCK_MHZ, True),
        (MOST_CLOCK_MHZ, True),
        (MOST_CLOCK_MHZ + 1, False),
        (42_949_672.96, False),
    ],
)
def test_clocks_that_can_be(mhz, can_be):
    assert is_clock(mhz) is can_be


def test_a_gpu_on_the_bus_is_matched_only_without_doubt():
    device = gpu(vendor="Advanced Micro Devices, Inc.")
    assert matching_graphics(Profile((card(),)), device=device) == card()
    assert matching_graphics(Profile((card(), card())), device=device) is None
    assert matching_graphics(Profile((card("Intel"),)), device=device) is None
    assert matching_graphics(Profile((card(kind=DeviceKind.IGPU),)), device=device) is None


def test_the_clock_of_the_driver_then_of_the_kernel_then_of_the_sheet():
    spec = next(row for row in KNOWLEDGE.devices if row.device == "AMD Radeon RX 570")
    profile = Profile((card(mhz=1200.0),))
    asked = {"spec": spec}
    assert gpu_clock_mhz(profile, device=gpu(max_mhz=1244.0), **asked) == 1244.0
    assert gpu_clock_mhz(profile, device=gpu(max_mhz=9e6), **asked) == 1200.0
    assert gpu_clock_mhz(profile, device=gpu(max_mhz=100.0), **asked) == 1200.0
    assert gpu_clock_mhz(Profile(), device=gpu(max_mhz=None), **asked) == 1244.0
    assert gpu_clock_mhz(Profile(), device=gpu(max_mhz=None), spec=None) is None


def test_the_memory_of_a_card_is_its_own():
    bound = opencl_memory_peak(Profile(), device=gpu("Radeon RX 570"), knowledge=KNOWLEDGE)
    assert isinstance(bound, Peak)
    assert bound.value == pytest.approx(224e9)


@pytest.mark.parametrize(
    ("name", "is_generic"),
    [
        ("pthread-AMD EPYC", True),
        ("pthread-Intel(R) Core(TM) i5", True),
        ("cpu-generic-AMD Ryzen", True),
        ("pthread-skylake-avx512-AMD EPYC", False),
        ("cpu-haswell-Intel(R) Core(TM) i7-4790K", False),
        ("basic-znver2-AMD Ryzen 7 3700X", False),
    ],
)
def test_names_of_pocl_devices(name, is_generic):
    assert is_generic_pocl(name) is is_generic


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"platform": "rusticl"}, True),
        ({"platform": "Clover"}, True),
        ({"device_version": "OpenCL 1.1 Mesa 20.2.4"}, True),
        ({"name": "AMD HAWAII (DRM 2.42.0, LLVM 3.8.0)"}, True),
        ({"platform": "AMD Accelerated Parallel Processing"}, False),
        ({"platform": "Intel(R) OpenCL Graphics"}, False),
    ],
)
def test_drivers_of_mesa(changes, expected):
    assert is_mesa(gpu(**changes)) is expected


# The table of operations per compute unit, against what drivers and data sheets say.


@pytest.mark.parametrize(
    ("family", "device", "units"),
    [
        ("amd-kaveri", "AMD Radeon R7 iGPU (A10-7850K, Kaveri, 8 CU)", 8),
        ("intel-gen9", "Intel UHD Graphics 620 Mobile", 24),
        ("amd-gcn1.1-dgpu", "AMD FirePro W8100", 40),
        ("amd-gcn3-4", "AMD Radeon RX 570", 32),
        ("intel-xe2-xe3-igpu", "Intel Arc 140V Mobile", 64),
        ("intel-gen11", "Intel Iris Plus Graphics G7 64EU Mobile", 64),
        ("apple-m2", "Apple M2 (10-core GPU)", 10),
    ],
)
def test_operations_per_compute_unit(family, device, units):
    families = {row.id: row for row in KNOWLEDGE.gpu_families}
    lanes = next(row.cores for row in KNOWLEDGE.devices if row.device == device)
    assert families[family].fp32_flop_per_cycle_per_unit == 2 * lanes / units


def test_memory_channels_are_those_of_processors():
    told = [row for row in KNOWLEDGE.devices if row.memory_channels is not None]
    assert len(told) > 50
    assert {row.kind for row in told} == {DeviceKind.CPU}
    assert all(set(str(row.memory_channels)) <= set(string.digits) for row in told)
