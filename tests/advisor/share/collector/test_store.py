"""Storing, deleting and growing old, on SQLite; PostgreSQL does the same in the round trip."""

import asyncio
import datetime as dt
import secrets
import sqlite3

import pytest
from sqlalchemy import func, select, text

from advisor.share.collector.ageing import forget_old
from advisor.share.collector.aggregates import aggregates_of
from advisor.share.collector.database import database_url, migrate, open_database
from advisor.share.collector.reading import read_figures
from advisor.share.collector.series import figures_of
from advisor.share.collector.store import Answer, NewUpload, add_uploads, age_out, delete_upload
from advisor.share.collector.tables import Base, FigureRow, MergedRow, UploadRow
from advisor.share.collector.writer import StorageError, Writer
from advisor.share.upload import canonical_bytes, id_of
from tests.advisor.share.builders import upload

TODAY = dt.date(2026, 11, 22)


@pytest.fixture
def engine(tmp_path):
    made = open_database(database_url(str(tmp_path / "c.sqlite")))
    migrate(made)
    yield made
    made.dispose()


def new(knowledge, *, token=None, factor=1.0, on="2026-11-22", reason=None):
    made = upload(knowledge, factor=factor)
    return NewUpload(
        id=id_of(token or secrets.token_urlsafe(32)), received_on=on, reason=reason,
        body=canonical_bytes(made).decode(), figures=figures_of(made),
    )  # fmt: skip


def count(engine, table):
    with engine.connect() as connection:
        return connection.scalar(select(func.count()).select_from(table))


def test_the_migrations_make_the_tables_of_the_model(engine):
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    with engine.connect() as connection:
        context = MigrationContext.configure(connection)
        assert compare_metadata(context, Base.metadata) == []
    migrate(engine)


def test_one_transaction_answers_each_upload_by_itself(engine, knowledge):
    first, other, bad = new(knowledge), new(knowledge), new(knowledge, reason="too fast")
    changed = NewUpload(
        id=first.id, received_on=first.received_on, body="{}", reason=None, figures={}
    )
    with engine.begin() as connection:
        answers, known = add_uploads(connection, [first, other, first, bad], known={})
    assert answers == [Answer.ACCEPTED, Answer.ACCEPTED, Answer.ACCEPTED, Answer.QUARANTINED]
    with engine.begin() as connection:
        answers, _ = add_uploads(connection, [first, changed, bad], known=known)
    assert answers == [Answer.REPEATED, Answer.CONFLICT, Answer.REPEATED]
    assert (count(engine, UploadRow), count(engine, FigureRow)) == (3, 4)


def test_a_deletion_leaves_nothing_but_the_mark(engine, knowledge):
    token = secrets.token_urlsafe(32)
    one = new(knowledge, token=token)
    with engine.begin() as connection:
        add_uploads(connection, [one, new(knowledge)], known={})
        assert not delete_upload(connection, secrets.token_urlsafe(32))
        assert delete_upload(connection, token)
        assert not any(
            row.body for row in connection.execute(select(UploadRow).where(UploadRow.id == one.id))
        )
        answers, _ = add_uploads(connection, [one], known={})
    assert answers == [Answer.DELETED]
    assert count(engine, FigureRow) == 2


def test_the_database_holds_no_token(engine, knowledge, tmp_path):
    token = secrets.token_urlsafe(32)
    with engine.begin() as connection:
        add_uploads(connection, [new(knowledge, token=token)], known={})
    engine.dispose()
    data = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert id_of(token).encode() in data
    assert token.encode() not in data


def test_old_uploads_become_counts_that_still_give_the_median(engine, knowledge):
    uploads = [new(knowledge, factor=1 + i / 100, on="2026-01-01") for i in range(5)]
    with engine.begin() as connection:
        add_uploads(connection, [*uploads, new(knowledge)], known={})
    with engine.connect() as connection:
        before = aggregates_of(read_figures(connection), least=5)
    assert forget_old(engine, days_kept=180, on=TODAY) == 5
    assert forget_old(engine, days_kept=180, on=TODAY) == 0
    assert (count(engine, UploadRow), count(engine, FigureRow)) == (1, 2)
    assert count(engine, MergedRow) > 0
    with engine.connect() as connection:
        after = aggregates_of(read_figures(connection), least=5)
        text_ = str(connection.execute(text("SELECT * FROM merged")).all())
    assert [group.n for group in after] == [group.n for group in before] == [6, 6]
    for old, kept in zip(before, after, strict=True):
        assert kept.median == pytest.approx(old.median, rel=0.01)
    assert not any(one.id in text_ for one in uploads)


def test_only_some_are_aged_at_a_time(engine, knowledge):
    with engine.begin() as connection:
        add_uploads(connection, [new(knowledge, on="2026-01-01") for _ in range(5)], known={})
    with engine.begin() as connection:
        assert age_out(connection, before="2026-06-01", most=3) == 3
    assert count(engine, UploadRow) == 2


@pytest.fixture
def writer(engine):
    made = Writer(engine)
    made.start()
    yield made
    made.stop()


def test_many_requests_share_transactions(writer, engine, knowledge):
    uploads = [new(knowledge) for _ in range(60)]

    async def all_at_once():
        return await asyncio.gather(*(writer.add(one) for one in uploads + uploads))

    answers = asyncio.run(all_at_once())
    assert set(answers) <= {Answer.ACCEPTED, Answer.REPEATED}
    assert (count(engine, UploadRow), count(engine, FigureRow)) == (60, 120)


def test_a_failing_database_fails_the_upload_and_the_next_is_stored(
    writer, engine, knowledge, tmp_path
):
    engine.dispose()
    blocker = sqlite3.connect(tmp_path / "c.sqlite")
    blocker.execute("DROP TABLE figure")
    blocker.commit()
    with pytest.raises(StorageError, match="does not answer"):
        asyncio.run(writer.add(new(knowledge)))
    blocker.execute(
        "CREATE TABLE figure (upload_number INTEGER, series_number INTEGER, value FLOAT,"
        " PRIMARY KEY (upload_number, series_number))"
    )
    blocker.commit()
    blocker.close()
    assert asyncio.run(writer.add(new(knowledge))) is Answer.ACCEPTED
    assert count(engine, UploadRow) == 1  # the failed one was rolled back whole
