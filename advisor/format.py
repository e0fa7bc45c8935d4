"""Numbers as people read them: durations, rates, bytes, money, factors, with three digits.

Every function takes SI units (the unit stands in the argument's name) and returns text without
a trailing unit problem: "42 s", "412 GFLOP/s". Unknown (None) is an en dash.
Leaves to others: the words around the numbers (`advisor.report`).
"""

import math

from advisor.model.quantity import Interval

UNKNOWN = "–"
_SI = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
_BINARY = ((1024**4, "TiB"), (1024**3, "GiB"), (1024**2, "MiB"), (1024, "KiB"), (1, "B"))
_MINUTE_S, _HOUR_S, _DAY_S = 60.0, 3600.0, 86400.0


def format_number(value: float, *, digits: int = 3) -> str:
    """Return a number with so many significant digits, never in scientific notation."""
    if value == 0:
        return "0"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    text = f"{value:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _two_units(value_s: float, *, large_s: float, large: str, small_s: float, small: str) -> str:
    total = round(value_s / small_s)
    per_large = round(large_s / small_s)
    whole, rest = divmod(total, per_large)
    return f"{whole} {large} {rest} {small}" if rest else f"{whole} {large}"


def format_duration(time_s: float | None) -> str:
    """Return a duration: "180 µs", "23.4 ms", "42 s", "3 min 20 s", "5 h 12 min", "3 d 4 h"."""
    if time_s is None:
        return UNKNOWN
    if time_s < 1e-3:
        return f"{format_number(time_s * 1e6)} µs"
    if time_s < 1.0:
        return f"{format_number(time_s * 1e3)} ms"
    if time_s < 2 * _MINUTE_S:
        return f"{format_number(time_s)} s"
    if time_s < 2 * _HOUR_S:
        return _two_units(time_s, large_s=_MINUTE_S, large="min", small_s=1.0, small="s")
    if time_s < 2 * _DAY_S:
        return _two_units(time_s, large_s=_HOUR_S, large="h", small_s=_MINUTE_S, small="min")
    return _two_units(time_s, large_s=_DAY_S, large="d", small_s=_HOUR_S, small="h")


def format_duration_interval(interval: Interval) -> str:
    """Return a duration with its interval: "42 s (35 s – 50 s)"."""
    low, high = format_duration(interval.low), format_duration(interval.high)
    return f"{format_duration(interval.mid)} ({low} – {high})"


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
    """Return an amount of money: "0.0031 USD", "1.24 USD", "1,240 USD"."""
    if value_usd is None:
        return UNKNOWN
    if value_usd >= 100:
        return f"{value_usd:,.0f} USD"
    if value_usd >= 1 or value_usd == 0:
        return f"{value_usd:.2f} USD"
    return f"{format_number(value_usd, digits=2)} USD"


def format_usd_interval(interval: Interval) -> str:
    """Return an amount with its interval where that is wider than the last digit shown."""
    low, mid, high = (format_usd(v) for v in (interval.low, interval.mid, interval.high))
    return mid if low == mid == high else f"{mid} ({low} – {high})"


def format_factor(factor: float | None) -> str:
    """Return a factor: "1.8×"."""
    return UNKNOWN if factor is None else f"{format_number(factor, digits=2)}×"


def format_factor_interval(interval: Interval) -> str:
    """Return a factor with its interval: "1.8× (1.5× – 2.2×)"."""
    low, mid, high = (format_factor(v) for v in (interval.low, interval.mid, interval.high))
    return mid if low == mid == high else f"{mid} ({low} – {high})"


def format_percent(fraction: float | None) -> str:
    """Return a fraction as a percentage: "3.1 %"."""
    return UNKNOWN if fraction is None else f"{format_number(fraction * 100, digits=2)} %"
