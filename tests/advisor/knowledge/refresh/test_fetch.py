"""Addresses that are asked, and what belongs to the same host."""

import pytest

from advisor.knowledge.refresh.fetch import check_address, host_of, is_same_host
from advisor.knowledge.refresh.sources import PriceError


@pytest.mark.parametrize(
    "url", ["https://example.org/x", "http://127.0.0.1:8/x", "http://localhost/x", "http://[::1]/x"]
)
def test_allowed(url):
    check_address(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org", "ftp://127.0.0.1", "file:///etc/passwd", "x", "", "https:///x",
        "http://127.0.0.1.example.org/", "http://localhost.example.org/",
    ],
)  # fmt: skip
def test_refused(url):
    with pytest.raises(PriceError, match="only https"):
        check_address(url)


@pytest.mark.parametrize(
    ("url", "other", "is_same"),
    [
        ("https://a.b/x", "https://a.b:443/y?z", True),
        ("https://a.b/x", "https://A.B/y", True),
        ("https://a.b/x", "http://a.b/y", False),
        ("https://a.b/x", "https://a.b:444/y", False),
        ("https://a.b/x", "https://a.b.c/y", False),
        ("https://a.b/x", "https://a.b@evil.example/y", False),
        ("https://a.b/x", "https://a.b:99999999/y", False),
        ("https://a.b/x", "//a.b/y", False),
    ],
)
def test_same_host(url, other, is_same):
    assert is_same_host(url, other) is is_same


def test_host():
    assert host_of("https://user:secret@a.b:8/x?y") == "a.b"
