"""Constants of an ONNX file: their shapes, and the values of those that are short.

Weights stay unread. Field numbers are those of onnx.proto3.
Leaves to others: bytes (`onnx_wire`), the graph around them (`onnx_reading`).
"""

import math
import struct
from collections.abc import Iterable
from dataclasses import dataclass

from advisor.errors import NetworkFileError
from advisor.network.onnx_wire import integers_of, message_of, read_fields, text_of

# Constants that shape a graph are short; longer ones are weights.
MAX_CONSTANT = 1024
# Factors of a resize: one for each dimension.
_MOST_FRACTIONS = 16

_FLOAT32, _INT32, _INT64, _BOOL = 1, 6, 7, 9
# Letter and bytes of whole numbers in raw data, by type.
_RAW = {_INT32: ("i", 4), _INT64: ("q", 8), _BOOL: ("b", 1)}
# Floats of 4 to 64 bits and whole numbers of 2 to 16: weights, quantised ones too. The others are
# sizes, indices, masks, and biases of quantised layers.
_WEIGHT_TYPES = frozenset((1, 2, 3, 4, 5, 10, 11, *range(16, 29)))
# Fields of a constant that list whole numbers: int32_data and int64_data.
_NUMBER_LISTS = (5, 7)


@dataclass(frozen=True, slots=True, kw_only=True)
class OnnxTensor:
    """A constant of the file.

    Attributes:
        integers: its values where they are few and whole, else None; fractions: where they are
            very few and of 32 bits.
        is_weight: whether it is of a type that weights have.
    """

    name: str
    dims: tuple[int, ...]
    integers: tuple[int, ...] | None
    is_weight: bool
    fractions: tuple[float, ...] | None = None


def _raw_integers(raw: memoryview, data_type: int, count: int) -> tuple[int, ...] | None:
    letter, size = _RAW[data_type]
    if len(raw) != count * size:
        return None
    return tuple(struct.unpack(f"<{count}{letter}", raw))


def _number_of(number: int, value: int | memoryview) -> list[int]:
    """Return the whole numbers of a constant that stand as a list, none for other fields."""
    if number not in _NUMBER_LISTS:
        return []
    if not isinstance(value, int) and len(value) > 10 * MAX_CONSTANT:
        return []  # weights, not sizes
    return integers_of(value, limit=10 * MAX_CONSTANT)


def parse_tensor(data: memoryview) -> OnnxTensor:
    """Return a constant; `data` is its message."""
    dims: list[int] = []
    listed: list[int] = []
    plain: dict[int, int | memoryview] = {}
    for number, value in read_fields(data):
        if number == 1:
            dims += integers_of(value, limit=64)
        else:
            listed += _number_of(number, value)
            plain[number] = value
    name = text_of(plain.get(8, memoryview(b"")))
    if any(size < 0 for size in dims):
        raise NetworkFileError(f"constant {name!r} has a negative size")
    data_type = plain.get(2)
    return OnnxTensor(
        name=name,
        dims=tuple(dims),
        integers=_integers(plain.get(9), data_type, listed, count=math.prod(dims)),
        is_weight=data_type in _WEIGHT_TYPES,
        fractions=_fractions(plain, data_type, count=math.prod(dims)),
    )


def _fractions(
    plain: dict[int, int | memoryview], data_type: object, *, count: int
) -> tuple[float, ...] | None:
    """Return the values of a very short constant of 32-bit floats, None for any other."""
    packed = plain.get(9, plain.get(4))
    if data_type != _FLOAT32 or not 1 <= count <= _MOST_FRACTIONS:
        return None
    if not isinstance(packed, memoryview) or len(packed) != 4 * count:
        return None
    return struct.unpack(f"<{count}f", packed)


def _integers(
    raw: int | memoryview | None, data_type: object, listed: list[int], *, count: int
) -> tuple[int, ...] | None:
    """Return the values of a short constant of whole numbers, None for any other."""
    if not isinstance(data_type, int) or data_type not in _RAW or count > MAX_CONSTANT:
        return None
    if raw is not None:
        return _raw_integers(message_of(raw), data_type, count)
    return tuple(listed) if len(listed) == count else None


def parse_sparse_tensor(data: memoryview) -> OnnxTensor:
    """Return a constant of which only the values other than zero stand in the file, as a whole."""
    dims: list[int] = []
    name, is_weight = "", False
    for number, value in read_fields(data):
        if number == 1:
            values = parse_tensor(message_of(value))
            name, is_weight = values.name, values.is_weight
        elif number == 3:
            dims += integers_of(value, limit=64)
    if any(size < 0 for size in dims):
        raise NetworkFileError(f"constant {name!r} has a negative size")
    return OnnxTensor(name=name, dims=tuple(dims), integers=None, is_weight=is_weight)


def listed_floats(parts: Iterable[memoryview]) -> OnnxTensor:
    """Return a list of 32-bit floats, which stands in pieces, as a constant."""
    count = 0
    first: list[float] = []
    for part in parts:
        if len(part) % 4:
            raise NetworkFileError("not an ONNX file, or cut off")
        count += len(part) // 4
        if count <= _MOST_FRACTIONS:
            first += struct.unpack(f"<{len(part) // 4}f", part)
    return OnnxTensor(
        name="",
        dims=(count,),
        integers=None,
        is_weight=True,
        fractions=tuple(first) if count <= _MOST_FRACTIONS else None,
    )
