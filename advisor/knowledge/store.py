"""The bundled facts as one frozen value that is loaded once and passed down.

Which file holds which table is data (`TABLES`). A bad bundled row is an error.
Leaves to others: the user's own rows (`advisor.knowledge.user_folder`), reading cells
(`advisor.knowledge.rows`), checking facts (`advisor.knowledge.validate`), finding rows
(`advisor.knowledge.lookup`).
"""

import importlib.resources
import operator
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from typing import Any

from advisor.errors import DataError
from advisor.knowledge.packed import unpack
from advisor.knowledge.rows import RowFault, parse_rows
from advisor.model.offer import (
    AcceleratorName,
    BillingRule,
    CpuPlatform,
    EgressPrice,
    FreeTier,
    Offer,
    Retirement,
    SpotBand,
    StoragePrice,
)
from advisor.model.option import OptionFact
from advisor.model.published import (
    CpuIsaRow,
    DeviceSpec,
    Finding,
    GpuFamily,
    NetworkFacts,
    PastSystem,
    PublishedResult,
)

# Package and folder of the bundled tables.
DATA_PACKAGE = "resources"
DATA_FOLDER = "data"
# Below the data folder: packed copies of large tables (`advisor.knowledge.packed`).
PACKED_FOLDER = "packed"
_WEIGHTS = "weights.bin"


@dataclass(frozen=True, slots=True, kw_only=True)
class Knowledge:
    """All tables. An empty tuple is a table without rows.

    `skipped` are rows that were added to the bundled ones and could not be used. `weights` is no
    table: what was solved from the others (`advisor.predict.weights`), empty where it is not there.
    """

    published: tuple[PublishedResult, ...] = ()
    devices: tuple[DeviceSpec, ...] = ()
    cpu_isa: tuple[CpuIsaRow, ...] = ()
    gpu_families: tuple[GpuFamily, ...] = ()
    options: tuple[OptionFact, ...] = ()
    past_systems: tuple[PastSystem, ...] = ()
    findings: tuple[Finding, ...] = ()
    networks: tuple[NetworkFacts, ...] = ()
    offers: tuple[Offer, ...] = ()
    offers_2017: tuple[Offer, ...] = ()
    cpu_platforms: tuple[CpuPlatform, ...] = ()
    accelerators: tuple[AcceleratorName, ...] = ()
    billing_rules: tuple[BillingRule, ...] = ()
    storage_prices: tuple[StoragePrice, ...] = ()
    egress_prices: tuple[EgressPrice, ...] = ()
    spot_bands: tuple[SpotBand, ...] = ()
    retirements: tuple[Retirement, ...] = ()
    free_tiers: tuple[FreeTier, ...] = ()
    skipped: tuple[RowFault, ...] = ()
    weights: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Where the rows of a table lie.

    Attributes:
        name: field of `Knowledge`.
        row_class: class of its rows.
        path: file below the data folder, or a folder whose `.csv` files are read in name order.
        key: fields whose values are unique together; empty when rows may repeat.
        date_field: field with the ISO date (or year) of a row, None when rows are undated.
        is_packed: large, so that a packed copy lies in `PACKED_FOLDER`.
    """

    name: str
    row_class: type[Any]
    path: str
    key: tuple[str, ...]
    date_field: str | None = None
    is_packed: bool = False


TABLES = (
    Table(
        name="published",
        row_class=PublishedResult,
        path="published",
        key=("id",),
        date_field="year",
        is_packed=True,
    ),
    Table(name="devices", row_class=DeviceSpec, path="devices/specs.csv", key=("device", "kind")),
    Table(
        name="cpu_isa",
        row_class=CpuIsaRow,
        path="hardware/cpu_isa.csv",
        key=("microarchitecture",),
    ),
    Table(name="gpu_families", row_class=GpuFamily, path="hardware/gpu_families.csv", key=("id",)),
    Table(
        name="options",
        row_class=OptionFact,
        path="options/options.csv",
        key=("id",),
        date_field="verified_on",
    ),
    Table(
        name="past_systems", row_class=PastSystem, path="options/past_systems.csv", key=("name",)
    ),
    Table(name="findings", row_class=Finding, path="findings/findings.csv", key=("id",)),
    Table(name="networks", row_class=NetworkFacts, path="networks/networks.csv", key=("name",)),
    Table(
        name="offers",
        row_class=Offer,
        path="offers/offers.csv",
        key=("vendor", "instance_type", "region", "accelerator", "n_accelerators"),
        date_field="observed_on",
        is_packed=True,
    ),
    Table(
        name="offers_2017",
        row_class=Offer,
        path="offers/offers_2017.csv",
        key=("vendor", "instance_type", "region", "accelerator", "n_accelerators", "observed_on"),
        date_field="observed_on",
    ),
    Table(
        name="cpu_platforms",
        row_class=CpuPlatform,
        path="offers/cpu_platforms.csv",
        key=("vendor", "family"),
        date_field="observed_on",
    ),
    Table(
        name="accelerators",
        row_class=AcceleratorName,
        path="offers/accelerators.csv",
        key=("accelerator", "memory_bytes"),
    ),
    Table(
        name="billing_rules",
        row_class=BillingRule,
        path="offers/billing_rules.csv",
        key=("vendor",),
    ),
    Table(
        name="storage_prices",
        row_class=StoragePrice,
        path="offers/storage_prices.csv",
        key=("vendor", "region", "kind"),
        date_field="observed_on",
    ),
    Table(
        name="egress_prices",
        row_class=EgressPrice,
        path="offers/egress_prices.csv",
        key=("vendor", "region"),
        date_field="observed_on",
    ),
    Table(
        name="spot_bands",
        row_class=SpotBand,
        path="offers/spot_bands.csv",
        key=("vendor", "instance_type", "region"),
        date_field="observed_on",
    ),
    Table(
        name="retirements",
        row_class=Retirement,
        path="offers/retirements.csv",
        key=("vendor", "series", "instance_pattern"),
        date_field=None,
    ),
    Table(
        name="free_tiers",
        row_class=FreeTier,
        path="offers/free_tiers.csv",
        key=("name",),
        date_field="observed_on",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DataDate:
    """Newest date (ISO, or a year) of the rows of a table; None when its rows are undated."""

    table: str
    newest: str | None
    n_rows: int


def bundled_folder() -> Traversable:
    """Return the folder of the tables that come with the app."""
    return importlib.resources.files(DATA_PACKAGE) / DATA_FOLDER


def table_files(folder: Traversable, *, table: Table) -> Iterator[tuple[str, Traversable]]:
    """Yield path below the folder and file of each part of a table that is there."""
    place = folder.joinpath(*table.path.split("/"))
    if place.is_file():
        yield table.path, place
    elif place.is_dir():
        for part in sorted(place.iterdir(), key=lambda entry: entry.name):
            if part.name.endswith(".csv"):
                yield f"{table.path}/{part.name}", part


def packed_file(folder: Traversable, *, table: Table) -> Traversable:
    """Return the place of a table's packed copy, which need not be there."""
    return folder / PACKED_FOLDER / f"{table.name}.bin"


def weights_file(folder: Traversable) -> Traversable:
    """Return the place of what was solved from the tables, which need not be there."""
    return folder / PACKED_FOLDER / _WEIGHTS


def _text(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"{name}: not UTF-8 at byte {error.start}") from None


def load_tables(folder: Traversable) -> Knowledge:
    """Return the knowledge of one folder; a table whose file is absent is empty.

    Raises:
        DataError: naming file, line, field and value of the first bad row.
    """
    tables: dict[str, tuple[Any, ...]] = {}
    for table in TABLES:
        tables[table.name] = _load_table(folder, table)
    solved = weights_file(folder)
    return Knowledge(**tables, weights=solved.read_bytes() if solved.is_file() else b"")


def _load_table(folder: Traversable, table: Table) -> tuple[Any, ...]:
    parts = [(name, file.read_bytes()) for name, file in table_files(folder, table=table)]
    copy = packed_file(folder, table=table)
    if table.is_packed and copy.is_file():
        rows = unpack(copy.read_bytes(), table.row_class, parts=parts)
        if rows is not None:
            return rows
    return tuple(
        row
        for name, content in parts
        for row in parse_rows(_text(content, name), table.row_class, file=name)
    )


def load_knowledge() -> Knowledge:
    """Return the bundled knowledge.

    Raises:
        DataError: when a bundled row is bad.
    """
    return load_tables(bundled_folder())


def load_networks() -> tuple[NetworkFacts, ...]:
    """Return the bundled networks alone, in a small part of the time that everything takes.

    Raises:
        DataError: when a bundled row is bad.
    """
    (table,) = (table for table in TABLES if table.name == "networks")
    return _load_table(bundled_folder(), table)


def data_dates(knowledge: Knowledge) -> tuple[DataDate, ...]:
    """Return the newest date of each table that has rows, in the order of `TABLES`."""
    dates = []
    for table in TABLES:
        rows = getattr(knowledge, table.name)
        if rows:
            dates.append(DataDate(table=table.name, newest=_newest(rows, table), n_rows=len(rows)))
    return tuple(dates)


def _newest(rows: tuple[Any, ...], table: Table) -> str | None:
    if table.date_field is None:
        return None
    known = set(map(operator.attrgetter(table.date_field), rows))
    return max((str(value) for value in known if value is not None), default=None)
