"""Whether what a saved machine says can be: a clock of 0 or a billion cores would be counted with.

Leaves to others: what a value is (`advisor.model.machine`), comparing shared rows with what is
known of their device (`advisor.share.plausible`).
"""

import dataclasses
import datetime as dt
from collections import Counter
from collections.abc import Iterator
from typing import Any

from advisor.errors import InputError
from advisor.model.machine import MachineProfile

# Least and most by the end of a field's name; the unit stands there too.
_RANGES: tuple[tuple[str, float, float], ...] = (
    ("_mhz", 1.0, 20_000.0),
    ("memory.total_bytes", 1e6, 2.0**60),
    ("size_bytes", 1.0, 2.0**60),
    ("_bytes", 0.0, 2.0**60),
    ("level", 1.0, 5.0),
    ("_cores", 1.0, 1e4),
    ("_cpus", 0.01, 1e4),
    ("n_packages", 1.0, 1e4),
    ("n_numa_nodes", 1.0, 1e4),
    ("compute_units", 0.0, 1e6),
    ("channels", 1.0, 1e4),
    ("_mt_per_s", 1.0, 1e6),
    ("_fraction", 0.0, 1.0),
)
# The first of each pair is part of the second.
PARTS: tuple[tuple[str, str], ...] = (
    ("cpu.n_physical_cores", "cpu.n_logical_cpus"),
    ("cpu.usable_cpus", "cpu.n_logical_cpus"),
    ("cpu.n_packages", "cpu.n_physical_cores"),
    ("memory.available_bytes", "memory.total_bytes"),
)
# A probe keeps at most 200 characters of a name; a board and its processor are two.
_LONGEST_NAME = 500
_SHOWN = 40


def check_value(name: str, value: object) -> None:
    """Refuse a number that no machine has.

    Args:
        name: dotted; what it ends with tells the range.
        value: of any type; what is no number passes.

    Raises:
        InputError: with the range.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return
    for ending, least, most in _RANGES:
        if name.endswith(ending) and not least <= value <= most:
            told = value if abs(value) < 1e18 else f"{'-' if value < 0 else ''}a huge number"
            raise InputError(f"{name}: {told} cannot be: from {least:g} to {most:g}")


def check_machine(profile: MachineProfile) -> None:
    """Refuse a machine with such a number, a part larger than the whole, or a name that is none.

    Raises:
        InputError: with the dotted name of the value.
    """
    _check_date(profile.collected_on)
    for name, devices in (
        ("graphics", profile.graphics),
        ("opencl", profile.opencl),
        ("npus", profile.npus),
    ):
        counts = Counter(device.id for device in devices)
        for device_id, n in counts.items():
            if n > 1:
                raise InputError(f"{name}: two devices have the id {_start(device_id)!r}")
        for device in devices:
            _check_name(f"{name}.{_start(device.id)}.name", device.name)
    _check_name("cpu.brand", profile.cpu.brand)
    values = dict(_values("", profile))
    for name, value in values.items():
        check_value(name, value)
    for part, whole in PARTS:
        least, most = values.get(part), values.get(whole)
        if least is not None and most is not None and least > most:
            raise InputError(f"{part}: {least} cannot be: {whole} is {most}")


def _check_date(text: str) -> None:
    try:
        dt.date.fromisoformat(text)
    except ValueError:
        raise InputError(
            f"collected_on: a date must look like 2026-11-21, got {_start(text)!r}"
        ) from None


def _check_name(name: str, text: str) -> None:
    """Refuse a text that no device is called: empty, of several lines, or endless."""
    if not text.strip() or not text.isprintable() or len(text) > _LONGEST_NAME:
        raise InputError(
            f"{name}: {_start(text)!r} is no name: 1 to {_LONGEST_NAME} printable characters"
        )


def _start(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _values(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            inner = f"{name}.{field.name}" if name else field.name
            yield from _values(inner, getattr(value, field.name))
    elif isinstance(value, tuple):
        for place, entry in enumerate(value):
            yield from _values(f"{name}.{getattr(entry, 'id', place)}", entry)
    else:
        yield name, value
