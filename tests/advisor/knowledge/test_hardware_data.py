import re

import archspec.cpu
import pytest

from tests.helpers.bundled import bundled_knowledge

# Names as drivers and operating systems print them, and the family each must fall into.
SAMPLES = [
    ("1002", "1309", "AMD Radeon R7 Graphics", "amd-kaveri"),
    ("1002", "15bf", "AMD Radeon 780M Graphics", "amd-phoenix-hawkpoint"),
    ("1002", "1681", "AMD Radeon 680M", "amd-rembrandt"),
    ("1002", "1586", "AMD Radeon 8060S Graphics", "amd-strix-halo"),
    ("1002", "15dd", "AMD Radeon Vega 8 Graphics", "amd-raven-picasso"),
    ("1002", "73bf", "AMD Radeon RX 6800 XT", "amd-rdna2-dgpu"),
    ("1002", "164e", "AMD Radeon 610M", "amd-raphael-mendocino"),
    ("1002", "66a1", "Vega 20 [Radeon Pro VII/Radeon Instinct MI50 32GB]", "amd-vega-dgpu"),
    ("1002", "738c", "Arcturus GL-XL [Instinct MI100]", "amd-cdna1"),
    ("1002", "740c", "Aldebaran/MI200 [Instinct MI250X/MI250]", "amd-cdna2"),
    ("1002", "740f", "Aldebaran/MI200 [Instinct MI210]", "amd-cdna2"),
    ("1002", "74a1", "Aqua Vanjaram [Instinct MI300X]", "amd-cdna3"),
    ("1002", "74a5", "Aqua Vanjaram [Instinct MI325X]", "amd-cdna3"),
    ("1002", "75a0", "AMD Instinct MI350X", "amd-cdna4"),
    ("8086", "46a6", "Intel Iris Xe Graphics", "intel-xe-lp"),
    ("8086", "7d55", "Intel Arc Graphics", "intel-xe-lpg-mtl"),
    ("8086", "56a0", "Intel Arc A770 Graphics", "intel-arc-dgpu"),
    ("8086", "64a0", "Intel Arc 140V", "intel-xe2-xe3-igpu"),
    ("10de", "1080", "NVIDIA GeForce GTX 580", "nvidia-fermi"),
    ("10de", "102d", "Tesla K80", "nvidia-kepler"),
    ("10de", "1180", "NVIDIA GeForce GTX 680", "nvidia-kepler"),
    ("10de", "1380", "NVIDIA GeForce GTX 750 Ti", "nvidia-maxwell"),
    ("10de", "17c2", "NVIDIA GeForce GTX TITAN X", "nvidia-maxwell"),
    ("10de", "13c2", "NVIDIA GeForce GTX 970", "nvidia-maxwell"),
    ("10de", "1b80", "NVIDIA GeForce GTX 1080", "nvidia-pascal-volta"),
    ("10de", "15f8", "Tesla P100-PCIE-16GB", "nvidia-pascal-volta"),
    ("10de", "1db4", "Tesla V100-PCIE-16GB", "nvidia-pascal-volta"),
    ("10de", "1f82", "NVIDIA GeForce GTX 1650", "nvidia-turing-plus"),
    ("10de", "2503", "NVIDIA GeForce RTX 3060", "nvidia-turing-plus"),
]


@pytest.fixture(scope="module")
def knowledge():
    return bundled_knowledge()


@pytest.fixture(scope="module")
def families(knowledge):
    return {family.id: family for family in knowledge.gpu_families}


def _ids(family):
    for text in family.pci_device_ids:
        first, _, last = text.partition("-")
        yield from range(int(first, 16), int(last or first, 16) + 1)


def test_all_families_are_there(families):
    assert len(families) == 52
    assert {family.kind for family in families.values()} == {"igpu", "dgpu", "igpu/dgpu", "npu"}


def test_device_ids_are_ranges_of_four_hex_digits(families):
    for family in families.values():
        for text in family.pci_device_ids:
            assert re.fullmatch(r"[0-9a-f]{4}(-[0-9a-f]{4})?", text), family.id
            first, _, last = text.partition("-")
            assert not last or first < last, family.id
        assert family.pci_vendor_id is None or re.fullmatch("[0-9a-f]{4}", family.pci_vendor_id)
        assert not family.pci_device_ids or family.pci_vendor_id, family.id


def test_a_device_id_belongs_to_one_family(families):
    owner = {}
    for family in families.values():
        for number in _ids(family):
            key = (family.pci_vendor_id, number)
            assert key not in owner, (family.id, owner.get(key), hex(number))
            owner[key] = family.id


@pytest.mark.parametrize(("vendor", "device", "name", "expected"), SAMPLES)
def test_a_known_device_id_leads_to_its_family(families, vendor, device, name, expected):
    found = [
        family.id
        for family in families.values()
        if family.pci_vendor_id == vendor and int(device, 16) in set(_ids(family))
    ]
    assert found == [expected]
    assert re.search(families[expected].name_pattern, name), name


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("NVIDIA GeForce RTX 4090", "nvidia-turing-plus"),
        ("Tesla T4", "nvidia-turing-plus"),
        ("Tesla K80", "nvidia-kepler"),
        ("NVIDIA GeForce GTX 680", "nvidia-kepler"),
        ("NVIDIA GeForce GTX 580", "nvidia-fermi"),
        ("NVIDIA GeForce GTX 750 Ti", "nvidia-maxwell"),
        ("NVIDIA GeForce GTX TITAN X", "nvidia-maxwell"),
        ("NVIDIA GeForce GTX 1080 Ti", "nvidia-pascal-volta"),
        ("Tesla V100-SXM2-16GB", "nvidia-pascal-volta"),
        ("Apple M2 Pro", "apple-m2"),
        ("AMD Radeon RX 7900 XTX", "amd-rdna3-dgpu"),
        ("AMD Radeon RX 9070 XT", "amd-rdna4"),
        ("AMD Radeon RX 580", "amd-gcn3-4"),
        ("V3D 7.1", "broadcom-videocore"),
        ("Tegra X1 (Maxwell)", "nvidia-tegra-old"),
        ("Tegra Orin (Ampere)", "nvidia-tegra"),
        ("NVIDIA Jetson Orin Nano (GPU)", "nvidia-tegra"),
        ("GA10B [Orin Nano]", "nvidia-tegra"),
    ],
)
def test_a_name_leads_to_its_family(families, name, expected):
    assert re.search(families[expected].name_pattern, name)


def test_support_cells_use_three_words(families):
    for family in families.values():
        for cell in (
            family.linux_training,
            family.linux_inference,
            family.windows_training,
            family.windows_inference,
        ):
            assert cell in {"official", "unofficial", "none"}, family.id
        for cell in (family.macos_training, family.macos_inference):
            assert cell in {"official", "unofficial", "none", None}, family.id


def test_every_row_has_source_and_advice(knowledge):
    for family in knowledge.gpu_families:
        assert family.source, family.id
        assert family.advice, family.id
        assert family.confidence in {"high", "medium", "low"}
    for row in knowledge.cpu_isa:
        assert row.source, row.microarchitecture


def test_archspec_names_exist_and_belong_to_one_row(knowledge):
    owner = {}
    for row in knowledge.cpu_isa:
        for name in row.archspec_names:
            assert name in archspec.cpu.TARGETS, (row.microarchitecture, name)
            assert name not in owner, (row.microarchitecture, owner.get(name))
            owner[name] = row.microarchitecture
    assert owner["steamroller"] == "Steamroller (Kaveri)"
    assert owner["neoverse_n2"] == "Neoverse N2"


def test_rates_per_cycle_are_powers_of_two_and_grow_with_narrower_numbers(knowledge):
    for row in knowledge.cpu_isa:
        single = row.fp32_flop_per_cycle_per_core
        assert single in {None, 4, 8, 16, 32, 64}, row.microarchitecture
        for narrow in (row.bf16_flop_per_cycle_per_core, row.int8_op_per_cycle_per_core):
            assert narrow is None or narrow >= 2 * single, row.microarchitecture


def test_bfloat16_is_advised_only_where_there_are_instructions(knowledge):
    for row in knowledge.cpu_isa:
        if row.bf16_advice.startswith("recommend") and row.years != "announced":
            assert row.bf16_flop_per_cycle_per_core, row.microarchitecture
        if row.bf16_flop_per_cycle_per_core is None:
            assert not row.bf16_advice.startswith("recommend") or row.years == "announced"


def test_the_wheel_needs_avx(knowledge):
    rows = {row.microarchitecture: row for row in knowledge.cpu_isa}
    assert rows["Core 2 / Nehalem / Westmere"].tensorflow_wheel_runs.startswith("no")
    assert rows["Steamroller (Kaveri)"].tensorflow_wheel_runs == "yes"
