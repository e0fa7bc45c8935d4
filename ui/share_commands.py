"""The commands `share preview|send|list|delete|server` and `data pull`.

Nothing is sent but by `send` and `delete`, and only to the server that the user set: there is
none by default.
Leaves to others: what may be shared (`advisor.share`), parsing words (`ui.share_arguments`).
"""

import argparse
import datetime as dt
import sys
from collections.abc import Sequence

from advisor.errors import InputError
from advisor.i18n import N_
from advisor.knowledge.store import load_knowledge
from advisor.model.recommendation import Recommendation
from advisor.report.columns import pad
from advisor.report.said import said_line
from advisor.share.client import check_server
from advisor.share.outbox import KeptState, KeptUpload, Outbox
from advisor.share.pull import pull
from advisor.share.upload import Upload, canonical_bytes
from advisor.share.vocabulary import vocabulary_of
from ui import dataset, journey, sharing
from ui.commands import say
from ui.exits import EXIT_DONE, EXIT_INCOMPLETE
from ui.files import read_document, write_bytes
from ui.settings import own_rows_folder, read_last
from ui.share_settings import (
    SHARE_SERVER,
    forget_setting,
    keep_setting,
    read_setting,
    share_folder,
)
from ui.terminal import print_line, user_translator

_ID_SHOWN = 12
_STATES = {
    KeptState.WAITING: N_("waiting"),
    KeptState.SENT: N_("sent"),
    KeptState.QUARANTINED: N_("quarantined"),
    KeptState.REFUSED: N_("refused"),
    KeptState.DELETED: N_("deleted"),
}


def share(options: argparse.Namespace) -> int:
    """Run the chosen action."""
    actions = {
        "preview": preview,
        "send": send,
        "list": list_uploads,
        "delete": delete,
        "server": server,
    }
    return actions[options.action](options)


def preview(options: argparse.Namespace) -> int:
    """Show the very bytes that would be sent; nothing is sent."""
    upload = _upload(options)
    body = canonical_bytes(upload)
    if options.out is not None:
        write_bytes(options.out, body)
    else:
        sys.stdout.write(body.decode("ascii"))
        sys.stdout.flush()
    target = options.server or read_setting(SHARE_SERVER)
    place = f"to {check_server(target)}" if target else "nowhere: no server is set"
    sys.stderr.write("\n")
    say(f"these {len(body)} bytes would be sent {place}; nothing was sent")
    _tell_rare(upload)
    return EXIT_DONE


def send(options: argparse.Namespace) -> int:
    """Send the results, after asking, and what could not be sent before."""
    outbox = Outbox(share_folder())
    if options.waiting:
        return _send_all(outbox, sharing.due_uploads(outbox))
    target = _server(options)
    upload = _upload(options)
    body = canonical_bytes(upload)
    waiting = () if options.again else sharing.waiting_alike(outbox, body, server=target)
    if waiting:
        return _send_all(outbox, waiting)
    _tell_rare(upload)
    if not (options.yes or _agrees(len(body), target)):
        say("nothing was sent")
        return EXIT_DONE
    due = sharing.due_uploads(outbox)
    new = outbox.prepare(body, server=target, on=journey.today())
    return _send_all(outbox, (new, *due))


def _agrees(n_bytes: int, target: str) -> bool:
    if not sys.stdin.isatty():
        raise InputError("nobody is there to ask: look at `share preview`, then add --yes")
    asked = N_("Send {n} bytes, as `share preview` shows them, to {server}?")
    sys.stderr.write(f"{user_translator()(asked, n=n_bytes, server=target)} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _send_all(outbox: Outbox, uploads: Sequence[KeptUpload]) -> int:
    if not uploads:
        say("nothing waits to be sent")
    code = EXIT_DONE
    for upload in uploads:
        if not _send_one(outbox, upload):
            code = EXIT_INCOMPLETE
    return code


def _send_one(outbox: Outbox, upload: KeptUpload) -> bool:
    """Send an upload and say what became of it; return whether the server has it."""
    dealing = sharing.send_one(outbox, upload)
    name, state = upload.id[:_ID_SHOWN], dealing.upload.state
    if state is KeptState.WAITING:
        say(f"{name} is kept, `share send --waiting` tries again: {dealing.detail}")
    else:
        tr = user_translator()
        say(f"{name}: {tr(_STATES[state])}: {said_line(dealing.detail, tr)}")
    return dealing.is_done


def list_uploads(_options: argparse.Namespace) -> int:
    """Print all that was ever sent or waits to be sent."""
    tr = user_translator()
    uploads = Outbox(share_folder()).uploads()
    if not uploads:
        say("nothing was sent from here, and nothing waits to be sent")
    for upload in uploads:
        state = pad(tr(_STATES[upload.state]), 11)
        size = tr(N_("{n} bytes"), n=f"{len(upload.body):6}")
        print_line(
            f"{upload.id[:_ID_SHOWN]}  {upload.prepared_on}  {state} {size}  {upload.server}"
        )
    return EXIT_DONE


def delete(options: argparse.Namespace) -> int:
    """Delete uploads from the server, or those that wait from here."""
    outbox = Outbox(share_folder())
    code = EXIT_DONE
    for upload in _chosen(outbox, options.id):
        if not _delete_one(outbox, upload, target=options.server):
            code = EXIT_INCOMPLETE
    return code


def _chosen(outbox: Outbox, word: str) -> list[KeptUpload]:
    live = [u for u in outbox.uploads() if u.state is not KeptState.DELETED]
    if word == "all":
        return live
    found = [u for u in live if u.id.startswith(word)]
    if len(found) != 1 or not word:
        problem = "names several uploads" if len(found) > 1 else "is no upload that can be deleted"
        raise InputError(f"{word!r} {problem}: see `share list`")
    return found


def _delete_one(outbox: Outbox, upload: KeptUpload, *, target: str | None) -> bool:
    dealing = sharing.delete_one(outbox, upload, server=target)
    told = dealing.detail if dealing.is_done else f"is not deleted: {dealing.detail}"
    say(f"{upload.id[:_ID_SHOWN]}{':' if dealing.is_done else ''} {told}")
    return dealing.is_done


def server(options: argparse.Namespace) -> int:
    """Show, set or forget the server."""
    if options.url is None:
        print_line(read_setting(SHARE_SERVER) or user_translator()(N_("no server is set")))
    elif options.url == "none":
        forget_setting(SHARE_SERVER)
    else:
        keep_setting(SHARE_SERVER, check_server(options.url))
    return EXIT_DONE


def pull_rows(options: argparse.Namespace) -> int:
    """Fetch what others measured, as further published rows."""
    target = options.url or read_setting(SHARE_SERVER)
    if not target:
        raise InputError("no server is set: `data pull URL`, or `share server URL` for ever")
    pulled = pull(
        target,
        folder=own_rows_folder(),
        today=dt.date.fromisoformat(journey.today()),
        vocabulary=vocabulary_of(load_knowledge()),
    )
    dataset.bundled_knowledge.cache_clear()
    say(f"{pulled.n_rows} rows of {pulled.n_uploads} figures are used from now on: {pulled.path}")
    return EXIT_DONE


def _server(options: argparse.Namespace) -> str:
    target = options.server or read_setting(SHARE_SERVER)
    if not target:
        raise InputError("no server is set: --server URL, or `share server URL` for ever")
    return check_server(target)


def _upload(options: argparse.Namespace) -> Upload:
    if options.recommendation is None:
        return sharing.upload_of(read_last())
    return sharing.upload_of(read_document(options.recommendation, Recommendation))


def _tell_rare(upload: Upload) -> None:
    names = sharing.rare_names(upload)
    if names:
        say(f"few people have hardware like this ({'; '.join(names)}): it may be recognised")
