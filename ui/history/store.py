"""The history of trials: SQLite, one row for each finished run, safe against a kill at any moment.

A run is on disk before the next begins. A file of a newer version is refused, one that is broken
is put aside, so that a new one can begin.
Leaves to others: what is tried and judged (`advisor.trial`).
"""

import contextlib
import dataclasses
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar, cast

from advisor.errors import FormatError, InputError
from advisor.model.codec import decode, encode, parse_json
from advisor.model.own_step import OwnStep
from advisor.model.trial import TrialRun, TrialSetup
from ui.history.aside import put_aside, why_unusable
from ui.history.rows import HistoryRow, OwnStepRow, Search

# 1: first version. Tables and columns that came later are made where they are missing; an older
# DL Advisor reads and writes the file without them.
SCHEMA_VERSION = 1
_T = TypeVar("_T")
_BUSY_S = 10.0
_TABLES = """
CREATE TABLE IF NOT EXISTS search (
    key TEXT PRIMARY KEY,
    created_on TEXT NOT NULL,
    network TEXT NOT NULL,
    title TEXT NOT NULL,
    phase TEXT NOT NULL,
    batch_size INTEGER NOT NULL,
    precision TEXT NOT NULL,
    machine TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS run (
    id INTEGER PRIMARY KEY,
    search_key TEXT NOT NULL REFERENCES search (key),
    finished_on TEXT NOT NULL,
    setup TEXT NOT NULL,
    run TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS run_of_search ON run (search_key, id);
"""
_LATER_TABLES = """
CREATE TABLE IF NOT EXISTS own_step (
    id INTEGER PRIMARY KEY,
    search_key TEXT NOT NULL UNIQUE REFERENCES search (key),
    step TEXT NOT NULL
)
"""
# NULL where an older DL Advisor kept the run.
_LATER_COLUMN = "finished_at"


class History:
    """An open history; a context manager.

    Attributes:
        put_aside: where a damaged file was put in whose place a new one was begun, else None.

    Raises:
        InputError: when the file cannot be opened, or is of a newer version.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.put_aside: Path | None = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._database = self._open()
        except (sqlite3.DatabaseError, OSError) as error:
            raise InputError(
                f"{path}: the history cannot be opened: {why_unusable(error)}"
            ) from None

    def _open(self) -> sqlite3.Connection:
        try:
            return self._connect()
        except sqlite3.OperationalError:
            raise  # locked, read-only or full: the file may be good
        except sqlite3.DatabaseError:
            self.put_aside = put_aside(self._path)
            return self._connect()

    def _connect(self) -> sqlite3.Connection:
        database = sqlite3.connect(self._path, timeout=_BUSY_S, isolation_level=None)
        try:
            version = int(database.execute("PRAGMA user_version").fetchone()[0])
            if version > SCHEMA_VERSION:
                raise InputError(
                    f"{self._path}: written by a newer DL Advisor (history {version}): update it"
                )
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = FULL")
            database.execute("PRAGMA foreign_keys = ON")
            if version < SCHEMA_VERSION:
                database.executescript(
                    f"BEGIN IMMEDIATE; {_TABLES} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;"
                )
            database.execute(_LATER_TABLES)
            _add_later_column(database)
            _check_columns(database)
        except BaseException:
            database.close()
            raise
        return database

    def __enter__(self) -> "History":
        """Return itself."""
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        try:
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield self._database
            except BaseException:
                self._database.execute("ROLLBACK")
                raise
            self._database.execute("COMMIT")
        except sqlite3.Error as error:
            raise InputError(
                f"{self._path}: the history cannot be written: {why_unusable(error)}"
            ) from None

    def check_writable(self) -> None:
        """Find out before long work whether something can be kept.

        Raises:
            InputError: another program holds the file, or it is read-only.
        """
        with self._writing():
            pass

    def add_run(
        self,
        search: Search,
        setup: TrialSetup,
        run: TrialRun,
        *,
        finished_on: str,
        finished_at: str = "",
    ) -> None:
        """Keep a run that was finished on this date and time; when this returns it is on disk.

        Raises:
            InputError: when the disk is full or the file cannot be written.
        """
        columns = [field.name for field in dataclasses.fields(Search)]
        marks = ", ".join("?" * len(columns))
        with self._writing() as database:
            database.execute(
                f"INSERT OR IGNORE INTO search ({', '.join(columns)}) VALUES ({marks})",  # noqa: S608 - our own names
                [getattr(search, name) for name in columns],
            )
            database.execute(
                "INSERT INTO run (search_key, finished_on, setup, run, finished_at)"
                " VALUES (?, ?, ?, ?, ?)",
                (search.key, finished_on, _text(setup), _text(run), finished_at or None),
            )

    def runs_of(self, key: str) -> tuple[tuple[TrialSetup, TrialRun], ...]:
        """Return the setups and runs of a search, in the order in which they were made.

        Raises:
            InputError: when one is damaged.
        """
        rows = self._database.execute(
            "SELECT setup, run FROM run WHERE search_key = ? ORDER BY id", (key,)
        )
        return tuple((self._kept(a, TrialSetup), self._kept(b, TrialRun)) for a, b in rows)

    def add_own_step(self, search: Search, step: OwnStep) -> None:
        """Keep what a search tells of the predictions, in place of what it told before.

        Raises:
            InputError: when the disk is full, the file cannot be written, or no run is kept.
        """
        with self._writing() as database:
            database.execute(
                "INSERT OR REPLACE INTO own_step (search_key, step) VALUES (?, ?)",
                (search.key, _text(step)),
            )

    def own_steps(self, *, machine: str) -> tuple[OwnStep, ...]:
        """Return what was tried on a machine, oldest first; damaged rows are left out."""
        rows = self.own_step_rows(machine=machine)
        return tuple(row.step for row in rows if row.step is not None)

    def own_step_rows(self, *, machine: str | None = None) -> tuple[OwnStepRow, ...]:
        """Return what was tried on a machine, None: on all of them, oldest first."""
        rows = self._database.execute(
            f"SELECT {_SEARCH_COLUMNS}, own_step.step FROM own_step "  # noqa: S608 - our own names
            "JOIN search ON search.key = own_step.search_key "
            "WHERE ? IS NULL OR search.machine = ? ORDER BY own_step.id",
            (machine, machine),
        )
        return tuple(OwnStepRow(search=_search(row), step=_step_or_none(row[-1])) for row in rows)

    def rows(self) -> tuple[HistoryRow, ...]:
        """Return all finished runs, oldest first."""
        rows = self._database.execute(
            f"SELECT {_SEARCH_COLUMNS}, run.finished_at, run.finished_on, run.setup, run.run "  # noqa: S608 - our own names
            "FROM run JOIN search ON search.key = run.search_key ORDER BY run.id"
        )
        return tuple(
            HistoryRow(
                search=_search(row),
                finished_on=row[-3],
                setup=self._kept(row[-2], TrialSetup),
                run=self._kept(row[-1], TrialRun),
                finished_at=row[-4] or "",
            )
            for row in rows
        )

    def _kept(self, text: str, cls: type[_T]) -> _T:
        try:
            return _value(text, cls)
        except FormatError as error:
            raise InputError(
                f"{self._path}: a run in it cannot be read ({error}): move the file away, and a "
                "new history begins"
            ) from None

    def remove(self, key: str) -> None:
        """Forget a search with all its runs.

        Raises:
            InputError: when the file cannot be written.
        """
        self._forget(
            key,
            "DELETE FROM own_step WHERE search_key = ?",
            "DELETE FROM run WHERE search_key = ?",
            "DELETE FROM search WHERE key = ?",
        )

    def remove_own_step(self, key: str) -> None:
        """Forget what a search tells of the predictions; its runs stay.

        Raises:
            InputError: when the file cannot be written.
        """
        self._forget(key, "DELETE FROM own_step WHERE search_key = ?")

    def _forget(self, key: str, *statements: str) -> None:
        with self._writing() as database:
            for statement in statements:
                database.execute(statement, (key,))

    def begun(self, search: Search) -> Search:
        """Return a search under a key of its own: what ran before is left alone."""
        return dataclasses.replace(search, key=f"{search.key}-{self._count(search.key) + 1}")

    def resumed(self, search: Search) -> Search:
        """Return the last search of the same things, a new one when there is none."""
        count = self._count(search.key)
        return dataclasses.replace(search, key=f"{search.key}-{max(1, count)}")

    def _count(self, digest: str) -> int:
        row = self._database.execute(
            "SELECT count(*) FROM search WHERE key LIKE ? || '-%'", (digest,)
        ).fetchone()
        return int(row[0])


_SEARCH_NAMES = tuple(field.name for field in dataclasses.fields(Search))
_SEARCH_COLUMNS = ", ".join(f"search.{name}" for name in _SEARCH_NAMES)


def _add_later_column(database: sqlite3.Connection) -> None:
    # Two programs may find it missing at once: the second waits, and looks again.
    if _has_later_column(database):
        return
    database.execute("BEGIN IMMEDIATE")
    if not _has_later_column(database):
        database.execute(f"ALTER TABLE run ADD COLUMN {_LATER_COLUMN} TEXT")
    database.execute("COMMIT")


def _check_columns(database: sqlite3.Connection) -> None:
    """Take a file for damaged whose tables are not ours."""
    try:
        database.execute(
            f"SELECT {_SEARCH_COLUMNS}, run.id, run.finished_on, run.setup, run.run, own_step.step "  # noqa: S608 - our own names
            "FROM run JOIN search ON search.key = run.search_key "
            "LEFT JOIN own_step ON own_step.search_key = search.key LIMIT 0"
        )
    except sqlite3.OperationalError as error:
        if "no such" not in str(error):
            raise
        raise sqlite3.DatabaseError(str(error)) from None


def _has_later_column(database: sqlite3.Connection) -> bool:
    return any(row[1] == _LATER_COLUMN for row in database.execute("PRAGMA table_info(run)"))


def _search(row: tuple[Any, ...]) -> Search:
    """Return the search that the first columns of a row hold."""
    return Search(**dict(zip(_SEARCH_NAMES, row, strict=False)))


def _step_or_none(text: str) -> OwnStep | None:
    try:
        return _value(text, OwnStep)
    except ValueError:
        return None


def _text(value: TrialSetup | TrialRun | OwnStep) -> str:
    return json.dumps(encode(value), ensure_ascii=False, allow_nan=False)


def _value(text: str, cls: type[_T]) -> _T:
    # It gives what is asked for, or raises FormatError.
    return cast("_T", decode(parse_json(text), cls))
