"""Checks between tables: that what a row names is there, once, and agrees with it.

Of a table with faults of its own nothing is said to be missing: one fault is one line.
Leaves to others: single rows (`advisor.knowledge.sense`), files (`advisor.knowledge.validate`).
"""

import gzip
import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources.abc import Traversable

from advisor.errors import NetworkFileError
from advisor.knowledge.packed import is_copy
from advisor.knowledge.placed import Placed, PlacedRow, PlacedTable, file_fault
from advisor.knowledge.rows import RowFault
from advisor.knowledge.store import TABLES, packed_file, table_files
from advisor.model.machine import DeviceKind
from advisor.model.published import DeviceSpec, PublishedResult, ResultPhase
from advisor.model.quantity import Precision
from advisor.network.keras_config import network_from_config

SOURCES_FILE = "SOURCES.md"
UNRESOLVED_FILE = "devices/unresolved.csv"
UNRESOLVED = "unresolved"

# A card may run above the clock of its data sheet, hardly by more than this.
_FAR_ABOVE = 1.1
_EXPLAINS = re.compile(r"\b(?:peak|clocks?|boost|caches?|tensor|winograd|overclocked)\b", re.I)
# A training step costs about three forward passes.
_TRAINING_PASSES = 3.0
_HEADING = re.compile(r"^### (\S+)\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnresolvedDevice:
    """A device of published rows that has no specification."""

    device: str
    kind: DeviceKind


def find_broken_references(data: Traversable, placed: Placed) -> Iterator[RowFault]:
    """Yield each fault between the tables of a data folder, `UNRESOLVED` among them."""
    yield from _studies(data, placed)
    yield from _devices_of_results(placed)
    yield from _peaks(placed)
    yield from _names_claimed_twice(placed)
    yield from _ids_claimed_twice(placed["gpu_families"])
    yield from _accelerators(placed)
    yield from _offers_of(placed)
    yield from _networks(data, placed["networks"])
    yield from _packed_copies(data)


def _studies(data: Traversable, placed: Placed) -> Iterator[RowFault]:
    sources = data / SOURCES_FILE
    text = sources.read_text(encoding="utf-8") if sources.is_file() else ""
    studies = set(_HEADING.findall(text))
    for table in ("published", "findings"):
        for entry in placed[table].rows:
            if entry.row.study not in studies:
                yield entry.fault(f"has no heading in {SOURCES_FILE}", field="study")


def _devices_of_results(placed: Placed) -> Iterator[RowFault]:
    if not placed["devices"].is_whole or not placed["published"].is_whole:
        return
    known = {(entry.row.device, entry.row.kind) for entry in placed["devices"].rows}
    used = {(entry.row.device, entry.row.device_kind) for entry in placed["published"].rows}
    excused = {(entry.row.device, entry.row.kind) for entry in placed[UNRESOLVED].rows}
    if placed[UNRESOLVED].is_whole:
        for entry in placed["published"].rows:
            if (entry.row.device, entry.row.device_kind) not in known | excused:
                yield entry.fault(f"neither specified nor in {UNRESOLVED_FILE}", field="device")
    for entry in placed[UNRESOLVED].rows:
        device = (entry.row.device, entry.row.kind)
        if device in known:
            yield entry.fault("has a specification now: remove this line", field="device")
        elif device not in used:
            yield entry.fault("no published row names it: remove this line", field="device")


def _peaks(placed: Placed) -> Iterator[RowFault]:
    """Yield published rates that their device cannot reach, unless a note explains them.

    Of a timed network it is the rate of its own multiply-adds. Slightly above the peak of a data
    sheet, which holds at one clock, any note is enough; far above it the note must speak of it.
    """
    if not placed["devices"].is_whole:
        return
    specs = {(entry.row.device, entry.row.kind): entry.row for entry in placed["devices"].rows}
    for entry in placed["published"].rows:
        row = entry.row
        spec = specs.get((row.device, row.device_kind))
        if spec is None:
            continue
        value, peak = _rate_and_peak(row, spec)
        if value is None or not peak or value <= peak * (row.n_devices or 1):
            continue
        is_far = value > _FAR_ABOVE * peak * (row.n_devices or 1)
        if row.note is None or (is_far and not _EXPLAINS.search(row.note)):
            yield entry.fault(
                f"above the peak {peak:g} of the device, without a note", field="value"
            )


def _rate_and_peak(row: PublishedResult, spec: DeviceSpec) -> tuple[float | None, float | None]:
    """Return the rate that a row states or implies, and the peak that bounds it."""
    is_half = row.precision is Precision.FLOAT16
    if row.unit == "B/s":
        return row.value, spec.memory_bandwidth_byte_per_s
    if row.unit == "flop/s":
        return row.value, spec.peak_fp16_flop_per_s if is_half else spec.peak_fp32_flop_per_s
    if row.multiply_adds_per_sample is None or row.precision is not Precision.FLOAT32:
        return None, None
    passes = _TRAINING_PASSES if row.phase is ResultPhase.TRAINING else 1.0
    sample_flop = 2.0 * row.multiply_adds_per_sample * passes
    if row.metric == "throughput" and row.unit == "1/s":
        return sample_flop * row.value, spec.peak_fp32_flop_per_s
    is_timed = row.metric in ("step_time", "latency") and row.unit == "s" and row.value > 0.0
    if is_timed and row.batch_size:
        return sample_flop * row.batch_size / row.value, spec.peak_fp32_flop_per_s
    return None, None


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9+]", "", name.lower())


def _names_claimed_twice(placed: Placed) -> Iterator[RowFault]:
    """Yield names by which two rows of a table could be meant."""
    for table, own, others in (
        ("devices", "device", "aliases"),
        ("networks", "name", "aliases"),
        ("cpu_isa", "microarchitecture", "archspec_names"),
        ("past_systems", "name", "aliases"),
    ):
        first: dict[tuple[str, object], PlacedRow] = {}
        for entry in placed[table].rows if placed[table].is_whole else ():
            for field, name in (
                (own, getattr(entry.row, own)),
                *((others, alias) for alias in getattr(entry.row, others)),
            ):
                # A processor and the graphics inside it share their names.
                key = (_plain(name), getattr(entry.row, "kind", None))
                other = first.setdefault(key, entry)
                if getattr(other.row, own) != getattr(entry.row, own):
                    yield entry.fault(f"{name!r} is {_place(other)} already", field=field)


def _place(entry: PlacedRow) -> str:
    return f"{entry.file}:{entry.line}"


def _ids_claimed_twice(families: PlacedTable) -> Iterator[RowFault]:
    """Yield ranges of PCI ids that lie in two families of one vendor."""
    ranges = []
    for entry in families.rows if families.is_whole else ():
        for text in entry.row.pci_device_ids:
            first, _, last = text.partition("-")
            ranges.append((entry.row.pci_vendor_id, int(first, 16), int(last or first, 16), entry))
    ranges.sort(key=lambda item: (item[0] or "", item[1], item[3].line))
    for before, after in itertools.pairwise(ranges):
        if before[0] == after[0] and after[1] <= before[2]:
            one, other = sorted((before[3], after[3]), key=lambda entry: entry.line)
            problem = f"{after[1]:04x} is in {_place(one)} already"
            yield other.fault(problem, field="pci_device_ids")


def _accelerators(placed: Placed) -> Iterator[RowFault]:
    """Yield accelerators of offers that no row explains, and rows that name no device."""
    devices = {e.row.device for e in placed["devices"].rows if e.row.kind is not DeviceKind.CPU}
    names = {
        (entry.row.accelerator, entry.row.memory_bytes) for entry in placed["accelerators"].rows
    }
    if placed["devices"].is_whole:
        for entry in placed["accelerators"].rows:
            if entry.row.device is not None and entry.row.device not in devices:
                yield entry.fault("has no specification in devices/specs.csv", field="device")
    if not placed["accelerators"].is_whole:
        return
    for table in ("offers", "offers_2017"):
        for entry in placed[table].rows:
            name, memory = entry.row.accelerator, entry.row.accelerator_memory_bytes
            if name is not None and not {(name, memory), (name, None)} & names:
                yield entry.fault("is not in offers/accelerators.csv", field="accelerator")


def _offers_of(placed: Placed) -> Iterator[RowFault]:
    """Yield spot bands without an offer, and prices and retirements of vendors without one."""
    if not placed["offers"].is_whole:
        return
    offers = [entry.row for entry in placed["offers"].rows]
    types = {(offer.vendor, offer.instance_type, offer.region) for offer in offers}
    for entry in placed["spot_bands"].rows:
        if (entry.row.vendor, entry.row.instance_type, entry.row.region) not in types:
            yield entry.fault("no offer is of this type and region", field="instance_type")
    vendors = {offer.vendor for offer in offers}
    for table in ("storage_prices", "egress_prices", "retirements"):
        for entry in placed[table].rows:
            if entry.row.vendor not in vendors:
                yield entry.fault("no offer is of this vendor", field="vendor")


def _networks(data: Traversable, networks: PlacedTable) -> Iterator[RowFault]:
    """Yield networks whose counts are not those of their configuration."""
    for entry in networks.rows if networks.is_whole else ():
        facts = entry.row
        try:
            config = json.loads(_config(data, facts.name))
            built = network_from_config(config, name=facts.name, batch_size=1, is_training=False)
        except (OSError, ValueError, NetworkFileError) as error:
            yield entry.fault(f"its configuration cannot be read: {error}", field="name")
            continue
        for field in ("parameters", "multiply_adds_per_sample"):
            stated, counted = getattr(facts, field), getattr(built, field)
            if stated is not None and stated != counted:
                yield entry.fault(f"the configuration has {counted}", field=field)


def _config(data: Traversable, name: str) -> bytes:
    packed = data / "networks" / f"{name}.json.gz"
    if packed.is_file():
        return gzip.decompress(packed.read_bytes())
    return (data / "networks" / f"{name}.json").read_bytes()


def _packed_copies(data: Traversable) -> Iterator[RowFault]:
    for table in TABLES:
        copy = packed_file(data, table=table)
        if table.is_packed and copy.is_file():
            parts = [(name, file.read_bytes()) for name, file in table_files(data, table=table)]
            if not is_copy(copy.read_bytes(), parts=parts):
                problem = f"not a copy of {table.path}: run python -m advisor.knowledge.pack"
                yield file_fault(f"packed/{copy.name}", problem)
