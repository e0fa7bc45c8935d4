"""Facts of a Mac, from sysctl, system_profiler, sw_vers, pmset and vm_stat.

Leaves to others: running the commands (`reader`), what OpenCL offers (`opencl`).
"""

import re
from typing import Any

import archspec.cpu

from advisor.model.machine import (
    Cache,
    Cpu,
    DeviceKind,
    GraphicsDevice,
    Load,
    Memory,
    Npu,
    OperatingSystem,
    OsFamily,
    Power,
)
from probes.machine import text as parse
from probes.machine.cpuinfo import parse_brand_clock
from probes.machine.facts import MachineFacts
from probes.machine.microarchitecture import find_x86_microarchitecture, name_vendor
from probes.machine.reader import Reader
from probes.machine.tables import find_hypervisor, find_pci_device, find_pci_vendor

COMMAND_TIMEOUT_S = 10.0
# Not all of `sysctl -a`: that would hold the name of the machine.
SYSCTL = ("sysctl", "hw", "machdep", "vm.loadavg", "kern.osrelease")
# A call of its own: on systems without this value the whole call fails.
IN_MACHINE = ("sysctl", "kern.hv_vmm_present")
DISPLAYS = ("system_profiler", "SPDisplaysDataType", "-json")
VERSION = ("sw_vers",)
BATTERY = ("pmset", "-g", "batt")
PAGES = ("vm_stat",)

_APPLE_CHIP = re.compile(r"Apple (M\d{1,2})\b")
_HEX_ID = re.compile(r"0x([0-9a-f]{4})", re.IGNORECASE)
_VENDOR_IN_BRACKETS = re.compile(r"\(0x([0-9a-f]{4})\)", re.IGNORECASE)
_ARM_FLAGS = {
    "AdvSIMD": "asimd",
    "arm.FEAT_AES": "aes",
    "arm.FEAT_BF16": "bf16",
    "arm.FEAT_DotProd": "asimddp",
    "arm.FEAT_FP16": "asimdhp",
    "arm.FEAT_FHM": "asimdfhm",
    "arm.FEAT_I8MM": "i8mm",
    "arm.FEAT_LSE": "atomics",
    "arm.FEAT_SME": "sme",
    "arm.FEAT_SME2": "sme2",
    "armv8_crc32": "crc32",
    "floatingpoint": "fp",
    "neon": "asimd",
    "neon_fp16": "fphp",
}
_X86_KEYS = ("features", "leaf7_features", "extfeatures")
# Words of macOS that Linux spells otherwise, as archspec maps them, and two that it leaves out.
_X86_FLAGS = {
    "avx1.0": "avx",
    "lzcnt": "abm",
    "rdwrfsgs": "fsgsbase",
    "sse3": "pni",
    "sse4.1": "sse4_1",
    "sse4.2": "sse4_2",
}


def collect_macos(reader: Reader) -> MachineFacts:
    """Return the facts of a Mac."""
    values = parse_sysctl(reader.run(SYSCTL, timeout_s=COMMAND_TIMEOUT_S))
    values.update(parse_sysctl(reader.run(IN_MACHINE, timeout_s=COMMAND_TIMEOUT_S)))
    displays = parse.parse_json_object(reader.run(DISPLAYS, timeout_s=COMMAND_TIMEOUT_S))
    version = parse.parse_key_values(
        reader.run(VERSION, timeout_s=COMMAND_TIMEOUT_S), separator=":"
    )
    pages = reader.run(PAGES, timeout_s=COMMAND_TIMEOUT_S)
    cpu = parse_cpu(values, logical_cpus=reader.logical_cpus, machine=reader.machine)
    is_apple = cpu.vendor == "Apple"
    npus = (Npu(id="npu0", vendor="Apple", name="Apple Neural Engine", kernel_driver=None),)
    return MachineFacts(
        os=_parse_os(version, values, reader),
        cpu=cpu,
        memory=Memory(
            total_bytes=parse.positive_int(parse.parse_int(values.get("hw.memsize"))),
            available_bytes=parse_free_pages(pages),
            limit_bytes=None,
        ),
        graphics=parse_displays(displays),
        npus=npus if is_apple else (),
        power=parse_power(reader.run(BATTERY, timeout_s=COMMAND_TIMEOUT_S)),
        load=_parse_load(values),
    )


def parse_sysctl(text: str | None) -> dict[str, str]:
    """Return the pairs that `sysctl` printed ("hw.ncpu: 8")."""
    return parse.parse_key_values(text, separator=":")


def _parse_os(version: dict[str, str], values: dict[str, str], reader: Reader) -> OperatingSystem:
    in_machine = parse.parse_int(values.get("kern.hv_vmm_present"))
    hypervisor = {0: "", 1: find_hypervisor(values.get("hw.model", "")) or "apple"}
    return OperatingSystem(
        family=OsFamily.MACOS,
        name=parse.clean_name(version.get("ProductName")) or "macOS",
        version=parse.clean_name(version.get("ProductVersion")),
        kernel=parse.clean_name(values.get("kern.osrelease")) or reader.release or None,
        architecture=reader.machine.replace("arm64", "aarch64"),
        hypervisor=hypervisor.get(in_machine) if in_machine is not None else None,
        container="",
    )


def parse_cpu(values: dict[str, str], *, logical_cpus: int, machine: str) -> Cpu:
    """Return the CPU that the values of sysctl describe."""
    brand = parse.clean_name(values.get("machdep.cpu.brand_string"))
    flags = parse_flags(values)
    vendor_id = parse.clean_name(values.get("machdep.cpu.vendor"))
    base_hz = parse.positive(parse.parse_float(values.get("hw.cpufrequency")))
    top_hz = parse.positive(parse.parse_float(values.get("hw.cpufrequency_max")))
    told = parse.parse_int(values.get("hw.logicalcpu")) or logical_cpus
    is_apple = brand is not None and brand.startswith("Apple")
    if is_apple:
        microarchitecture = _name_apple_chip(brand)
    else:
        microarchitecture = find_x86_microarchitecture(
            vendor_id,
            family=parse.parse_int(values.get("machdep.cpu.family")),
            model=parse.parse_int(values.get("machdep.cpu.model")),
            flags=flags,
        )
    return Cpu(
        vendor="Apple" if is_apple else name_vendor(vendor_id),
        brand=brand or machine or "unknown CPU",
        microarchitecture=microarchitecture,
        isa_features=flags,
        n_packages=parse.positive_int(parse.parse_int(values.get("hw.packages"))),
        n_physical_cores=parse.positive_int(parse.parse_int(values.get("hw.physicalcpu"))),
        n_logical_cpus=max(1, told),
        usable_cpus=None,
        quota_cpus=None,
        base_mhz=base_hz / 1e6 if base_hz is not None else parse_brand_clock(brand),
        max_mhz=top_hz / 1e6 if top_hz is not None else None,
        caches=_parse_caches(values),
        n_numa_nodes=1,
    )


def _name_apple_chip(brand: str | None) -> str | None:
    match = _APPLE_CHIP.search(brand or "")
    if match is None:
        return None
    # A chip newer than archspec's list still has a name.
    name = match[1].lower()
    return name if name in archspec.cpu.TARGETS or len(name) <= 3 else None


def parse_flags(values: dict[str, str]) -> tuple[str, ...]:
    """Return the instruction set flags as Linux spells them."""
    flags = {
        flag
        for word, flag in _ARM_FLAGS.items()
        if values.get(f"hw.optional.{word}", "").strip() == "1"
    }
    for key in _X86_KEYS:
        for word in values.get(f"machdep.cpu.{key}", "").lower().split()[:500]:
            flags.add(_X86_FLAGS.get(word, word))
    return tuple(sorted(flags))


def _parse_caches(values: dict[str, str]) -> tuple[Cache, ...]:
    """Return the caches of the performance cores where the Mac has two kinds of cores."""
    wanted = (
        (1, "data", "l1dcachesize"),
        (1, "instruction", "l1icachesize"),
        (2, "unified", "l2cachesize"),
        (3, "unified", "l3cachesize"),
    )
    caches = []
    for level, kind, key in wanted:
        told = values.get(f"hw.perflevel0.{key}") or values.get(f"hw.{key}")
        size = parse.positive_int(parse.parse_int(told))
        if size is None:
            continue
        shared = parse.parse_int(values.get("hw.perflevel0.cpusperl2")) if level == 2 else None
        caches.append(Cache(level=level, kind=kind, size_bytes=size, shared_by=shared))
    return tuple(caches)


def parse_displays(data: dict[str, Any]) -> tuple[GraphicsDevice, ...]:
    """Return the GPUs of system_profiler's SPDisplaysDataType."""
    devices: list[GraphicsDevice] = []
    for entry in parse.objects(data.get("SPDisplaysDataType")):
        name = parse.clean_name(entry.get("sppci_model")) or parse.clean_name(entry.get("_name"))
        if name is None:
            continue
        vendor_text = str(entry.get("spdisplays_vendor", ""))
        bracketed = _VENDOR_IN_BRACKETS.search(vendor_text)
        vendor_id = bracketed[1].lower() if bracketed else _known_vendor_id(vendor_text)
        numbered = _HEX_ID.search(str(entry.get("spdisplays_device-id", "")))
        device_id = numbered[1].lower() if numbered else None
        kind = _classify(entry, vendor_id=vendor_id, device_id=device_id)
        told = str(entry.get("spdisplays_vram", ""))
        devices.append(
            GraphicsDevice(
                id=f"gpu{len(devices)}",
                kind=kind,
                vendor=find_pci_vendor(vendor_id),
                name=name,
                pci_vendor_id=vendor_id if device_id is not None else None,
                pci_device_id=device_id,
                kernel_driver="metal" if entry.get("spdisplays_mtlgpufamilysupport") else None,
                carve_out_bytes=parse.parse_size(told) if kind is DeviceKind.DGPU else None,
                shared_limit_bytes=None,
                compute_units=parse.positive_int(parse.parse_int(entry.get("sppci_cores"))),
                max_mhz=None,
            )
        )
    return tuple(devices)


def _known_vendor_id(text: str) -> str | None:
    words = (("apple", "106b"), ("intel", "8086"), ("amd", "1002"), ("nvidia", "10de"))
    return next((number for word, number in words if word in text.lower()), None)


def _classify(entry: dict[str, Any], *, vendor_id: str | None, device_id: str | None) -> DeviceKind:
    known = find_pci_device(vendor_id, device_id=device_id)
    if known is not None:
        return known.kind
    bus = str(entry.get("sppci_bus", ""))
    if vendor_id == "106b" or "builtin" in bus:
        return DeviceKind.IGPU
    return DeviceKind.DGPU if vendor_id in ("1002", "10de") else DeviceKind.OTHER


def parse_free_pages(text: str | None) -> int | None:
    """Return the bytes of free and inactive pages that vm_stat prints."""
    match = re.search(r"page size of (\d{1,7}) bytes", text or "")
    if match is None:
        return None
    pairs = parse.parse_key_values(text, separator=":")
    counts = [
        parse.parse_int(pairs.get(key, "").rstrip("."))
        for key in ("Pages free", "Pages inactive", "Pages speculative")
    ]
    known = [count for count in counts if count is not None and count >= 0]
    return sum(known) * int(match[1]) if known else None


def parse_power(text: str | None) -> Power:
    """Return the power state that `pmset -g batt` tells."""
    on_battery = has_battery = None
    if text is not None and "drawing from" in text:
        on_battery = "Battery Power" in text
        has_battery = "InternalBattery" in text
    return Power(on_battery=on_battery, governor=None, has_battery=has_battery)


def _parse_load(values: dict[str, str]) -> Load:
    """Return the load average of "{ 1.85 2.02 1.98 }"."""
    words = values.get("vm.loadavg", "").strip("{} ").split()
    average = parse.parse_float(words[0]) if words else None
    known = average if average is not None and average >= 0 else None
    return Load(load_average_1m=known, busy_fraction=None, steal_fraction=None)
