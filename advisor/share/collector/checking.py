"""Checking the body of a submission: an upload that may be kept, or the reason why not.

Leaves to others: which words and figures are allowed (`advisor.share`), storing (`store`).
"""

import itertools
from dataclasses import dataclass

from advisor.errors import FormatError
from advisor.knowledge.store import Knowledge
from advisor.share.collector.body import RefusedError
from advisor.share.collector.reader import one_form, read_good_upload
from advisor.share.collector.series import figures_of
from advisor.share.collector.store import NewUpload
from advisor.share.plausible import Bounds, bounds_of, find_implausible
from advisor.share.upload import Upload, parse_json, upload_of
from advisor.share.vocabulary import Vocabulary, find_foreign, vocabulary_of

_MOST_FAULTS = 5
_MOST_CHARS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Checks:
    """What bodies are checked against."""

    vocabulary: Vocabulary
    bounds: Bounds


def checks_of(knowledge: Knowledge) -> Checks:
    """Return the lists and bounds of the bundled tables."""
    return Checks(vocabulary=vocabulary_of(knowledge), bounds=bounds_of(knowledge))


def check_body(id_: str, data: bytes, *, checks: Checks, received_on: str) -> NewUpload:
    """Return a body as what is to be stored.

    Raises:
        RefusedError: when it is not an upload, or holds what no upload may hold.
    """
    upload = read_good_upload(data) or _read(data)
    faults = find_foreign(upload, vocabulary=checks.vocabulary)
    foreign = list(itertools.islice(faults, _MOST_FAULTS))
    if foreign:
        raise RefusedError(422, "; ".join(foreign))
    fault = next(find_implausible(upload, bounds=checks.bounds), None)
    return NewUpload(
        id=id_,
        received_on=received_on,
        body=one_form(upload),
        reason=fault,
        figures=figures_of(upload) if fault is None else {},
    )


def _read(data: bytes) -> Upload:
    """Read it step by step, which tells what is wrong with it."""
    try:
        body = parse_json(data)
    except FormatError as error:
        raise RefusedError(400, str(error)) from None
    try:
        return upload_of(body)
    except FormatError as error:
        raise RefusedError(422, _short(str(error))) from None


def _short(reason: str) -> str:
    return reason if len(reason) <= _MOST_CHARS else reason[: _MOST_CHARS - 3] + "..."
