"""Opening the collector's database and bringing its tables up to date.

SQLite in a file by default, PostgreSQL by URL when several copies of the server share one.
Leaves to others: what stands in the tables (`tables`).
"""

import importlib.resources
import sqlite3

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import ConnectionPoolEntry

from advisor.errors import InputError

_BUSY_S = 10.0
_CONNECT_S = 5
# Any number, the same in all copies: only one of them changes the tables.
_LOCK = 8_470_001


def database_url(text_: str) -> URL:
    """Return the address of a database: a URL, or the path of an SQLite file.

    Raises:
        InputError: for any other kind of database.
    """
    if "://" not in text_:
        return URL.create("sqlite", database=text_)
    try:
        url = make_url(text_)
    except ArgumentError:
        raise InputError("the database is neither a file nor a URL") from None
    if url.get_backend_name() == "postgresql":
        return url.set(drivername="postgresql+psycopg")
    if url.get_backend_name() == "sqlite":
        return url
    raise InputError(f"{url.get_backend_name()}: only SQLite and PostgreSQL are supported")


def open_database(url: URL) -> Engine:
    """Return an engine; nothing is connected yet."""
    if url.get_backend_name() == "postgresql":
        arguments = {"connect_timeout": _CONNECT_S}
        return create_engine(url, pool_pre_ping=True, connect_args=arguments)
    engine = create_engine(url, connect_args={"timeout": _BUSY_S})
    event.listen(engine, "connect", _set_up_sqlite)
    return engine


def _set_up_sqlite(connection: sqlite3.Connection, _record: ConnectionPoolEntry) -> None:
    """Readers do not wait for the writer, and what was answered survives a power cut."""
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def migrate(engine: Engine) -> None:
    """Bring the tables up to date; copies that start together take turns."""
    config = Config()
    place = importlib.resources.files("advisor.share.collector") / "migrations"
    config.set_main_option("script_location", str(place).replace("%", "%%"))
    with engine.begin() as connection:
        _lock(connection)
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def _lock(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _LOCK})
