"""A refresh against a server that behaves: used, kept, cancelled, killed."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from advisor.errors import InputError
from advisor.knowledge.refresh.run import RefreshProgress, Verdict, refresh_prices
from advisor.knowledge.refresh.sources import Endpoints, Limits, RefreshRequest
from advisor.knowledge.refresh.table import BANDS, add_refreshed, read_origin, table_file
from tests.advisor.knowledge.refresh.refreshing import GOOD, VMS, refresh
from tests.advisor.knowledge.refresh.servers import (
    AWS_REGIONS,
    SHORT,
    answer,
    around,
    drip,
    hang,
    knowledge,
    offer,
    request,
    send,
)

ROOT = Path(__file__).resolve().parents[4]


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


@pytest.mark.alone
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
