"""What is published: medians of groups that are large enough to hide in.

A series with fewer uploads than `least` is thrown together with its like (other versions, thread
counts and systems); what is still too small is not published. No figure is in two groups, so that
none can be had by subtraction.
Leaves to others: reading the figures (`reading`), the form in which they go out (`app`).
"""

import math
from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from advisor.share.collector.series import Series
from advisor.share.collector.store import value_of


@dataclass(slots=True)
class Figures:
    """The figures of a series: those of single uploads, and old ones by bin."""

    uploads: "array[int]" = field(default_factory=lambda: array("q"))
    values: "array[float]" = field(default_factory=lambda: array("d"))
    merged: dict[int, int] = field(default_factory=dict)

    @property
    def n_merged(self) -> int:
        """How many old figures there are."""
        return sum(self.merged.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregate:
    """A published group.

    Attributes:
        series: what its figures have in common; None where they differ.
        n: different uploads that are in it, at least.
        median: of all figures; low, high: the middle half of them.
        is_general: True where several series were thrown together.
    """

    series: Series
    n: int
    median: float
    low: float
    high: float
    is_general: bool


def aggregates_of(figures: Mapping[Series, Figures], *, least: int) -> tuple[Aggregate, ...]:
    """Return the groups with at least `least` different uploads, in the order of their names."""
    published: list[Aggregate] = []
    small: dict[tuple[str | None, ...], list[Series]] = defaultdict(list)
    for series, found in figures.items():
        n = len(set(found.uploads)) + found.n_merged
        if n >= least:
            published.append(_aggregate(series, [found], n=n, is_general=False))
        else:
            small[series.general].append(series)
    for group in small.values():
        parts = [figures[series] for series in group]
        # Old figures of several series may be of one upload: only the largest is sure.
        live = {number for part in parts for number in part.uploads}
        n = len(live) + max(part.n_merged for part in parts)
        if n >= least:
            published.append(_aggregate(_common(group), parts, n=n, is_general=len(group) > 1))
    return tuple(sorted(published, key=lambda a: [str(word) for word in _order(a)]))


def _order(aggregate: Aggregate) -> tuple[object, ...]:
    series = aggregate.series
    return (
        *(series.device, series.kernel, series.direction, series.precision, series.framework),
        *(series.framework_version, series.backend, series.threads, series.system),
        series.device_threads,
    )


def _common(group: list[Series]) -> Series:
    """Return what the series of a group have in common; "" or None where they differ."""
    first = group[0]

    def shared(name: str) -> str | int | None:
        values = {getattr(series, name) for series in group}
        return values.pop() if len(values) == 1 else None

    names = ("framework_version", "backend", "threads", "system", "device_threads")
    same = {name: shared(name) for name in names}
    return Series(
        device=first.device,
        device_kind=first.device_kind,
        kernel=first.kernel,
        direction=first.direction,
        precision=first.precision,
        unit=first.unit,
        framework=first.framework,
        framework_version=_text(same["framework_version"]),
        backend=_text(same["backend"]),
        threads=_number(same["threads"]),
        system=_text(same["system"]) or "",
        device_threads=_number(same["device_threads"]),
    )


def _text(value: str | int | None) -> str | None:
    return value if isinstance(value, str) else None


def _number(value: str | int | None) -> int | None:
    return value if isinstance(value, int) else None


def _aggregate(series: Series, parts: Iterable[Figures], *, n: int, is_general: bool) -> Aggregate:
    weights: dict[float, int] = defaultdict(int)
    for part in parts:
        for value in part.values:
            weights[value] += 1
        for bin_, count in part.merged.items():
            weights[value_of(bin_)] += count
    ordered = sorted(weights.items())
    return Aggregate(
        series=series,
        n=n,
        median=_quantile(ordered, 0.5),
        low=_quantile(ordered, 0.25),
        high=_quantile(ordered, 0.75),
        is_general=is_general,
    )


def _quantile(ordered: list[tuple[float, int]], share: float) -> float:
    """Return the value below which a share of the figures lies; between two, their mean."""
    total = sum(count for _value, count in ordered)
    place = share * (total - 1)
    below, above = _at(ordered, math.floor(place)), _at(ordered, math.ceil(place))
    value = below + (above - below) * (place - math.floor(place))
    return float(f"{value:.4g}")


def _at(ordered: list[tuple[float, int]], place: int) -> float:
    seen = 0
    for value, count in ordered:
        seen += count
        if place < seen:
            return value
    return ordered[-1][0]
