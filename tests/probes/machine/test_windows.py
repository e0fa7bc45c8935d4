import json

import pytest

from advisor.model.machine import DeviceKind
from probes.machine.windows import (
    POWERSHELL,
    collect_windows,
    parse_hypervisor,
    parse_memory,
    parse_processors,
    parse_video,
)

INTEL = {
    "Name": "11th Gen Intel(R) Core(TM) i5-1135G7 @ 2.40GHz",
    "Manufacturer": "GenuineIntel",
    "Description": "Intel64 Family 6 Model 140 Stepping 1",
    "NumberOfCores": 4,
    "NumberOfLogicalProcessors": 8,
    "MaxClockSpeed": 2419,
    "L2CacheSize": 5120,
    "L3CacheSize": 8192,
}


def processors(data, flags=("avx", "avx2", "avx512f")):
    return parse_processors(data, confirmed_flags=flags, logical_cpus=3, machine="AMD64")


def test_one_processor_and_a_list_of_one_are_the_same():
    assert processors(INTEL) == processors([INTEL])


def test_two_packages_add_up():
    cpu = processors([INTEL, INTEL])
    assert (cpu.n_packages, cpu.n_physical_cores, cpu.n_logical_cpus) == (2, 8, 16)


def test_l2_is_told_for_all_cores_and_kept_for_one():
    caches = processors(INTEL).caches
    assert [(c.level, c.size_bytes) for c in caches] == [(2, 1280 * 1024), (3, 8192 * 1024)]


def test_flags_that_the_kernel_refuses_are_not_implied():
    zen4 = {**INTEL, "Manufacturer": "AuthenticAMD", "Description": "AMD64 Family 25 Model 97"}
    full = set(processors(zen4).isa_features)
    assert {"avx512_vnni", "avx512_bf16", "fma"} <= full
    capped = set(processors(zen4, flags=("avx", "avx2")).isa_features)
    assert "fma" in capped
    assert not [flag for flag in capped if flag.startswith("avx512")]
    old = set(processors(zen4, flags=("sse2",)).isa_features)
    assert not old & {"avx", "avx2", "fma", "f16c"}


def test_without_any_confirmed_flag_none_is_claimed():
    assert processors(INTEL, flags=()).isa_features == ()


def test_no_answer_is_an_unknown_cpu():
    cpu = processors(None)
    assert (cpu.n_physical_cores, cpu.n_logical_cpus, cpu.base_mhz) == (None, 3, None)


@pytest.mark.parametrize(
    ("maker", "model", "hypervisor"),
    [
        ("LENOVO", "82H7", ""),
        ("Microsoft Corporation", "Virtual Machine", "hyperv"),
        ("Microsoft Corporation", "Surface Laptop 5", ""),
        ("VMware, Inc.", "VMware7,1", "vmware"),
        (None, None, None),
    ],
)
def test_hypervisors(maker, model, hypervisor):
    computer = {"Manufacturer": maker, "Model": model, "HypervisorPresent": True}
    assert parse_hypervisor(computer) == hypervisor


def video(name, identity, **more):
    path = f"PCI\\{identity}&SUBSYS_00000000&REV_00\\3&11583659&0&10"
    return {"Name": name, "PNPDeviceID": path, "DriverVersion": "31.0", **more}


@pytest.mark.parametrize(
    ("entry", "kind"),
    [
        (video("Intel(R) Iris(R) Xe Graphics", "VEN_8086&DEV_9A49"), DeviceKind.IGPU),
        (video("Intel(R) Arc(TM) A770 Graphics", "VEN_8086&DEV_56A0"), DeviceKind.DGPU),
        (video("AMD Radeon(TM) Graphics", "VEN_1002&DEV_FFFE"), DeviceKind.IGPU),
        (video("AMD Radeon RX 6800 XT", "VEN_1002&DEV_73BF"), DeviceKind.DGPU),
        (video("NVIDIA GeForce RTX 4090", "VEN_10DE&DEV_2684"), DeviceKind.DGPU),
        (video("Microsoft Hyper-V Video", "VEN_1414&DEV_5353"), DeviceKind.OTHER),
        ({"Name": "Qualcomm(R) Adreno(TM) X1-85 GPU"}, DeviceKind.IGPU),
        ({"Name": "Citrix Indirect Display Adapter"}, DeviceKind.OTHER),
    ],
)
def test_kinds(entry, kind):
    assert parse_video(entry, memory=None)[0].kind is kind


def test_memory_beyond_32_bits_comes_from_the_registry_or_not_at_all():
    entry = video("AMD Radeon RX 6800 XT", "VEN_1002&DEV_73BF", AdapterRAM=4293918720)
    assert parse_video(entry, memory=None)[0].carve_out_bytes is None
    sizes = {"DriverDesc": "AMD Radeon RX 6800 XT", "Bytes": 17163091968}
    assert parse_video(entry, memory=sizes)[0].carve_out_bytes == 17163091968


def test_an_intel_igpu_reserves_nothing_that_windows_could_tell():
    entry = video("Intel(R) Iris(R) Xe Graphics", "VEN_8086&DEV_9A49", AdapterRAM=1073741824)
    assert parse_video(entry, memory=None)[0].carve_out_bytes is None


def test_the_basic_adapter_and_a_failed_device_have_no_driver():
    basic = video("Microsoft Basic Display Adapter", "VEN_1002&DEV_130F")
    failed = video("AMD Radeon RX 580", "VEN_1002&DEV_67DF", ConfigManagerErrorCode=43)
    assert [gpu.kernel_driver for gpu in parse_video([basic, failed], memory=None)] == [None, None]


def test_modules_of_two_channels():
    modules = [
        {"ConfiguredClockSpeed": 3200, "DeviceLocator": "ChannelA-DIMM0", "BankLabel": "BANK 0"},
        {"ConfiguredClockSpeed": 2933, "DeviceLocator": "ChannelB-DIMM0", "BankLabel": "BANK 0"},
    ]
    memory = parse_memory(modules, system={"TotalVisibleMemorySize": "16000000"})
    assert (memory.channels, memory.speed_mt_per_s) == (2, 2933.0)
    assert memory.total_bytes == 16000000 * 1024


def test_one_call_asks_for_everything_and_a_silent_one_is_told(make_machine):
    assert sum("Get-CimInstance Win32_Processor" in word for word in POWERSHELL) == 1
    facts = collect_windows(make_machine({}, system="Windows", machine="AMD64"))
    assert [fact.fact for fact in facts.missing] == ["windows.cim"]
    assert facts.power.on_battery is None
    assert facts.os.container is None


@pytest.mark.parametrize(
    ("kind", "has_battery"), [(2, True), (1, False), (3, False), (0, True), (None, True)]
)
def test_the_battery_of_a_ups_is_none_of_the_machine(make_machine, kind, has_battery):
    answer = json.dumps(
        {"battery": [{"BatteryStatus": 1}], "computer": [{"PCSystemType": kind}], "processor": []}
    )
    commands = {" ".join(POWERSHELL): answer}
    reader = make_machine({}, commands=commands, system="Windows", machine="AMD64")
    power = collect_windows(reader).power
    assert power.has_battery is has_battery
    assert power.on_battery is True


def test_a_laptop_on_battery(make_machine):
    answer = json.dumps({"battery": {"BatteryStatus": 1}, "processor": []})
    commands = {" ".join(POWERSHELL): answer}
    reader = make_machine({}, commands=commands, system="Windows", machine="ARM64")
    facts = collect_windows(reader)
    assert facts.power.on_battery is True
    assert facts.power.has_battery is True
    assert facts.os.architecture == "aarch64"
