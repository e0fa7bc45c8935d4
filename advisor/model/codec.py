"""JSON for every value of the model, by its type annotations.

Values of a union of classes carry their class name under "type". A file holds one value with
`schema_version` and `kind`. Unknown fields are refused, missing ones take their defaults, so
that a file of an older version loads as long as new fields have defaults.
Leaves to others: reading and writing files (`ui.files`).
"""

import dataclasses
import functools
import json
import math
import types
import typing
from enum import Enum
from typing import Any, TypeVar

from advisor.errors import FormatError
from advisor.model.older import as_written_now

# 1: first version.
SCHEMA_VERSION = 1

# A profile or a recommendation is far below this; more is not one of our files.
MAX_DOCUMENT_CHARS = 64 * 1024 * 1024

_T = TypeVar("_T")
_Hints = dict[str, Any]


@functools.cache
def _hints(cls: type) -> _Hints:
    return typing.get_type_hints(cls)


# Annotations are few, and asked about for every value of a file.
@functools.cache
def _origin_of(annotation: Any) -> Any:
    return typing.get_origin(annotation)


@functools.cache
def _arguments_of(annotation: Any) -> tuple[Any, ...]:
    return typing.get_args(annotation)


@functools.cache
def _is_union(annotation: Any) -> bool:
    return typing.get_origin(annotation) in (typing.Union, types.UnionType)


@functools.cache
def _class_members(annotation: Any) -> tuple[type, ...]:
    members = typing.get_args(annotation)
    return tuple(m for m in members if isinstance(m, type) and dataclasses.is_dataclass(m))


def encode(value: Any, *, annotation: Any = None) -> Any:
    """Return plain JSON data for a value of the model.

    Args:
        value: a dataclass of the model, or a tuple, enum, number, string, bool or None.
        annotation: its declared type, needed only where that is a union of classes.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        hints = _hints(type(value))
        body = {
            field.name: encode(getattr(value, field.name), annotation=hints[field.name])
            for field in dataclasses.fields(value)
        }
        if _is_union(annotation) and len(_class_members(annotation)) > 1:
            return {"type": type(value).__name__, **body}
        return body
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple):
        arguments = _arguments_of(annotation)
        item = arguments[0] if arguments else None
        return [encode(entry, annotation=item) for entry in value]
    return value


def decode(data: Any, annotation: Any, *, path: str = "$") -> Any:
    """Return the value of the declared type that plain JSON data stands for.

    Raises:
        FormatError: with the path of the first entry that does not fit.
    """
    if type(data) is annotation and annotation in (str, int, bool):
        return data
    if _is_union(annotation):
        return _decode_union(data, annotation, path)
    origin = _origin_of(annotation)
    if origin is tuple:
        return _decode_tuple(data, annotation, path)
    if dataclasses.is_dataclass(annotation) and isinstance(annotation, type):
        return _decode_class(data, annotation, path)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        try:
            return annotation(data)
        except ValueError:
            allowed = ", ".join(str(member.value) for member in annotation)
            raise FormatError(f"{path}: {data!r} is not one of {allowed}") from None
    return _decode_plain(data, annotation, path)


def _decode_plain(data: Any, annotation: Any, path: str) -> Any:
    if annotation is float and isinstance(data, int) and not isinstance(data, bool):
        try:
            data = float(data)
        except OverflowError:
            raise FormatError(f"{path}: {_describe(data)} is not a finite number") from None
    if annotation in (str, int, float, bool) and type(data) is annotation:
        if annotation is float and not math.isfinite(data):
            raise FormatError(f"{path}: {data!r} is not a finite number")
        return data
    wanted = getattr(annotation, "__name__", str(annotation))
    raise FormatError(f"{path}: expected {wanted}, found {_describe(data)}")


def _describe(data: Any) -> str:
    text = repr(data)
    return text if len(text) <= 40 else text[:37] + "..."


def _decode_union(data: Any, annotation: Any, path: str) -> Any:
    members = _arguments_of(annotation)
    if data is None and type(None) in members:
        return None
    classes = _class_members(annotation)
    if len(classes) > 1 and isinstance(data, dict):
        name = data.get("type")
        for cls in classes:
            if cls.__name__ == name:
                return _decode_class({k: v for k, v in data.items() if k != "type"}, cls, path)
        raise FormatError(f"{path}: unknown type {name!r}")
    failures = []
    for member in members:
        if member is type(None):
            continue
        try:
            return decode(data, member, path=path)
        except FormatError as error:
            failures.append(error)
    raise failures[0]


def _decode_tuple(data: Any, annotation: Any, path: str) -> tuple[Any, ...]:
    if not isinstance(data, list):
        raise FormatError(f"{path}: expected a list, found {_describe(data)}")
    arguments = _arguments_of(annotation)
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        return tuple(decode(x, arguments[0], path=f"{path}[{i}]") for i, x in enumerate(data))
    if len(arguments) != len(data):
        raise FormatError(f"{path}: expected {len(arguments)} entries, found {len(data)}")
    return tuple(
        decode(entry, argument, path=f"{path}[{index}]")
        for index, (entry, argument) in enumerate(zip(data, arguments, strict=True))
    )


def _decode_class(data: Any, cls: type, path: str) -> Any:
    if not isinstance(data, dict):
        raise FormatError(f"{path}: expected an object, found {_describe(data)}")
    hints = _hints(cls)
    unknown = sorted(set(data) - set(hints))
    if unknown:
        raise FormatError(f"{path}: unknown field {unknown[0]!r}")
    values = {k: decode(v, hints[k], path=f"{path}.{k}") for k, v in data.items()}
    try:
        return cls(**values)
    except (TypeError, ValueError) as error:
        text = str(error).replace(f"{cls.__name__}.__init__() ", "")
        raise FormatError(f"{path}: {text}") from None


class KindError(FormatError):
    """A file that holds a value of another class than was asked for.

    Args:
        kind: name of the class that it holds.
        wanted: name of the class that was asked for.
    """

    def __init__(self, kind: str, *, wanted: str) -> None:
        super().__init__(f"holds a {kind}, expected a {wanted}")
        self.kind = kind


def dump_document(value: Any) -> str:
    """Return the JSON text of one value as a file of its own."""
    body = {"schema_version": SCHEMA_VERSION, "kind": type(value).__name__, "value": encode(value)}
    return json.dumps(body, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def parse_json(text: str) -> Any:
    """Return the plain data that a text holds.

    Raises:
        FormatError: when it is not JSON, or nested more deeply than any of our files.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise FormatError("not JSON: nested too deeply") from None
    except (ValueError, TypeError) as error:
        raise FormatError(f"not JSON: {error}") from None


def load_document(text: str, cls: type[_T]) -> _T:
    """Return the value of class `cls` that a file holds.

    Raises:
        FormatError: when the text is not JSON, of a newer version, or of another kind.
    """
    if len(text) > MAX_DOCUMENT_CHARS:
        raise FormatError(f"the file has {len(text)} characters, more than any of our files")
    body = parse_json(text)
    if not isinstance(body, dict) or "schema_version" not in body:
        raise FormatError("not a file of DL Advisor: no schema_version")
    version = body["schema_version"]
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise FormatError("not a file of DL Advisor: its schema_version is no version")
    if version > SCHEMA_VERSION:
        raise FormatError(f"written by a newer DL Advisor (schema {version}): update the app")
    if body.get("kind") != cls.__name__:
        raise KindError(str(body.get("kind")), wanted=cls.__name__)
    decoded = decode(as_written_now(body.get("value"), text=text), cls)
    assert isinstance(decoded, cls)
    return decoded
