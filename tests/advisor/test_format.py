"""Numbers read as people expect, at every size and at the edges between units."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.format import (
    format_bytes,
    format_count,
    format_duration,
    format_duration_interval,
    format_factor,
    format_factor_interval,
    format_number,
    format_percent,
    format_rate,
    format_usd,
    format_usd_interval,
    format_usd_per_hour,
)
from advisor.model.quantity import Interval


@pytest.mark.parametrize(
    ("time_s", "text"),
    [
        (None, "–"),
        (0.0, "0 µs"),
        (1.8e-4, "180 µs"),
        (0.02345, "23.4 ms"),
        (0.9994, "999 ms"),
        (0.9999, "1 s"),
        (9.9996e-4, "1 ms"),
        (42.0, "42 s"),
        (59.94, "59.9 s"),
        (59.96, "1 min"),
        (81.3, "1 min 21 s"),
        (119.0, "1 min 59 s"),
        (200.0, "3 min 20 s"),
        (180.0, "3 min"),
        (3599.4, "59 min 59 s"),
        (3599.6, "1 h"),
        (7199.6, "2 h"),
        (86_369.0, "23 h 59 min"),
        (86_399.0, "1 d"),
        (5 * 3600 + 12 * 60, "5 h 12 min"),
        (4.2 * 3600, "4 h 12 min"),
        (76 * 3600, "3 d 4 h"),
        (365 * 86_400.0, "365 d"),
        (366 * 86_400.0, "1 year"),
        (2.5 * 365.25 * 86_400.0, "2.5 years"),
        (7_941_207 * 86_400.0, "over 1,000 years"),
    ],
)
def test_durations(time_s, text):
    assert format_duration(time_s) == text


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (4.123e11, "flop/s", "412 GFLOP/s"),
        (3.5e10, "B/s", "35 GB/s"),
        (1.25e13, "op/s", "12.5 TOP/s"),
        (244.0, "1/s", "244 /s"),
        (0.5, "1/s", "0.5 /s"),
        (3.4e-5, "s", "34 µs"),
        (None, "B/s", "–"),
    ],
)
def test_rates(value, unit, text):
    assert format_rate(value, unit) == text


def test_bytes_counts_percent_factors():
    assert format_bytes(32 * 1024**2) == "32 MiB"
    assert format_bytes(1536) == "1.5 KiB"
    assert format_bytes(0) == "0 B"
    assert format_bytes(None) == "–"
    assert format_count(25557032) == "25,557,032"
    assert format_count(None) == "–"
    assert format_percent(0.0312) == "3.1 %"
    assert format_percent(None) == "–"
    assert format_factor(1.84) == "1.8×"
    assert format_factor(None) == "–"
    assert format_factor_interval(Interval(low=1.5, mid=1.84, high=2.2)) == "1.8× (1.5× – 2.2×)"
    assert format_factor_interval(Interval(low=1, mid=1, high=1)) == "1×"


@pytest.mark.parametrize(
    ("usd", "text"),
    [
        (0.0, "0.00 USD"),
        (6.7e-8, "< 0.01 USD"),
        (0.00312, "< 0.01 USD"),
        (0.0062, "0.01 USD"),
        (0.129, "0.13 USD"),
        (1.239, "1.24 USD"),
        (99.996, "100 USD"),
        (1239.6, "1,240 USD"),
        (None, "–"),
    ],
)
def test_money(usd, text):
    assert format_usd(usd) == text


def test_prices_of_an_hour_keep_their_digits():
    assert format_usd_per_hour(0.00312) == "0.00312 USD/h"
    assert format_usd_per_hour(32.77) == "32.8 USD/h"
    assert format_usd_per_hour(None) == "–"


@given(st.floats(min_value=0, max_value=3e10))
def test_no_part_of_a_duration_is_a_whole_larger_unit(time_s):
    words = format_duration(time_s).split()
    small = {"h": 24, "min": 60, "s": 60}
    for number, unit in zip(words[2::2], words[3::2], strict=True):
        assert 0 < int(number) < small[unit]
    if words[1] in small and len(words) > 1 and words[0] != "over":
        assert float(words[0]) < small[words[1]] if words[1] != "s" else float(words[0]) < 60


def test_intervals_show_their_ends_only_when_they_differ():
    assert format_usd_interval(Interval(low=1, mid=1.001, high=1.002)) == "1.00 USD"
    assert format_usd_interval(Interval(low=1, mid=2, high=3)) == "2.00 USD (1.00 – 3.00)"
    assert format_usd_interval(Interval(low=0, mid=1e-5, high=9e-3)) == "< 0.01 USD"
    text = format_duration_interval(Interval(low=35, mid=42, high=50))
    assert text == "42 s (35 s – 50 s)"


@given(st.floats(min_value=1e-9, max_value=1e15))
def test_three_digits_are_kept(value):
    text = format_number(value)
    assert float(text.replace(",", "")) == pytest.approx(value, rel=5.1e-3)
    assert ("," in text) is (value >= 9999.5)


@given(st.floats(min_value=0, max_value=1e9), st.floats(min_value=0, max_value=1e9))
def test_same_text_means_nearly_same_duration(first, second):
    if format_duration(first) == format_duration(second) and max(first, second) >= 1e-6:
        # Years have two digits.
        share = 0.05 if min(first, second) > 3e7 else 0.02
        assert abs(first - second) <= share * max(first, second) + 1e-9
