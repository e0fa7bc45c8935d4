"""The history of advice: one file for each finished recommendation, the oldest dropped.

Leaves to others: reading them for people (`ui.models.history_entries`), trials (`.store`).
"""

from __future__ import annotations

import datetime as dt
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.model.codec import dump_document
from ui.files import write_bytes

if TYPE_CHECKING:
    from advisor.model.recommendation import Recommendation

MAX_KEPT = 200
_SUFFIX = ".advice.json"
_DIGITS = 12


def keep_advice(advice: Recommendation, *, folder: Path, now: dt.datetime) -> Path:
    """Keep an advice under the time at which it was finished, and return its file.

    The same advice as the newest one is not kept twice. Of more than `MAX_KEPT` the oldest go.

    Args:
        advice: finished.
        folder: made when it is not there.
        now: with its time zone.

    Raises:
        InputError, OSError: when it cannot be written.
    """
    text = dump_document(advice).encode("utf-8")
    digest = hashlib.sha256(text).hexdigest()[:_DIGITS]
    folder.mkdir(parents=True, exist_ok=True)
    kept = kept_advices(folder)
    if kept and kept[0].name.endswith(f"-{digest}{_SUFFIX}"):
        return kept[0]
    moment = now.astimezone(dt.UTC).strftime("%Y%m%dT%H%M%S%fZ")
    path = folder / f"{moment}-{digest}{_SUFFIX}"
    write_bytes(path, text)
    for old in kept_advices(folder)[MAX_KEPT:]:
        old.unlink(missing_ok=True)
    return path


def kept_advices(folder: Path) -> tuple[Path, ...]:
    """Return the files of kept advice, the newest first; none without the folder."""
    return tuple(sorted(folder.glob(f"*{_SUFFIX}"), key=lambda path: path.name, reverse=True))


def kept_at(path: Path) -> dt.datetime | None:
    """Return when an advice was kept, from the name of its file; None for another file."""
    try:
        moment = dt.datetime.strptime(path.name.partition("-")[0], "%Y%m%dT%H%M%S%fZ")
    except ValueError:
        return None
    return moment.replace(tzinfo=dt.UTC)
