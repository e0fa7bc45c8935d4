"""Inserting many rows by one statement; whatever is there already is left as it is.

A statement for each row would cost more than all the rest: after each one the thread has to wait
for the interpreter.
Leaves to others: which rows (`store`).
"""

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, Table
from sqlalchemy.dialects import postgresql

from advisor.share.collector.tables import Base

# Variables in one statement: old SQLite allows 999.
MOST_VARIABLES = 900
_DIALECT = postgresql.dialect()  # type: ignore[no-untyped-call] # SQLAlchemy leaves it untyped

Values = tuple[str | int | float | None, ...]


def insert_rows(
    connection: Connection,
    kind: type[Base],
    *,
    columns: Sequence[str],
    rows: Sequence[Values],
    returning: Sequence[str] = (),
) -> list[Row[Any]]:
    """Insert rows in their order; return what is asked of those that were not there yet."""
    if not rows:
        return []
    table = Base.metadata.tables[kind.__tablename__]
    # Names of our own tables; values are never part of the text.
    head = f"INSERT INTO {table.name} ({', '.join(columns)})"
    tail = "ON CONFLICT DO NOTHING"
    if returning:
        tail += f" RETURNING {', '.join(returning)}"
    if connection.dialect.name == "postgresql":
        text, values = _of_json(table, columns, rows)
        return _execute(connection, f"{head} {text} {tail}", values)
    found: list[Row[Any]] = []
    at_once = MOST_VARIABLES // len(columns)
    for start in range(0, len(rows), at_once):
        text, values = _of_marks(columns, rows[start : start + at_once])
        found += _execute(connection, f"{head} {text} {tail}", values)
    return found


def _of_json(
    table: Table, columns: Sequence[str], rows: Sequence[Values]
) -> tuple[str, tuple[Any, ...]]:
    """Return a source of rows of one parameter: PostgreSQL's driver is slow with lists."""
    types = (table.c[name].type.compile(_DIALECT) for name in columns)
    named = ", ".join(f"{name} {type_}" for name, type_ in zip(columns, types, strict=True))
    text = f"SELECT * FROM json_to_recordset(%s::json) AS new({named})"  # noqa: S608 - our names
    return text, (json.dumps([dict(zip(columns, row, strict=True)) for row in rows]),)


def _of_marks(columns: Sequence[str], rows: Sequence[Values]) -> tuple[str, tuple[Any, ...]]:
    mark = f"({', '.join('?' * len(columns))})"
    text = f"VALUES {', '.join([mark] * len(rows))}"
    return text, tuple(value for row in rows for value in row)


def _execute(connection: Connection, text: str, values: tuple[Any, ...]) -> list[Row[Any]]:
    result = connection.exec_driver_sql(text, values)
    return list(result) if result.returns_rows else []
