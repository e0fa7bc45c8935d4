"""What the share dialog lists: the uploads of this user; and in words what an upload holds.

Leaves to others: sharing (`ui.sharing`), the dialog (`ui.dialogs.share`).
"""

import json

from advisor.i18n import N_, Translator
from advisor.report.said import said_line
from advisor.share.outbox import KeptState, KeptUpload
from advisor.share.upload import Upload
from ui.models.rows import Cell
from ui.sharing import rare_names

UPLOAD_HEADS = (N_("Date"), N_("State"), N_("Size"), N_("Server"), N_("What it said"))
STATES = {
    KeptState.WAITING: N_("waits"),
    KeptState.SENT: N_("sent"),
    KeptState.QUARANTINED: N_("sent, not published"),
    KeptState.REFUSED: N_("refused"),
    KeptState.DELETED: N_("deleted"),
}


def upload_rows(uploads: tuple[KeptUpload, ...], tr: Translator) -> tuple[tuple[Cell, ...], ...]:
    """Return a row for each upload."""
    return tuple(_row(upload, tr) for upload in uploads)


def _row(upload: KeptUpload, tr: Translator) -> tuple[Cell, ...]:
    n_bytes = len(upload.body)
    size = tr(N_("{n} bytes"), n=n_bytes)
    state = tr(STATES[upload.state])
    detail = said_line(upload.detail or "", tr)
    return (
        Cell(text=upload.prepared_on, value=upload.prepared_on, explanation=upload.id),
        Cell(text=state, value=state),
        Cell(text=size, value=float(n_bytes), is_number=True),
        Cell(text=upload.server, value=upload.server),
        Cell(text=detail, value=detail),
    )


def content_text(upload: Upload, tr: Translator) -> str:
    """Return in plain words what is in an upload and what is not."""
    sentences = [
        tr(
            N_(
                "In it: product names of devices ({devices}), rates of standard kernels"
                " ({figures}), predicted steps of bundled networks ({steps}), the operating system,"
                " the software with the first two numbers of its version, memory and threads in"
                " rough steps, and the month."
            ),
            devices=len(upload.devices),
            figures=len(upload.figures),
            steps=len(upload.steps),
        ),
        tr(
            N_(
                "Not in it: your name, the name or a number of this machine, paths, files, the"
                " time of day, and anything of your own network or data."
            )
        ),
    ]
    n_measured = sum(step.measured_s is not None for step in upload.steps)
    if n_measured:
        sentences.insert(
            1,
            tr(
                N_("Beside the predicted steps, in it too: what they took when tried ({n})."),
                n=n_measured,
            ),
        )
    rare = rare_names(upload)
    if rare:
        sentences.append(
            tr(
                N_("Few people have hardware like this: it may be recognised ({names})."),
                names="; ".join(rare),
            )
        )
    return "\n".join(sentences)


def readable(body: str) -> str:
    """Return a body with line breaks, for reading."""
    return json.dumps(json.loads(body), indent=2, sort_keys=True)
