"""A small machine to plan and measure on."""

import dataclasses

import pytest

from advisor.model.machine import (
    Cache,
    Cpu,
    DeviceKind,
    Load,
    MachineProfile,
    Memory,
    OpenclDevice,
    OperatingSystem,
    OsFamily,
    Power,
)

PROFILE = MachineProfile(
    collected_on="2026-11-21",
    os=OperatingSystem(
        family=OsFamily.LINUX,
        name="Debian 12",
        version="12",
        kernel="6.1",
        architecture="x86_64",
        hypervisor="",
        container="",
    ),
    cpu=Cpu(
        vendor="AMD",
        brand="AMD Ryzen 5 5600G",
        microarchitecture="zen3",
        isa_features=("avx2", "fma"),
        n_packages=1,
        n_physical_cores=6,
        n_logical_cpus=12,
        usable_cpus=12,
        quota_cpus=None,
        base_mhz=3900.0,
        max_mhz=4400.0,
        caches=(
            Cache(level=1, kind="data", size_bytes=32 << 10, shared_by=2),
            Cache(level=1, kind="instruction", size_bytes=32 << 10, shared_by=2),
            Cache(level=3, kind="unified", size_bytes=16 << 20, shared_by=12),
        ),
        n_numa_nodes=1,
    ),
    memory=Memory(total_bytes=16 << 30, available_bytes=12 << 30, limit_bytes=None),
    graphics=(),
    opencl=(
        OpenclDevice(
            id="opencl:0:0",
            kind=DeviceKind.IGPU,
            name="gfx90c",
            vendor="AMD",
            platform="rusticl",
            platform_version="OpenCL 3.0",
            device_version="OpenCL 3.0",
            driver_version="25.0",
            compute_units=7,
            max_mhz=1900.0,
            global_mem_bytes=8 << 30,
            max_alloc_bytes=2 << 30,
            local_mem_bytes=64 << 10,
            max_work_group_size=1024,
            has_unified_memory=True,
            has_fp16=True,
            has_fp64=True,
            is_bundled_driver=False,
        ),
    ),
    npus=(),
    environments=(),
    power=Power(on_battery=None, governor="performance"),
    load=Load(load_average_1m=None, busy_fraction=None, steal_fraction=None),
    missing=(),
)


@pytest.fixture
def profile() -> MachineProfile:
    return PROFILE


@pytest.fixture
def with_cpu():
    """A function that gives the machine with other facts about its processor."""

    def change(**facts) -> MachineProfile:
        return dataclasses.replace(PROFILE, cpu=dataclasses.replace(PROFILE.cpu, **facts))

    return change
