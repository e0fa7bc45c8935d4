"""Reading good uploads quickly: as `advisor.share.upload.parse_upload` does, but compiled.

What is refused here may still be one: only the slow way decides that, and says what is wrong.
Leaves to others: the words that are allowed (`advisor.share.vocabulary`).
"""

import dataclasses
import functools
import types
import typing
from enum import Enum
from typing import Any

from pydantic_core import SchemaSerializer, SchemaValidator, ValidationError, core_schema

from advisor.share.upload import Upload

_CONFIG = core_schema.CoreConfig(strict=True, extra_fields_behavior="forbid")


def read_good_upload(data: bytes) -> Upload | None:
    """Return the upload that a body stands for; None where that must be looked at closely.

    Its texts are not checked yet.
    """
    try:
        upload: Upload = _validator().validate_json(data)
    except ValidationError:
        return None
    return upload


def one_form(upload: Upload) -> str:
    """Return JSON that is the same for bodies that say the same."""
    return _serializer().to_json(upload).decode("utf-8")


@functools.cache
def _validator() -> SchemaValidator:
    return SchemaValidator(_schema(Upload), _CONFIG)


@functools.cache
def _serializer() -> SchemaSerializer:
    return SchemaSerializer(_schema(Upload))


def _schema(annotation: Any) -> core_schema.CoreSchema:
    """Return how a declared type of the model is read and written."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        (inner,) = (a for a in arguments if a is not type(None))
        return core_schema.nullable_schema(_schema(inner))
    if origin is tuple:
        return core_schema.tuple_schema([_schema(arguments[0])], variadic_item_index=0)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return core_schema.enum_schema(annotation, list(annotation))
    if isinstance(annotation, type) and dataclasses.is_dataclass(annotation):
        return _object(annotation)
    return _plain(annotation)


def _plain(annotation: Any) -> core_schema.CoreSchema:
    plain: dict[type, core_schema.CoreSchema] = {
        str: core_schema.str_schema(),
        int: core_schema.int_schema(),
        float: core_schema.float_schema(allow_inf_nan=False),
        bool: core_schema.bool_schema(),
    }
    return plain[annotation]


def _object(cls: type[Any]) -> core_schema.CoreSchema:
    hints, declared = typing.get_type_hints(cls), dataclasses.fields(cls)
    fields = []
    for field in declared:
        inner = _schema(hints[field.name])
        if field.default is not dataclasses.MISSING:
            inner = core_schema.with_default_schema(inner, default=field.default)
        fields.append(core_schema.dataclass_field(field.name, inner, kw_only=True))
    arguments = core_schema.dataclass_args_schema(cls.__name__, fields, extra_behavior="forbid")
    names = [field.name for field in declared]
    return core_schema.dataclass_schema(cls, arguments, names, slots=True, config=_CONFIG)
