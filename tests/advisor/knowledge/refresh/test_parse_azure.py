"""The traps of Azure's meters, all on one page."""

import json

import pytest

from advisor.knowledge.refresh.identities import identities
from advisor.knowledge.refresh.parse_azure import page_parameters, parse_meters, parse_page
from advisor.knowledge.refresh.sources import PriceError
from tests.advisor.knowledge.refresh.servers import RECORDED, offer

PAGE = parse_page((RECORDED / "azure_page.json").read_bytes())
NAMES = ("Standard_D2s_v5", "Standard_D4s_v5", "Standard_D16s_v5", "Standard_NC48ads_A100_v4")
KNOWN = identities((offer(n, "eastus", 1.0, "Dsv5", 1, vendor="azure") for n in NAMES), ())


def meters(items, regions=("eastus",)):
    return parse_meters(
        items, known=KNOWN, regions=regions, observed_on="2026-11-21", source_key="azure"
    )


def item(**changes):
    return {**PAGE.items[0], **changes}


def test_only_the_linux_machine_is_left():
    found = {row.instance_type: row for row in meters(PAGE.items).offers}
    assert set(found) == {"Standard_D2s_v5", "Standard_D16s_v5", "Standard_NC48ads_A100_v4"}
    row = found["Standard_D2s_v5"]
    assert (row.usd_per_hour, row.spot_usd_per_hour) == (0.096, 0.0412)
    assert found["Standard_NC48ads_A100_v4"].usd_per_hour == 7.346
    assert found["Standard_NC48ads_A100_v4"].spot_usd_per_hour is None


def test_younger_of_two_meters_counts():
    found = {row.instance_type: row for row in meters(PAGE.items).offers}
    assert found["Standard_D16s_v5"].usd_per_hour == 0.768
    again = {row.instance_type: row for row in meters(PAGE.items[::-1]).offers}
    assert again == found


def test_all_meters_are_counted_as_listed():
    assert meters(PAGE.items).n_listed == len(PAGE.items) == 20


@pytest.mark.parametrize("usd", [-1, 1000, float("inf"), float("nan"), "0.1", None])
def test_impossible_prices_are_counted(usd):
    prices = meters([item(retailPrice=usd)])
    assert (prices.n_impossible, prices.offers) == (1, ())


def test_zero_is_unknown():
    prices = meters([item(retailPrice=0.0)])
    assert (prices.n_impossible, prices.offers) == (0, ())


def test_spot_above_on_demand_is_counted_and_unknown():
    prices = meters([item(), item(retailPrice=0.2, skuName="D2s v5 Spot")])
    assert prices.n_spot_above == 1
    assert prices.offers[0].spot_usd_per_hour is None


@pytest.mark.parametrize("name", sorted(item()))
def test_a_field_of_another_kind_is_no_crash(name):
    for value in (None, 3, [], {}):
        meters([item(**{name: value})])


def test_next_link():
    assert PAGE.next_link is None
    body = json.dumps({"Items": [], "NextPageLink": "https://x/y"}).encode()
    assert parse_page(body).next_link == "https://x/y"


def test_infinite_prices_in_json_are_read_and_refused():
    page = parse_page(b'{"Items": [{"retailPrice": Infinity}, {"retailPrice": NaN}]}')
    assert len(page.items) == 2


@pytest.mark.parametrize("body", [b"", b"null", b"<html>", b'{"Items": {}}', b"\xff\xfe"])
def test_other_answers_are_refused(body):
    with pytest.raises(PriceError):
        parse_page(body)


def test_question():
    assert page_parameters("eastus")["$filter"] == (
        "serviceName eq 'Virtual Machines' and armRegionName eq 'eastus' "
        "and priceType eq 'Consumption'"
    )
