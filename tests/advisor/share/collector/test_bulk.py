"""Rows by the hundred, in pieces; those that are there already stay as they are."""

import pytest
from sqlalchemy import select

from advisor.share.collector.bulk import MOST_VARIABLES, insert_rows
from advisor.share.collector.database import database_url, migrate, open_database
from advisor.share.collector.tables import UploadRow
from tests.advisor.share.servers import Postgres, postgres_folder

COLUMNS = ("id", "received_on", "state", "reason", "body")
EVIL = "'; DROP TABLE upload; -- %s ? :x \\ \" {} \N{SNOWMAN}"


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def engine(request, tmp_path):
    if request.param == "sqlite":
        yield from opened(tmp_path / "c.sqlite")
        return
    if postgres_folder() is None:
        pytest.skip("PostgreSQL is not installed")
    server = Postgres().start()
    try:
        yield from opened(server.make_database("bulk"))
    finally:
        server.remove()


def opened(place):
    made = open_database(database_url(str(place)))
    migrate(made)
    yield made
    made.dispose()


def rows_of(count, *, body="{}"):
    return [(f"{n:064x}", "2026-11-22", "accepted", None, body) for n in range(count)]


def test_more_rows_than_a_statement_holds(engine):
    rows = rows_of(3 * MOST_VARIABLES // len(COLUMNS) + 7, body=EVIL)
    with engine.begin() as connection:
        added = insert_rows(
            connection, UploadRow, columns=COLUMNS, rows=rows, returning=("number", "id")
        )
        stored = connection.execute(select(UploadRow.number, UploadRow.id)).all()
        bodies = set(connection.scalars(select(UploadRow.body)))
    assert sorted(map(tuple, added)) == sorted(map(tuple, stored))
    assert len(stored) == len(rows)
    assert bodies == {EVIL}


def test_what_is_there_stays(engine):
    with engine.begin() as connection:
        insert_rows(connection, UploadRow, columns=COLUMNS, rows=rows_of(2, body="old"))
        rows = rows_of(3, body="new")
        added = insert_rows(connection, UploadRow, columns=COLUMNS, rows=rows, returning=("id",))
        bodies = list(connection.scalars(select(UploadRow.body).order_by(UploadRow.id)))
    assert [row.id for row in added] == [rows[2][0]]
    assert bodies == ["old", "old", "new"]


def test_no_rows_are_no_statement(engine):
    with engine.connect() as connection:
        assert insert_rows(connection, UploadRow, columns=COLUMNS, rows=[]) == []
        assert not connection.in_transaction()
