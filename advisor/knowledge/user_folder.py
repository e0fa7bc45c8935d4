"""The user's own rows: a folder laid out as the bundled one, with any of its tables.

A row with the key of a bundled row replaces it, any other is added. A bad row, or a file that
cannot be read at all, is skipped and told with file and line: the rest is used.
Leaves to others: the bundled rows (`advisor.knowledge.store`), the rules that rows must keep
(`advisor.knowledge.schema`, `advisor.knowledge.sense`).
"""

import dataclasses
import datetime as dt
import importlib.resources
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from advisor.errors import DataError
from advisor.knowledge.placed import PlacedRow, unreadable
from advisor.knowledge.rows import RowFault, parse_table
from advisor.knowledge.sense import find_nonsense
from advisor.knowledge.store import DATA_PACKAGE, TABLES, Knowledge, Table, table_files

_SCHEMA_FOLDER = "schema"


def add_user_folder(knowledge: Knowledge, *, folder: Path, today: dt.date) -> Knowledge:
    """Return the knowledge with the good rows of the user's own folder, which need not be there.

    Args:
        knowledge: to be added to.
        folder: laid out as `advisor.knowledge.store.TABLES` says.
        today: no row may be younger.
    """
    if not folder.is_dir():
        return knowledge
    changed: dict[str, Any] = {}
    skipped: list[RowFault] = []
    for table in TABLES:
        rows, bad = _read_own(folder, table)
        refused = _refused(rows, table=table, today=today)
        skipped += [*bad, *refused.values()]
        own = [entry.row for entry in rows if (entry.file, entry.line) not in refused]
        if own:
            changed[table.name] = _merged(getattr(knowledge, table.name), own, table.key)
    return dataclasses.replace(knowledge, **changed, skipped=(*knowledge.skipped, *skipped))


def _read_own(folder: Path, table: Table) -> tuple[list[PlacedRow], list[RowFault]]:
    rows: list[PlacedRow] = []
    faults: list[RowFault] = []
    for name, file in table_files(folder, table=table):
        try:
            text = file.read_bytes().decode("utf-8")
            parsed = parse_table(text, table.row_class, file=name)
        except (DataError, OSError, UnicodeDecodeError) as error:
            faults.append(unreadable(name, error))
            continue
        faults += parsed.faults
        rows += [
            PlacedRow(row=row, file=name, line=line)
            for row, line in zip(parsed.rows, parsed.lines, strict=True)
        ]
    return rows, faults


def _refused(
    rows: Sequence[PlacedRow], *, table: Table, today: dt.date
) -> dict[tuple[str, int], RowFault]:
    """Return the first fault of each row that could be read and cannot be true, by its place."""
    if not rows:
        return {}
    # Imported only here: most users have no rows of their own, and this takes a while.
    from advisor.knowledge.schema import load_schema, value_faults

    schemas = importlib.resources.files(DATA_PACKAGE) / _SCHEMA_FOLDER
    schema = load_schema(schemas, table=table.name)
    found: dict[tuple[str, int], RowFault] = {}
    values = [entry.row for entry in rows]
    for position, field, problem in value_faults(values, schema=schema):
        entry = rows[position]
        found.setdefault((entry.file, entry.line), entry.fault(problem, field=field))
    for entry in rows:
        for field, problem in find_nonsense(entry.row, today=today):
            found.setdefault((entry.file, entry.line), entry.fault(problem, field=field))
    return found


def _merged(bundled: tuple[Any, ...], own: list[Any], key: tuple[str, ...]) -> tuple[Any, ...]:
    by_key = {tuple(getattr(row, name) for name in key): row for row in own}
    kept = [row for row in bundled if tuple(getattr(row, name) for name in key) not in by_key]
    return (*kept, *by_key.values())


def skipped_sentence(knowledge: Knowledge) -> str | None:
    """Return one line about the rows that were left out, None when there are none."""
    if not knowledge.skipped:
        return None
    count = len(knowledge.skipped)
    rows = "1 row" if count == 1 else f"{count} rows"
    return f"{rows} of your own data cannot be used; first: {knowledge.skipped[0]}"
