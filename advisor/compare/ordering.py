"""The figures of other devices in order around the figure of this machine.

Leaves to others: which figures are alike (`advisor.compare.kernels`, `advisor.compare.networks`).
"""

import dataclasses
from collections.abc import Callable, Iterable

from advisor.model.comparison import (
    ComparedResult,
    Comparison,
    ComparisonGroup,
    NoResult,
)
from advisor.model.machine import DeviceKind
from advisor.model.published import Comparability, PublishedResult
from advisor.model.quantity import Interval, Source


def software_of(row: PublishedResult) -> str:
    """Return framework, version, backend and build of a row in words."""
    version = row.framework_version or ""
    # "CUDA", "CUDA 10.1.243; Cudnn 7.6.2.24": some versions name their framework themselves.
    names_itself = bool(row.framework) and version.startswith(f"{row.framework} ")
    name = " ".join(part for part in ("" if names_itself else row.framework, version) if part)
    rest = [part for part in (row.backend, row.build) if part]
    threads = None
    if row.threads:
        threads = "1 thread" if row.threads == 1 else f"{row.threads} threads"
    return ", ".join(part for part in (name, *rest, threads) if part)


def compared(
    row: PublishedResult, *, value: float, unit: str, own: Interval | None
) -> ComparedResult:
    """Return a published row as a figure beside that of this machine."""
    return ComparedResult(
        device=row.device,
        kind=row.device_kind,
        year=row.year,
        value=value,
        unit=unit,
        ratio=ratio_to(own, value),
        software=software_of(row) or None,
        workload=row.workload,
        batch_size=row.batch_size,
        is_certain=row.comparability is Comparability.COMPARABLE,
        source=Source(
            title=row.study, reference=row.source, date=None if row.year is None else str(row.year)
        ),
        note=row.note,
    )


def ratio_to(own: Interval | None, value: float) -> float | None:
    """Return a figure over that of this machine, None when this machine has none."""
    return value / own.mid if own is not None and own.mid > 0.0 else None


def best_of_each(
    results: Iterable[ComparedResult], *, key: Callable[[ComparedResult], object]
) -> tuple[ComparedResult, ...]:
    """Return the highest figure for each key, in the order of value, then of device."""
    best: dict[object, ComparedResult] = {}
    for result in results:
        known = best.get(key(result))
        if known is None or result.value > known.value:
            best[key(result)] = result
    return tuple(sorted(best.values(), key=lambda r: (r.value, r.device, r.software or "")))


def placed(group: ComparisonGroup) -> ComparisonGroup:
    """Return a group with the names of the devices next to this machine filled in.

    A device that ran several frameworks stands where its best one puts it.
    """
    if group.own is None:
        return dataclasses.replace(group, slower=None, faster=None)
    best: dict[str, float] = {}
    for result in group.results:
        best[result.device] = max(best.get(result.device, 0.0), result.value)
    by_value = sorted(best, key=lambda device: (best[device], device))
    slower = [device for device in by_value if best[device] < group.own.mid]
    faster = by_value[len(slower) :]
    return dataclasses.replace(
        group,
        slower=slower[-1] if slower else None,
        faster=faster[0] if faster else None,
    )


def of_kind(comparison: Comparison, *, kind: DeviceKind) -> Comparison:
    """Return a comparison with published devices of one kind only."""
    groups = tuple(_of_kind(group, kind) for group in comparison.groups)
    return dataclasses.replace(comparison, groups=groups)


def _of_kind(group: ComparisonGroup, kind: DeviceKind) -> ComparisonGroup:
    kept = tuple(result for result in group.results if result.kind is kind)
    reason, found = group.no_result, group.found
    if group.results and not kept:
        reason = NoResult.OTHER_KIND
        found = tuple(sorted({result.kind.value for result in group.results}))
    return placed(dataclasses.replace(group, results=kept, no_result=reason, found=found))
