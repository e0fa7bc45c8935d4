"""What was sent or is to be sent, with the tokens that delete it: files only their owner may read.

One file for each upload, and a log that is only ever added to.
Leaves to others: sending (`advisor.share.client`), where the folder is (`ui.settings`).
"""

import datetime as dt
import json
import os
import secrets
import tempfile
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from advisor.errors import FormatError, InputError, why_unreadable
from advisor.model.codec import dump_document, load_document
from advisor.share.upload import id_of

LOG_NAME = "log.jsonl"
_SUFFIX = ".upload.json"
_FIRST_WAIT_S = 60.0
_LONGEST_WAIT_S = 86_400.0


class KeptState(StrEnum):
    """Where an upload is."""

    WAITING = "waiting"
    SENT = "sent"
    QUARANTINED = "quarantined"
    REFUSED = "refused"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptUpload:
    """An upload of this user.

    Attributes:
        id: hash of the token; token: deletes it, "" once it is deleted.
        body: the very text that is sent.
        tries: how often it could not be sent; not_before: ISO time of the next try.
        detail: what the server said last.
    """

    id: str
    token: str
    server: str
    body: str
    state: KeptState
    prepared_on: str
    tries: int = 0
    not_before: str | None = None
    detail: str | None = None

    def is_due(self, now: dt.datetime) -> bool:
        """Return whether it waits and may be tried now."""
        is_waiting = self.state is KeptState.WAITING
        return is_waiting and (self.not_before is None or now.isoformat() >= self.not_before)

    def postponed(self, now: dt.datetime, *, detail: str) -> "KeptUpload":
        """Return it after a try that failed: each next one waits twice as long."""
        wait_s = min(_LONGEST_WAIT_S, _FIRST_WAIT_S * 2.0 ** min(self.tries, 20))
        later = now + dt.timedelta(seconds=wait_s)
        return replace(
            self, tries=self.tries + 1, not_before=later.isoformat(timespec="seconds"),
            detail=detail,
        )  # fmt: skip


class Outbox:
    """The folder of all uploads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def prepare(self, body: bytes, *, server: str, on: str) -> KeptUpload:
        """Return a new upload with a fresh token, kept before anything is sent."""
        token = secrets.token_urlsafe(32)
        kept = KeptUpload(
            id=id_of(token), token=token, server=server, body=body.decode("ascii"),
            state=KeptState.WAITING, prepared_on=on,
        )  # fmt: skip
        self.keep(kept)
        return kept

    def keep(self, upload: KeptUpload) -> None:
        """Write an upload, whole or not at all.

        Raises:
            InputError: when it cannot be written.
        """
        path = self._folder / f"{upload.id}{_SUFFIX}"
        partial: str | None = None
        try:
            self._make_folder()
            # Only the owner may read what mkstemp makes.
            handle, partial = tempfile.mkstemp(dir=self._folder, suffix=".part")
            with os.fdopen(handle, "wb") as stream:
                stream.write(dump_document(upload).encode("utf-8"))
                stream.flush()
                os.fsync(stream.fileno())
            Path(partial).replace(path)
        except OSError as error:
            if partial is not None:
                Path(partial).unlink(missing_ok=True)
            raise InputError(f"{path}: cannot be written: {error.strerror}") from None

    def _make_folder(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)

    def uploads(self) -> tuple[KeptUpload, ...]:
        """Return all uploads, the oldest first.

        Raises:
            InputError: for a file that cannot be read: its token would be lost silently.
        """
        found = []
        for path in sorted(self._folder.glob(f"*{_SUFFIX}")):
            try:
                found.append(load_document(path.read_text(encoding="utf-8"), KeptUpload))
            except OSError as error:
                raise InputError(f"{path}: {why_unreadable(error)}") from None
            except (FormatError, UnicodeDecodeError) as error:
                raise InputError(f"{path}: cannot be read: {error}") from None
        return tuple(sorted(found, key=lambda upload: (upload.prepared_on, upload.id)))

    def log(self, event: str, *, upload: KeptUpload, now: dt.datetime, answer: str) -> None:
        """Add a line: what was sent where, when, and what came back.

        Raises:
            InputError: when it cannot be written; then nothing may be sent.
        """
        line = {
            "at": now.isoformat(timespec="seconds"),
            "event": event,
            "server": upload.server,
            "id": upload.id,
            "n_bytes": len(upload.body),
            "answer": answer,
        }
        path = self._folder / LOG_NAME
        try:
            self._make_folder()
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                stream.write(json.dumps(line) + "\n")
        except OSError as error:
            raise InputError(f"{path}: cannot be written: {error.strerror}") from None
