"""The JSON schema of an upload, from its annotations: what the OpenAPI document says of the body.

Leaves to others: reading bodies (`advisor.model.codec`), the words that are allowed
(`advisor.share.vocabulary`).
"""

import dataclasses
import types
import typing
from enum import Enum
from typing import Any

_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean"}


def schema_of(annotation: Any) -> dict[str, Any]:
    """Return the schema of a declared type of the model."""
    origin = typing.get_origin(annotation)
    if origin in (typing.Union, types.UnionType):
        parts = [a for a in typing.get_args(annotation) if a is not type(None)]
        return {"anyOf": [*map(schema_of, parts), {"type": "null"}]}
    if origin is tuple:
        return {"type": "array", "items": schema_of(typing.get_args(annotation)[0])}
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return {"type": "string", "enum": [member.value for member in annotation]}
    if dataclasses.is_dataclass(annotation):
        return _object(annotation)
    return {"type": _PLAIN[annotation]}


def _object(cls: Any) -> dict[str, Any]:
    hints = typing.get_type_hints(cls)
    fields = dataclasses.fields(cls)
    return {
        "type": "object",
        "title": cls.__name__,
        "description": (cls.__doc__ or "").split("\n")[0],
        "properties": {field.name: schema_of(hints[field.name]) for field in fields},
        "required": [f.name for f in fields if f.default is dataclasses.MISSING],
        "additionalProperties": False,
    }
