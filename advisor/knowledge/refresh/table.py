"""Accepted tables in the user's cache folder: kept whole or not at all, and put in use.

A table is a CSV file of our own columns; beside it lies a small JSON file that says where it
came from. The CSV file alone is what is used: it is replaced in one step, so that a reader, or
a computer that is switched off, never meets half of it.
Leaves to others: fetching and checking (`run`).
"""

import contextlib
import dataclasses
import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from advisor.errors import AdvisorError, DataError, FormatError
from advisor.knowledge.refresh.priced import possible
from advisor.knowledge.refresh.sources import SOURCES, PriceError
from advisor.knowledge.rows import RowFault, dump_rows, parse_rows
from advisor.knowledge.store import Knowledge
from advisor.model.codec import decode, encode
from advisor.model.offer import Offer, SpotBand

BANDS = "aws-spot-bands"
_MOST_BYTES = 64 * 1024 * 1024

_Row = TypeVar("_Row", Offer, SpotBand)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOrigin:
    """Where a table came from.

    Attributes:
        url: of the list; fetched_at: ISO time, UTC.
        etag: of the answer, None when the server gave none.
        body_sha256: of the list as downloaded; table_sha256: of our table made from it.
        regions: those asked for, empty for all.
        n_listed: rows of the whole list.
    """

    url: str
    fetched_at: str
    etag: str | None
    body_sha256: str
    table_sha256: str
    regions: tuple[str, ...]
    n_listed: int


def table_file(folder: Path, *, name: str) -> Path:
    """Return where the table of a vendor (or `BANDS`) is kept."""
    return folder / f"{name}.csv"


def keep_table(
    folder: Path, *, name: str, rows: Sequence[_Row], row_class: type[_Row], origin: TableOrigin
) -> None:
    """Replace a table in one step; `origin.table_sha256` is filled in here.

    Raises:
        PriceError: when it cannot be written, or does not read back the same; the old one stays.
    """
    try:
        text = dump_rows(rows, row_class)
        if parse_rows(text, row_class, file=name) != tuple(rows):
            raise PriceError("the table does not read back the same")
        data = text.encode("utf-8")
        full = dataclasses.replace(origin, table_sha256=hashlib.sha256(data).hexdigest())
        folder.mkdir(parents=True, exist_ok=True)
        _replace(table_file(folder, name=name), data)
        _replace(folder / f"{name}.json", json.dumps(encode(full), indent=1).encode("utf-8"))
    except DataError as error:
        raise PriceError(str(error)) from None
    except OSError as error:
        raise PriceError(f"{folder}: cannot be written: {error.strerror}") from None


def _replace(path: Path, data: bytes) -> None:
    handle, partial = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        Path(partial).replace(path)
    except BaseException:
        Path(partial).unlink(missing_ok=True)
        raise


def clean(folder: Path) -> None:
    """Remove what a run that was killed has left."""
    for partial in folder.glob(".*.part"):
        with contextlib.suppress(OSError):
            partial.unlink()


def read_origin(folder: Path, *, name: str) -> TableOrigin | None:
    """Return where a kept table came from, None when that is not known for this very table."""
    try:
        data = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        origin: TableOrigin = decode(data, TableOrigin)
        table = table_file(folder, name=name).read_bytes()
    except (OSError, ValueError, FormatError):
        return None
    return origin if hashlib.sha256(table).hexdigest() == origin.table_sha256 else None


def read_table(folder: Path, *, name: str, row_class: type[_Row]) -> tuple[_Row, ...]:
    """Return the rows of a kept table, none when there is no table.

    Raises:
        DataError: when the file is not whole, or holds what was never accepted.
    """
    path = table_file(folder, name=name)
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise DataError("too large to be a price table")
        rows = parse_rows(path.read_bytes().decode("utf-8"), row_class, file=path.name)
    except FileNotFoundError:
        return ()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path.name}: {error}") from None
    vendor = "aws" if name == BANDS else name
    if any(row.vendor != vendor for row in rows):
        raise DataError(f"{path.name}: holds rows of another vendor")
    for row in rows:
        if not _is_possible(row):
            raise DataError(f"{path.name}: {row.instance_type} has an impossible price")
    return rows


def _is_possible(row: Offer | SpotBand) -> bool:
    if isinstance(row, SpotBand):
        return 0.0 <= row.low_percent <= row.high_percent <= 100.0
    prices = (row.usd_per_hour, row.spot_usd_per_hour)
    return all(usd is None or possible(usd) for usd in prices)


def add_refreshed(knowledge: Knowledge, *, folder: Path) -> Knowledge:
    """Return the knowledge with the refreshed prices of a folder in place of older ones.

    Of vendors that we name as they do, an offer replaces the one of the same name and region,
    and offers that the new list lacks keep their older date; of others the vendor's whole table
    is replaced. A table that cannot be read is in `skipped`, and the older one stays in use.
    """
    changed: dict[str, Any] = {}
    skipped: list[RowFault] = []
    offers = knowledge.offers
    for vendor in SOURCES:
        try:
            offers = merge_offers(offers, read_table(folder, name=vendor, row_class=Offer))
        except AdvisorError as error:
            skipped.append(_fault(vendor, error))
    try:
        bands = read_table(folder, name=BANDS, row_class=SpotBand)
        changed["spot_bands"] = _merge_bands(knowledge.spot_bands, bands)
    except AdvisorError as error:
        skipped.append(_fault(BANDS, error))
    return dataclasses.replace(
        knowledge, offers=offers, skipped=(*knowledge.skipped, *skipped), **changed
    )


def _fault(name: str, error: AdvisorError) -> RowFault:
    return RowFault(file=f"{name}.csv", line=1, field=None, value=None, problem=str(error))


def merge_offers(old: tuple[Offer, ...], new: Iterable[Offer]) -> tuple[Offer, ...]:
    """Return the offers with the new ones of one vendor in place of older ones."""
    added = {(o.vendor, o.instance_type, o.region): o for o in new}
    if not added:
        return old
    vendors = {vendor for vendor, _, _ in added}
    whole = {vendor for vendor in vendors if not SOURCES[vendor].is_same_naming}
    kept = (
        offer
        for offer in old
        if offer.vendor not in whole
        and (offer.vendor, offer.instance_type, offer.region) not in added
    )
    return (*kept, *added.values())


def _merge_bands(old: tuple[SpotBand, ...], new: tuple[SpotBand, ...]) -> tuple[SpotBand, ...]:
    added = {(b.vendor, b.instance_type, b.region): b for b in new}
    if not added:
        return old
    kept = (b for b in old if (b.vendor, b.instance_type, b.region) not in added)
    return (*kept, *added.values())
