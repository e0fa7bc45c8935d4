"""Sharing results, for the command line and the window alike: make, send and delete an upload.

Each step returns what became of it; nothing is printed and nothing is asked.
Leaves to others: what may be shared (`advisor.share`), asking the user (`ui.share_commands`,
`ui.dialogs.share`).
"""

import dataclasses
import datetime as dt
from dataclasses import dataclass

from advisor.errors import InputError
from advisor.knowledge.store import load_knowledge
from advisor.model.recommendation import Recommendation
from advisor.share.anonymise import anonymise
from advisor.share.client import Reply, ShareError, delete_upload, send_upload
from advisor.share.outbox import KeptState, KeptUpload, Outbox
from advisor.share.steps import step_pair
from advisor.share.upload import Upload
from ui import journey

_GONE = 410
_ACCEPTED = 202
_DELETED = 204


@dataclass(frozen=True, slots=True, kw_only=True)
class Dealing:
    """What became of a try to send or delete an upload.

    Attributes:
        upload: as it is kept now.
        is_done: the server has it now, or has it no more.
        detail: one line.
    """

    upload: KeptUpload
    is_done: bool
    detail: str


def upload_of(advice: Recommendation | None) -> Upload:
    """Return what may be shared of an advice.

    Raises:
        InputError: when there is nothing to share.
    """
    if advice is None:
        raise InputError("there is nothing to share yet: run `dl-advisor advise`")
    if advice.measurements is None or not advice.measurements.measured:
        raise InputError("nothing was measured: run `dl-advisor advise`")
    knowledge = load_knowledge()
    pair = step_pair(advice, knowledge=knowledge)
    return anonymise(
        advice.profile,
        advice.measurements,
        knowledge=knowledge,
        app_version=journey.app_version(),
        month=advice.measurements.measured_on[:7],
        workload=advice.workload,
        baseline=pair.predicted,
        measured_step_s=pair.measured_s,
    )


def rare_names(upload: Upload) -> tuple[str, ...]:
    """Return the devices of an upload that few people may have."""
    return tuple(sorted({device.name for device in upload.devices if device.is_rare}))


def waiting_alike(outbox: Outbox, body: bytes, *, server: str) -> tuple[KeptUpload, ...]:
    """Return uploads of the same body to the same server that wait; none when there is none.

    Raises:
        InputError: when the same was shared already.
    """
    same = [u for u in outbox.uploads() if u.body.encode() == body and u.server == server]
    waiting = tuple(u for u in same if u.state is KeptState.WAITING)
    if not waiting and any(u.state is not KeptState.DELETED for u in same):
        raise InputError("the same was shared already: see `share list` (--again sends it anew)")
    return waiting


def due_uploads(outbox: Outbox) -> tuple[KeptUpload, ...]:
    """Return what waits and may be tried now."""
    return tuple(u for u in outbox.uploads() if u.is_due(now()))


def send_one(outbox: Outbox, upload: KeptUpload) -> Dealing:
    """Send an upload and keep what became of it."""
    outbox.log("sending", upload=upload, now=now(), answer="")
    try:
        reply = send_upload(upload.server, upload_id=upload.id, body=upload.body.encode("ascii"))
    except ShareError as error:
        later = upload.postponed(now(), detail=str(error))
        outbox.keep(later)
        outbox.log("not sent", upload=later, now=now(), answer=str(error))
        return Dealing(upload=later, is_done=False, detail=str(error))
    state = _state(reply)
    done = dataclasses.replace(upload, state=state, detail=reply.detail, not_before=None)
    outbox.keep(done)
    outbox.log(state.value, upload=done, now=now(), answer=f"{reply.status} {reply.detail}")
    return Dealing(upload=done, is_done=reply.is_stored, detail=reply.detail)


def _state(reply: Reply) -> KeptState:
    if reply.status == _ACCEPTED:
        return KeptState.QUARANTINED
    if reply.status == _GONE:
        return KeptState.DELETED
    return KeptState.SENT if reply.is_stored else KeptState.REFUSED


def delete_one(outbox: Outbox, upload: KeptUpload, *, server: str | None = None) -> Dealing:
    """Delete an upload from its server, or from here where it was never sent."""
    detail = "was never sent"
    # One that waits may have arrived all the same: its answer was lost.
    if upload.state is not KeptState.WAITING or upload.tries:
        try:
            reply = delete_upload(server or upload.server, token=upload.token)
        except ShareError as error:
            return Dealing(upload=upload, is_done=False, detail=str(error))
        if reply.status != _DELETED:
            return Dealing(upload=upload, is_done=False, detail=reply.detail)
        detail = f"the server {upload.server} has deleted it, if it had it"
    gone = dataclasses.replace(
        upload, state=KeptState.DELETED, token="", detail=detail, not_before=None
    )
    outbox.keep(gone)
    outbox.log("deleted", upload=gone, now=now(), answer=detail)
    return Dealing(upload=gone, is_done=True, detail=detail)


def now() -> dt.datetime:
    """Return the time, as the outbox writes it."""
    return dt.datetime.now(dt.UTC)
