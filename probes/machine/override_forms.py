"""What to ask a user for a value of the profile, and the value as it is now in the same form.

Leaves to others: reading the answer (`probes.machine.overrides`), asking (the machine page).
"""

import typing
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Any

from advisor.model.machine import MachineProfile
from probes.machine.overrides import annotation_of, is_optional

UNKNOWN_WORD = "unknown"
_UNITS = ((1024**3, "GiB"), (1024**2, "MiB"), (1024, "KiB"))


class ValueUnit(StrEnum):
    """What a text may carry besides its number."""

    NONE = ""
    BYTES = "bytes"
    MHZ = "MHz"


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueForm:
    """How a value is asked for.

    Attributes:
        text: the value now, as it may be typed again; a size is rounded to a tenth of its unit.
        choices: all that it can be; empty when it is typed.
        may_be_unknown: whether `UNKNOWN_WORD` is an answer.
    """

    text: str
    unit: ValueUnit
    choices: tuple[str, ...]
    may_be_unknown: bool


def corrected_since(before: MachineProfile, now: MachineProfile) -> tuple[str, ...]:
    """Return the names of the user's own values that are others now than they were, sorted."""
    names = sorted({*before.overrides, *now.overrides})
    return tuple(name for name in names if _text_of(before, name) != _text_of(now, name))


def _text_of(profile: MachineProfile, name: str) -> str | None:
    try:
        return value_form(profile, name).text
    except (AttributeError, StopIteration):
        return None  # a part that this machine does not have


def value_form(profile: MachineProfile, name: str) -> ValueForm:
    """Return how a value is asked for.

    Args:
        profile: the machine.
        name: dotted, one that `apply_overrides` takes.
    """
    owner, field = _owner(profile, name)
    annotation = annotation_of(owner, field)
    may_be_unknown = is_optional(annotation)
    if may_be_unknown:
        annotation = next(a for a in typing.get_args(annotation) if a is not type(None))
    choices = _choices(annotation)
    if choices and may_be_unknown:
        choices = (*choices, UNKNOWN_WORD)
    unit = _unit(field)
    return ValueForm(
        text=_text(getattr(owner, field), unit),
        unit=unit,
        choices=choices,
        may_be_unknown=may_be_unknown,
    )


def _owner(profile: MachineProfile, name: str) -> tuple[Any, str]:
    """Return the part of the profile that has the value, and its field."""
    *path, field = name.split(".")
    owner: Any = profile
    for part in path:
        if isinstance(owner, tuple):
            owner = next(entry for entry in owner if entry.id == part)
        else:
            owner = getattr(owner, part)
    return owner, field


def _choices(annotation: Any) -> tuple[str, ...]:
    if annotation is bool:
        return ("yes", "no")
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return tuple(str(member.value) for member in annotation)
    return ()


def _unit(field: str) -> ValueUnit:
    if field.endswith("_bytes"):
        return ValueUnit.BYTES
    return ValueUnit.MHZ if field.endswith("_mhz") else ValueUnit.NONE


def _text(value: Any, unit: ValueUnit) -> str:
    if value is None:
        return UNKNOWN_WORD
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, tuple):
        return ", ".join(value)
    if unit is ValueUnit.BYTES:
        return next((f"{value / size:.1f} {name}" for size, name in _UNITS if value >= size), "0")
    return f"{value:g}" if isinstance(value, float) else str(value)
