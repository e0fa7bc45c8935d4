"""Rules on single rows that no schema can state: units, order of values, dates.

Leaves to others: rules on a column (`advisor.knowledge.schema`) and between tables
(`advisor.knowledge.validate`).
"""

import dataclasses
import datetime as dt
import re
from collections.abc import Callable, Iterator
from typing import Any

from advisor.errors import FormatError
from advisor.knowledge.conditions import parse_condition
from advisor.model.offer import Offer, Retirement, SpotBand
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
# Flop per byte of memory traffic at the peaks of a product: outside, a prefix is wrong.
_BALANCE = (1.0, 250.0)


def find_nonsense(row: Any, *, today: dt.date) -> Iterator[Nonsense]:
    """Yield field and problem for each rule that a row breaks."""
    yield from _dates(row, today)
    rule = _RULES.get(type(row))
    if rule is not None:
        yield from rule(row)


def _dates(row: Any, today: dt.date) -> Iterator[Nonsense]:
    names = {field.name for field in dataclasses.fields(row)}
    for name in _DATE_FIELDS:
        value = getattr(row, name) if name in names else None
        if value is None:
            continue
        date = _iso_date(value)
        if date is None:
            yield name, "not an ISO date"
        elif date > today:
            yield name, f"lies after {today.isoformat()}"
    year = getattr(row, "year", None)
    if isinstance(year, int) and year > today.year:
        yield "year", f"lies after {today.isoformat()}"


def _iso_date(text: str) -> dt.date | None:
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        return None


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

    peak, bandwidth = row.peak_fp32_flop_per_s, row.memory_bandwidth_byte_per_s
    if peak is not None and bandwidth is not None:
        balance = peak / bandwidth
        if not _BALANCE[0] <= balance <= _BALANCE[1]:
            problem = f"{balance:.3g} flop for each byte at the peaks: no device is so"
            yield "memory_bandwidth_byte_per_s", problem


def _gpu_family(row: GpuFamily) -> Iterator[Nonsense]:
    yield from _pattern(row, "name_pattern")
    for text in row.pci_device_ids:
        first, _, last = text.partition("-")
        if last and int(last, 16) < int(first, 16):
            yield "pci_device_ids", f"{text!r} ends before it begins"


def _offer(row: Offer) -> Iterator[Nonsense]:
    if row.usd_per_hour is None and row.spot_usd_per_hour is None:
        yield "usd_per_hour", "an offer needs a price"
    if row.spot_usd_per_hour is not None:
        if row.usd_per_hour is not None and row.spot_usd_per_hour > row.usd_per_hour:
            yield "spot_usd_per_hour", f"above the price on demand, {row.usd_per_hour}"
        for field in ("spot_observed_on", "spot_source"):
            if getattr(row, field) is None:
                yield field, "a spot price needs it"
    for field in ("n_accelerators", "accelerator_memory_bytes"):
        if (getattr(row, field) is None) is not (row.accelerator is None):
            yield field, "goes with an accelerator"


def _retirement(row: Retirement) -> Iterator[Nonsense]:
    yield from _pattern(row, "instance_pattern")
    if row.date is not None and _iso_date(row.date) is None:
        yield "date", "not an ISO date"


def _option(row: OptionFact) -> Iterator[Nonsense]:
    yield from _order(row, "effect_low", "effect_high")
    if row.effect_low is not None and row.effect_source is None:
        yield "effect_source", "a factor needs a source"
    for text in row.excluded_when:
        try:
            parse_condition(text)
        except FormatError as error:
            yield "excluded_when", str(error)


def _spot_band(row: SpotBand) -> Iterator[Nonsense]:
    yield from _order(row, "low_percent", "high_percent")


def _pattern(row: Any, field: str) -> Iterator[Nonsense]:
    try:
        matches_empty = re.compile(getattr(row, field)).fullmatch("") is not None
    except re.error as error:
        yield field, f"not a regular expression: {error}"
        return
    if matches_empty:
        yield field, "matches every name, even none"


def _order(row: Any, low: str, high: str) -> Iterator[Nonsense]:
    first, second = getattr(row, low), getattr(row, high)
    if first is not None and second is not None and first > second:
        yield high, f"below {low} = {first}"


_RULES: dict[type, Callable[[Any], Iterator[Nonsense]]] = {
    PublishedResult: _published,
    DeviceSpec: _device,
    GpuFamily: _gpu_family,
    Offer: _offer,
    OptionFact: _option,
    Retirement: _retirement,
    SpotBand: _spot_band,
}
