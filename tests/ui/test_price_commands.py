"""`prices` as a user meets it, against a server on this machine."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from advisor.knowledge.refresh.run import RefreshProgress
from advisor.knowledge.refresh.sources import SOURCES
from advisor.knowledge.refresh.status import PriceStatus
from advisor.knowledge.store import load_knowledge
from advisor.model.codec import load_document
from tests.advisor.knowledge.refresh.servers import (
    PriceServer,
    answer,
    catalog,
    drip,
    spot_advisor,
)
from ui import dataset, journey, price_commands
from ui.cli import run

ROOT = Path(__file__).resolve().parents[2]
ALL_AWS = tuple(offer for offer in load_knowledge().offers if offer.vendor == "aws")
OFFERS = tuple(
    offer
    for offer in ALL_AWS
    if offer.region in SOURCES["aws"].usual_regions
    and offer.usd_per_hour is not None
    and offer.vcpus is not None
    and offer.memory_bytes is not None
)


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "cache"))
    dataset.bundled_knowledge.cache_clear()
    yield
    dataset.bundled_knowledge.cache_clear()


@pytest.fixture
def server():
    made = PriceServer()
    made.routes["/c/v8/aws/vms.csv"] = answer(catalog(OFFERS, factor=1.25, zones=1))
    made.routes["/advisor"] = answer(spot_advisor(ALL_AWS))
    yield made
    made.close()


def words(server, *more):
    return [
        *("prices", "refresh", "--vendor", "aws", "--catalog-url", f"{server.url}/c/"),
        *("--spot-advisor-url", f"{server.url}/advisor", *more),
    ]


def aws_prices(capsys):
    assert run(["prices", "status", "--json"]) == 0
    status = load_document(capsys.readouterr().out, PriceStatus)
    return next(row for row in status.vendors if row.vendor == "aws")


def test_status_needs_no_network_and_names_what_is_old(capsys):
    assert run(["prices"]) == 0
    out = capsys.readouterr().out
    assert "karpenter-aws" in out
    assert "Older than 90 days: " in out
    assert "Spot older than 7 days: aws (" in out
    assert "`dl-advisor prices refresh`" in out


def test_status_fits_a_terminal_and_tells_ranges_as_ranges(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert run(["prices"]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    assert re.search(r"aws +\d+ +\d{4}-\d\d-\d\d – ", out)
    monkeypatch.setenv("COLUMNS", "120")
    assert run(["prices"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"aws +\d+ +\d{4}-\d\d-\d\d – \d{4}-\d\d-\d\d ", out)


def test_status_as_a_file(tmp_path, capsys):
    target = tmp_path / "status.json"
    assert run(["prices", "--json", str(target)]) == 0
    assert json.loads(target.read_text())["kind"] == "PriceStatus"
    assert "aws" in capsys.readouterr().out


def test_refreshed_prices_are_used_from_then_on(server, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "140")
    before = {(o.vendor, o.instance_type, o.region): o for o in dataset.bundled_knowledge().offers}
    assert run(words(server)) == 0
    told = capsys.readouterr()
    assert told.out == ""
    assert "dl-advisor: aws: asking 127.0.0.1" in told.err
    assert f"dl-advisor: aws: {len(OFFERS)} rows, of today" in told.err
    after = {(o.vendor, o.instance_type, o.region): o for o in dataset.bundled_knowledge().offers}
    assert after.keys() == before.keys()
    key = ("aws", OFFERS[7].instance_type, OFFERS[7].region)
    assert after[key].usd_per_hour == pytest.approx(before[key].usd_per_hour * 1.25, rel=1e-3)
    assert after[key].observed_on == journey.today()
    assert aws_prices(capsys).newest == journey.today()
    assert run(["prices"]) == 0
    assert "refreshed 20" in capsys.readouterr().out


def test_failed_check_keeps_the_old_prices_and_is_exit_3(server, capsys):
    assert run(words(server)) == 0
    server.routes["/c/v8/aws/vms.csv"] = answer(catalog(OFFERS, factor=12, zones=1))
    capsys.readouterr()
    assert run(words(server)) == 3
    err = capsys.readouterr().err
    assert "aws: the old prices stay in use: 127.0.0.1: " in err
    assert "USD per hour instead of" in err
    assert aws_prices(capsys).fetched_at is not None


def test_damaged_table_is_said_and_the_bundled_one_used(server, tmp_path, capsys):
    assert run(words(server)) == 0
    table = next(tmp_path.rglob("aws.csv"))
    table.write_bytes(table.read_bytes()[:5000])
    capsys.readouterr()
    dataset.bundled_knowledge.cache_clear()
    assert len(dataset.bundled_knowledge().offers) == len(load_knowledge().offers)
    assert run(["prices"]) == 3
    assert "a refreshed table is not used" in capsys.readouterr().err


def test_regions_are_listed_by_vendor(capsys):
    assert run(["prices", "regions"]) == 0
    out = capsys.readouterr().out
    assert "us-east-1" in out.partition("aws\n")[2].partition("azure\n")[0]
    assert "centralindia" in out.partition("azure\n")[2]
    assert run(["prices", "regions", "--vendor", "lambda"]) == 0
    assert capsys.readouterr().out == "lambda\n  any\n"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["refresh", "--vendor", "hetzner"], "'hetzner' cannot be refreshed: choose of aws"),
        (["refresh", "--regions", "moon-1"], "'moon-1' is not a region of"),
        (["refresh", "--regions", "narnia"], "no offer is in region 'narnia': `dl-advisor prices"),
        (["regions", "--vendor", "narnia"], "no offer is of 'narnia': choose of akash, aws"),
        (["regions", "--regions", "eastus"], "--regions goes with `prices refresh`"),
        (["refresh", "--json"], "--json goes with `prices status`"),
        (["status", "--vendor", "aws"], "--vendor goes with `prices refresh`"),
        (["frobnicate"], "invalid choice: 'frobnicate'"),
    ],
)
def test_bad_input_is_exit_2_and_one_line(more, message, capsys):
    assert run(["prices", *more]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1


def test_addresses_must_have_tls(capsys):
    assert run(["prices", "refresh", "--vendor", "lambda", "--catalog-url", "http://x.org"]) == 3
    assert "only https addresses are asked" in capsys.readouterr().err


@pytest.mark.skipif(os.name != "posix", reason="sends a POSIX signal")
def test_interrupt_is_130_and_quick(server, tmp_path):
    server.routes["/c/v8/aws/vms.csv"] = drip
    child = subprocess.Popen(
        [sys.executable, "-P", "-m", "ui", *words(server)],
        stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    until = time.monotonic() + 20
    while "/c/v8/aws/vms.csv" not in server.asked and time.monotonic() < until:
        time.sleep(0.02)
    time.sleep(0.1)
    began = time.monotonic()
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=20)
    assert child.returncode == 130
    assert time.monotonic() - began < 5
    assert "aws: the old prices stay in use: cancelled" in err
    assert "Traceback" not in err
    assert not list(tmp_path.rglob("aws.csv"))


def test_other_commands_never_load_the_network():
    code = (
        "import sys, ui.cli, ui.commands, ui.journey\n"
        "assert 'requests' not in sys.modules and 'urllib3' not in sys.modules\n"
    )
    subprocess.run(
        [sys.executable, "-P", "-c", code], check=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )


def test_progress_on_a_terminal_is_one_line_that_goes_away(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    line = price_commands._Line()
    progress = RefreshProgress(name="aws", host="example.org", n_bytes=2 * 1024 * 1024)
    for _ in range(5):
        line.show(progress)
    line.clear()
    err = capsys.readouterr().err
    assert err.count("aws: 2") == 1
    assert "from example.org; Ctrl-C stops" in err
    assert err.endswith("\r\x1b[K")
    assert "\n" not in err
