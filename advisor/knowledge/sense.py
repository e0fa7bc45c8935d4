"""Rules on single rows that no schema can state: units, order of values, dates.

Leaves to others: rules on a column (`advisor.knowledge.schema`) and between tables
(`advisor.knowledge.validate`).
"""

import dataclasses
import datetime as dt
import re
from collections.abc import Iterator
from typing import Any

from advisor.model.offer import SpotBand
from advisor.model.option import OptionFact
from advisor.model.published import DeviceSpec, GpuFamily, PublishedResult

Nonsense = tuple[str, str]

UNIT_OF_METRIC = {
    "step_time": "s",
    "epoch_time": "s",
    "first_epoch_time": "s",
    "transfer_time": "s",
    "latency": "s",
    "throughput": "1/s",
    "rate": "flop/s",
    "bandwidth": "B/s",
    "cost": "USD",
    "price": "USD",
    "speedup": "1",
    "time_ratio": "1",
}

# Fields with the ISO date of an observation. Dates of an end may lie in the future.
_DATE_FIELDS = ("observed_on", "spot_observed_on", "verified_on")

# A peak is the product of three rounded figures.
_PEAK_TOLERANCE = 1.02


def find_nonsense(row: Any, *, today: dt.date) -> Iterator[Nonsense]:
    """Yield field and problem for each rule that a row breaks."""
    yield from _dates(row, today)
    if isinstance(row, PublishedResult):
        yield from _published(row)
    elif isinstance(row, DeviceSpec):
        yield from _device(row)
    elif isinstance(row, GpuFamily):
        yield from _gpu_family(row)
    elif isinstance(row, SpotBand):
        yield from _order(row, "low_percent", "high_percent")
    elif isinstance(row, OptionFact):
        yield from _order(row, "effect_low", "effect_high")


def _dates(row: Any, today: dt.date) -> Iterator[Nonsense]:
    names = {field.name for field in dataclasses.fields(row)}
    for name in _DATE_FIELDS:
        value = getattr(row, name) if name in names else None
        if value is None:
            continue
        try:
            date = dt.date.fromisoformat(value)
        except ValueError:
            yield name, "not an ISO date"
            continue
        if date > today:
            yield name, f"lies after {today.isoformat()}"
    year = getattr(row, "year", None)
    if isinstance(year, int) and year > today.year:
        yield "year", f"lies after {today.isoformat()}"


def _published(row: PublishedResult) -> Iterator[Nonsense]:
    unit = UNIT_OF_METRIC.get(row.metric)
    if unit is None:
        yield "metric", "not a metric that we know"
    elif row.unit != unit:
        yield "unit", f"{row.metric} is given in {unit}"
    if row.comparability.value == "not_comparable" and row.note is None:
        yield "note", "a row that is not comparable must say why"


def _device(row: DeviceSpec) -> Iterator[Nonsense]:
    yield from _order(row, "base_ghz", "boost_ghz")
    yield from _order(row, "cores", "threads")
    for alias in row.aliases:
        if alias != alias.lower():
            yield "aliases", f"{alias!r} is not in lower case"
    parts = (row.cores, row.boost_ghz, row.fp32_flop_per_cycle_per_core)
    if row.peak_fp32_flop_per_s is not None and None not in parts:
        cores, boost_ghz, per_cycle = (float(part) for part in parts if part is not None)
        bound = cores * boost_ghz * 1e9 * per_cycle
        if row.peak_fp32_flop_per_s > bound * _PEAK_TOLERANCE:
            yield "peak_fp32_flop_per_s", f"above cores x clock x operations = {bound:g}"


def _gpu_family(row: GpuFamily) -> Iterator[Nonsense]:
    try:
        re.compile(row.name_pattern)
    except re.error as error:
        yield "name_pattern", f"not a regular expression: {error}"


def _order(row: Any, low: str, high: str) -> Iterator[Nonsense]:
    first, second = getattr(row, low), getattr(row, high)
    if first is not None and second is not None and first > second:
        yield high, f"below {low} = {first}"
