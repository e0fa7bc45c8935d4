"""The quick way reads what the slow way reads, and nothing that the slow way refuses."""

import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.errors import FormatError
from advisor.share.collector.reader import one_form, read_good_upload
from advisor.share.upload import canonical_bytes, parse_upload
from tests.advisor.share.builders import upload, with_figure
from tests.helpers.bundled import bundled_knowledge

GOOD = canonical_bytes(upload(bundled_knowledge()))
_PLACES = ("version", "month", "memory_gib", "devices", "figures", "steps", "system", "more")
_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["cpu", "linux", "forward", 10**400, float("nan")]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)


def slowly(data):
    try:
        return parse_upload(data)
    except FormatError:
        return None


def changed(old: str, new: str) -> bytes:
    data = GOOD.replace(old.encode(), new.encode(), 1)
    assert data != GOOD
    return data


def test_a_good_upload_is_read_at_once():
    assert read_good_upload(GOOD) == parse_upload(GOOD)


@given(place=st.sampled_from(_PLACES), value=_VALUES)
def test_a_changed_entry_is_read_alike_or_left_to_the_slow_way(place, value):
    data = json.dumps({**json.loads(GOOD), place: value}).encode()
    assert read_good_upload(data) in (None, slowly(data))


@given(part=st.sampled_from(["devices", "figures"]), name=st.integers(0, 13), value=_VALUES)
def test_a_changed_field_is_read_alike_or_left_to_the_slow_way(part, name, value):
    body = json.loads(GOOD)
    names = sorted(body[part][0])
    body[part][0][names[name % len(names)]] = value
    data = json.dumps(body).encode()
    assert read_good_upload(data) in (None, slowly(data))


@given(st.integers(0, len(GOOD) - 1), st.binary(max_size=3))
def test_changed_bytes_are_read_alike_or_left_to_the_slow_way(place, new):
    data = GOOD[:place] + new + GOOD[place + 1 :]
    assert read_good_upload(data) in (None, slowly(data))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xef\xbb\xbf" + GOOD,
        GOOD + b"x",
        changed('"n_values":3', '"n_values":3.0'),
        changed('"n_values":3', '"n_values":true'),
        changed('"spread":', '"spread":1e999,"_":'),
        changed('"month":"', '"month":"\x00'),
        changed('"steps":[]', '"steps":null'),
        changed('"version":1', '"version":1,"host":"gandalf"'),
        changed('"forward"', '"sideways"'),
    ],
)
def test_what_is_wrong_is_refused_both_ways(data):
    assert read_good_upload(data) is slowly(data) is None


@pytest.mark.parametrize(
    "data",
    [
        b" \n" + GOOD + b"\t",
        changed('"steps":[],', ""),
        changed('"month":"2026-11"', '"month":"evil","month":"2026-11"'),
        json.dumps(json.loads(GOOD), indent=3).encode(),
    ],
)
def test_bodies_that_say_the_same_have_one_form(data):
    (read,) = {read_good_upload(data), slowly(data)}
    assert one_form(read) == one_form(parse_upload(GOOD))
    assert "evil" not in one_form(read)


def test_one_form_says_all_of_it(knowledge):
    made = with_figure(upload(knowledge), spread=1e-5, value=1e16)
    assert parse_upload(one_form(made).encode()) == made
    other = dataclasses.replace(made, memory_gib=None)
    assert one_form(other) != one_form(made)
