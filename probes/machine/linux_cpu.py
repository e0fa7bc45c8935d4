"""The processor of a Linux machine: cores, caches, clocks, and what the container leaves of them.

Leaves to others: the text of /proc/cpuinfo (`cpuinfo`), limits of control groups (`cgroup`).
"""

import re

from advisor.model.machine import Cache, Cpu
from probes.machine import text as parse
from probes.machine.cgroup import read_cpu_quota
from probes.machine.cpuinfo import CpuInfo, parse_cpuinfo
from probes.machine.reader import Reader

_CPU_FOLDER = "/sys/devices/system/cpu"
_KINDS = {"Data": "data", "Instruction": "instruction", "Unified": "unified"}
_MAX_CACHES = 16
_CPU_NAME = re.compile(r"cpu(\d{1,5})")


def collect_cpu(reader: Reader) -> Cpu:
    """Return the processor of the machine that the reader sees."""
    info = parse_cpuinfo(reader.read_text("/proc/cpuinfo"))
    board = read_board(reader) or info.board
    base_mhz, max_mhz = _read_clocks(reader, info)
    n_packages, n_cores = _count_cores(reader, info)
    return Cpu(
        vendor=info.vendor,
        brand=_name(info, board, machine=reader.machine),
        microarchitecture=info.microarchitecture,
        isa_features=info.flags,
        n_packages=n_packages,
        n_physical_cores=n_cores,
        n_logical_cpus=max(1, reader.logical_cpus, info.n_listed),
        usable_cpus=reader.affinity,
        quota_cpus=read_cpu_quota(reader),
        base_mhz=base_mhz,
        max_mhz=max_mhz,
        caches=_read_caches(reader),
        n_numa_nodes=_count_numa_nodes(reader),
    )


def read_board(reader: Reader) -> str | None:
    """Return the name of the board ("Raspberry Pi 5 Model B Rev 1.0"), None on PCs."""
    text = reader.read_text("/proc/device-tree/model")
    return parse.clean_name(text.replace("\0", " ")) if text is not None else None


def _name(info: CpuInfo, board: str | None, *, machine: str) -> str:
    if board is not None and info.brand is not None:
        return f"{board} ({info.brand})"
    return info.brand or board or f"{info.vendor or 'unknown'} {machine or 'CPU'}"


def _count_cores(reader: Reader, info: CpuInfo) -> tuple[int | None, int | None]:
    """Return packages and physical cores."""
    if info.cores:
        return len({package for package, _ in info.cores}), len(info.cores)
    pairs: set[tuple[str, str]] = set()
    clusters: set[str] = set()
    for name in reader.list_dir(_CPU_FOLDER):
        if not _CPU_NAME.fullmatch(name):
            continue
        topology = f"{_CPU_FOLDER}/{name}/topology"
        package = reader.read_text(f"{topology}/physical_package_id")
        siblings = reader.read_text(f"{topology}/thread_siblings_list")
        if package is not None and siblings is not None:
            pairs.add((package.strip(), siblings.strip()))
            clusters.add(package.strip())
    if not pairs:
        return None, None
    return len(clusters), len(pairs)


def _read_caches(reader: Reader) -> tuple[Cache, ...]:
    """Return the caches as the first CPU sees them."""
    folder = f"{_CPU_FOLDER}/cpu0/cache"
    caches = []
    names = [name for name in reader.list_dir(folder) if name.startswith("index")]
    for name in names[:_MAX_CACHES]:
        level = parse.parse_int(reader.read_text(f"{folder}/{name}/level"))
        size = parse.positive_int(parse.parse_size(reader.read_text(f"{folder}/{name}/size")))
        if level is None or size is None or not 1 <= level <= 5:
            continue
        kind = (reader.read_text(f"{folder}/{name}/type") or "").strip()
        shared = parse.parse_cpu_list(reader.read_text(f"{folder}/{name}/shared_cpu_list"))
        caches.append(
            Cache(
                level=level,
                kind=_KINDS.get(kind, "unified"),
                size_bytes=size,
                shared_by=len(shared) if shared else None,
            )
        )
    return tuple(sorted(caches, key=lambda cache: (cache.level, cache.kind)))


def _read_clocks(reader: Reader, info: CpuInfo) -> tuple[float | None, float | None]:
    """Return base and highest clock in MHz.

    Without frequency scaling (most virtual machines) the clock in /proc/cpuinfo is the nominal
    one, and the highest is not known.
    """
    folder = f"{_CPU_FOLDER}/cpufreq"
    policies = [name for name in reader.list_dir(folder) if name.startswith("policy")]
    highest = _highest_khz(reader, [f"{folder}/{p}/cpuinfo_max_freq" for p in policies])
    base = _highest_khz(reader, [f"{folder}/{p}/base_frequency" for p in policies])
    if highest is None:
        return info.brand_mhz or info.seen_mhz, None
    return base or info.brand_mhz, highest


def _highest_khz(reader: Reader, paths: list[str]) -> float | None:
    """Return the highest of the clocks in files in kHz, in MHz."""
    values = (parse.parse_int(reader.read_text(path)) for path in paths)
    known = [value / 1000 for value in values if value is not None and 10_000 <= value < 20_000_000]
    return max(known, default=None)


def _count_numa_nodes(reader: Reader) -> int | None:
    nodes = parse.parse_cpu_list(reader.read_text("/sys/devices/system/node/has_cpu"))
    if nodes is None:
        nodes = parse.parse_cpu_list(reader.read_text("/sys/devices/system/node/online"))
    return len(nodes) if nodes else None
