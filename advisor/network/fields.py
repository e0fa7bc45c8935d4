"""Typed reading of the configuration of a layer, as it stands in a model file.

Every refusal names the layer, the entry and the value, in one line.
Leaves to others: what the entries mean (the rules of each layer family).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from advisor.errors import NetworkFileError

# Larger than any dimension of a network that fits in memory; keeps products meaningful.
MAX_DIMENSION = 2**31

_REQUIRED: Any = object()


def describe(value: object) -> str:
    """Return a value as short text for a message."""
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def plain_name(class_name: str) -> str:
    """Return a class name without its package ("Custom>MyLayer" -> "MyLayer")."""
    return class_name.rsplit(">", maxsplit=1)[-1]


def is_integer(value: object) -> bool:
    """Tell whether a value of a JSON file is an integer (true and false are not)."""
    return isinstance(value, int) and not isinstance(value, bool)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """The configuration of one layer; `where` names the layer in messages."""

    config: Mapping[str, Any]
    where: str

    def refuse(self, problem: str) -> NetworkFileError:
        """Return the error that says what is wrong with this layer."""
        return NetworkFileError(f"{self.where}: {problem}")

    def raw(self, name: str, *, default: Any = None) -> Any:
        """Return an entry as it stands, `default` when it is absent."""
        return self.config.get(name, default)

    def _entry(self, name: str, default: Any) -> Any:
        value = self.config.get(name, default)
        if value is _REQUIRED:
            raise self.refuse(f"has no {name!r}")
        return value

    def integer(self, name: str, *, default: Any = _REQUIRED, minimum: int = 1) -> int:
        """Return an integer of at least `minimum`."""
        value = self._entry(name, default)
        if not is_integer(value):
            raise self.refuse(f"{name!r} must be a whole number, found {describe(value)}")
        if not minimum <= value <= MAX_DIMENSION:
            raise self.refuse(f"{name!r} is {describe(value)}, outside {minimum}..{MAX_DIMENSION}")
        return int(value)

    def optional_integer(self, name: str, *, minimum: int = 1) -> int | None:
        """Return an integer, or None when the entry is absent or null."""
        return None if self.config.get(name) is None else self.integer(name, minimum=minimum)

    def integers(
        self, name: str, *, length: int, default: Any = _REQUIRED, minimum: int = 1
    ) -> tuple[int, ...]:
        """Return `length` integers; a single one stands for all of them."""
        value = self._entry(name, default)
        if is_integer(value):
            value = [value] * length
        entries = self.sequence_of_integers(name, value)
        if len(entries) != length:
            raise self.refuse(f"{name!r} must have {length} numbers, found {len(entries)}")
        if min(entries, default=minimum) < minimum or max(entries, default=0) > MAX_DIMENSION:
            raise self.refuse(f"{name!r} is {describe(value)}, outside {minimum}..{MAX_DIMENSION}")
        return entries

    def sequence_of_integers(self, name: str, value: Any) -> tuple[int, ...]:
        """Return a list of integers of any length as a tuple."""
        if not isinstance(value, list | tuple) or not all(is_integer(x) for x in value):
            raise self.refuse(f"{name!r} must be whole numbers, found {describe(value)}")
        return tuple(value)

    def flag(self, name: str, *, default: bool) -> bool:
        """Return true or false."""
        value = self.config.get(name, default)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self.refuse(f"{name!r} must be true or false, found {describe(value)}")
        return value

    def text(self, name: str, *, default: Any = _REQUIRED) -> str:
        """Return a text."""
        value = self._entry(name, default)
        if not isinstance(value, str):
            raise self.refuse(f"{name!r} must be a text, found {describe(value)}")
        return value

    def choice(self, name: str, *, default: str, allowed: tuple[str, ...]) -> str:
        """Return a text that is one of `allowed`, in lower case."""
        value = self.text(name, default=default).lower()
        if value not in allowed:
            raise self.refuse(f"{name!r} is {describe(value)}, not one of {', '.join(allowed)}")
        return value

    def child(self, name: str) -> dict[str, Any]:
        """Return a serialised object inside this one ({"class_name": ..., "config": {...}})."""
        value = self._entry(name, _REQUIRED)
        if not isinstance(value, dict) or not isinstance(value.get("class_name"), str):
            raise self.refuse(f"{name!r} must be a layer, found {describe(value)}")
        return value
