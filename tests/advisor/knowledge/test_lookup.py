"""Rows are found by the names of real machines, and a doubtful name finds nothing."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.knowledge.graphics import find_gpu_family
from advisor.knowledge.lookup import find_device, find_isa, find_past_system, published_for
from advisor.knowledge.store import Knowledge
from advisor.model.machine import DeviceKind
from advisor.model.published import Comparability, ResultPhase
from tests.helpers.bundled import bundled_knowledge

CPU, DGPU, IGPU = DeviceKind.CPU, DeviceKind.DGPU, DeviceKind.IGPU
KNOWLEDGE = bundled_knowledge()
A10_GRAPHICS = "AMD Radeon R7 iGPU (A10-7850K, Kaveri, 8 CU)"


def found(name: str, kind: DeviceKind | None = None, compute_units: int | None = None) -> str:
    spec = find_device(KNOWLEDGE, name, kind=kind, compute_units=compute_units)
    return "-" if spec is None else spec.device


@pytest.mark.parametrize(
    ("name", "device"),
    [
        ("ryzen 5 5600g", "AMD Ryzen 5 5600G"),
        ("AMD Ryzen 5 5600G with Radeon Graphics", "AMD Ryzen 5 5600G"),
        ("AMD Ryzen 5 5600 6-Core Processor", "AMD Ryzen 5 5600"),
        ("rpi 5", "Raspberry Pi 5 (4x Cortex-A76 2.4 GHz)"),
        ("Raspberry Pi 4 Model B Rev 1.4", "Raspberry Pi 4 Model B (4x Cortex-A72 1.8 GHz)"),
        ("GTX1660 super", "NVIDIA GeForce GTX 1660 SUPER"),
        ("A10-7850K Radeon R7", "AMD A10-7850K"),
        ("Intel(R) Core(TM) i7-8550U CPU @ 1.80GHz", "Intel Core i7-8550U"),
        ("11th Gen Intel(R) Core(TM) i7-1165G7 @ 2.80GHz", "Intel Core i7-1165G7"),
        ("Intel(R) Core(TM) Ultra 7 155H", "Intel Core Ultra 7 155H"),
        ("AMD RYZEN AI MAX+ 395 w/ Radeon 8060S", "AMD Ryzen AI Max+ 395"),
        ("Intel(R) N100", "Intel N100"),
        ("Tesla V100-SXM2-16GB", "NVIDIA Tesla V100 SXM2 16 GB"),
        ("NVIDIA A100 80GB PCIe", "NVIDIA A100 PCIe 80 GB"),
        ("TU104GL [Tesla T4]", "NVIDIA Tesla T4"),
        ("NVIDIA GeForce RTX 3060", "NVIDIA GeForce RTX 3060 12 GB"),
        ("NVIDIA GeForce RTX 3060 Laptop GPU", "NVIDIA GeForce RTX 3060 Mobile"),
        ("AMD Radeon RX 580 Series", "AMD Radeon RX 580"),
        ("NVIDIA TITAN X (Pascal)", "NVIDIA TITAN X Pascal"),
        ("NVIDIA GeForce GTX TITAN X", "NVIDIA GeForce GTX TITAN X"),
        ("Intel(R) UHD Graphics 620 (KBL GT2)", "Intel UHD Graphics 620 Mobile"),
        ("AMD Radeon(TM) Vega 8 Graphics", "AMD Radeon Vega 8"),
        ("M2 Pro", "Apple M2 Pro (16-core GPU)"),
    ],
)
def test_real_names(name: str, device: str) -> None:
    assert found(name) == device


@pytest.mark.parametrize(
    "name",
    [
        "AMD EPYC 7R13 Processor",
        "Intel(R) Xeon(R) CPU @ 2.20GHz",
        "Intel(R) Xeon(R) CPU E5-2630 0 @ 2.30GHz",
        "Intel Xeon Processor (Skylake, IBRS)",
        "RTX 3080 12GB",
        "GTX 1060",
        "A100",
        "Radeon Graphics",
        "AMD Ryzen 5 PRO 5650G with Radeon Graphics",
        "AMD Ryzen 5 3600XT 6-Core Processor",
        "NVIDIA GeForce RTX 2070 with Max-Q Design",
        "Intel GTX 1080",
        "580",
        "6700",
        "5600",
        "Ryzen 7 7800",
        "amd radeon graphics",
        "7",
        "",
        "   ",
    ],
)
def test_never_a_neighbour(name: str) -> None:
    assert found(name) == "-"


def test_cpu_and_graphics_of_one_apu_are_told_apart() -> None:
    brand = "AMD A10-7850K Radeon R7, 12 Compute Cores 4C+8G"
    assert found(brand, CPU) == "AMD A10-7850K"
    assert found(brand, IGPU) == A10_GRAPHICS
    assert found("Spectre", IGPU) == A10_GRAPHICS
    assert found("AMD Ryzen 7 7840HS w/ Radeon 780M Graphics", CPU) == "AMD Ryzen 7 7840HS"
    assert found("AMD Ryzen 7 7840HS w/ Radeon 780M Graphics", IGPU) == "AMD Radeon 780M"
    assert found("AMD Ryzen 5 5600G with Radeon Graphics", IGPU) == "-"


TYPED = [
    ("ryzen 5 5600g", CPU, "AMD Ryzen 5 5600G"),
    ("Iris Xe", IGPU, "Intel Iris Xe Graphics G7 80EU Mobile"),
    ("M2 Pro", IGPU, "Apple M2 Pro (16-core GPU)"),
    ("M1 Max", IGPU, "Apple M1 Max (24-core GPU)"),
    ("rpi 5", CPU, "Raspberry Pi 5 (4x Cortex-A76 2.4 GHz)"),
    ("rasberry pi 4", CPU, "Raspberry Pi 4 Model B (4x Cortex-A72 1.8 GHz)"),
    ("GTX1660 super", DGPU, "NVIDIA GeForce GTX 1660 SUPER"),
    ("A10-7850K Radeon R7", CPU, "AMD A10-7850K"),
    ("Intel HD 4000", IGPU, "Intel HD Graphics 4000"),
    ("3060 laptop", DGPU, "NVIDIA GeForce RTX 3060 Mobile"),
    ("rx 6700xt", DGPU, "AMD Radeon RX 6700 XT"),
    ("6700 xt", DGPU, "AMD Radeon RX 6700 XT"),
    ("780m", IGPU, "AMD Radeon 780M"),
    ("i7-1165g7", CPU, "Intel Core i7-1165G7"),
    ("Xeon E5-2630 v4", CPU, "Intel Xeon E5-2630 v4"),
    ("8845hs", CPU, "AMD Ryzen 7 8845HS"),
    ("N100", CPU, "Intel N100"),
    ("n5105", CPU, "Intel Celeron N5105"),
    ("8250u", CPU, "Intel Core i5-8250U"),
    ("intel i5 8250u", CPU, "Intel Core i5-8250U"),
    ("i5 12400f", CPU, "Intel Core i5-12400F"),
    ("I9 13900K", CPU, "Intel Core i9-13900K"),
    ("ryzen 9 7950x3d", CPU, "AMD Ryzen 9 7950X3D"),
    ("ryzen 3600", CPU, "AMD Ryzen 5 3600"),
    ("rizen 5 3600", CPU, "AMD Ryzen 5 3600"),
    ("5700g", CPU, "AMD Ryzen 7 5700G"),
    ("thread ripper 3990x", CPU, "AMD Ryzen Threadripper 3990X"),
    ("epyc 7742", CPU, "AMD EPYC 7742"),
    ("AMD Ryzen(TM) 7 7840U w/ Radeon(TM) 780M Graphics", CPU, "AMD Ryzen 7 7840U"),
    ("rtx4090", DGPU, "NVIDIA GeForce RTX 4090"),
    ("4070ti", DGPU, "NVIDIA GeForce RTX 4070 Ti"),
    ("1080 ti", DGPU, "NVIDIA GeForce GTX 1080 Ti"),
    ("gforce rtx 3080", DGPU, "NVIDIA GeForce RTX 3080"),
    ("RX580", DGPU, "AMD Radeon RX 580"),
    ("7900xtx", DGPU, "AMD Radeon RX 7900 XTX"),
    ("vega 64", DGPU, "AMD Radeon RX Vega 64"),
    ("vega 8", IGPU, "AMD Radeon Vega 8"),
    ("hd 7970", DGPU, "AMD Radeon HD 7970"),
    ("tesla t4", DGPU, "NVIDIA Tesla T4"),
    ("A100 80GB", DGPU, "NVIDIA A100 PCIe 80 GB"),
    ("mi300x", DGPU, "AMD Instinct MI300X"),
    ("quadro p4000", DGPU, "NVIDIA Quadro P4000"),
    ("arc b580", DGPU, "Intel Arc B580"),
]


@pytest.mark.parametrize(("typed", "kind", "device"), TYPED)
def test_names_as_people_type_them(typed: str, kind: DeviceKind, device: str) -> None:
    spec = find_device(KNOWLEDGE, typed)
    assert spec is not None
    assert (spec.device, spec.kind) == (device, kind)


def test_the_two_parts_of_a_processor_are_told_apart() -> None:
    assert found("A10-7850K Radeon R7", IGPU).startswith("AMD Radeon R7 iGPU")
    assert found("AMD Ryzen 7 7840U w/ Radeon 780M Graphics", IGPU) == "AMD Radeon 780M"
    assert found("N100", IGPU) == "Intel UHD Graphics 24EU Mobile"
    assert found("780m", CPU) == found("rtx 4090", CPU) == found("3060 laptop", IGPU) == "-"


@pytest.mark.parametrize(
    ("typed", "family"),
    [
        ("snapdragon x elite", "qualcomm-adreno"),
        ("Intel HD 4000", "intel-gen7-haswell"),
        ("uhd 630", "intel-gen9"),
        ("rtx4090", "nvidia-turing-plus"),
        ("gtx1080", "nvidia-pascal-volta"),
        ("rx580", "amd-gcn3-4"),
    ],
)
def test_families_of_names_as_people_type_them(typed: str, family: str) -> None:
    result = find_gpu_family(KNOWLEDGE, pci_vendor_id=None, pci_device_id=None, name=typed)
    assert result is not None
    assert result.id == family


def test_compute_units_tell_a_family_apart() -> None:
    name = "Intel(R) Iris(R) Xe Graphics"
    assert found(name, IGPU, 96) == "Intel Iris Xe Graphics G7 96EU Mobile"
    assert found(name, IGPU, 48) == "Intel Iris Xe Graphics G4 48EU Mobile"
    assert found(name, IGPU) == "Intel Iris Xe Graphics G7 80EU Mobile"
    assert found("Apple M2 Pro", IGPU, 19) == "Apple M2 Pro (19-core GPU)"
    assert found("Intel(R) Arc(TM) Graphics", IGPU, 128) == "Intel Arc Graphics 128EU Mobile"


def test_memory_sizes_of_equal_cards_do_not_matter_and_others_do() -> None:
    assert found("RTX 4060 Ti").startswith("NVIDIA GeForce RTX 4060 Ti")
    assert found("GeForce GTX 1060 6GB") == "NVIDIA GeForce GTX 1060 6 GB"


def test_every_row_is_found_by_its_own_name_and_aliases() -> None:
    missed = [
        (spelling, spec.device)
        for spec in KNOWLEDGE.devices
        for spelling in (spec.device, *spec.aliases)
        if find_device(KNOWLEDGE, spelling, kind=spec.kind) != spec
    ]
    assert missed == []


@given(
    st.sampled_from([spec for spec in KNOWLEDGE.devices if spec.kind is CPU]),
    st.sampled_from(["{}", "  {} ", "{} @ 2.50GHz", "{} CPU", "{}(R)", "{} Processor"]),
    st.booleans(),
)
def test_decorations_do_not_change_the_processor(spec: object, form: str, is_upper: bool) -> None:
    name = spec.device.upper() if is_upper else spec.device.lower()  # type: ignore[attr-defined]
    assert find_device(KNOWLEDGE, form.format(name), kind=CPU) == spec


@given(
    st.sampled_from([s for s in KNOWLEDGE.devices if s.kind is CPU and "Ryzen" in s.device]),
    st.sampled_from("ABCDEFJLMNOPQRSTVWYZ"),
)
def test_a_letter_more_is_another_product(spec: object, letter: str) -> None:
    other = find_device(KNOWLEDGE, spec.device + letter, kind=CPU)  # type: ignore[attr-defined]
    assert other is None or other.device != spec.device  # type: ignore[attr-defined]


@given(st.text(max_size=40))
def test_any_text_is_answered(name: str) -> None:
    find_device(KNOWLEDGE, name)


@pytest.mark.parametrize(
    ("name", "flags", "row"),
    [
        ("zen3", ("avx2",), "Zen 3"),
        ("Zen 3", (), "Zen 3"),
        ("zen4", ("avx2", "avx512f"), "Zen 4"),
        ("zen4", ("avx2",), None),
        ("sapphirerapids", ("avx2", "avx512f", "amx_tile"), "Sapphire / Emerald Rapids"),
        ("alderlake", ("avx2",), "Alder Lake / Raptor Lake P-core"),
        ("steamroller", ("avx",), "Steamroller (Kaveri)"),
        ("m1", ("asimd",), "Apple M1"),
        ("cortex_a72", (), "Cortex-A72"),
        ("x86_64_v3", ("avx2",), None),
        (None, ("avx2",), None),
    ],
)
def test_isa(name: str | None, flags: tuple[str, ...], row: str | None) -> None:
    isa = find_isa(KNOWLEDGE, microarchitecture=name, isa_features=flags)
    assert (isa.microarchitecture if isa else None) == row


@pytest.mark.parametrize(
    ("vendor", "device", "name", "family"),
    [
        ("1002", "1313", None, "amd-kaveri"),
        ("8086", "9a49", "Intel(R) Iris(R) Xe Graphics", "intel-xe-lp"),
        ("1002", None, "AMD Radeon R7 Graphics", "amd-kaveri"),
        (None, None, "AMD Radeon(TM) R7 Graphics", "amd-kaveri"),
        ("8086", None, "AMD Radeon R7 Graphics", None),
        ("1002", "ffff", None, None),
        (None, None, "no such card", None),
    ],
)
def test_gpu_family(
    vendor: str | None, device: str | None, name: str | None, family: str | None
) -> None:
    row = find_gpu_family(KNOWLEDGE, pci_vendor_id=vendor, pci_device_id=device, name=name)
    assert (row.id if row else None) == family


def test_published_rows_by_workload_device_and_phase() -> None:
    rows = published_for(KNOWLEDGE, workload="cifar10-a10-cnn", device="AMD A10-7850K")
    assert {row.build: row.value for row in rows} == {"generic": 1700.0, "avx": 1100.0}
    graphics = published_for(KNOWLEDGE, workload="cifar10-a10-cnn", device=A10_GRAPHICS)
    assert [row.value for row in graphics] == [5800.0]
    assert published_for(KNOWLEDGE, workload="cifar10-a10-cnn", phase=ResultPhase.INFERENCE) == ()


def test_rows_of_unequal_work_are_left_out_unless_asked_for() -> None:
    every = published_for(KNOWLEDGE, workload="fcn-r", comparable_only=False)
    equal = published_for(KNOWLEDGE, workload="fcn-r")
    left_out = {row.framework for row in every} - {row.framework for row in equal}
    assert "CNTK" in left_out
    assert all(row.comparability is Comparability.COMPARABLE for row in equal)


def test_past_system_by_alias() -> None:
    system = KNOWLEDGE.past_systems[0]
    renamed = dataclasses.replace(system, aliases=("Old-Name 2",))
    knowledge = Knowledge(past_systems=(renamed,))
    assert find_past_system(knowledge, "old name2") == renamed
    assert find_past_system(knowledge, system.name.upper()) == renamed
    assert find_past_system(knowledge, "") is None
    assert find_past_system(knowledge, "nothing like it") is None
