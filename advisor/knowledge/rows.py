"""CSV tables whose columns are the fields of a row class: one parser and one dumper for all.

Leaves to others: single cells (`advisor.knowledge.cells`), which file holds which class
(`advisor.knowledge.store`), whether the facts make sense (`advisor.knowledge.validate`).
"""

import collections
import csv
import dataclasses
import functools
import io
import itertools
import typing
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from advisor.errors import DataError
from advisor.knowledge.cells import Format, Parse, converters, parse_optional_text, parse_text

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class RowFault:
    """What is wrong with a row; `field` and `value` are None when the whole row is at fault."""

    file: str
    line: int
    field: str | None
    value: str | None
    problem: str

    def __str__(self) -> str:
        """Return one line for a person."""
        where = f"{self.file}:{self.line}"
        if self.field is None:
            return f"{where}: {self.problem}"
        return f"{where}: {self.field}: {self.value!r}: {self.problem}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedTable(Generic[_T]):
    """The good rows of a table with the file line of each, and the faults of the others."""

    rows: tuple[_T, ...]
    lines: tuple[int, ...]
    faults: tuple[RowFault, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """How one field is read from and written to its cell.

    Attributes:
        parse: text of a cell to value, ValueError when it does not fit.
        is_required: False when the field has a default, so that an older file may lack it.
    """

    name: str
    parse: Parse
    format: Format
    is_required: bool


def columns_of(cls: type) -> tuple[Column, ...]:
    """Return the columns of a row class, in the order of its fields."""
    return _columns_of(cls)


@functools.cache
def _columns_of(cls: type) -> tuple[Column, ...]:
    hints = typing.get_type_hints(cls)
    columns = []
    for field in dataclasses.fields(cls):
        parse, formatter = converters(hints[field.name])
        columns.append(
            Column(
                name=field.name,
                parse=parse,
                format=formatter,
                is_required=field.default is dataclasses.MISSING,
            )
        )
    return tuple(columns)


def _header_columns(header: Sequence[str], cls: type, file: str) -> tuple[Column, ...]:
    """Return the columns in the order of the file's header."""
    known = {column.name: column for column in columns_of(cls)}
    for name in header:
        if name not in known:
            raise DataError(f"{file}:1: {name!r} is not a column of {cls.__name__}")
    if len(set(header)) != len(header):
        raise DataError(f"{file}:1: a column stands twice in {list(header)}")
    missing = [c.name for c in known.values() if c.is_required and c.name not in header]
    if missing:
        raise DataError(f"{file}:1: column {missing[0]!r} of {cls.__name__} is missing")
    return tuple(known[name] for name in header)


def _read_records(text: str, file: str) -> tuple[list[list[str]], list[int]]:
    """Return all non-blank records and the file line on which each ends."""
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    try:
        records = list(reader)
    except csv.Error as error:
        raise DataError(f"{file}:{reader.line_num}: {error}") from None
    if reader.line_num == len(records) and all(records):
        lines = list(range(1, len(records) + 1))
    else:
        records, lines = _count_lines(text)
    if not records:
        raise DataError(f"{file}:1: the file is empty, it needs a header row")
    return records, lines


def _count_lines(text: str) -> tuple[list[list[str]], list[int]]:
    """Read again, slower, a text with blank lines or with cells of several lines."""
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    numbered = [(record, reader.line_num) for record in reader if record]
    return [record for record, _ in numbered], [line for _, line in numbered]


def _parse_columns(
    records: Sequence[Sequence[str]], columns: Sequence[Column], cls: type[_T]
) -> tuple[_T, ...]:
    """Convert column by column, much faster than cell by cell; ValueError without a place."""
    if not records:
        return ()
    converted: list[Sequence[Any]] = []
    for column, cells in zip(columns, zip(*records, strict=True), strict=True):
        parse = column.parse
        if parse is parse_optional_text:
            converted.append([cell or None for cell in cells])
        elif parse is parse_text and all(cells):
            converted.append(cells)
        else:
            # Most columns repeat few values: each distinct cell is read once and then shared.
            seen = {cell: parse(cell) for cell in set(cells)}
            converted.append([seen[cell] for cell in cells])
    return build_rows([column.name for column in columns], converted, cls)


def build_rows(
    names: Sequence[str], converted: Sequence[Sequence[Any]], cls: type[_T]
) -> tuple[_T, ...]:
    """Make rows from the names of all fields and, for each, the values of all rows.

    A plain slotted row class is filled column by column through its slots, which takes a third
    of the time of calling the class for each row; a class with rules of its own is called.
    """
    slots: tuple[str, ...] = getattr(cls, "__slots__", ())
    if hasattr(cls, "__post_init__") or set(slots) != set(names):
        return tuple(
            cls(**dict(zip(names, values, strict=True))) for values in zip(*converted, strict=True)
        )
    rows = tuple(map(object.__new__, itertools.repeat(cls, len(converted[0]))))
    for name, values in zip(names, converted, strict=True):
        set_slot = getattr(cls, name).__set__
        collections.deque(map(set_slot, rows, values), maxlen=0)
    return rows


def _parse_record(
    record: Sequence[str], columns: Sequence[Column], cls: type[_T], *, file: str, line: int
) -> _T | RowFault:
    """Convert one record, or tell what is wrong with it."""
    if len(record) != len(columns):
        problem = f"{len(record)} cells where the header has {len(columns)}"
        return RowFault(file=file, line=line, field=None, value=None, problem=problem)
    values = {}
    for column, cell in zip(columns, record, strict=True):
        try:
            values[column.name] = column.parse(cell)
        except ValueError as error:
            return RowFault(file=file, line=line, field=column.name, value=cell, problem=str(error))
    try:
        return cls(**values)
    except ValueError as error:
        return RowFault(file=file, line=line, field=None, value=None, problem=str(error))


def parse_table(text: str, cls: type[_T], *, file: str) -> ParsedTable[_T]:
    """Return the good rows of a CSV text and the faults of the bad ones.

    Args:
        text: the whole file.
        cls: row class; its fields are the columns.
        file: name for messages.

    Raises:
        DataError: when the header is wrong or the file is not CSV, so that no row can be trusted.
    """
    records, lines = _read_records(text, file)
    columns = _header_columns(records[0], cls, file)
    body, body_lines = records[1:], lines[1:]
    try:
        rows = _parse_columns(body, columns, cls)
    except ValueError:
        pass
    else:
        return ParsedTable(rows=rows, lines=tuple(body_lines), faults=())
    good: list[_T] = []
    good_lines: list[int] = []
    faults: list[RowFault] = []
    for record, line in zip(body, body_lines, strict=True):
        row = _parse_record(record, columns, cls, file=file, line=line)
        if isinstance(row, RowFault):
            faults.append(row)
        else:
            good.append(row)
            good_lines.append(line)
    return ParsedTable(rows=tuple(good), lines=tuple(good_lines), faults=tuple(faults))


def parse_rows(text: str, cls: type[_T], *, file: str) -> tuple[_T, ...]:
    """Return all rows of a CSV text.

    Raises:
        DataError: naming file, line, field and value of the first fault.
    """
    table = parse_table(text, cls, file=file)
    if table.faults:
        raise DataError(str(table.faults[0]))
    return table.rows


def is_one_line(cell: str) -> bool:
    """Return whether a cell can be written so that people see all of it: one line, no margins."""
    return cell == cell.strip() and cell.isprintable()


def dump_rows(rows: Iterable[_T], cls: type[_T]) -> str:
    """Return the canonical CSV text of rows: every column, LF line ends, least quoting.

    Raises:
        DataError: when a value cannot be written so that it is read back the same.
    """
    columns = columns_of(cls)
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
    writer.writerow([column.name for column in columns])
    for row in rows:
        cells = [column.format(getattr(row, column.name)) for column in columns]
        for column, cell in zip(columns, cells, strict=True):
            if not is_one_line(cell):
                raise DataError(f"{column.name}: {cell!r} has spaces around it or is not one line")
        writer.writerow(cells)
    return stream.getvalue()
