"""Published medians of others as further rows of the user's own data folder.

Checked like prices: size, form, every value and the note of each row; one bad row, or a list that
lost most of its rows, leaves the old file in place.
Leaves to others: fetching (`advisor.knowledge.refresh.fetch`), using the rows
(`advisor.knowledge.user_folder`).
"""

import dataclasses
import datetime as dt
import importlib.resources
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from advisor.errors import AdvisorError, DataError
from advisor.knowledge.refresh.fetch import Fetcher, host_of
from advisor.knowledge.refresh.sources import Limits, PriceError
from advisor.knowledge.refresh.watch import Watch
from advisor.knowledge.rows import dump_rows, parse_rows
from advisor.knowledge.schema import load_schema, value_faults
from advisor.knowledge.sense import find_nonsense
from advisor.model.published import PublishedResult, ResultPhase
from advisor.share.client import ShareError, check_server
from advisor.share.community import COMMUNITY, LEAST_GROUP, is_community_kernel, uploads_in_note
from advisor.share.upload import SharedDevice
from advisor.share.vocabulary import (
    BACKENDS,
    FRAMEWORKS,
    VENDORS,
    VERSION,
    Vocabulary,
    find_foreign_device,
)

FILE = f"published/{COMMUNITY}.csv"
# A list that shrinks to less than this is believed broken.
_LEAST_SHARE = 0.5
_MOST_ROWS = 200_000


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Pulled:
    """Rows that are in use now, and how many uploads they stand for."""

    path: Path
    n_rows: int
    n_uploads: int


def pull(
    url: str, *, folder: Path, today: dt.date, vocabulary: Vocabulary, total_s: float = 120.0
) -> Pulled:
    """Fetch what a collector publishes and keep it below the user's own data folder.

    Raises:
        ShareError: when there is no good list; what was there stays in use.
        InputError: for an address that is not asked.
    """
    server = check_server(url)
    host = host_of(server)
    text = _fetch(f"{server}/v1/aggregates.csv", total_s=total_s)
    try:
        rows = parse_rows(text, PublishedResult, file=host)
    except DataError as error:
        raise ShareError(str(error)) from None
    fault = next(find_faults(rows, vocabulary=vocabulary, today=today), None)
    if fault is not None:
        raise ShareError(f"{host}: {fault}; the old rows stay in use")
    path = folder.joinpath(*FILE.split("/"))
    before = _rows_before(path)
    if len(rows) < _LEAST_SHARE * before:
        raise ShareError(f"{host}: {len(rows)} rows where {before} were; the old ones stay in use")
    source = f"community results of {host}, pulled {today.isoformat()}"
    named = tuple(dataclasses.replace(row, source=source) for row in rows)
    _replace(path, dump_rows(named, PublishedResult).encode("utf-8"))
    return Pulled(
        path=path, n_rows=len(rows), n_uploads=sum(uploads_in_note(r.note) or 0 for r in rows)
    )


def _fetch(url: str, *, total_s: float) -> str:
    try:
        with Watch(total_s, should_stop=lambda: False) as watch:
            fetcher = Fetcher(
                watch, limits=Limits(total_s=total_s), user_agent="dl-advisor",
                on_bytes=lambda _host, _n: None,
            )  # fmt: skip
            try:
                body = fetcher.fetch(url).body or b""
            finally:
                fetcher.close()
        return body.decode("utf-8")
    except (PriceError, UnicodeDecodeError) as error:
        raise ShareError(str(error)) from None


def find_faults(
    rows: tuple[PublishedResult, ...], *, vocabulary: Vocabulary, today: dt.date
) -> Iterator[str]:
    """Yield a line for each value that a collector never publishes."""
    if len(rows) > _MOST_ROWS:
        yield f"{len(rows)} rows are too many"
        return
    schema = load_schema(importlib.resources.files("resources") / "schema", table="published")
    for position, field, problem in value_faults(list(rows), schema=schema):
        yield f"row {position + 1}: {field}: {problem}"
    ids = set()
    for number, row in enumerate(rows, start=1):
        if row.id in ids or not row.id.startswith(f"{COMMUNITY}-"):
            yield f"row {number}: id: not one of its own"
        ids.add(row.id)
        for field, problem in find_nonsense(row, today=today):
            yield f"row {number}: {field}: {problem}"
        for problem in _foreign(row, vocabulary):
            yield f"row {number}: {problem}"


def _foreign(row: PublishedResult, vocabulary: Vocabulary) -> Iterator[str]:
    uploads = uploads_in_note(row.note)
    if row.study != COMMUNITY:
        yield "study: not ours"
    if uploads is None:
        yield "note: not of our form"
    elif uploads < LEAST_GROUP:
        yield f"note: {uploads} uploads are too few to publish"
    if not _is_device(row, vocabulary):
        yield "device: not in our table"
    if row.phase is ResultPhase.KERNEL:
        if not is_community_kernel(row.workload):
            yield "workload: not a kernel that we name"
    elif row.workload not in vocabulary.networks:
        yield "workload: not a bundled network"
    if row.framework not in (None, *FRAMEWORKS) or row.backend not in (None, *BACKENDS):
        yield "framework, backend: not in the list"
    if row.framework_version is not None and not VERSION.fullmatch(row.framework_version):
        yield "framework_version: not two numbers"


def _is_device(row: PublishedResult, vocabulary: Vocabulary) -> bool:
    """Return whether the name is a product of our table, or a general one of any vendor."""
    for vendor in (None, *VENDORS):
        device = SharedDevice(name=row.device, kind=row.device_kind, vendor=vendor)
        if not any(find_foreign_device(device, vocabulary=vocabulary)):
            return True
    return False


def _rows_before(path: Path) -> int:
    try:
        return len(parse_rows(path.read_text(encoding="utf-8"), PublishedResult, file=path.name))
    except (OSError, UnicodeDecodeError, AdvisorError):
        return 0


def _replace(path: Path, data: bytes) -> None:
    partial: str | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, partial = tempfile.mkstemp(dir=path.parent, prefix=".community.", suffix=".part")
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        Path(partial).replace(path)
    except OSError as error:
        if partial is not None:
            Path(partial).unlink(missing_ok=True)
        raise ShareError(f"{path}: cannot be written: {error.strerror}") from None
