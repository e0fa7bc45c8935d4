"""Uploads are kept with their tokens where only their owner reads them, and tried ever later."""

import dataclasses
import datetime as dt
import json
import os

import pytest

from advisor.errors import InputError
from advisor.share.outbox import LOG_NAME, KeptState, Outbox
from advisor.share.upload import id_of

NOW = dt.datetime(2026, 11, 22, 12, 0, tzinfo=dt.UTC)


@pytest.fixture
def outbox(tmp_path):
    return Outbox(tmp_path / "new" / "share")


def test_what_is_prepared_comes_back_with_its_own_token(outbox):
    first = outbox.prepare(b'{"a":1}', server="https://example.org", on="2026-11-22")
    second = outbox.prepare(b'{"a":1}', server="https://example.org", on="2026-11-21")
    assert outbox.uploads() == (second, first)
    assert first.id == id_of(first.token)
    assert len(first.token) == 43
    assert first.token != second.token


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_only_the_owner_may_read(outbox, tmp_path):
    kept = outbox.prepare(b"{}", server="https://example.org", on="2026-11-22")
    outbox.log("sent", upload=kept, now=NOW, answer="201")
    folder = tmp_path / "new" / "share"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}


def test_the_log_is_only_added_to_and_holds_no_token(outbox, tmp_path):
    kept = outbox.prepare(b"{}", server="https://example.org", on="2026-11-22")
    for answer in ("no connection", "201 accepted"):
        outbox.log("sending", upload=kept, now=NOW, answer=answer)
    text = (tmp_path / "new" / "share" / LOG_NAME).read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    assert [line["answer"] for line in lines] == ["no connection", "201 accepted"]
    assert lines[0] == {
        "at": "2026-11-22T12:00:00+00:00", "event": "sending", "server": "https://example.org",
        "id": kept.id, "n_bytes": 2, "answer": "no connection",
    }  # fmt: skip
    assert kept.token not in text


def test_each_try_waits_twice_as_long_up_to_a_day(outbox):
    kept = outbox.prepare(b"{}", server="https://example.org", on="2026-11-22")
    assert kept.is_due(NOW)
    waits = []
    for _ in range(30):
        kept = kept.postponed(NOW, detail="no connection")
        waits.append((dt.datetime.fromisoformat(kept.not_before) - NOW).total_seconds())
    assert waits[:4] == [60, 120, 240, 480]
    assert waits[-1] == 86_400
    assert not kept.is_due(NOW)
    assert kept.is_due(NOW + dt.timedelta(days=1, seconds=1))
    assert not dataclasses.replace(kept, state=KeptState.SENT).is_due(NOW + dt.timedelta(days=9))


@pytest.mark.parametrize("text", ["", "{}", "[" * 9999, '{"schema_version": 1}', "\x00"])
def test_a_file_that_is_broken_is_named_not_passed_over(outbox, tmp_path, text):
    kept = outbox.prepare(b"{}", server="https://example.org", on="2026-11-22")
    path = tmp_path / "new" / "share" / f"{kept.id}.upload.json"
    path.write_text(text)
    with pytest.raises(InputError, match=kept.id):
        outbox.uploads()


def test_a_place_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    outbox = Outbox(tmp_path / "file" / "share")
    with pytest.raises(InputError, match="cannot be written"):
        outbox.prepare(b"{}", server="https://example.org", on="2026-11-22")


def test_nothing_was_ever_sent(outbox):
    assert outbox.uploads() == ()
