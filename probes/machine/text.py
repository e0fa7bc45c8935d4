"""Numbers and lists as the kernel writes them, to values. Garbage gives None, never an error.

Leaves to others: which file holds what.
"""

import json
import math
import re
from collections.abc import Iterable
from typing import Any

_SIZE = re.compile(r"\s*(\d{1,15})\s*([kmgt]?)(?:i?b)?\s*", re.IGNORECASE)
_UNITS = {"": 1, "k": 1024, "m": 1024**2, "g": 1024**3, "t": 1024**4}

# More logical CPUs than any machine has; bounds what a damaged list can cost.
MAX_CPUS = 65_536
# Of a memory channel of DIMMs; those of DDR5 count both halves.
_CHANNEL_BITS = 64


def parse_int(text: object, *, base: int = 10) -> int | None:
    """Return the integer that the text (or number) is, or None."""
    if isinstance(text, bool):
        return None
    if isinstance(text, int):
        return text
    if isinstance(text, float):
        return int(text) if math.isfinite(text) else None
    if not isinstance(text, str) or len(text) > 64:
        return None
    try:
        return int(text.strip(), base)
    except ValueError:
        return None


def parse_float(text: object) -> float | None:
    """Return the finite number that the text (or number) is, or None."""
    if isinstance(text, bool) or not isinstance(text, (str, int, float)):
        return None
    if isinstance(text, str) and len(text) > 64:
        return None
    try:
        value = float(text)
    except (ValueError, OverflowError):
        return None
    return value if math.isfinite(value) else None


def positive(value: float | None) -> float | None:
    """Return the value if it is above zero, else None."""
    return value if value is not None and value > 0 else None


def positive_int(value: int | None) -> int | None:
    """Return the value if it is above zero, else None."""
    return value if value is not None and value > 0 else None


def parse_size(text: str | None) -> int | None:
    """Return the bytes that "32K", "1024 KB" or "512" stand for (binary units)."""
    match = _SIZE.fullmatch(text) if text is not None and len(text) < 64 else None
    if match is None:
        return None
    return int(match[1]) * _UNITS[match[2].lower()]


def parse_cpu_list(text: str | None) -> tuple[int, ...] | None:
    """Return the numbers in a list of the kernel: "0-3,8,10-11"."""
    if text is None or not text.strip():
        return None
    numbers: set[int] = set()
    for part in text.strip().split(","):
        first_text, _, last_text = part.partition("-")
        first = parse_int(first_text)
        last = parse_int(last_text) if last_text else first
        if first is None or last is None or not 0 <= first <= last < MAX_CPUS:
            return None
        numbers.update(range(first, last + 1))
    return tuple(sorted(numbers))


def parse_hex_id(text: str | None) -> str | None:
    """Return four lower-case hex digits of a PCI identity such as "0x1002"."""
    value = parse_int(text, base=16) if text is not None else None
    return f"{value:04x}" if value is not None and 0 <= value <= 0xFFFF else None


def parse_key_values(text: str | None, *, separator: str = "=") -> dict[str, str]:
    """Return the pairs of a file with one `key=value` a line; quotes around a value are removed."""
    pairs: dict[str, str] = {}
    for line in (text or "").splitlines():
        key, found, value = line.partition(separator)
        if found and key.strip():
            pairs.setdefault(key.strip(), value.strip().strip('"'))
    return pairs


def parse_json_object(text: str | None) -> dict[str, Any]:
    """Return the JSON object in a text; empty when it holds none."""
    if text is None:
        return {}
    start = text.find("{")
    if start < 0:
        return {}
    try:
        value = json.loads(text[start:])
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def objects(value: object) -> tuple[dict[str, Any], ...]:
    """Return the objects in a list, or the one object that stands for a list of one."""
    entries = value if isinstance(value, list) else [value]
    return tuple(entry for entry in entries if isinstance(entry, dict))


def clean_name(text: object) -> str | None:
    """Return a printable name with single spaces, at most 200 characters; None when empty."""
    if not isinstance(text, str):
        return None
    printable = "".join(c if c.isprintable() else " " for c in text[:1000])
    return " ".join(printable.split())[:200].rstrip() or None


def wide_channels(widths: Iterable[int | None]) -> int:
    """Return how many memory channels of 64 bits some channels are; None: of 64 bits.

    Soldered memory has channels of 16 or 32 bits.
    """
    bits = sum(min(width or _CHANNEL_BITS, _CHANNEL_BITS) for width in widths)
    return max(1, bits // _CHANNEL_BITS)
