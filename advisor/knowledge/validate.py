"""Checks on every bundled row: `python -m advisor.knowledge.validate`.

Form (canonical text, types, schema bounds), identity (unique keys), sense (units, dates, order of
values) and references between tables. One line per fault.
Leaves to others: reading (`advisor.knowledge.rows`), bounds (`advisor.knowledge.schema`), rules on
a row (`advisor.knowledge.sense`), what rows name (`advisor.knowledge.references`).
"""

import argparse
import datetime as dt
import importlib.resources
import sys
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from advisor.errors import DataError
from advisor.knowledge.placed import Placed, PlacedRow, PlacedTable, file_fault, unreadable
from advisor.knowledge.references import (
    UNRESOLVED,
    UNRESOLVED_FILE,
    UnresolvedDevice,
    find_broken_references,
)
from advisor.knowledge.rows import RowFault, columns_of, dump_rows, is_one_line, parse_table
from advisor.knowledge.schema import load_schema, schema_faults, value_faults
from advisor.knowledge.sense import find_nonsense
from advisor.knowledge.store import DATA_FOLDER, DATA_PACKAGE, TABLES, Table, table_files

SCHEMA_FOLDER = "schema"


def validate(data: Traversable, *, schemas: Traversable, today: dt.date) -> tuple[RowFault, ...]:
    """Return all faults of a data folder; an empty tuple means that it may be bundled.

    A cell that is refused by a simple rule is not looked at by others: one fault is one line.

    Args:
        data: folder laid out as `advisor.knowledge.store.TABLES` says.
        schemas: folder of the schemas, one JSON file per table.
        today: no row may be younger.
    """
    faults: list[RowFault] = []
    placed: Placed = {}
    for table in TABLES:
        rows, bad = _read_table(data, table)
        bad += _check_rows(rows, table, schemas=schemas, today=today)
        placed[table.name] = PlacedTable(rows=rows, is_whole=not bad)
        faults += bad
    rows, bad = _read_unresolved(data)
    placed[UNRESOLVED] = PlacedTable(rows=rows, is_whole=not bad)
    return (*faults, *bad, *find_broken_references(data, placed))


def _read_table(data: Traversable, table: Table) -> tuple[tuple[PlacedRow, ...], list[RowFault]]:
    rows: list[PlacedRow] = []
    faults: list[RowFault] = []
    for name, file in table_files(data, table=table):
        placed, bad = _read_file(file, name, table.row_class)
        rows += placed
        faults += bad
    if not rows and not faults:
        faults.append(file_fault(table.path, "the table is missing or empty"))
    return tuple(rows), faults


def _read_unresolved(data: Traversable) -> tuple[tuple[PlacedRow, ...], list[RowFault]]:
    file = data.joinpath(*UNRESOLVED_FILE.split("/"))
    if not file.is_file():
        return (), []
    rows, faults = _read_file(file, UNRESOLVED_FILE, UnresolvedDevice)
    return tuple(rows), faults


def _read_file(
    file: Traversable, name: str, row_class: type[Any]
) -> tuple[list[PlacedRow], list[RowFault]]:
    try:
        text = file.read_bytes().decode("utf-8")
        parsed = parse_table(text, row_class, file=name)
    except (DataError, UnicodeDecodeError) as error:
        return [], [unreadable(name, error)]
    rows = [
        PlacedRow(row=row, file=name, line=line)
        for row, line in zip(parsed.rows, parsed.lines, strict=True)
    ]
    return rows, list(parsed.faults) or _form_faults(text, rows, row_class, name)


def _form_faults(
    text: str, rows: Sequence[PlacedRow], row_class: type[Any], name: str
) -> list[RowFault]:
    """Return what makes the text of a file another one than that of its rows: the first place."""
    try:
        canonical = dump_rows([entry.row for entry in rows], row_class)
    except DataError:
        return [fault for entry in rows for fault in _unwritable(entry, row_class)]
    return [_first_difference(text, canonical, name)] if text != canonical else []


def _unwritable(entry: PlacedRow, row_class: type[Any]) -> Iterator[RowFault]:
    for column in columns_of(row_class):
        cell = column.format(getattr(entry.row, column.name))
        if not is_one_line(cell):
            yield entry.fault("has spaces around it or is not one line", field=column.name)


def _first_difference(text: str, canonical: str, name: str) -> RowFault:
    lines, wanted = text.split("\n"), canonical.split("\n")
    pairs = zip(lines, wanted, strict=False)
    line = next((i for i, (a, b) in enumerate(pairs, start=1) if a != b), len(wanted))
    expected = wanted[line - 1] if line <= len(wanted) else ""
    return file_fault(name, f"not in canonical form, expected: {expected[:120]}", line=line)


def _check_rows(
    rows: Sequence[PlacedRow], table: Table, *, schemas: Traversable, today: dt.date
) -> list[RowFault]:
    """Return the faults of single rows; what the schema refuses need not make sense too."""
    refused = list(_check_schema(rows, table, schemas))
    lines = {(fault.file, fault.line) for fault in refused}
    nonsense = (
        entry.fault(problem, field=field)
        for entry in rows
        if (entry.file, entry.line) not in lines
        for field, problem in find_nonsense(entry.row, today=today)
    )
    return [*refused, *_check_keys(rows, table), *nonsense]


def _check_schema(
    rows: Sequence[PlacedRow], table: Table, schemas: Traversable
) -> Iterator[RowFault]:
    try:
        schema = load_schema(schemas, table=table.name)
    except DataError as error:
        yield file_fault(table.path, str(error))
        return
    for problem in schema_faults(schema, row_class=table.row_class):
        yield file_fault(f"{SCHEMA_FOLDER}/{table.name}.json", problem)
    values = [entry.row for entry in rows]
    for position, field, problem in value_faults(values, schema=schema):
        yield rows[position].fault(problem, field=field)


def _check_keys(rows: Iterable[PlacedRow], table: Table) -> Iterator[RowFault]:
    first: dict[tuple[Any, ...], PlacedRow] = {}
    for entry in rows:
        key = tuple(getattr(entry.row, name) for name in table.key)
        other = first.setdefault(key, entry)
        if table.key and other is not entry:
            words = ", ".join(f"{n}={v}" for n, v in zip(table.key, key, strict=True))
            problem = f"{words} stands in {other.file}:{other.line} already"
            yield entry.fault(problem, field=table.key[0])


def main(arguments: Sequence[str] | None = None) -> int:
    """Validate the bundled data, or a folder; return 1 when there are faults."""
    parser = argparse.ArgumentParser(prog="advisor.knowledge.validate", description=main.__doc__)
    parser.add_argument("--folder", type=Path, help="data folder instead of the bundled one")
    parser.add_argument(
        "--today",
        type=dt.date.fromisoformat,
        default=None,
        help="date that no row may be younger than (YYYY-MM-DD)",
    )
    options = parser.parse_args(arguments)
    package = importlib.resources.files(DATA_PACKAGE)
    data = options.folder or package / DATA_FOLDER
    today = options.today or dt.date.today()
    faults = validate(data, schemas=package / SCHEMA_FOLDER, today=today)
    for fault in faults:
        sys.stdout.write(f"{fault}\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
