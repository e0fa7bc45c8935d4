"""Wishes that cannot be: one line for the person who made them.

Leaves to others: what the wishes do (`advisor.recommend.rank`, `advisor.recommend.offers`).
"""

import datetime as dt
import math

from advisor.errors import InputError
from advisor.model.recommendation import Preferences

# All prices in the data are in this currency.
CURRENCY = "USD"
WEEK_H = 168.0


def check_preferences(preferences: Preferences) -> None:
    """Refuse wishes that cannot be.

    Raises:
        InputError: naming the wish and its value.
    """
    _check_number("the budget", preferences.max_usd, "USD")
    _check_number("the price of electricity", preferences.electricity_usd_per_kwh, "USD per kWh")
    _check_number("the deadline", preferences.deadline_h, "hours")
    if preferences.deadline_h == 0.0:
        raise InputError("the deadline must be more than 0 hours")
    _check_number("the size of the data", preferences.data_bytes, "bytes")
    _check_number("the use in a week", preferences.use_h_per_week, "hours")
    if preferences.use_h_per_week is not None and not 0 < preferences.use_h_per_week <= WEEK_H:
        hours = preferences.use_h_per_week
        if hours == 0.0:
            raise InputError("the use in a week must be more than 0 hours: leave it out for any")
        raise InputError(f"a week has {WEEK_H:.0f} hours, got {hours:g}")
    for region in preferences.regions:
        if not region.strip():
            raise InputError(f"a region must have a name, got {region!r}")
    if preferences.currency != CURRENCY:
        raise InputError(f"prices are known in {CURRENCY} only, not in {preferences.currency!r}")


def _check_number(name: str, value: float | None, unit: str) -> None:
    if value is None:
        return
    if not math.isfinite(value) or value < 0.0:
        raise InputError(f"{name} must be a number of {unit} from 0 on, got {value!r}")


def check_date(text: str) -> dt.date:
    """Return an ISO date ("2026-11-21").

    Raises:
        InputError: when it is no date.
    """
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        raise InputError(f"a date must look like 2026-11-21, got {text!r}") from None


def age_days(observed_on: str, *, today: str) -> int | None:
    """Return the days since an ISO date, a month ("2026-07") or a year; None when it is none.

    A month or a year counts from its end, so that a figure never looks older than it is.
    """
    parts = observed_on.split("-")
    try:
        numbers = [int(part) for part in parts]
        if len(numbers) == 1:
            seen = dt.date(numbers[0], 12, 31)
        elif len(numbers) == 2:
            later = dt.date(numbers[0] + numbers[1] // 12, numbers[1] % 12 + 1, 1)
            seen = later - dt.timedelta(days=1)
        else:
            seen = dt.date(*numbers[:3])
    except ValueError:
        return None
    return max(0, (check_date(today) - seen).days)
