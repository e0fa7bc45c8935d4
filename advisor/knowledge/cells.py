"""Cells of a table: text to value and back, by the annotation of the field.

Text, whole number, number, `true`/`false`, enum value, list separated by `;`, or settings
`NAME=VALUE;NAME=VALUE`. An empty cell is None where the field allows None, an empty list for
lists, and an error elsewhere: unknown is never 0 or "".
Leaves to others: rows and files (`advisor.knowledge.rows`).
"""

import math
import types
import typing
from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any

from advisor.errors import DataError
from advisor.model.measurement import Setting

LIST_SEPARATOR = ";"

Parse = Callable[[str], Any]
Format = Callable[[Any], str]

# Above this a float of whole value is written with an exponent by repr, below it as digits.
_LARGEST_EXACT_WHOLE = 1e21


def parse_text(cell: str) -> str:
    """Return the text of a cell that must not be empty."""
    if not cell:
        raise ValueError("must not be empty")
    return cell


def _parse_int(cell: str) -> int:
    if not cell or "_" in cell:
        raise ValueError("not a whole number")
    try:
        return int(cell)
    except ValueError:
        raise ValueError("not a whole number") from None


def _parse_float(cell: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        raise ValueError("not a number") from None
    if not math.isfinite(value) or "_" in cell:
        raise ValueError("not a number")
    return value


def _parse_bool(cell: str) -> bool:
    if cell == "true":
        return True
    if cell == "false":
        return False
    raise ValueError("neither true nor false")


def _enum_parser(annotation: type[Enum]) -> Parse:
    members = {str(member.value): member for member in annotation}
    allowed = ", ".join(members)

    def parse(cell: str) -> Enum:
        try:
            return members[cell]
        except KeyError:
            raise ValueError(f"not one of {allowed}") from None

    return parse


def _parse_setting(item: str) -> Setting:
    name, separator, value = item.partition("=")
    if not separator or not name:
        raise ValueError(f"{item!r} is not NAME=VALUE")
    return Setting(name=name, value=value)


def _list_parser(parse_item: Parse) -> Parse:
    def parse(cell: str) -> tuple[Any, ...]:
        if not cell:
            return ()
        return tuple(parse_item(item) for item in cell.split(LIST_SEPARATOR))

    return parse


def _optional_parser(parse_value: Parse) -> Parse:
    def parse(cell: str) -> Any:
        return parse_value(cell) if cell else None

    return parse


def parse_optional_text(cell: str) -> str | None:
    """Return the text of a cell, None when it is empty."""
    return cell or None


def _format_text(value: str) -> str:
    return value


def _format_float(value: float) -> str:
    value = float(value)
    if value.is_integer() and abs(value) < _LARGEST_EXACT_WHOLE:
        return str(int(value))
    return repr(value)


def _format_bool(value: bool) -> str:  # noqa: FBT001 - one cell value in, its text out
    return "true" if value else "false"


def _format_enum(value: Enum) -> str:
    return str(value.value)


def _format_setting(value: Setting) -> str:
    return f"{value.name}={value.value}"


def _list_formatter(format_item: Format) -> Format:
    def format_list(value: Iterable[Any]) -> str:
        items = [format_item(item) for item in value]
        for item in items:
            if not item or LIST_SEPARATOR in item:
                raise DataError(f"{item!r} cannot stand in a list separated by {LIST_SEPARATOR!r}")
        return LIST_SEPARATOR.join(items)

    return format_list


def _optional_formatter(format_value: Format) -> Format:
    def format_optional(value: Any) -> str:
        return "" if value is None else format_value(value)

    return format_optional


_SCALARS: dict[Any, tuple[Parse, Format]] = {
    str: (parse_text, _format_text),
    int: (_parse_int, str),
    float: (_parse_float, _format_float),
    bool: (_parse_bool, _format_bool),
    Setting: (_parse_setting, _format_setting),
}


def converters(annotation: Any) -> tuple[Parse, Format]:
    """Return parser and formatter for the annotation of a field.

    The parser raises ValueError with the reason when a cell does not fit.

    Raises:
        TypeError: when a cell cannot hold such a value.
    """
    if annotation in _SCALARS:
        return _SCALARS[annotation]
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return _enum_parser(annotation), _format_enum
    arguments = typing.get_args(annotation)
    if typing.get_origin(annotation) is tuple and arguments[1:] == (Ellipsis,):
        parse, formatter = converters(arguments[0])
        return _list_parser(parse), _list_formatter(formatter)
    is_union = typing.get_origin(annotation) in (types.UnionType, typing.Union)
    if is_union and len(arguments) == 2 and arguments[1] is types.NoneType:
        parse, formatter = converters(arguments[0])
        optional = parse_optional_text if parse is parse_text else _optional_parser(parse)
        return optional, _optional_formatter(formatter)
    raise TypeError(f"a table cannot hold {annotation!r}")
