"""Facts of a Windows machine, from the Common Information Model through one PowerShell call.

Windows tells few instruction set flags; those that the microarchitecture implies are added,
bounded by what the kernel confirms, and a missing fact says so. Leaves to others: running the
command (`reader`), what OpenCL offers (`opencl`).
"""

import re
from typing import Any

from advisor.model.machine import (
    Cache,
    Cpu,
    DeviceKind,
    GraphicsDevice,
    Load,
    Memory,
    MissingFact,
    Npu,
    OperatingSystem,
    OsFamily,
    Power,
)
from probes.machine import text as parse
from probes.machine.cpuinfo import parse_brand_clock
from probes.machine.facts import UNKNOWN_LOAD, UNKNOWN_POWER, MachineFacts
from probes.machine.microarchitecture import (
    find_x86_microarchitecture,
    is_x86,
    list_expected_flags,
    name_vendor,
)
from probes.machine.reader import Reader
from probes.machine.tables import find_hypervisor, find_pci_device, find_pci_vendor

COMMAND_TIMEOUT_S = 15.0
_CLASS_KEY = r"HKLM:\SYSTEM\CurrentControlSet\Control\Class\{4d36e968-e325-11ce-bfc1-08002be10318}"
_QUERIES = (
    (
        "processor",
        (
            "Get-CimInstance Win32_Processor | Select-Object Name,Manufacturer,Description,"
            "NumberOfCores,NumberOfLogicalProcessors,MaxClockSpeed,L2CacheSize,L3CacheSize,"
            "LoadPercentage"
        ),
    ),
    (
        "video",
        (
            "Get-CimInstance Win32_VideoController | Select-Object Name,AdapterCompatibility,"
            "AdapterRAM,PNPDeviceID,DriverVersion,ConfigManagerErrorCode"
        ),
    ),
    (
        "video_memory",
        (
            f"Get-ItemProperty -Path '{_CLASS_KEY}\\0*' -ErrorAction SilentlyContinue | "
            "Select-Object DriverDesc,@{n='Bytes';e={$_.'HardwareInformation.qwMemorySize'}}"
        ),
    ),
    (
        "npu",
        (
            "Get-CimInstance Win32_PnPEntity -Filter \"PNPClass='ComputeAccelerator'\" | "
            "Select-Object Name,PNPDeviceID,Service"
        ),
    ),
    (
        "memory",
        (
            "Get-CimInstance Win32_PhysicalMemory | Select-Object Capacity,ConfiguredClockSpeed,"
            "Speed,DeviceLocator,BankLabel"
        ),
    ),
    (
        "system",
        (
            "Get-CimInstance Win32_OperatingSystem | Select-Object Caption,Version,"
            "TotalVisibleMemorySize,FreePhysicalMemory"
        ),
    ),
    (
        "computer",
        (
            "Get-CimInstance Win32_ComputerSystem | Select-Object Manufacturer,Model,"
            "HypervisorPresent,PCSystemType"
        ),
    ),
    ("battery", "Get-CimInstance Win32_Battery | Select-Object BatteryStatus"),
)
POWERSHELL = (
    "powershell.exe",
    "-NoProfile",
    "-NonInteractive",
    "-Command",
    "[Console]::OutputEncoding=[Text.Encoding]::UTF8; @{"
    + "; ".join(f"{name}=@({query})" for name, query in _QUERIES)
    + "} | ConvertTo-Json -Depth 4 -Compress",
)

_FAMILY_MODEL = re.compile(r"Family (\d{1,3}) Model (\d{1,3})", re.IGNORECASE)
_PCI_ID = re.compile(r"VEN_([0-9A-F]{4})&DEV_([0-9A-F]{4})", re.IGNORECASE)
_CHANNEL = re.compile(r"CHANNEL[ _-]?([A-P])", re.IGNORECASE)

# AdapterRAM is a 32-bit number: a card with more tells this.
_ADAPTER_RAM_CAP = (1 << 32) - (1 << 21)
_ON_BATTERY_STATUS = 1
# PCSystemType of desktops, workstations and servers: a battery there is that of a UPS.
_STANDING_TYPES = frozenset({1, 3, 4, 5, 6, 7})
_CONFIRMED = frozenset({"avx", "avx2", "avx512f"})


def collect_windows(reader: Reader) -> MachineFacts:
    """Return the facts of a Windows machine."""
    facts = parse.parse_json_object(reader.run(POWERSHELL, timeout_s=COMMAND_TIMEOUT_S))
    cpu = parse_processors(
        facts.get("processor"),
        confirmed_flags=reader.cpu_flags,
        logical_cpus=reader.logical_cpus,
        machine=reader.machine,
    )
    missing = []
    if not facts:
        missing.append(
            MissingFact(
                fact="windows.cim",
                reason="PowerShell gave no answer",
                remedy="allow powershell.exe to run",
            )
        )
    if cpu.isa_features:
        missing.append(
            MissingFact(
                fact="cpu.isa_features",
                reason="Windows tells few CPU flags; the rest follows from the model of the CPU",
            )
        )
    return MachineFacts(
        os=_parse_os(facts, reader),
        cpu=cpu,
        memory=parse_memory(facts.get("memory"), system=facts.get("system")),
        graphics=parse_video(facts.get("video"), memory=facts.get("video_memory")),
        npus=parse_npus(facts.get("npu")),
        power=_parse_power(facts.get("battery"), computer=facts.get("computer")),
        load=_parse_load(facts.get("processor")),
        missing=tuple(missing),
    )


def _first(value: object) -> dict[str, Any]:
    return next(iter(parse.objects(value)), {})


def _parse_os(facts: dict[str, Any], reader: Reader) -> OperatingSystem:
    system = _first(facts.get("system"))
    computer = _first(facts.get("computer"))
    version = parse.clean_name(system.get("Version"))
    architecture = reader.machine.lower().replace("amd64", "x86_64").replace("arm64", "aarch64")
    return OperatingSystem(
        family=OsFamily.WINDOWS,
        name=parse.clean_name(system.get("Caption")) or "Windows",
        version=version,
        kernel=version,
        architecture=architecture,
        hypervisor=parse_hypervisor(computer),
        container="" if facts else None,
    )


def parse_hypervisor(computer: dict[str, Any]) -> str | None:
    """Return the hypervisor that the maker and model name.

    `HypervisorPresent` is also true on a bare machine that uses Hyper-V itself, so the model of
    the machine decides.
    """
    maker = parse.clean_name(computer.get("Manufacturer"))
    model = parse.clean_name(computer.get("Model"))
    if maker is None and model is None:
        return None
    if "microsoft" in (maker or "").lower() and "virtual" in (model or "").lower():
        return "hyperv"
    return find_hypervisor(f"{maker} {model}") or ""


def parse_processors(
    data: object, *, confirmed_flags: tuple[str, ...], logical_cpus: int, machine: str
) -> Cpu:
    """Return the CPU of Win32_Processor, one entry per package."""
    packages = parse.objects(data)
    first = packages[0] if packages else {}
    brand = parse.clean_name(first.get("Name"))
    vendor_id = parse.clean_name(first.get("Manufacturer"))
    microarchitecture, flags = None, confirmed_flags
    if is_x86(machine):
        microarchitecture, flags = _describe_x86(first, vendor_id, confirmed=confirmed_flags)
    base = parse.parse_float(first.get("MaxClockSpeed"))
    return Cpu(
        vendor=name_vendor(vendor_id),
        brand=brand or machine or "unknown CPU",
        microarchitecture=microarchitecture,
        isa_features=flags,
        n_packages=len(packages) or None,
        n_physical_cores=_total(packages, "NumberOfCores"),
        n_logical_cpus=max(1, _total(packages, "NumberOfLogicalProcessors") or logical_cpus),
        usable_cpus=None,
        quota_cpus=None,
        # Win32_Processor.MaxClockSpeed is the base clock; the turbo clock is not told.
        base_mhz=base if base is not None and 100 <= base <= 20_000 else parse_brand_clock(brand),
        max_mhz=None,
        caches=_parse_caches(first),
        n_numa_nodes=None,
    )


def _describe_x86(
    processor: dict[str, Any], vendor_id: str | None, *, confirmed: tuple[str, ...]
) -> tuple[str | None, tuple[str, ...]]:
    match = _FAMILY_MODEL.search(str(processor.get("Description", "")))
    name = find_x86_microarchitecture(
        vendor_id,
        family=int(match[1]) if match else None,
        model=int(match[2]) if match else None,
        flags=confirmed,
    )
    if not confirmed:
        return name, ()
    implied = list_expected_flags(name)
    refused = _CONFIRMED - frozenset(confirmed)
    flags = {
        flag
        for flag in implied | frozenset(confirmed)
        if flag not in refused and not ("avx512f" in refused and flag.startswith("avx512"))
    }
    if "avx2" in refused:
        flags -= {"avx_vnni", "vaes", "vpclmulqdq"}
    if "avx" in refused:
        flags -= {"fma", "fma4", "f16c", "xop"}
    return name, tuple(sorted(flags))


def _total(packages: tuple[dict[str, Any], ...], key: str) -> int | None:
    values = [parse.positive_int(parse.parse_int(package.get(key))) for package in packages]
    known = [value for value in values if value is not None]
    return sum(known) if known and len(known) == len(values) else None


def _parse_caches(processor: dict[str, Any]) -> tuple[Cache, ...]:
    """Return the caches in KiB of one package: Windows tells the sum of all instances of L2."""
    caches = []
    cores = parse.positive_int(parse.parse_int(processor.get("NumberOfCores")))
    l2_kib = parse.positive_int(parse.parse_int(processor.get("L2CacheSize")))
    l3_kib = parse.positive_int(parse.parse_int(processor.get("L3CacheSize")))
    threads = parse.positive_int(parse.parse_int(processor.get("NumberOfLogicalProcessors")))
    if l2_kib is not None and cores is not None:
        size = l2_kib * 1024 // cores
        caches.append(Cache(level=2, kind="unified", size_bytes=size, shared_by=None))
    if l3_kib is not None:
        caches.append(Cache(level=3, kind="unified", size_bytes=l3_kib * 1024, shared_by=threads))
    return tuple(caches)


def parse_memory(data: object, *, system: object) -> Memory:
    """Return memory from Win32_PhysicalMemory and Win32_OperatingSystem (KiB)."""
    modules = parse.objects(data)
    told = _first(system)
    total_kib = parse.positive_int(parse.parse_int(told.get("TotalVisibleMemorySize")))
    free_kib = parse.parse_int(told.get("FreePhysicalMemory"))
    rates = [
        parse.positive(parse.parse_float(m.get("ConfiguredClockSpeed") or m.get("Speed")))
        for m in modules
    ]
    places = [f"{m.get('BankLabel', '')} {m.get('DeviceLocator', '')}" for m in modules]
    matches = [_CHANNEL.search(place) for place in places]
    found = {place[: m.end()].upper() for place, m in zip(places, matches, strict=True) if m}
    is_complete = bool(matches) and None not in matches
    return Memory(
        total_bytes=total_kib * 1024 if total_kib is not None else None,
        available_bytes=free_kib * 1024 if free_kib is not None and free_kib >= 0 else None,
        limit_bytes=None,
        channels=len(found) if is_complete else None,
        speed_mt_per_s=min((rate for rate in rates if rate is not None), default=None),
    )


def parse_video(data: object, *, memory: object) -> tuple[GraphicsDevice, ...]:
    """Return the GPUs of Win32_VideoController; `memory` holds their 64-bit memory sizes."""
    sizes = {
        str(entry.get("DriverDesc")): parse.positive_int(parse.parse_int(entry.get("Bytes")))
        for entry in parse.objects(memory)
    }
    devices: list[GraphicsDevice] = []
    for entry in parse.objects(data):
        name = parse.clean_name(entry.get("Name"))
        if name is None:
            continue
        match = _PCI_ID.search(str(entry.get("PNPDeviceID", "")))
        vendor_id = match[1].lower() if match else None
        device_id = match[2].lower() if match else None
        kind = _classify(vendor_id, device_id=device_id, name=name)
        carve_out = _carve_out(entry, sizes.get(name))
        driver = _driver(entry, name=name)
        devices.append(
            GraphicsDevice(
                id=f"gpu{len(devices)}",
                kind=kind,
                vendor=find_pci_vendor(vendor_id),
                name=name,
                pci_vendor_id=vendor_id,
                pci_device_id=device_id,
                kernel_driver=driver,
                # Intel's iGPU reserves nothing; what Windows tells is a share of main memory.
                carve_out_bytes=None if _is_intel_igpu(vendor_id, kind) else carve_out,
                shared_limit_bytes=None,
                compute_units=None,
                max_mhz=None,
            )
        )
    return tuple(devices)


def _driver(entry: dict[str, Any], *, name: str) -> str | None:
    """Return the driver's version; Microsoft's basic adapter is what stands in without one."""
    if entry.get("ConfigManagerErrorCode") or "basic" in name.lower():
        return None
    return parse.clean_name(entry.get("DriverVersion"))


def _is_intel_igpu(vendor_id: str | None, kind: DeviceKind) -> bool:
    return vendor_id == "8086" and kind is DeviceKind.IGPU


def _carve_out(entry: dict[str, Any], size: int | None) -> int | None:
    if size is not None:
        return size
    told = parse.positive_int(parse.parse_int(entry.get("AdapterRAM")))
    return told if told is not None and told < _ADAPTER_RAM_CAP else None


def _classify(vendor_id: str | None, *, device_id: str | None, name: str) -> DeviceKind:
    known = find_pci_device(vendor_id, device_id=device_id)
    if known is not None:
        return known.kind
    if vendor_id == "10de":
        return DeviceKind.DGPU
    if vendor_id == "8086":
        return DeviceKind.IGPU
    if vendor_id == "1002":
        is_card = re.search(r"\b(RX|Pro W?\d|R9|HD \d{4}|VII|Instinct)\b", name) is not None
        return DeviceKind.DGPU if is_card else DeviceKind.IGPU
    return DeviceKind.IGPU if "adreno" in name.lower() else DeviceKind.OTHER


def parse_npus(data: object) -> tuple[Npu, ...]:
    """Return the NPUs of Win32_PnPEntity."""
    npus: list[Npu] = []
    for entry in parse.objects(data):
        name = parse.clean_name(entry.get("Name"))
        if name is None:
            continue
        match = _PCI_ID.search(str(entry.get("PNPDeviceID", "")))
        npus.append(
            Npu(
                id=f"npu{len(npus)}",
                vendor=find_pci_vendor(match[1].lower()) if match else None,
                name=name,
                kernel_driver=parse.clean_name(entry.get("Service")),
            )
        )
    return tuple(npus)


def _parse_power(data: object, *, computer: object) -> Power:
    """Return the power state; a machine without a battery is on the mains.

    A UPS may tell that it feeds the machine, but does not make it one that is carried about.
    """
    if data is None:
        return UNKNOWN_POWER
    status = [parse.parse_int(entry.get("BatteryStatus")) for entry in parse.objects(data)]
    on_battery = _ON_BATTERY_STATUS in status
    is_standing = parse.parse_int(_first(computer).get("PCSystemType")) in _STANDING_TYPES
    return Power(on_battery=on_battery, governor=None, has_battery=bool(status) and not is_standing)


def _parse_load(data: object) -> Load:
    shares = [parse.parse_float(entry.get("LoadPercentage")) for entry in parse.objects(data)]
    known = [share for share in shares if share is not None and 0 <= share <= 100]
    if not known:
        return UNKNOWN_LOAD
    busy = sum(known) / len(known) / 100
    return Load(load_average_1m=None, busy_fraction=busy, steal_fraction=None)
