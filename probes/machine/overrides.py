"""Values of a profile that the user knows better, by dotted name.

"cpu.n_physical_cores" names a field; "graphics.gpu0.compute_units" one of the entry with that
id. What is asked of the user for such a value: `probes.machine.override_forms`.
Leaves to others: where the user types it (`ui.cli`, the machine page).
"""

import dataclasses
import math
import re
import types
import typing
from collections.abc import Mapping
from enum import Enum
from typing import Any

from advisor.errors import InputError
from advisor.model.machine import MachineProfile
from advisor.model.plausible import PARTS, check_value
from probes.machine.text import parse_size

_UNKNOWN_WORDS = ("none", "unknown", "")
_TRUE_WORDS = ("true", "yes", "on", "1")
_FALSE_WORDS = ("false", "no", "off", "0")
_FIXED = ("collected_on", "missing", "overrides")
_ARCHITECTURE = "cpu.microarchitecture"
_EXAMPLES = "zen3, haswell, cortex_a76"
_SIZE_WITH_UNIT = re.compile(r"\d+(\.\d+)?\s*([kmgt])i?b", re.IGNORECASE)
# A smaller number without a unit was meant as GiB or KiB.
_LEAST_BYTES = 1024
_CLOCK_WITH_UNIT = re.compile(r"(\d+(?:\.\d+)?)\s*(mhz|ghz)", re.IGNORECASE)
# A smaller clock without a unit was meant as GHz.
_LEAST_MHZ = 50.0
_FACTORS = {"k": 1024, "m": 1024**2, "g": 1024**3, "t": 1024**4}


def apply_overrides(profile: MachineProfile, overrides: Mapping[str, str]) -> MachineProfile:
    """Return the profile with the user's values in place of the probed ones.

    Missing facts about a value that is now given are dropped. Where a given value contradicts a
    probed one, as more cores than threads do, the probed one is made to fit.

    Args:
        profile: what the probe found.
        overrides: dotted name -> text of the value. Lists are separated by commas, sizes and
            clocks may carry a unit ("4GiB", "3.7 GHz"), "none" means not known.

    Raises:
        InputError: for a name that does not exist, a text that is no such value, or two given
            values that contradict each other.
    """
    changed = profile
    for name, text in overrides.items():
        parts = _split(name, profile=changed)
        changed = _replace(changed, parts, text=text, name=name)
    names = tuple(sorted({*profile.overrides, *overrides}))
    changed = _fitted(changed, given=names)
    missing = tuple(fact for fact in changed.missing if fact.fact not in overrides)
    return dataclasses.replace(changed, overrides=names, missing=missing)


def _fitted(profile: MachineProfile, *, given: tuple[str, ...]) -> MachineProfile:
    """Return the profile in which no part is larger than its whole, for the given values' sake."""
    settled = set(given)
    # Twice: what one pair changed may be part of another.
    for part, whole in (*PARTS, *PARTS):
        n_part, n_whole = (_number(profile, name) for name in (part, whole))
        if n_part is None or n_whole is None or n_part <= n_whole:
            continue
        if {part, whole} <= settled:
            raise InputError(f"{part}: {n_part:g} cannot be: {whole} is {n_whole:g}")
        if part in settled:
            profile = _with(profile, whole, n_part)
            settled.add(whole)
        elif whole in settled:
            profile = _with(profile, part, n_whole)
            settled.add(part)
    return profile


def _number(profile: MachineProfile, name: str) -> float | None:
    section, field = name.split(".")
    value: float | None = getattr(getattr(profile, section), field)
    return value


def _with(profile: MachineProfile, name: str, value: float) -> MachineProfile:
    section, field = name.split(".")
    changed = dataclasses.replace(getattr(profile, section), **{field: value})
    return dataclasses.replace(profile, **{section: changed})


def _split(name: str, *, profile: MachineProfile) -> tuple[str, ...]:
    parts = tuple(name.split("."))
    fields = [field.name for field in dataclasses.fields(profile) if field.name not in _FIXED]
    if len(parts) < 2 or parts[0] not in fields:
        raise InputError(f"no value is called {name!r}; names begin with one of {_join(fields)}")
    return parts


def _replace(value: Any, parts: tuple[str, ...], *, text: str, name: str) -> Any:
    head, rest = parts[0], parts[1:]
    if isinstance(value, tuple):
        return _replace_entry(value, parts, text=text, name=name)
    fields = [field.name for field in dataclasses.fields(value)]
    if head not in fields or head == "id":
        allowed = [field for field in fields if field != "id"]
        raise InputError(f"no value is called {name!r}; {head!r} is not one of {_join(allowed)}")
    current = getattr(value, head)
    if rest:
        if not (dataclasses.is_dataclass(current) or _holds_entries(current)):
            raise InputError(f"no value is called {name!r}; {head!r} has no parts")
        new = _replace(current, rest, text=text, name=name)
    else:
        new = _parse(text.strip(), annotation_of(value, head), name=name)
        check_value(name, new)
        if name == _ARCHITECTURE and new is not None:
            new = _known_architecture(new, name=name)
    return dataclasses.replace(value, **{head: new})


def annotation_of(value: Any, field: str) -> Any:
    """Return the declared type of a field of a frozen value."""
    return typing.get_type_hints(type(value))[field]


def is_optional(annotation: Any) -> bool:
    """Whether a value of the declared type may be unknown."""
    return typing.get_origin(annotation) in (typing.Union, types.UnionType)


def _holds_entries(value: Any) -> bool:
    return isinstance(value, tuple) and any(hasattr(entry, "id") for entry in value)


def _replace_entry(
    entries: tuple[Any, ...], parts: tuple[str, ...], *, text: str, name: str
) -> tuple[Any, ...]:
    head, rest = parts[0], parts[1:]
    known = [entry.id for entry in entries]
    if head not in known or not rest:
        raise InputError(f"no value is called {name!r}; name one of {_join(known)} and its field")
    return tuple(
        _replace(entry, rest, text=text, name=name) if entry.id == head else entry
        for entry in entries
    )


def _parse(text: str, annotation: Any, *, name: str) -> Any:
    """Return the text as a value of the declared type."""
    arguments = typing.get_args(annotation)
    if is_optional(annotation):
        if text.lower() in _UNKNOWN_WORDS:
            return None
        inner = next(a for a in arguments if a is not type(None))
        return _parse(text, inner, name=name)
    if typing.get_origin(annotation) is tuple and arguments[0] is str:
        return tuple(sorted({w.strip().lower() for w in text.split(",") if w.strip()}))
    if annotation is str:
        if not text or len(text) > 200:
            raise InputError(f"{name}: expected a text of 1 to 200 characters")
        return text
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return _parse_enum(text, annotation, name=name)
    return _parse_plain(text, annotation, name=name)


def _parse_enum(text: str, annotation: type[Enum], *, name: str) -> Enum:
    try:
        return annotation(text.lower())
    except ValueError:
        words = [str(member.value) for member in annotation]
        raise InputError(f"{name}: {text!r} is not one of {_join(words)}") from None


def _parse_plain(text: str, annotation: Any, *, name: str) -> Any:
    if annotation is bool:
        if text.lower() in _TRUE_WORDS or text.lower() in _FALSE_WORDS:
            return text.lower() in _TRUE_WORDS
        raise InputError(f"{name}: {text!r} is neither yes nor no")
    if annotation is int:
        return _parse_count(text, name=name)
    if annotation is float:
        return _parse_number(text, name=name)
    raise InputError(f"{name}: this value cannot be set by hand")


def _parse_count(text: str, *, name: str) -> int:
    value = parse_size(text) if name.endswith("_bytes") else None
    match = _SIZE_WITH_UNIT.fullmatch(text) if name.endswith("_bytes") else None
    if match is not None:
        number = text.lower().split(match[2].lower())[0]
        value = int(float(number) * _FACTORS[match[2].lower()])
    if value is None:
        value = int(text) if re.fullmatch(r"\d{1,18}", text, re.ASCII) else None
    lowest = 1 if name.rpartition(".")[2].startswith("n_") else 0
    if value is None or not lowest <= value < 1 << 60:
        raise InputError(f"{name}: {text!r} is not a whole number from {lowest} up")
    if name.endswith("_bytes") and text.isdecimal() and 0 < value < _LEAST_BYTES:
        raise InputError(f"{name}: {text!r} would be bytes: give the unit too, such as {text} GiB")
    return value


def _parse_number(text: str, *, name: str) -> float:
    is_clock = name.endswith("_mhz")
    match = _CLOCK_WITH_UNIT.fullmatch(text) if is_clock else None
    try:
        value = float(match[1]) if match else float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or value < 0:
        raise InputError(f"{name}: {text!r} is not a number from 0 up")
    if match:
        return value * (1000.0 if match[2].lower() == "ghz" else 1.0)
    if is_clock and 0 < value < _LEAST_MHZ:
        raise InputError(f"{name}: {text!r} would be MHz: give the unit too, such as {text} GHz")
    return value


def _known_architecture(text: str, *, name: str) -> str:
    """Return the name of a microarchitecture as the tables spell it."""
    # Whoever gives no such value does not load the names.
    from probes.machine.microarchitecture import close_microarchitectures, find_microarchitecture

    found = find_microarchitecture(text)
    if found is not None:
        return found
    close = list(close_microarchitectures(text))
    if close:
        raise InputError(f"{name}: {text!r} is no known architecture; close to it: {_join(close)}")
    raise InputError(f"{name}: {text!r} is no known architecture; known are {_EXAMPLES} and others")


def _join(words: list[str]) -> str:
    return ", ".join(words) if words else "(nothing)"
