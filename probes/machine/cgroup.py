"""Limits that a container or a service manager sets: CPU time and memory, control groups v1 and v2.

A limit of any parent group holds too, so the lowest on the way to the root counts.
Leaves to others: which container it is (`surroundings`).
"""

from collections.abc import Iterator

from probes.machine import text as parse
from probes.machine.reader import Reader

_MOUNT = "/sys/fs/cgroup"
_V1_CPU_MOUNTS = ("cpu,cpuacct", "cpuacct,cpu", "cpu")
_V1_MEMORY_MOUNTS = ("memory",)
_V2_MOUNTS = ("", "unified")

# Version 1 writes "no limit" as the largest multiple of a page in 63 bits.
_NO_LIMIT_BYTES = 1 << 60
_MAX_DEPTH = 32


def read_cpu_quota(reader: Reader) -> float | None:
    """Return the CPU time limit in CPUs, None when there is none."""
    groups = parse_groups(reader.read_text("/proc/self/cgroup"))
    quotas = [
        parse_cpu_max(reader.read_text(f"{folder}/cpu.max"))
        for folder in _folders(groups.get(""), _V2_MOUNTS)
    ]
    quotas += [
        parse_cfs(
            reader.read_text(f"{folder}/cpu.cfs_quota_us"),
            period=reader.read_text(f"{folder}/cpu.cfs_period_us"),
        )
        for folder in _folders(groups.get("cpu"), _V1_CPU_MOUNTS)
    ]
    return min((quota for quota in quotas if quota is not None), default=None)


def read_memory_limit(reader: Reader) -> int | None:
    """Return the memory limit in bytes, None when there is none."""
    groups = parse_groups(reader.read_text("/proc/self/cgroup"))
    paths = [f"{folder}/memory.max" for folder in _folders(groups.get(""), _V2_MOUNTS)]
    paths += [
        f"{folder}/memory.limit_in_bytes"
        for folder in _folders(groups.get("memory"), _V1_MEMORY_MOUNTS)
    ]
    limits = (parse.parse_int(reader.read_text(path)) for path in paths)
    return min((x for x in limits if x is not None and 0 < x < _NO_LIMIT_BYTES), default=None)


def parse_groups(text: str | None) -> dict[str, str]:
    """Return controller -> path of /proc/self/cgroup; version 2 stands under ""."""
    groups: dict[str, str] = {}
    for line in (text or "").splitlines():
        fields = line.split(":", 2)
        if len(fields) != 3 or not fields[2].startswith("/"):
            continue
        for controller in fields[1].split(","):
            groups.setdefault(controller, fields[2])
    return groups


def parse_cpu_max(text: str | None) -> float | None:
    """Return the CPUs that a line of cpu.max allows ("150000 100000" -> 1.5), None for "max"."""
    fields = (text or "").split()
    if not fields:
        return None
    return parse_cfs(fields[0], period=fields[1] if len(fields) > 1 else "100000")


def parse_cfs(quota: str | None, *, period: str | None) -> float | None:
    """Return quota / period, None when there is no limit or the numbers make no sense."""
    quota_us = parse.positive_int(parse.parse_int(quota))
    period_us = parse.positive_int(parse.parse_int(period))
    if quota_us is None or period_us is None:
        return None
    cpus = quota_us / period_us if quota_us < 1 << 62 and period_us < 1 << 62 else None
    return cpus if cpus is not None and 0.001 <= cpus <= parse.MAX_CPUS else None


def _folders(path: str | None, mounts: tuple[str, ...]) -> Iterator[str]:
    """Yield the folders of a group and its parents, on each place where it may be mounted."""
    parts = [part for part in (path or "/").split("/") if part not in ("", "..")][:_MAX_DEPTH]
    for mount in mounts:
        root = f"{_MOUNT}/{mount}".rstrip("/")
        for depth in range(len(parts), -1, -1):
            yield "/".join((root, *parts[:depth]))
