"""A refresh against a server that behaves, and against one that misbehaves in every way."""

import gzip
import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from advisor.errors import InputError
from advisor.knowledge.refresh.accept import anchors
from advisor.knowledge.refresh.run import RefreshProgress, Verdict, refresh_prices
from advisor.knowledge.refresh.sources import SOURCES, Endpoints, Limits, RefreshRequest
from advisor.knowledge.refresh.table import BANDS, add_refreshed, read_origin, table_file
from tests.advisor.knowledge.refresh.servers import (
    AWS_REGIONS,
    SHORT,
    answer,
    around,
    aws_offers,
    catalog,
    drip,
    drip_headers,
    hang,
    knowledge,
    offer,
    request,
    send,
    spot_advisor,
)

ROOT = Path(__file__).resolve().parents[4]
VMS = "/v8/aws/vms.csv"
GOOD = catalog(aws_offers(), factor=1.1)


def refresh(server, folder, **more):
    """Return the outcomes by name."""
    known = more.pop("around", {})
    outcomes = refresh_prices(request(server, **more), around=around(folder, **known))
    return {outcome.name: outcome for outcome in outcomes}


@pytest.fixture
def good_server(server):
    server.routes["/primary" + VMS] = answer(GOOD, headers={"ETag": '"one"'})
    server.routes["/advisor.json"] = answer(spot_advisor(aws_offers()))
    return server


def test_accepted_table_is_used(good_server, tmp_path):
    done = refresh(good_server, tmp_path)
    assert done["aws"].verdict is Verdict.REFRESHED
    assert done["aws"].n_rows == 180
    assert done[BANDS].verdict is Verdict.REFRESHED
    new = add_refreshed(knowledge(), folder=tmp_path)
    by_name = {(o.instance_type, o.region): o for o in new.offers}
    assert len(new.offers) == len(by_name) == 180
    found = by_name["c7i.4xlarge", "us-east-1"]
    assert found.usd_per_hour == 0.44
    assert found.spot_usd_per_hour == pytest.approx(0.44 * 0.31, abs=1e-4)  # the middle zone
    assert (found.observed_on, found.spot_observed_on) == ("2026-11-21", "2026-11-21")
    assert found.source == found.spot_source == "skypilot-catalog-v8"
    assert (found.family, found.vcpus) == ("c7i", 16.0)
    assert {band.observed_on for band in new.spot_bands} == {"2026-11-21"}


def test_newest_version_first_then_the_mirror_then_the_older(good_server, tmp_path):
    refresh(good_server, tmp_path)
    assert good_server.asked[:3] == [
        "/primary/v9/aws/vms.csv",
        "/mirror/v9/aws/vms.csv",
        "/primary/v8/aws/vms.csv",
    ]


def test_name_and_version_are_sent_and_no_password(good_server, tmp_path, monkeypatch):
    netrc = tmp_path / "netrc"
    netrc.write_text("default login me password secret\n")
    monkeypatch.setenv("NETRC", str(netrc))
    refresh(good_server, tmp_path / "prices")
    sent = good_server.headers[0]
    assert sent["User-Agent"] == "dl-advisor/0.0-test"
    assert not {"Authorization", "Cookie"} & set(sent)


def test_origin_is_kept_beside_the_table(good_server, tmp_path):
    refresh(good_server, tmp_path)
    origin = read_origin(tmp_path, name="aws")
    assert origin.url == f"{good_server.url}/primary{VMS}"
    assert origin.etag == '"one"'
    assert origin.fetched_at == "2026-11-21T10:00:00+00:00"
    assert origin.n_listed == 720
    assert len(origin.body_sha256) == 64


def test_unchanged_list_is_not_fetched_again(good_server, tmp_path):
    refresh(good_server, tmp_path)

    def not_modified(handler):
        assert handler.headers["If-None-Match"] == '"one"'
        send(handler, b"", status=304, headers={"Content-Length": None})

    good_server.routes["/primary" + VMS] = not_modified
    done = refresh(good_server, tmp_path, around={"now": "2026-12-01T10:00:00+00:00"})
    assert done["aws"].verdict is Verdict.UNCHANGED
    new = add_refreshed(knowledge(), folder=tmp_path)
    assert {o.observed_on for o in new.offers} == {"2026-12-01"}


def test_only_the_regions_asked_for_are_replaced(good_server, tmp_path):
    refresh(good_server, tmp_path, regions=("us-west-2",))
    new = add_refreshed(knowledge(), folder=tmp_path)
    assert {o.region for o in new.offers if o.source != "old-list"} == {"us-west-2"}
    refresh(good_server, tmp_path, regions=("eu-west-1",))
    new = add_refreshed(knowledge(), folder=tmp_path)
    assert {o.region for o in new.offers if o.source == "old-list"} == {"us-east-1"}


def test_progress_is_told(good_server, tmp_path):
    events = []
    refresh(good_server, tmp_path, around={"events": events})
    assert RefreshProgress(name="aws", host="127.0.0.1", n_bytes=len(GOOD)) in events


def _edit(**cells):
    return catalog(aws_offers(), change=lambda _n, record: record.update(cells))


def _dear_anchor():
    first = anchors(aws_offers(), aws_offers(), source=SOURCES["aws"])[2]

    def change(_number, record):
        if (record["InstanceType"], record["Region"]) == first:
            record["Price"] = str(float(record["Price"]) * 10)

    return catalog(aws_offers(), change=change)


def _spot_above(number, record):
    if number % 10 == 0:
        record["SpotPrice"] = str(float(record["Price"]) * 1.2)


def _halved():
    return catalog([row for n, row in enumerate(aws_offers()) if n % 2], zones=8)


def _redirect(place):
    return answer(b"", status=302, headers={"Location": place})


def _endless(handler):
    handler.send_response(200)
    handler.send_header("Content-Length", str(5 * 1024**3))
    handler.end_headers()
    piece = b"x" * 65536
    while True:
        handler.wfile.write(piece)


def _cut(handler):
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(GOOD)))
    handler.end_headers()
    handler.wfile.write(GOOD[: len(GOOD) // 2])
    handler.close_connection = True


def _cut_chunks(handler):
    handler.send_response(200)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    handler.wfile.write(b"1000\r\n" + GOOD[:4096] + b"\r\n")
    handler.close_connection = True


def _cut_gzip():
    packed = gzip.compress(GOOD)
    return answer(packed[:-200], headers={"Content-Encoding": "gzip"})


def _shut(handler):
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


BOMB = gzip.compress(b"0" * 50_000_000, 9)
MISBEHAVIOURS = {
    "429": (answer(b"slow down", status=429), "HTTP 429"),
    "500": (answer(b"oops", status=500), "HTTP 500"),
    "401": (answer(b"who", status=401), "HTTP 401"),
    "gone": (answer(b"", status=404), "nothing there (HTTP 404)"),
    "truncated": (_cut, "broke off"),
    "truncated chunks": (_cut_chunks, "broke off"),
    "truncated gzip": (_cut_gzip(), "broke off"),
    "broken gzip": (answer(GOOD, headers={"Content-Encoding": "gzip"}), "packing is broken"),
    "unknown packing": (answer(GOOD, headers={"Content-Encoding": "br"}), "packing 'br'"),
    "gzip bomb": (answer(BOMB, headers={"Content-Encoding": "gzip"}), "larger than"),
    "5 GB": (_endless, "larger than"),
    "wrong columns": (answer(GOOD.replace(b"SpotPrice", b"Spot")), "no column 'SpotPrice'"),
    "ragged": (answer(GOOD + b"a,b\n"), "not as many cells"),
    "bad quotes": (answer(GOOD + b'"a'), "is not CSV"),
    "few rows": (answer(b"\n".join(GOOD.split(b"\n")[:300]) + b"\n"), "299 rows, at least 500"),
    "shorter": (answer(catalog(aws_offers(), zones=3)), "540 rows, where the last list had 720"),
    "halved": (answer(_halved()), "90 offers, where 180 are in use"),
    "price 0": (answer(_edit(Price="0")), "not between 0 and 1,000 USD"),
    "negative": (answer(_edit(Price="-0.1")), "not between 0 and 1,000 USD"),
    "nan": (answer(_edit(Price="nan")), "not between 0 and 1,000 USD"),
    "inf": (answer(_edit(SpotPrice="inf")), "not between 0 and 1,000 USD"),
    "words": (answer(_edit(Price="call us")), "not between 0 and 1,000 USD"),
    "empty prices": (answer(_edit(Price="", SpotPrice="")), "no machine that we know"),
    "spot above": (
        answer(catalog(aws_offers(), change=_spot_above)), "72 spot prices are above",
    ),
    "anchor x 10": (answer(_dear_anchor()), "USD per hour instead of"),
    "all x 3": (answer(catalog(aws_offers(), factor=3)), "USD per hour instead of"),
    "other machines": (answer(_edit(InstanceType="x1.large")), "no machine that we know"),
    "not UTF-8": (answer(GOOD + b"\xff\xfe,"), "not UTF-8"),
    "web page": (answer(b"<!DOCTYPE html><html>Log in</html>"), "a web page"),
    "empty": (answer(b""), "the list is empty"),
    "only a header": (answer(GOOD.split(b"\n")[0] + b"\n"), "0 rows, at least 500"),
    "drip": (drip, "not done within"),
    "drip in headers": (drip_headers, "not done within"),
    "hang": (hang, "no answer in time"),
    "shut": (_shut, "connection"),
    "redirect in a circle": (_redirect("/primary" + VMS), "more than 3 redirects"),
    "redirect to another host": (
        _redirect("http://127.0.0.2:9/vms.csv"), "to another host, 127.0.0.2",
    ),
    "redirect without TLS": (_redirect("http://example.org/vms.csv"), "to another host"),
    "redirect to a file": (_redirect("file:///etc/passwd"), "to another host"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISBEHAVIOURS)
def test_misbehaving_server_leaves_the_table_in_use(name, good_server, tmp_path):
    good_server.routes["/primary" + VMS] = answer(catalog(aws_offers(), factor=1.05))
    refresh(good_server, tmp_path)
    table = table_file(tmp_path, name="aws")
    before = table.read_bytes(), (tmp_path / "aws.json").read_bytes()
    script, message = MISBEHAVIOURS[name]
    for base in ("/primary", "/mirror"):
        good_server.routes[base + VMS] = script
    began = time.monotonic()
    done = refresh(good_server, tmp_path)
    assert time.monotonic() - began < SHORT.total_s + 1.0
    assert done["aws"].verdict is Verdict.KEPT
    assert message in done["aws"].message
    assert "\n" not in done["aws"].message
    assert len(done["aws"].message) < 300
    assert done[BANDS].verdict is Verdict.REFRESHED
    assert (table.read_bytes(), (tmp_path / "aws.json").read_bytes()) == before
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(
        ["aws.csv", "aws.json", f"{BANDS}.csv", f"{BANDS}.json"]
    )
    assert {o.source for o in add_refreshed(knowledge(), folder=tmp_path).offers} == {
        "skypilot-catalog-v8"
    }


@pytest.mark.parametrize("name", ["429", "500", "gone", "truncated", "web page", "hang", "nan"])
def test_mirror_is_asked_whatever_the_first_one_does(name, good_server, tmp_path):
    good_server.routes["/primary" + VMS] = MISBEHAVIOURS[name][0]
    good_server.routes["/mirror" + VMS] = answer(GOOD)
    assert refresh(good_server, tmp_path)["aws"].verdict is Verdict.REFRESHED
    assert read_origin(tmp_path, name="aws").url.endswith("/mirror" + VMS)


def test_newer_version_of_another_form_falls_back_to_the_older(good_server, tmp_path):
    good_server.routes["/primary/v9/aws/vms.csv"] = answer(b"a,b\n1,2\n")
    assert refresh(good_server, tmp_path)["aws"].verdict is Verdict.REFRESHED


def test_passing_failure_is_tried_twice(good_server, tmp_path):
    tries = []

    def once(handler):
        tries.append(1)
        if len(tries) == 1:
            send(handler, b"", status=503)
        else:
            send(handler, GOOD)

    good_server.routes["/primary" + VMS] = once
    assert refresh(good_server, tmp_path)["aws"].verdict is Verdict.REFRESHED
    assert not [path for path in good_server.asked if path == "/mirror" + VMS]


def test_nobody_there(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    nowhere = Endpoints(catalogs=(url,), azure=url, spot_advisor=url)
    asked = RefreshRequest(vendors=("aws",), regions=AWS_REGIONS, endpoints=nowhere, limits=SHORT)
    done = list(refresh_prices(asked, around=around(tmp_path)))
    assert [outcome.message for outcome in done] == ["127.0.0.1: no connection"] * 2
    assert not list(tmp_path.iterdir())


def test_addresses_without_tls_are_not_asked(tmp_path):
    plain = Endpoints(catalogs=("http://example.org/c",), spot_advisor="ftp://example.org/x")
    asked = RefreshRequest(vendors=("aws",), endpoints=plain, limits=SHORT)
    done = list(refresh_prices(asked, around=around(tmp_path)))
    assert all("only https addresses are asked" in outcome.message for outcome in done)


def test_cancelling_ends_a_hanging_transfer_at_once(good_server, tmp_path):
    good_server.routes["/primary" + VMS] = drip
    began = time.monotonic()
    stop = {"should_stop": lambda: time.monotonic() - began > 0.2}
    limits = Limits(total_s=30.0, read_s=30.0)
    done = refresh(good_server, tmp_path, around=stop, limits=limits)
    assert time.monotonic() - began < 1.5
    assert list(done) == ["aws"]
    assert done["aws"].verdict is Verdict.CANCELLED
    assert not list(tmp_path.iterdir())


def test_cancelled_before_it_began_asks_nothing(good_server, tmp_path):
    done = refresh(good_server, tmp_path, around={"should_stop": lambda: True})
    assert done["aws"].verdict is Verdict.CANCELLED
    assert good_server.asked == []


def test_folder_that_cannot_be_written_is_said(good_server, tmp_path):
    blocked = tmp_path / "prices"
    blocked.write_text("a file")
    done = refresh(good_server, blocked)
    assert "cannot be written" in done["aws"].message


def test_band_list_that_is_none_keeps_the_old_bands(good_server, tmp_path):
    good_server.routes["/advisor.json"] = answer(b'{"ranges": 3}')
    done = refresh(good_server, tmp_path)
    assert done["aws"].verdict is Verdict.REFRESHED
    assert "not the list of AWS Spot Advisor" in done[BANDS].message
    assert add_refreshed(knowledge(), folder=tmp_path).spot_bands == knowledge().spot_bands


def test_unknown_vendor_and_region_are_refused_before_anything_is_asked(server, tmp_path):
    for more, words in (
        ({"vendors": ("hetzner",)}, "'hetzner' cannot be refreshed"),
        ({"regions": ("us-east-1'; drop",)}, "is not a region of aws"),
        ({"regions": ("eastus",)}, "'eastus' is not a region of aws"),
    ):
        with pytest.raises(InputError, match=words):
            list(refresh_prices(request(server, **more), around=around(tmp_path)))
    assert server.asked == []


def test_killed_refresh_leaves_the_old_table(good_server, tmp_path):
    refresh(good_server, tmp_path)
    before = table_file(tmp_path, name="aws").read_bytes()
    seen = []

    def half_then_wait(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(GOOD)))
        handler.end_headers()
        handler.wfile.write(GOOD[:10000])
        handler.wfile.flush()
        seen.append(1)
        hang(handler)

    good_server.routes["/primary" + VMS] = half_then_wait
    code = (
        "import sys, pathlib\n"
        "from tests.advisor.knowledge.refresh.servers import *\n"
        "from advisor.knowledge.refresh.run import refresh_prices\n"
        "class At: url = sys.argv[1]\n"
        "limits = Limits(total_s=20.0)\n"
        "folder = pathlib.Path(sys.argv[2])\n"
        "list(refresh_prices(request(At, limits=limits), around=around(folder)))\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, good_server.url, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    until = time.monotonic() + 10
    while not seen and time.monotonic() < until:
        time.sleep(0.02)
    child.kill()
    assert child.wait() != 0
    assert seen
    assert table_file(tmp_path, name="aws").read_bytes() == before
    assert add_refreshed(knowledge(), folder=tmp_path).skipped == ()


def test_prices_of_gpu_clouds_replace_the_vendor(server, tmp_path):
    facts = {
        "vendor": "lambda", "architecture": "x86_64", "accelerator": "A100-SXM",
        "n_accelerators": 1.0, "accelerator_memory_bytes": 42949672960,
        "spot_usd_per_hour": None, "spot_observed_on": None, "spot_source": None,
    }  # fmt: skip
    old = offer("1x-A100-40g", "any", 1.5, None, 1, **facts)
    rows = "".join(
        f"gpu_{n}x_a100_sxm4,A100-SXM,{n}.0,30.0,200.0,{1.6 * n:.2f},us-west-{r},"
        "\"{'Gpus': [{'Name': 'A100', 'MemoryInfo': {'SizeInMiB': 40960}}]}\",\n"
        for n in (1, 2, 4, 8)
        for r in range(1, 8)
    )
    head = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,GpuInfo,"
    server.routes["/primary/v8/lambda/vms.csv"] = answer((head + "SpotPrice\n" + rows).encode())
    bundled = knowledge(old)
    done = refresh(server, tmp_path, vendors=("lambda",), regions=(), around={"bundled": bundled})
    assert done["lambda"].message == ""
    new = [o for o in add_refreshed(bundled, folder=tmp_path).offers if o.vendor == "lambda"]
    assert len(new) == 28
    assert {o.accelerator for o in new} == {"A100-SXM"}
    assert {o.accelerator_memory_bytes for o in new} == {42949672960}
    assert {o.spot_usd_per_hour for o in new} == {None}


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
