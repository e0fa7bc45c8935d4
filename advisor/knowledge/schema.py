"""JSON schemas of the tables: what a column may hold, beyond its type.

A schema lies in `resources/schema` beside the row class and must agree with it; bounds, patterns
and allowed words stand in the schema alone.
Leaves to others: rules that look at more than one cell (`advisor.knowledge.validate`).
"""

import dataclasses
import functools
import json
import types
import typing
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from importlib.resources.abc import Traversable
from typing import Any

import jsonschema

from advisor.errors import DataError
from advisor.model.codec import encode

Schema = Mapping[str, Any]

_JSON_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean"}


def load_schema(folder: Traversable, *, table: str) -> Schema:
    """Return the schema of a table from the schema folder.

    Raises:
        DataError: when it is missing, not JSON, or not a schema.
    """
    name = f"{table}.json"
    try:
        schema = _checked((folder / name).read_text(encoding="utf-8"))
    except (OSError, ValueError, jsonschema.SchemaError) as error:
        raise DataError(f"schema {name}: {error}") from None
    if not isinstance(schema, dict):
        raise DataError(f"schema {name}: not an object")
    return schema


@functools.lru_cache(maxsize=64)
def _checked(text: str) -> Any:
    """Return the JSON of a text that is a schema; to check one takes longer than all else."""
    schema = json.loads(text)
    jsonschema.Draft202012Validator.check_schema(schema)
    return schema


def schema_faults(schema: Schema, *, row_class: type) -> Iterator[str]:
    """Yield where a schema disagrees with the fields and types of its row class."""
    hints = typing.get_type_hints(row_class)
    properties = schema.get("properties", {})
    if list(properties) != list(hints):
        yield f"properties {list(properties)} are not the fields {list(hints)}"
        return
    required = [
        field.name
        for field in dataclasses.fields(row_class)
        if field.default is dataclasses.MISSING
    ]
    if schema.get("required") != required:
        yield f"required is {schema.get('required')}, not {required}"
    for name, hint in hints.items():
        yield from (f"{name}: {fault}" for fault in _type_faults(properties[name], hint))


def _type_faults(entry: Schema, hint: Any) -> Iterator[str]:
    wanted, inner = _json_type(hint)
    if entry.get("type") != wanted:
        yield f"type is {entry.get('type')!r}, the field needs {wanted!r}"
    elif wanted == "array":
        yield from (f"items: {fault}" for fault in _type_faults(entry.get("items", {}), inner))
    elif isinstance(inner, type) and issubclass(inner, Enum):
        missing = {member.value for member in inner} - set(entry.get("enum", ()))
        if missing:
            yield f"enum lacks {sorted(missing)}"


def _json_type(hint: Any) -> tuple[str | list[str], Any]:
    """Return the JSON type of a field and the annotation inside it."""
    arguments = typing.get_args(hint)
    origin = typing.get_origin(hint)
    if origin in (types.UnionType, typing.Union):
        inner, annotation = _json_type(arguments[0])
        assert isinstance(inner, str)
        return [inner, "null"], annotation
    if origin is tuple:
        return "array", arguments[0]
    if isinstance(hint, type) and issubclass(hint, Enum):
        return "string", hint
    return _JSON_TYPES.get(hint, "object"), hint


def value_faults(rows: Iterable[Any], *, schema: Schema) -> Iterator[tuple[int, str, str]]:
    """Yield position of the row, field and problem for each value that its schema refuses.

    The schemas say nothing across cells, so each distinct value of a column is looked at once.
    """
    rows = tuple(rows)
    for name, entry in schema.get("properties", {}).items():
        validator = jsonschema.Draft202012Validator(entry)
        seen: dict[Any, str | None] = {}
        for position, row in enumerate(rows):
            value = getattr(row, name)
            if value not in seen:
                error = next(validator.iter_errors(encode(value)), None)
                seen[value] = error.message if error is not None else None
            problem = seen[value]
            if problem is not None:
                yield position, name, problem
