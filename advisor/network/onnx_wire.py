"""The wire format of protocol buffers, read within bounds.

Only what an ONNX graph needs: varints, fixed numbers and length-delimited fields. Nothing is
copied before it is asked for, so that the weights of a file are never touched.
Leaves to others: which field means what (`advisor.network.onnx_reading`).
"""

import struct
from collections.abc import Iterator

from advisor.errors import NetworkFileError

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_MAX_VARINT_BYTES = 10
# A graph has a field for each operation and each tensor.
MAX_FIELDS = 300_000

# A field: its number and its value, a number for varints and fixed fields, else a view of bytes.
Field = tuple[int, int | memoryview]


def _refuse() -> NetworkFileError:
    return NetworkFileError("not an ONNX file, or cut off")


def read_varint(data: memoryview, position: int) -> tuple[int, int]:
    """Return a varint as an unsigned number, and the position behind it."""
    value = 0
    for index in range(_MAX_VARINT_BYTES):
        if position + index >= len(data):
            raise _refuse()
        byte = data[position + index]
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            return value, position + index + 1
    raise _refuse()


def read_fields(data: memoryview) -> Iterator[Field]:
    """Yield the fields of a message in order.

    Raises:
        NetworkFileError: when the bytes are not a message, or end within a field.
    """
    position = count = 0
    while position < len(data):
        count += 1
        if count > MAX_FIELDS:
            raise NetworkFileError(
                f"more than {MAX_FIELDS} fields in a message: not a usable model"
            )
        key, position = read_varint(data, position)
        number, wire = key >> 3, key & 7
        if number == 0:
            raise _refuse()
        if wire == _VARINT:
            value, position = read_varint(data, position)
            yield number, value
            continue
        if wire == _BYTES:
            size, position = read_varint(data, position)
        elif wire in (_FIXED64, _FIXED32):
            size = 8 if wire == _FIXED64 else 4
        else:
            raise _refuse()
        if size > len(data) - position:
            raise _refuse()
        yield number, data[position : position + size]
        position += size


def signed(value: int) -> int:
    """Return a varint as the signed 64-bit number that it stands for."""
    value &= 2**64 - 1
    return value - 2**64 if value >= 2**63 else value


def text_of(value: int | memoryview) -> str:
    """Return a text field."""
    if isinstance(value, int):
        raise _refuse()
    return bytes(value).decode("utf-8", errors="replace")


def float_of(value: int | memoryview) -> float:
    """Return a 32-bit float field."""
    if isinstance(value, int) or len(value) != 4:
        raise _refuse()
    return float(struct.unpack("<f", value)[0])


def message_of(value: int | memoryview) -> memoryview:
    """Return a field that holds a message."""
    if isinstance(value, int):
        raise _refuse()
    return value


def integers_of(value: int | memoryview, *, limit: int) -> list[int]:
    """Return a repeated integer field, packed or single; at most `limit` numbers."""
    if isinstance(value, int):
        return [signed(value)]
    numbers: list[int] = []
    position = 0
    while position < len(value):
        if len(numbers) >= limit:
            raise NetworkFileError(f"a list of more than {limit} numbers in the graph")
        number, position = read_varint(value, position)
        numbers.append(signed(number))
    return numbers
