"""Writing to the collector's tables: many uploads in one transaction, deletion, growing old.

Leaves to others: when that is done (`writer`, `ageing`), reading (`reading`).
"""

import hmac
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, delete, select, update
from sqlalchemy.dialects import postgresql, sqlite

from advisor.share.collector.bulk import insert_rows
from advisor.share.collector.series import Series, key_of
from advisor.share.collector.tables import FigureRow, MergedRow, SeriesRow, UploadRow
from advisor.share.upload import id_of

# A bin of a histogram is one per cent wide.
BINS_PER_E = 100.0
# Of a hash; found by so much of it, and compared whole in constant time.
_PREFIX = 16
# Columns, in the order of the rows that are made here.
_UPLOAD = ("id", "received_on", "state", "reason", "body")
_FIGURE = ("upload_number", "series_number", "value")
# Variables in one statement: old SQLite allows 999.
_AT_ONCE = 400


class Answer(StrEnum):
    """What became of an upload."""

    ACCEPTED = "accepted"
    QUARANTINED = "quarantined"
    REPEATED = "repeated"
    CONFLICT = "conflict"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewUpload:
    """An upload that was checked; `reason` is why it is to be quarantined, None for most."""

    id: str
    received_on: str
    body: str
    reason: str | None
    figures: dict[Series, float]

    @property
    def state(self) -> str:
        """The state that it is stored in."""
        return (Answer.ACCEPTED if self.reason is None else Answer.QUARANTINED).value


def _insert(connection: Connection, table: type[Any]) -> Any:
    """Return an insertion that leaves rows which are there already as they are."""
    make = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    return make(table).on_conflict_do_nothing()


def add_uploads(
    connection: Connection, uploads: Sequence[NewUpload], *, known: dict[Series, int]
) -> tuple[list[Answer], dict[Series, int]]:
    """Store uploads in the open transaction.

    Args:
        connection: in a transaction that the caller ends.
        uploads: as they came; an id may come twice.
        known: numbers of series that are stored for sure.

    Returns:
        The answer to each upload, and the numbers of series that are known once it is committed.
    """
    first: dict[str, NewUpload] = {}
    for upload in uploads:
        first.setdefault(upload.id, upload)
    # In one order: two servers that store the same uploads must not wait for each other.
    rows = [_row(first[id_]) for id_ in sorted(first)]
    added = insert_rows(
        connection, UploadRow, columns=_UPLOAD, rows=rows, returning=("number", "id")
    )
    numbers = {row.id: row.number for row in added}
    stored = [u for u in first.values() if u.id in numbers]
    fresh = _add_figures(connection, stored, numbers, known)
    old = _old_rows(connection, [id_ for id_ in first if id_ not in numbers])
    return [_answer(u, first=first[u.id], old=old.get(u.id)) for u in uploads], fresh


def _row(upload: NewUpload) -> tuple[str | None, ...]:
    return (upload.id, upload.received_on, upload.state, upload.reason, upload.body)


def _answer(upload: NewUpload, *, first: NewUpload, old: tuple[str, str] | None) -> Answer:
    if old is None:
        if upload is first:
            return Answer(upload.state)
        return Answer.REPEATED if upload.body == first.body else Answer.CONFLICT
    state, body = old
    if state == Answer.DELETED:
        return Answer.DELETED
    return Answer.REPEATED if upload.body == body else Answer.CONFLICT


def _old_rows(connection: Connection, ids: list[str]) -> dict[str, tuple[str, str]]:
    found = {}
    for start in range(0, len(ids), _AT_ONCE):
        part = ids[start : start + _AT_ONCE]
        statement = select(UploadRow.id, UploadRow.state, UploadRow.body)
        for id_, state, body in connection.execute(statement.where(UploadRow.id.in_(part))):
            found[id_] = (state, body)
    return found


def _add_figures(
    connection: Connection,
    uploads: list[NewUpload],
    numbers: dict[str, int],
    known: dict[Series, int],
) -> dict[Series, int]:
    accepted = [upload for upload in uploads if upload.reason is None and upload.figures]
    wanted = {series for upload in accepted for series in upload.figures if series not in known}
    fresh = _series_numbers(connection, wanted)
    all_known = {**known, **fresh} if fresh else known
    rows = [
        (number, all_known[series], value)
        for number, figures in ((numbers[u.id], u.figures) for u in accepted)
        for series, value in figures.items()
    ]
    insert_rows(connection, FigureRow, columns=_FIGURE, rows=rows)
    return fresh


def _series_numbers(connection: Connection, wanted: set[Series]) -> dict[Series, int]:
    by_key = {key_of(series): series for series in wanted}
    keys = sorted(by_key)
    if not keys:
        return {}
    rows = [{"key": key, **asdict(by_key[key])} for key in keys]
    connection.execute(_insert(connection, SeriesRow), rows)
    found = {}
    for start in range(0, len(keys), _AT_ONCE):
        part = keys[start : start + _AT_ONCE]
        statement = select(SeriesRow.key, SeriesRow.number).where(SeriesRow.key.in_(part))
        for key, number in connection.execute(statement):
            found[by_key[key]] = number
    return found


def delete_upload(connection: Connection, token: str) -> bool:
    """Delete the upload of a token; return whether there was one.

    What is left says only that this id was deleted, so that a late retry cannot bring it back.
    """
    wanted = id_of(token)
    prefix = wanted[:_PREFIX]
    statement = select(UploadRow.number, UploadRow.id).where(
        UploadRow.id >= prefix, UploadRow.id < f"{prefix}g"
    )
    for number, id_ in connection.execute(statement).all():
        if hmac.compare_digest(id_, wanted):
            connection.execute(delete(FigureRow).where(FigureRow.upload_number == number))
            connection.execute(
                update(UploadRow)
                .where(UploadRow.number == number)
                .values(state=Answer.DELETED.value, body="", reason=None)
            )
            return True
    return False


def age_out(connection: Connection, *, before: str, most: int = 1000) -> int:
    """Merge the figures of uploads received before a day, and forget the uploads; return how many.

    Each figure is counted once, even when several servers do this at a time: only the one that
    removes a row gets it back.
    """
    old = select(UploadRow.number).where(UploadRow.received_on < before).limit(most)
    numbers = list(connection.scalars(old))
    counts: Counter[tuple[int, int]] = Counter()
    for start in range(0, len(numbers), _AT_ONCE):
        part = numbers[start : start + _AT_ONCE]
        removed = connection.execute(
            delete(FigureRow)
            .where(FigureRow.upload_number.in_(part))
            .returning(FigureRow.series_number, FigureRow.value)
        )
        for series, value in removed:
            counts[series, bin_of(value)] += 1
        connection.execute(delete(UploadRow).where(UploadRow.number.in_(part)))
    for (series, bin_), count in sorted(counts.items()):
        _merge(connection, series=series, bin_=bin_, count=count)
    return len(numbers)


def _merge(connection: Connection, *, series: int, bin_: int, count: int) -> None:
    row = {"series_number": series, "bin": bin_, "count": 0}
    connection.execute(_insert(connection, MergedRow), [row])
    connection.execute(
        update(MergedRow)
        .where(MergedRow.series_number == series, MergedRow.bin == bin_)
        .values(count=MergedRow.count + count)
    )


def bin_of(value: float) -> int:
    """Return the step of one per cent that a value lies in."""
    return round(math.log(value) * BINS_PER_E)


def value_of(bin_: int) -> float:
    """Return the middle of a step."""
    return math.exp(bin_ / BINS_PER_E)
