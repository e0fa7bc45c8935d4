"""Interruption bands of AWS."""

import json

import pytest

from advisor.knowledge.refresh.parse_spot_advisor import parse_bands
from advisor.knowledge.refresh.sources import PriceError
from tests.advisor.knowledge.refresh.servers import RECORDED, offer

BODY = (RECORDED / "spot_advisor.json").read_bytes()
OFFERS = [
    offer(name, "us-east-1", 1.0, None, 1)
    for name in ("c7i.4xlarge", "g6.xlarge", "odd.large", "a1.large", "not.listed")
]


def test_bands_of_the_offers_in_use():
    bands = parse_bands(BODY, offers=OFFERS, observed_on="2026-11-21")
    assert [(b.instance_type, b.low_percent, b.high_percent) for b in bands] == [
        ("a1.large", 0.0, 5.0),
        ("c7i.4xlarge", 5.0, 10.0),
        ("g6.xlarge", 20.0, 100.0),
    ]
    assert {b.observed_on for b in bands} == {"2026-11-21"}


def test_other_vendors_have_none():
    others = [offer("c7i.4xlarge", "us-east-1", 1.0, None, 1, vendor="gcp")]
    assert parse_bands(BODY, offers=others, observed_on="2026-11-21") == ()


@pytest.mark.parametrize(
    "body",
    [
        b"", b"[]", b"3", b"\xff", b"<html>", b"{}", b'{"ranges": [], "spot_advisor": 3}',
        b'{"ranges": [{"index": 0, "label": "often"}], "spot_advisor": {}}',
        b'{"ranges": [{"index": 0, "label": "9-2%"}], "spot_advisor": {}}',
        b'{"ranges": [{"label": "<5%"}], "spot_advisor": {}}',
        b'{"ranges": [], "spot_advisor": {"us-east-1": {"Linux": [1]}}}',
        b"[" * 100_000,
    ],
)  # fmt: skip
def test_other_answers_are_refused(body):
    with pytest.raises(PriceError):
        parse_bands(body, offers=OFFERS, observed_on="2026-11-21")


def test_odd_entries_are_left_out():
    data = json.loads(BODY)
    data["spot_advisor"]["us-east-1"]["Linux"] = {"c7i.4xlarge": 3, "g6.xlarge": {"r": "1"}}
    assert parse_bands(json.dumps(data).encode(), offers=OFFERS, observed_on="2026-11-21") == ()
