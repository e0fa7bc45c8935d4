"""Packed copies of large tables: the same cells, column by column, read six times faster.

The CSV files are the source and are what people read and edit. A packed copy says of which text
it was made; it is used only while that is still the text of the files, so that an edited table is
slower, never wrong. `python -m advisor.knowledge.pack` writes the copies anew.

A copy is one line of JSON, then bytes. The line holds `version`, `checksum` (of the files' names
and bytes), `n_rows`, and for each column its `name`, its different `cells` as they stand in the
CSV, and the `width` in bytes of a number. The bytes are, column after column, the number of each
row's cell: unsigned, little-endian, `width` bytes each.
Leaves to others: cells and rows (`advisor.knowledge.rows`), which tables are packed
(`advisor.knowledge.store`).
"""

import array
import csv
import io
import json
import sys
import zlib
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from advisor.errors import DataError
from advisor.knowledge.rows import build_rows, columns_of

VERSION = 1
_TYPE_CODES = {1: "B", 2: "H", 4: "I"}

_T = TypeVar("_T")
Part = tuple[str, bytes]


def checksum(parts: Iterable[Part]) -> int:
    """Return what tells one text of a table's files from another: names and bytes, in order."""
    total = 0
    for name, content in parts:
        total = zlib.crc32(content, zlib.crc32(name.encode(), total))
    return total


def pack(parts: Sequence[Part], cls: type) -> bytes:
    """Return the packed copy of a table whose files hold rows of a class.

    Raises:
        DataError: when the files do not have exactly the columns of the class.
    """
    names = [column.name for column in columns_of(cls)]
    records: list[list[str]] = []
    for file, content in parts:
        header, *body = csv.reader(io.StringIO(content.decode("utf-8"), newline=""), strict=True)
        if header != names:
            raise DataError(f"{file}:1: its columns are not those of {cls.__name__}")
        records += body
    columns, numbers = [], []
    for name, cells in zip(names, zip(*records, strict=True), strict=True):
        different = sorted(set(cells))
        number = {cell: position for position, cell in enumerate(different)}
        width = next(w for w in _TYPE_CODES if len(different) <= 256**w)
        columns.append({"name": name, "width": width, "cells": different})
        numbers.append(
            _little_endian(array.array(_TYPE_CODES[width], map(number.__getitem__, cells)))
        )
    head = {
        "version": VERSION,
        "checksum": checksum(parts),
        "n_rows": len(records),
        "columns": columns,
    }
    line = json.dumps(head, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    return b"\n".join((line, b"".join(part.tobytes() for part in numbers)))


def unpack(packed: bytes, cls: type[_T], *, parts: Iterable[Part]) -> tuple[_T, ...] | None:
    """Return the rows of a packed copy; None when it is not a copy of these files.

    None also for a copy of another version or one that is damaged: the files have the rows.
    """
    line, _, body = packed.partition(b"\n")
    head = _current_head(line, parts)
    try:
        return None if head is None else _rows(head, memoryview(body), cls)
    except (ValueError, KeyError, IndexError, TypeError):
        return None


def is_copy(packed: bytes, *, parts: Iterable[Part]) -> bool:
    """Return whether a packed copy says that it was made of these files."""
    return _current_head(packed.partition(b"\n")[0], parts) is not None


def _current_head(line: bytes, parts: Iterable[Part]) -> dict[str, Any] | None:
    try:
        head = json.loads(line)
        is_current = head["version"] == VERSION and head["checksum"] == checksum(parts)
    except (ValueError, KeyError, TypeError):
        return None
    return head if is_current else None


def _rows(head: dict[str, Any], body: memoryview, cls: type[_T]) -> tuple[_T, ...]:
    n_rows = head["n_rows"]
    known = {column.name: column for column in columns_of(cls)}
    names, converted = [], []
    for entry in head["columns"]:
        size = entry["width"] * n_rows
        numbers = array.array(_TYPE_CODES[entry["width"]])
        numbers.frombytes(body[:size])
        body = body[size:]
        if len(numbers) != n_rows:
            raise ValueError("cut off")
        values = list(map(known[entry["name"]].parse, entry["cells"]))
        names.append(entry["name"])
        converted.append(list(map(values.__getitem__, _little_endian(numbers))))
    if set(names) != set(known) or len(body) != 0:
        raise ValueError("not the columns of the class")
    return build_rows(names, converted, cls)


def _little_endian(numbers: "array.array[int]") -> "array.array[int]":
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
