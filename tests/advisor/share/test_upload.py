"""Bytes and values of an upload stand for each other; anything else is refused in one line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.errors import FormatError
from advisor.share.upload import MAX_BYTES, canonical_bytes, id_of, parse_upload
from tests.advisor.share.builders import upload


def test_bytes_are_canonical_and_read_back(knowledge):
    made = upload(knowledge)
    data = canonical_bytes(made)
    assert parse_upload(data) == made
    assert canonical_bytes(parse_upload(data)) == data
    assert b" " not in data.replace(b"gemm m1024 n1024 k1024", b"").split(b'"kernel"')[0][:40]
    assert len(data) < MAX_BYTES / 20


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "not JSON"),
        (b"\xff\xfe", "not UTF-8"),
        (b"[" * 100_000, "nested too deeply|not JSON"),
        (b'{"version": NaN}', "NaN is not a number"),
        (b'{"version": -Infinity}', "-Infinity is not a number"),
        (b'{"version": ' + b"9" * 5000 + b"}", "not JSON"),
        (b"null", "expected an object"),
        (b"[]", "expected an object"),
        (b'{"version": 1, "host": "gandalf"}', "unknown field"),
        (b'{"version": true}', "expected int"),
    ],
)
def test_what_is_no_upload_is_refused(data, why):
    with pytest.raises(FormatError, match=why):
        parse_upload(data)


@given(st.binary(max_size=200))
def test_any_bytes_are_refused_or_an_upload(data):
    with pytest.raises(FormatError):
        parse_upload(data)


def test_the_name_of_an_upload_is_the_hash_of_its_token():
    assert id_of("a") == "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"
