"""What /proc/cpuinfo says, on x86, ARM and the rest.

Leaves to others: caches, clocks and limits, which are in other files (`linux_cpu`).
"""

import re
from collections import Counter
from dataclasses import dataclass

from probes.machine import text as parse
from probes.machine.microarchitecture import find_x86_microarchitecture, name_vendor
from probes.machine.tables import ArmCore, find_arm_core

_ARM_VENDORS = {
    0x41: "ARM",
    0x42: "Broadcom",
    0x43: "Cavium",
    0x46: "Fujitsu",
    0x48: "HiSilicon",
    0x4E: "NVIDIA",
    0x51: "Qualcomm",
    0x53: "Samsung",
    0x61: "Apple",
    0x6D: "Microsoft",
    0xC0: "Ampere",
}
_BRAND_CLOCK = re.compile(r"@\s*(\d{1,2}(?:\.\d{1,3})?)\s*GHz", re.IGNORECASE)
_MAX_FLAGS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuInfo:
    """Facts of /proc/cpuinfo; None or empty where it does not tell.

    Attributes:
        cores: (package, core) pairs seen; empty where the file has none.
        brand_mhz: clock in the brand text; seen_mhz: highest current clock of any CPU.
        board: name of the board on some ARM systems.
    """

    vendor: str | None
    brand: str | None
    microarchitecture: str | None
    flags: tuple[str, ...]
    cores: frozenset[tuple[str, str]]
    n_listed: int
    brand_mhz: float | None
    seen_mhz: float | None
    board: str | None


def parse_cpuinfo(text: str | None) -> CpuInfo:
    """Return the facts in a text of /proc/cpuinfo; damaged parts are left out."""
    blocks, tail = _split(text or "")
    first = blocks[0] if blocks else {}
    merged = {**tail, **first}
    flags = _flags(merged)
    is_arm = "CPU implementer" in merged
    brand = parse.clean_name(merged.get("model name") or merged.get("cpu"))
    vendor: str | None
    if is_arm:
        vendor, brand, microarchitecture = _describe_arm(blocks)
    else:
        vendor_id = merged.get("vendor_id")
        vendor = name_vendor(parse.clean_name(vendor_id))
        microarchitecture = _describe_other(merged, flags) if flags or vendor_id else None
    return CpuInfo(
        vendor=vendor,
        brand=brand,
        microarchitecture=microarchitecture,
        flags=flags,
        cores=frozenset(
            (block["physical id"], block["core id"])
            for block in blocks
            if "physical id" in block and "core id" in block
        ),
        n_listed=len(blocks),
        brand_mhz=parse_brand_clock(brand),
        seen_mhz=_highest_clock(blocks),
        board=parse.clean_name(tail.get("Model") or first.get("Model")),
    )


def parse_brand_clock(brand: str | None) -> float | None:
    """Return the base clock in MHz that a brand text ends with ("@ 3.70GHz")."""
    match = _BRAND_CLOCK.search(brand or "")
    return parse.positive(float(match[1]) * 1000) if match else None


def _split(text: str) -> tuple[list[dict[str, str]], dict[str, str]]:
    """Return one table per logical CPU, and one of the lines about the whole machine."""
    blocks: list[dict[str, str]] = []
    tail: dict[str, str] = {}
    for chunk in re.split(r"\n\s*\n", text):
        pairs = parse.parse_key_values(chunk, separator=":")
        if "processor" in pairs and parse.parse_int(pairs["processor"]) is not None:
            blocks.append(pairs)
        else:
            tail.update(pairs)
    return blocks, tail


def _flags(pairs: dict[str, str]) -> tuple[str, ...]:
    words = pairs.get("flags") or pairs.get("Features") or pairs.get("features") or ""
    if words:
        return tuple(sorted({word.lower() for word in words.split()[:_MAX_FLAGS]}))
    # RISC-V: "rv64imafdcv_zicsr_zifencei": letters are extensions, then named ones.
    isa = pairs.get("isa", "").lower()
    match = re.fullmatch(r"rv\d+([a-z]*)((?:_\w+)*)", isa[:2000])
    if match is None:
        return ()
    return tuple(sorted({*match[1].split("_")[0], *match[2].split("_")} - {""}))


def _describe_other(pairs: dict[str, str], flags: tuple[str, ...]) -> str | None:
    if "cpu family" not in pairs and "sse2" not in flags:
        return parse.clean_name(pairs.get("uarch"))
    return find_x86_microarchitecture(
        parse.clean_name(pairs.get("vendor_id")),
        family=parse.parse_int(pairs.get("cpu family")),
        model=parse.parse_int(pairs.get("model")),
        flags=flags,
    )


def _describe_arm(blocks: list[dict[str, str]]) -> tuple[str | None, str | None, str | None]:
    """Return vendor, brand and microarchitecture; the widest cores are named first."""
    found: Counter[tuple[int, int]] = Counter()
    for block in blocks:
        implementer = parse.parse_int(block.get("CPU implementer"), base=16)
        part = parse.parse_int(block.get("CPU part"), base=16)
        if implementer is not None and part is not None:
            found[implementer, part] += 1
    if not found:
        return None, None, None
    # Part numbers of one maker grow with the design: the big cores have the higher number.
    parts = sorted(found, key=lambda pair: pair[1], reverse=True)
    cores = [find_arm_core(implementer, part=part) for implementer, part in parts]
    names = [
        f"{found[pair]}x {core.core if core else _unknown_core(pair)}"
        for pair, core in zip(parts, cores, strict=True)
    ]
    first: ArmCore | None = cores[0]
    vendor = _ARM_VENDORS.get(parts[0][0], f"implementer {parts[0][0]:#04x}")
    return vendor, " + ".join(names), first.microarchitecture if first else None


def _unknown_core(pair: tuple[int, int]) -> str:
    return f"core {pair[0]:#04x}:{pair[1]:#05x}"


def _highest_clock(blocks: list[dict[str, str]]) -> float | None:
    clocks = [parse.parse_float(block.get("cpu MHz")) for block in blocks]
    known = [clock for clock in clocks if clock is not None and 10 <= clock <= 20_000]
    return max(known, default=None)
