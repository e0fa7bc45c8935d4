"""GPUs of a machine are found by what the bus, the drivers and the processor call them."""

import pytest

from advisor.knowledge.graphics import find_gpu, find_gpu_family, rocm_target
from advisor.model.machine import DeviceKind
from tests.advisor.recommend.builders import a_gpu
from tests.helpers.bundled import bundled_knowledge

KNOWLEDGE = bundled_knowledge()
NAVI_31 = "Navi 31 [Radeon RX 7900 XT/7900 XTX/7900 GRE/7900M]"


@pytest.mark.parametrize(
    ("name", "brand", "device"),
    [
        ("Radeon 780M", "AMD Ryzen 7 7840U w/ Radeon 780M Graphics", "AMD Radeon 780M"),
        (
            "Strix Halo [Radeon Graphics / Radeon 8050S Graphics / Radeon 8060S Graphics]",
            "AMD RYZEN AI MAX+ 395 w/ Radeon 8060S",
            "AMD Radeon 8060S",
        ),
        (
            "TigerLake-LP GT2 [Iris Xe Graphics]",
            "11th Gen Intel(R) Core(TM) i7-1185G7 @ 3.00GHz",
            "Intel Iris Xe Graphics G7 80EU Mobile",
        ),
        ("Intel Graphics", "Intel(R) Core(TM) Ultra 7 155H", "Intel Arc Graphics 128EU Mobile"),
        ("Unheard of", "AMD Ryzen 5 5600G with Radeon Graphics", None),
    ],
)
def test_an_integrated_gpu_is_found_by_its_processor(
    name: str, brand: str, device: str | None
) -> None:
    gpu = a_gpu(name=name, kind=DeviceKind.IGPU, compute_units=None)
    spec = find_gpu(KNOWLEDGE, gpu, cpu_brand=brand)
    assert (spec.device if spec else None) == device


@pytest.mark.parametrize(
    ("family", "pci", "target"),
    [
        ("amd-rdna3-dgpu", "744c", "gfx1100"),
        ("amd-rdna3-dgpu", "7480", "gfx1102"),
        ("amd-rdna4", "7590", "gfx1200"),
        ("amd-krackan", "1902", "gfx1153"),
        ("amd-rdna3-dgpu", None, None),
        ("nvidia-blackwell", "2b85", None),
    ],
)
def test_names_of_chips(family: str, pci: str | None, target: str | None) -> None:
    (row,) = (row for row in KNOWLEDGE.gpu_families if row.id == family)
    assert rocm_target(row, pci_device_id=pci) == target


def test_every_chip_is_one_of_its_family() -> None:
    for family in KNOWLEDGE.gpu_families:
        for entry in family.rocm_targets:
            first = entry.partition(":")[2].partition("-")[0]
            found = find_gpu_family(KNOWLEDGE, pci_vendor_id="1002", pci_device_id=first, name=None)
            assert found is family


@pytest.mark.parametrize(
    ("name", "units", "device"),
    [
        (NAVI_31, 96, "AMD Radeon RX 7900 XTX"),
        (NAVI_31, 84, "AMD Radeon RX 7900 XT"),
        ("Navi 23 [Radeon RX 6600/6600 XT/6600M]", 28, "AMD Radeon RX 6600"),
        ("Navi 48 [Radeon RX 9070/9070 XT/9070 GRE]", 64, "AMD Radeon RX 9070 XT"),
        # Of those named the slowest, unless they differ too much.
        ("Navi 23 [Radeon RX 6600/6600 XT/6600M]", None, "AMD Radeon RX 6600"),
        ("Odd [Radeon RX 6400/7900 XTX]", None, None),
    ],
)
def test_a_bus_name_of_several_products(name: str, units: int | None, device: str | None) -> None:
    gpu = a_gpu(name=name, kind=DeviceKind.DGPU, compute_units=units)
    spec = find_gpu(KNOWLEDGE, gpu, cpu_brand="AMD Ryzen 7 7700X 8-Core Processor")
    assert (spec.device if spec else None) == device
