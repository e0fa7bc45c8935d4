"""Wishes that cannot be are refused in one line; dates have an age."""

import math

import pytest

from advisor.errors import InputError
from advisor.model.recommendation import Preferences
from advisor.recommend.preferences import age_days, check_date, check_preferences


@pytest.mark.parametrize(
    "wishes",
    [
        {"max_usd": -1.0},
        {"max_usd": math.nan},
        {"max_usd": math.inf},
        {"deadline_h": -0.5},
        {"deadline_h": 0.0},
        {"electricity_usd_per_kwh": -0.1},
        {"regions": ("us-east-1", " ")},
        {"currency": "EUR"},
    ],
)
def test_bad_wishes_are_refused_in_one_line(wishes):
    with pytest.raises(InputError) as caught:
        check_preferences(Preferences(**wishes))
    text = str(caught.value)
    assert text
    assert "\n" not in text


@pytest.mark.parametrize(
    "wishes",
    [{}, {"max_usd": 0.0}, {"deadline_h": 0.1}, {"regions": ("eu",)}],
)
def test_good_wishes_pass(wishes):
    check_preferences(Preferences(**wishes))


def test_the_value_is_named():
    with pytest.raises(InputError, match=r"budget.*-1\.0"):
        check_preferences(Preferences(max_usd=-1.0))


def test_a_date_must_be_one():
    assert check_date("2026-11-21").day == 21
    with pytest.raises(InputError, match="2026-13-01"):
        check_date("2026-13-01")


@pytest.mark.parametrize(
    ("date", "days"),
    [
        ("2026-11-21", 0),
        ("2026-11-01", 20),
        ("2026-12-24", 0),
        ("2026-10", 21),
        ("2025-12", 325),
        ("2025", 325),
        ("soon", None),
        ("2026-99-99", None),
    ],
)
def test_age_counts_from_the_end_of_a_month_or_year(date, days):
    assert age_days(date, today="2026-11-21") == days


@pytest.mark.parametrize(
    "wishes",
    [
        {"data_bytes": -1},
        {"use_h_per_week": 0.0},
        {"use_h_per_week": 169.0},
        {"use_h_per_week": float("nan")},
    ],
)
def test_data_and_use_that_cannot_be(wishes):
    with pytest.raises(InputError):
        check_preferences(Preferences(**wishes))


def test_data_and_use_that_can_be():
    check_preferences(Preferences(data_bytes=0, use_h_per_week=168.0))
