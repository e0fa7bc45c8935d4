"""A server on this machine that answers as it is told, and lists of the documented shapes."""

import csv
import io
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from advisor.knowledge.refresh.run import Surroundings
from advisor.knowledge.refresh.sources import Endpoints, Limits, RefreshRequest
from advisor.knowledge.store import Knowledge
from advisor.model.offer import AcceleratorName, Offer, SpotBand

RECORDED = Path(__file__).resolve().parents[3] / "data" / "prices"
NOW = "2026-11-21T10:00:00+00:00"
GIB = 1024**3
AWS_REGIONS = ("us-east-1", "us-west-2", "eu-west-1")
COLUMNS = (
    *("InstanceType", "AcceleratorName", "AcceleratorCount", "vCPUs", "MemoryGiB", "GpuInfo"),
    *("Price", "SpotPrice", "Region", "AvailabilityZone", "Arch"),
)
SHORT = Limits(connect_s=0.5, read_s=0.25, total_s=0.8, tries=2, pause_s=0.01, max_bytes=2_000_000)


class PriceServer:
    """Answers each path by its function; records what was asked."""

    def __init__(self):
        self.routes = {}
        self.asked = []
        self.headers = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self):
                outer.asked.append(self.path)
                outer.headers.append(dict(self.headers))
                route = outer.routes.get(self.path.split("?")[0], gone)
                try:
                    route(self)
                except (ConnectionError, TimeoutError):
                    self.close_connection = True

            def log_message(self, *_words):
                pass

        class Server(ThreadingHTTPServer):
            def handle_error(self, *_words):
                """Say nothing: the other side may go away."""

        self._server = Server(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self._thread.start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def send(handler, body, *, status=200, headers=None):
    handler.send_response(status)
    for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
        if value is not None:
            handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body)


def gone(handler):
    send(handler, b"nothing", status=404)


def answer(body, **more):
    return lambda handler: send(handler, body, **more)


def drip(handler, *, every_s=0.05):
    """Send the headers, then a byte at a time for ever: no time-out of a socket sees that."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000000")
    handler.end_headers()
    while True:
        handler.wfile.write(b"x")
        handler.wfile.flush()
        time.sleep(every_s)


def drip_headers(handler):
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while True:
        handler.wfile.write(b"x")
        handler.wfile.flush()
        time.sleep(0.05)


def hang(handler):
    """Send nothing until the other side goes away."""
    handler.connection.settimeout(5)
    handler.connection.recv(1)


def aws_offers():
    """Return offers in use: 60 types in three regions, the price by size and region."""
    rows = []
    for number, region in enumerate(AWS_REGIONS):
        for family in ("c7i", "m7i", "r7i", "c7a", "m7a", "c8g"):
            for size in range(1, 11):
                usd = round(0.1 * size * (1 + 0.1 * number), 4)
                rows.append(offer(f"{family}.{size}xlarge", region, usd, family, size))
    return tuple(rows)


def offer(name, region, usd, family, size, **more):
    values = {
        "vendor": "aws", "instance_type": name, "region": region, "family": family,
        "architecture": "arm64" if family == "c8g" else "x86_64", "vcpus": 4.0 * size,
        "memory_bytes": 8 * size * GIB, "accelerator": None, "n_accelerators": None,
        "accelerator_memory_bytes": None, "usd_per_hour": usd,
        "spot_usd_per_hour": round(usd * 0.4, 4), "observed_on": "2026-07-20",
        "spot_observed_on": "2025-06-28", "source": "old-list", "spot_source": "old-spot-list",
    }  # fmt: skip
    return Offer(**{**values, **more})


ACCELERATORS = tuple(
    AcceleratorName(accelerator=name, memory_bytes=None, device=None, note=None)
    for name in ("A100", "A100-PCIe", "A100-SXM", "A10", "RTX-A6000", "L4", "T4", "H100-SXM")
)


def knowledge(*more):
    bands = tuple(
        SpotBand(
            vendor="aws", instance_type=row.instance_type, region=row.region, low_percent=5.0,
            high_percent=10.0, observed_on="2025-06-28", source="old",
        )
        for row in aws_offers()
        if row.family == "c7i"
    )  # fmt: skip
    return Knowledge(offers=(*aws_offers(), *more), accelerators=ACCELERATORS, spot_bands=bands)


def catalog(offers, *, factor=1.0, change=None, zones=4):
    """Return a catalog of these offers in zones of each region; `change` edits a record."""
    records = [_record(row, zone, factor) for row in offers for zone in range(zones)]
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for number, record in enumerate(records):
        if change is not None:
            change(number, record)
        writer.writerow(record)
    return stream.getvalue().encode()


def _record(row, zone, factor):
    usd = row.usd_per_hour * factor
    return {
        "InstanceType": row.instance_type, "AcceleratorName": "", "AcceleratorCount": "",
        "vCPUs": str(row.vcpus), "MemoryGiB": str(row.memory_bytes / GIB), "GpuInfo": "",
        "Price": f"{usd:.4f}", "SpotPrice": f"{usd * (0.3 + zone / 100):.4f}",
        "Region": row.region, "AvailabilityZone": f"{row.region}-az{zone}",
        "Arch": row.architecture,
    }  # fmt: skip


def spot_advisor(offers, *, ranges=None):
    table = {}
    for number, row in enumerate(offers):
        region = table.setdefault(row.region, {"Linux": {}, "Windows": {}})
        region["Linux"][row.instance_type] = {"s": 60, "r": number % 5}
    usual = [
        {"index": 0, "label": "<5%", "dots": 0, "max": 5},
        {"index": 1, "label": "5-10%", "dots": 1, "max": 11},
        {"index": 2, "label": "10-15%", "dots": 2, "max": 16},
        {"index": 3, "label": "15-20%", "dots": 3, "max": 22},
        {"index": 4, "label": ">20%", "dots": 4, "max": 100},
    ]
    data = {"ranges": ranges or usual, "instance_types": {}, "spot_advisor": table}
    return json.dumps(data).encode()


def request(server, *, vendors=("aws",), regions=AWS_REGIONS, limits=SHORT, **more):
    endpoints = Endpoints(
        catalogs=(f"{server.url}/primary", f"{server.url}/mirror"),
        azure=f"{server.url}/azure",
        spot_advisor=f"{server.url}/advisor.json",
    )
    return RefreshRequest(
        vendors=vendors, regions=regions, limits=limits, **{"endpoints": endpoints, **more}
    )


def around(folder, *, bundled=None, now=NOW, should_stop=lambda: False, events=None):
    told = [] if events is None else events
    return Surroundings(
        bundled=bundled or knowledge(),
        folder=folder,
        now=now,
        user_agent="dl-advisor/0.0-test",
        should_stop=should_stop,
        on_progress=told.append,
    )
