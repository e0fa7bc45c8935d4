import pytest

from advisor.model.machine import DeviceKind
from probes.machine.macos import (
    parse_cpu,
    parse_displays,
    parse_flags,
    parse_free_pages,
    parse_power,
    parse_sysctl,
)

INTEL = """machdep.cpu.brand_string: Intel(R) Core(TM) i9-9880H CPU @ 2.30GHz
machdep.cpu.vendor: GenuineIntel
machdep.cpu.family: 6
machdep.cpu.model: 158
machdep.cpu.features: FPU SSE3 SSE4.1 SSE4.2 FMA AVX1.0
machdep.cpu.leaf7_features: RDWRFSGS AVX2
machdep.cpu.extfeatures: LZCNT SYSCALL
hw.cpufrequency: 2300000000
hw.cpufrequency_max: 2300000000
hw.physicalcpu: 8
hw.logicalcpu: 16
hw.l1dcachesize: 32768
hw.l2cachesize: 262144
hw.l3cachesize: 16777216
"""


def test_an_intel_mac():
    cpu = parse_cpu(parse_sysctl(INTEL), logical_cpus=1, machine="x86_64")
    assert (cpu.vendor, cpu.microarchitecture) == ("Intel", "skylake")
    assert (cpu.n_physical_cores, cpu.n_logical_cpus, cpu.base_mhz) == (8, 16, 2300.0)
    assert {"avx", "avx2", "fma", "pni", "sse4_2", "abm", "fsgsbase"} <= set(cpu.isa_features)
    assert [(c.level, c.size_bytes) for c in cpu.caches] == [(1, 32768), (2, 262144), (3, 16777216)]


@pytest.mark.parametrize(
    ("brand", "name"), [("Apple M1 Max", "m1"), ("Apple M4", "m4"), ("Apple processor", None)]
)
def test_apple_chips(brand, name):
    values = {"machdep.cpu.brand_string": brand}
    cpu = parse_cpu(values, logical_cpus=8, machine="arm64")
    assert (cpu.vendor, cpu.microarchitecture) == ("Apple", name)


def test_a_feature_that_is_off_is_no_flag():
    values = {"hw.optional.arm.FEAT_BF16": "0", "hw.optional.arm.FEAT_DotProd": "1"}
    assert parse_flags(values) == ("asimddp",)


def test_two_gpus_of_an_intel_mac():
    data = {
        "SPDisplaysDataType": [
            {
                "_name": "kHW_IntelUHDGraphics630Item",
                "sppci_model": "Intel UHD Graphics 630",
                "sppci_bus": "spdisplays_builtin",
                "spdisplays_vendor": "Intel",
                "spdisplays_device-id": "0x3e9b",
                "spdisplays_vram_shared": "1536 MB",
            },
            {
                "sppci_model": "AMD Radeon Pro 5500M",
                "sppci_bus": "spdisplays_pcie_device",
                "spdisplays_vendor": "sppci_vendor_amd (0x1002)",
                "spdisplays_device-id": "0x7340",
                "spdisplays_vram": "4 GB",
                "spdisplays_mtlgpufamilysupport": "spdisplays_metal3",
            },
        ]
    }
    igpu, card = parse_displays(data)
    assert (igpu.kind, igpu.vendor, igpu.carve_out_bytes) == (DeviceKind.IGPU, "Intel", None)
    assert (card.kind, card.vendor, card.pci_device_id) == (DeviceKind.DGPU, "AMD", "7340")
    assert (card.carve_out_bytes, card.kernel_driver) == (4 << 30, "metal")
    assert igpu.kernel_driver is None


def test_free_memory_is_what_can_be_had():
    text = "(page size of 4096 bytes)\nPages free: 10.\nPages inactive: 5.\nPages active: 99.\n"
    assert parse_free_pages(text) == 15 * 4096
    assert parse_free_pages("Pages free: 10.") is None


@pytest.mark.parametrize(
    ("text", "on_battery"),
    [
        ("Now drawing from 'AC Power'\n", False),
        ("Now drawing from 'Battery Power'\n", True),
        ("", None),
        (None, None),
    ],
)
def test_power(text, on_battery):
    assert parse_power(text).on_battery is on_battery


def test_a_notebook_is_told_by_its_battery():
    text = "Now drawing from 'AC Power'\n -InternalBattery-0 (id=123)\t100%; charged;\n"
    assert parse_power(text).has_battery is True
    assert parse_power("Now drawing from 'AC Power'\n").has_battery is False
    assert parse_power(None).has_battery is None
