"""State and intent of the share dialog: what would be sent, where to, and what was sent before.

Nothing is sent but by `send` and `send_waiting`.
Signals of `SharePresenter`:
    state_changed: the new `ShareState`.
    saved: path of a file that was written.
    unexpected: an exception that is a fault of the app.
Leaves to others: sharing (`ui.sharing`), the words (`ui.dialogs.share`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from advisor.errors import AdvisorError, InputError
from advisor.model.recommendation import Recommendation
from advisor.share.client import check_server
from advisor.share.outbox import KeptUpload, Outbox
from advisor.share.upload import Upload, canonical_bytes
from ui import journey, sharing
from ui.background import BackgroundTask, error_line
from ui.files import write_bytes
from ui.settings import read_last
from ui.share_settings import (
    SHARE_SERVER,
    forget_setting,
    keep_setting,
    read_setting,
    share_folder,
)


class ShareStage(StrEnum):
    """Where the dialog stands."""

    READING = "reading"
    READY = "ready"
    SENDING = "sending"
    DELETING = "deleting"


class ShareEvent(StrEnum):
    """What was done last."""

    NOTHING = "nothing"
    SENT = "sent"
    NOT_SENT = "not_sent"
    DELETED = "deleted"
    NOT_DELETED = "not_deleted"
    SERVER_KEPT = "server_kept"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareState:
    """All that the dialog shows.

    Attributes:
        upload: what would be sent, None when there is nothing; body: its very bytes as text.
        problem: why there is nothing to share, "" otherwise.
        server: where to; None: no server is set.
        uploads: all of this user, the oldest first; waiting: how many may be tried now.
        event: what was done last; detail: one line about it.
    """

    stage: ShareStage = ShareStage.READING
    upload: Upload | None = None
    body: str = ""
    problem: str = ""
    server: str | None = None
    uploads: tuple[KeptUpload, ...] = ()
    waiting: int = 0
    event: ShareEvent = ShareEvent.NOTHING
    detail: str = ""

    @property
    def is_busy(self) -> bool:
        """Whether something runs."""
        return self.stage is not ShareStage.READY


class SharePresenter(QObject):
    """Makes, sends and deletes uploads beside the window."""

    state_changed = Signal(object)
    saved = Signal(str)
    unexpected = Signal(object)

    def __init__(
        self,
        *,
        read: Callable[[], Recommendation | None] = read_last,
        folder: Callable[[], Path] = share_folder,
        parent: QObject | None = None,
    ) -> None:
        """Take what reads the advice that is shared, and the folder of the outbox."""
        super().__init__(parent)
        self._read, self._folder = read, folder
        self._state = ShareState(stage=ShareStage.READY)
        self._task: BackgroundTask | None = None

    @property
    def state(self) -> ShareState:
        """What is to be shown now."""
        return self._state

    def read(self) -> None:
        """Find out what would be sent and what was sent."""
        self._run(ShareStage.READING, self._looked)

    def set_server(self, url: str) -> None:
        """Keep the address of the server; an empty one means none."""

        def work(state: ShareState) -> ShareState:
            if url.strip():
                keep_setting(SHARE_SERVER, check_server(url.strip()))
            else:
                forget_setting(SHARE_SERVER)
            return replace(
                state, server=read_setting(SHARE_SERVER), event=ShareEvent.SERVER_KEPT, detail=""
            )

        self._run(ShareStage.READING, work)

    def send(self) -> None:
        """Send what is shown, to the server that is shown; the user has agreed."""

        def work(state: ShareState) -> ShareState:
            if state.server is None or not state.body:
                raise InputError("there is nothing to send, or no server")
            outbox, body = Outbox(self._folder()), state.body.encode("ascii")
            found = sharing.waiting_alike(outbox, body, server=state.server)
            if not found:
                on = journey.today()
                due = sharing.due_uploads(outbox)
                found = (outbox.prepare(body, server=state.server, on=on), *due)
            return self._sent(state, outbox, found)

        self._run(ShareStage.SENDING, work)

    def send_waiting(self) -> None:
        """Send what the user agreed to before and what did not arrive."""

        def work(state: ShareState) -> ShareState:
            outbox = Outbox(self._folder())
            return self._sent(state, outbox, sharing.due_uploads(outbox))

        self._run(ShareStage.SENDING, work)

    def delete(self, upload_id: str) -> None:
        """Delete an upload from its server."""

        def work(state: ShareState) -> ShareState:
            outbox = Outbox(self._folder())
            upload = next((u for u in outbox.uploads() if u.id == upload_id and u.token), None)
            if upload is None:
                return self._listed(state)
            dealing = sharing.delete_one(outbox, upload)
            event = ShareEvent.DELETED if dealing.is_done else ShareEvent.NOT_DELETED
            return self._listed(replace(state, event=event, detail=dealing.detail))

        self._run(ShareStage.DELETING, work)

    def save_to(self, name: str) -> None:
        """Write the very bytes that would be sent."""

        def work(state: ShareState) -> ShareState:
            write_bytes(Path(name), state.body.encode("ascii"))
            return state

        if self._state.body:
            self._run(ShareStage.READING, work, then=lambda: self.saved.emit(name))

    def wait(self, timeout_s: float) -> bool:
        """Wait for the thread to end; tell whether none is left."""
        return self._task is None or self._task.wait(timeout_s)

    def _looked(self, state: ShareState) -> ShareState:
        upload, problem = None, ""
        try:
            upload = sharing.upload_of(self._read())
        except InputError as error:
            problem = error_line(error)
        body = "" if upload is None else canonical_bytes(upload).decode("ascii")
        server = read_setting(SHARE_SERVER)
        return self._listed(
            replace(state, upload=upload, body=body, problem=problem, server=server)
        )

    def _listed(self, state: ShareState) -> ShareState:
        outbox = Outbox(self._folder())
        waiting = len(sharing.due_uploads(outbox))
        return replace(state, uploads=outbox.uploads(), waiting=waiting)

    def _sent(
        self, state: ShareState, outbox: Outbox, uploads: tuple[KeptUpload, ...]
    ) -> ShareState:
        dealings = [sharing.send_one(outbox, upload) for upload in uploads]
        lost = next((dealing for dealing in dealings if not dealing.is_done), None)
        told = lost or (dealings[0] if dealings else None)
        event = ShareEvent.SENT if lost is None else ShareEvent.NOT_SENT
        return self._listed(replace(state, event=event, detail=told.detail if told else ""))

    def _run(
        self,
        stage: ShareStage,
        work: Callable[[ShareState], ShareState],
        *,
        then: Callable[[], None] = lambda: None,
    ) -> None:
        if self._task is not None:
            return
        before = replace(self._state, event=ShareEvent.NOTHING, detail="")
        self._replace(replace(before, stage=stage))

        def task_work(_send: Callable[[Any], None]) -> ShareState:
            return work(before)

        self._task = task = BackgroundTask(task_work, parent=self)
        task.done.connect(lambda state: self._on_done(state, then))
        task.failed.connect(self._on_failed)
        task.start()

    def _on_done(self, state: ShareState, then: Callable[[], None]) -> None:
        self._task = None
        self._replace(replace(state, stage=ShareStage.READY))
        then()

    def _on_failed(self, error: Exception) -> None:
        self._task = None
        event, detail = ShareEvent.FAILED, error_line(error)
        self._replace(replace(self._state, stage=ShareStage.READY, event=event, detail=detail))
        if not isinstance(error, AdvisorError | OSError):
            self.unexpected.emit(error)

    def _replace(self, state: ShareState) -> None:
        self._state = state
        self.state_changed.emit(state)
