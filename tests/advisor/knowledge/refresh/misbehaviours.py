"""What a server of prices may do wrong, and the words that say so."""

import gzip
import socket

from advisor.knowledge.refresh.accept import anchors
from advisor.knowledge.refresh.sources import SOURCES
from tests.advisor.knowledge.refresh.refreshing import GOOD, VMS
from tests.advisor.knowledge.refresh.servers import (
    answer,
    aws_offers,
    catalog,
    drip,
    drip_headers,
    hang,
)


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
