"""Rules on single rows."""

import datetime as dt
from dataclasses import replace
from typing import Any

import pytest

from advisor.knowledge.sense import UNIT_OF_METRIC, find_nonsense
from advisor.model.offer import SpotBand
from advisor.model.published import Comparability
from tests.helpers.bundled import bundled_knowledge

TODAY = dt.date(2026, 12, 1)
KNOWLEDGE = bundled_knowledge()
RESULT = KNOWLEDGE.published[0]
DEVICE = next(spec for spec in KNOWLEDGE.devices if spec.device == "AMD Ryzen 5 5600G")
FAMILY = KNOWLEDGE.gpu_families[0]
OPTION = next(row for row in KNOWLEDGE.options if row.effect_low is not None)
RETIREMENT = next(row for row in KNOWLEDGE.retirements if row.date is not None)
OFFER = next(
    row
    for row in KNOWLEDGE.offers
    if row.spot_usd_per_hour and row.usd_per_hour and not row.accelerator
)
BAND = SpotBand(
    vendor="aws",
    instance_type="m5.large",
    region="us-east-1",
    low_percent=5.0,
    high_percent=10.0,
    observed_on="2026-01-01",
    source="s",
)


@pytest.mark.parametrize(
    "row", [RESULT, DEVICE, FAMILY, OPTION, BAND, OFFER, RETIREMENT], ids=lambda r: type(r)
)
def test_good_rows(row: Any) -> None:
    assert list(find_nonsense(row, today=TODAY)) == []


@pytest.mark.parametrize(
    ("row", "change", "field", "problem"),
    [
        (RESULT, {"metric": "epoch_time", "unit": "1/s"}, "unit", "epoch_time is given in s"),
        (RESULT, {"metric": "speed"}, "metric", "not a metric"),
        (RESULT, {"year": 2027}, "year", "lies after 2026-12-01"),
        (
            RESULT,
            {"comparability": Comparability.NOT_COMPARABLE, "note": None},
            "note",
            "must say why",
        ),
        (DEVICE, {"boost_ghz": 1.0}, "boost_ghz", "below base_ghz"),
        (DEVICE, {"threads": 1}, "threads", "below cores"),
        (DEVICE, {"aliases": ("Ryzen",)}, "aliases", "not in lower case"),
        (DEVICE, {"peak_fp32_flop_per_s": 1e12}, "peak_fp32_flop_per_s", "above cores x clock"),
        (FAMILY, {"name_pattern": "("}, "name_pattern", "not a regular expression"),
        (BAND, {"high_percent": 1.0}, "high_percent", "below low_percent"),
        (BAND, {"observed_on": "2026-12-02"}, "observed_on", "lies after 2026-12-01"),
        (BAND, {"observed_on": "2026-13-02"}, "observed_on", "not an ISO date"),
        (DEVICE, {"memory_bandwidth_byte_per_s": 1e9}, "memory_bandwidth_byte_per_s", "no device"),
        (DEVICE, {"memory_bandwidth_byte_per_s": 1e13}, "memory_bandwidth_byte_per_s", "no device"),
        (FAMILY, {"name_pattern": ".*"}, "name_pattern", "matches every name"),
        (FAMILY, {"pci_device_ids": ("2-1",)}, "pci_device_ids", "ends before it begins"),
        (RETIREMENT, {"instance_pattern": "a("}, "instance_pattern", "not a regular expression"),
        (RETIREMENT, {"date": "soon"}, "date", "not an ISO date"),
        (OFFER, {"spot_usd_per_hour": 9.0}, "spot_usd_per_hour", "above the price on demand"),
        (OFFER, {"spot_source": None}, "spot_source", "a spot price needs it"),
        (OFFER, {"usd_per_hour": None, "spot_usd_per_hour": None}, "usd_per_hour", "needs a price"),
        (OFFER, {"n_accelerators": 1.0}, "n_accelerators", "goes with an accelerator"),
        (
            OPTION,
            {"excluded_when": ("container", "os:dos")},
            "excluded_when",
            "'dos' cannot follow",
        ),
        (OPTION, {"effect_source": None}, "effect_source", "needs a source"),
        (OPTION, {"effect_low": 9.0, "effect_high": 2.0}, "effect_high", "below effect_low"),
    ],
)
def test_nonsense(row: Any, change: dict[str, Any], field: str, problem: str) -> None:
    found = dict(find_nonsense(replace(row, **change), today=TODAY))
    assert problem in found[field]


def test_a_device_without_clocks_has_no_bound() -> None:
    row = replace(DEVICE, boost_ghz=None, peak_fp32_flop_per_s=1e14)
    assert list(find_nonsense(row, today=TODAY)) == []


def test_every_metric_has_one_unit_of_the_schema() -> None:
    assert set(UNIT_OF_METRIC.values()) == {"s", "1/s", "flop/s", "B/s", "USD", "1"}
