"""Numbers as people read them: durations, rates, bytes, money, factors, with three digits.

Every function takes SI units (the unit stands in the argument's name) and returns text without
a trailing unit problem: "42 s", "412 GFLOP/s". Unknown (None) is an en dash.
Leaves to others: the words around the numbers (`advisor.report`).
"""

import math

from advisor.i18n import N_, Translator
from advisor.model.quantity import Interval

UNKNOWN = "–"
_SI = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
_BINARY = ((1024**4, "TiB"), (1024**3, "GiB"), (1024**2, "MiB"), (1024, "KiB"), (1, "B"))
_MINUTE_S, _HOUR_S, _DAY_S = 60.0, 3600.0, 86400.0
_YEAR_S = 365.25 * _DAY_S
# Beyond this a duration says one thing only: never.
_MOST_YEARS = 1000.0
# From here on the thousands stand apart; clocks and memory have four digits as people know them.
_LONG = 9999.5
# Money below a cent is not worth its digits.
_CENT_USD = 0.01


def format_number(value: float, *, digits: int = 3) -> str:
    """Return a number with so many significant digits: "0.123", "3200", "12,340"."""
    if value == 0:
        return "0"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    text = f"{value:{',' if abs(value) >= _LONG else ''}.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


# (from how many seconds on, large unit, its seconds, small unit, its seconds). A duration is told
# in the largest unit that it fills and the next smaller one; the limits leave room for rounding.
_TWO_UNITS = (
    (_DAY_S - _MINUTE_S / 2, "d", _DAY_S, "h", _HOUR_S),
    (_HOUR_S - 0.5, "h", _HOUR_S, "min", _MINUTE_S),
    (_MINUTE_S - 0.05, "min", _MINUTE_S, "s", 1.0),
)


def _two_units(time_s: float) -> str:
    for limit_s, large, large_s, small, small_s in _TWO_UNITS:
        if time_s >= limit_s:
            whole, rest = divmod(round(time_s / small_s), round(large_s / small_s))
            return f"{whole} {large} {rest} {small}" if rest else f"{whole} {large}"
    return f"{format_number(time_s)} s"


def format_duration(time_s: float | None, tr: Translator | None = None) -> str:
    """Return a duration: "180 µs", "23.4 ms", "42 s", "1 min 21 s", "3 d 4 h", "2 years".

    One rule at every size: three digits below a minute, then the largest unit that is filled and
    the next smaller one; from a year on years, from a thousand on no number any more. Years are
    a word of the language of `tr`; English where there is none.
    """
    if time_s is None:
        return UNKNOWN
    if time_s < 0.9995e-3:
        return f"{format_number(time_s * 1e6)} µs"
    if time_s < 0.9995:
        return f"{format_number(time_s * 1e3)} ms"
    if time_s < _YEAR_S:
        return _two_units(time_s)
    years = time_s / _YEAR_S
    if years >= _MOST_YEARS:
        return _worded(N_("over {n} years"), f"{_MOST_YEARS:,.0f}", tr)
    if years < 1.05:
        return _worded(N_("1 year"), "1", tr)
    return _worded(N_("{n} years"), format_number(years, digits=2), tr)


def _worded(message: str, number: str, tr: Translator | None) -> str:
    return message.format(n=number) if tr is None else tr(message, n=number)


def format_duration_interval(interval: Interval, tr: Translator | None = None) -> str:
    """Return a duration with its interval: "42 s (35 s – 50 s)"."""
    low, high = format_duration(interval.low, tr), format_duration(interval.high, tr)
    return f"{format_duration(interval.mid, tr)} ({low} – {high})"


def format_rate(value: float | None, unit: str) -> str:
    """Return a rate with an SI prefix; `unit` is "flop/s", "op/s", "B/s", "1/s" or "s"."""
    if value is None:
        return UNKNOWN
    if unit == "s":
        return format_duration(value)
    name = {"flop/s": "FLOP/s", "op/s": "OP/s", "1/s": "/s"}.get(unit, unit)
    for factor, prefix in _SI:
        if value >= factor:
            return f"{format_number(value / factor)} {prefix}{name}"
    return f"{format_number(value)} {name}"


def format_bytes(size_bytes: float | None) -> str:
    """Return a size with a binary prefix: "32 MiB"."""
    if size_bytes is None:
        return UNKNOWN
    for factor, unit in _BINARY:
        if size_bytes >= factor:
            return f"{format_number(size_bytes / factor)} {unit}"
    return "0 B"


def format_count(count: int | None) -> str:
    """Return a count with thousands separated: "25,557,032"."""
    return UNKNOWN if count is None else f"{count:,}"


def format_usd(value_usd: float | None) -> str:
    """Return an amount of money: "0.13 USD", "1.24 USD", "1,240 USD", "< 0.01 USD"."""
    return UNKNOWN if value_usd is None else f"{_amount(value_usd)} USD"


def _amount(value_usd: float) -> str:
    if 0 < value_usd < _CENT_USD / 2:
        return f"< {_CENT_USD}"
    return f"{value_usd:,.0f}" if value_usd >= 99.995 else f"{value_usd:.2f}"


def format_usd_interval(interval: Interval) -> str:
    """Return an amount with its interval where that is wider than the last digit shown.

    "2.00 USD (1.00 – 3.00)"; below a cent the interval says nothing.
    """
    low, mid, high = (_amount(value) for value in (interval.low, interval.mid, interval.high))
    is_nothing = interval.high < _CENT_USD
    return f"{mid} USD" if is_nothing or low == mid == high else f"{mid} USD ({low} – {high})"


def format_usd_per_hour(value_usd: float | None) -> str:
    """Return a price of an hour, which keeps its digits however small: "0.0312 USD/h"."""
    return UNKNOWN if value_usd is None else f"{format_number(value_usd)} USD/h"


def format_factor(factor: float | None) -> str:
    """Return a factor: "1.8×"."""
    return UNKNOWN if factor is None else f"{format_number(factor, digits=2)}×"


def format_factor_interval(interval: Interval) -> str:
    """Return a factor with its interval: "1.8× (1.5× – 2.2×)"."""
    low, mid, high = (format_factor(v) for v in (interval.low, interval.mid, interval.high))
    return mid if low == mid == high else f"{mid} ({low} – {high})"


def format_spread(fraction: float | None) -> str:
    """Return a deviation as a share of its middle: "± 1.2 %"."""
    return UNKNOWN if fraction is None else f"± {format_percent(fraction)}"


def format_percent(fraction: float | None) -> str:
    """Return a fraction as a percentage: "3.1 %"."""
    return UNKNOWN if fraction is None else f"{format_number(fraction * 100, digits=2)} %"
