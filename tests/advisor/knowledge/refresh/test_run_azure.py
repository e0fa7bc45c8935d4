"""A refresh from Azure's pages, followed only where they should lead."""

import json

import pytest

from advisor.knowledge.refresh.run import Verdict
from advisor.knowledge.refresh.sources import Limits
from tests.advisor.knowledge.refresh.refreshing import refresh
from tests.advisor.knowledge.refresh.servers import (
    answer,
    knowledge,
    offer,
    send,
)


def azure_item(name, region, usd, **more):
    item = {
        "currencyCode": "USD", "retailPrice": usd, "armRegionName": region,
        "effectiveStartDate": "2026-01-01T00:00:00Z", "meterName": name.replace("_", " "),
        "productName": "Virtual Machines Dsv5 Series", "skuName": name.replace("_", " "),
        "serviceName": "Virtual Machines", "unitOfMeasure": "1 Hour", "type": "Consumption",
        "armSkuName": name,
    }  # fmt: skip
    return {**item, **more}


def azure_offers():
    return tuple(
        offer(f"Standard_D{n}s_v5", "eastus", 0.1 * n, "Dsv5", n, vendor="azure")
        for n in range(1, 31)
    )


def azure_pages(server, *, last_link=None, items=None):
    """Serve three pages of 200 meters."""
    names = [o.instance_type for o in azure_offers()]
    meters = items or [azure_item(names[n % 30], "eastus", 0.1 * (n % 30 + 1)) for n in range(600)]

    def page(handler):
        number = int(handler.path.partition("skip=")[2] or 0)
        links = {0: f"{server.url}/azure?skip=1", 1: f"{server.url}/azure?skip=2", 2: last_link}
        body = {
            "BillingCurrency": "USD", "CustomerEntityId": "Default", "Count": 200,
            "CustomerEntityType": "Retail", "Items": meters[200 * number : 200 * number + 200],
            "NextPageLink": links[number],
        }  # fmt: skip
        send(handler, json.dumps(body).encode())

    return page


def azure(server, folder, **more):
    known = {"bundled": knowledge(*azure_offers())}
    return refresh(server, folder, vendors=("azure",), regions=("eastus",), around=known, **more)[
        "azure"
    ]


def test_azure_pages_are_followed(server, tmp_path):
    server.routes["/azure"] = azure_pages(server)
    done = azure(server, tmp_path)
    assert (done.verdict, done.n_rows) == (Verdict.REFRESHED, 30)
    assert len(server.asked) == 3
    assert "armRegionName%20eq%20%27eastus%27" in server.asked[0]
    assert "api-version=2023-01-01-preview" in server.asked[0]


@pytest.mark.parametrize(
    ("link", "message"),
    [
        ("{url}/azure?skip=1", "the pages go in a circle"),
        ("https://evil.example/azure?skip=3", "on another host, evil.example"),
        ("http://127.0.0.1:1/azure", "on another host"),
        ("file:///etc/passwd", "on another host"),
    ],
)
def test_azure_next_page_is_followed_only_where_it_should_be(link, message, server, tmp_path):
    server.routes["/azure"] = azure_pages(server, last_link=link.format(url=server.url))
    done = azure(server, tmp_path)
    assert done.verdict is Verdict.KEPT
    assert message in done.message
    assert len(server.asked) <= 3


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"<html>", "not JSON"),
        (b"\xff", "not UTF-8"),
        (b"[]", "no 'Items'"),
        (b'{"Items": [1]}', "no 'Items'"),
        (b'{"Items": [], "BillingCurrency": "EUR"}', "in 'EUR', not in USD"),
        (b'{"Items": [], "NextPageLink": null}', "0 rows, at least 500"),
        (b"[" * 100_000, "not JSON"),
    ],
)
def test_azure_answers_of_another_form(body, message, server, tmp_path):
    server.routes["/azure"] = answer(body)
    done = azure(server, tmp_path)
    assert message in done.message
    assert not list(tmp_path.iterdir())


def test_azure_endless_pages_end(server, tmp_path):
    count = [0]

    def page(handler):
        count[0] += 1
        body = {"Items": [], "NextPageLink": f"{server.url}/azure?skip={count[0]}"}
        send(handler, json.dumps(body).encode())

    server.routes["/azure"] = page
    limits = Limits(total_s=5.0, max_pages=7)
    assert "more than 7 pages" in azure(server, tmp_path, limits=limits).message
    assert count[0] == 7
