"""SkyPilot's catalogs: CSV, columns by name, a row for each machine and zone.

What the lists do that one must know: Google's machines stand there without their GPUs, which
are rows of their own without an instance type; empty prices are unknown; `GpuInfo` is a Python
literal whose sizes are in any unit; zones of a region have the same on-demand and different
spot prices (the middle one is taken, since the zone is not chosen).
Leaves to others: trust (`advisor.knowledge.refresh.accept`).
"""

import ast
import csv
import io
import re
import statistics
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from advisor.knowledge.refresh.identities import (
    GIB,
    Identities,
    MachineFacts,
    architecture,
    family_of,
)
from advisor.knowledge.refresh.priced import (
    ROUNDING,
    PriceList,
    make_offer,
    possible,
    spot_below,
)
from advisor.knowledge.refresh.sources import PriceError, PriceSource
from advisor.model.offer import Offer

NEEDED = ("InstanceType", "AcceleratorName", "AcceleratorCount", "vCPUs", "MemoryGiB", "Price",
          "SpotPrice", "Region")  # fmt: skip
# The GPU that a series of Google's machines cannot be had without, as the list spells it.
GCP_GPUS = {
    "a2-highgpu": "A100",
    "a2-megagpu": "A100",
    "a2-ultragpu": "A100-80GB",
    "a3-edgegpu": "H100",
    "a3-highgpu": "H100",
    "a3-megagpu": "H100-MEGA",
    "a3-ultragpu": "H200",
    "a4-highgpu": "B200",
    "g2-standard": "L4",
    "g4-standard": "RTX-PRO-6000",
}
# Of these the list gives the price without the disks.
_LOCAL_DISK = "-lssd"
# Names stand in commands that the user copies to a terminal: no other characters.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+/-]{0,99}")
_REGION = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._/, -]{0,58}[A-Za-z0-9])?")
_MOST_GPU_INFO = 2000
_LEAST_MIB = 1024.0

_Record = dict[str, str]


@dataclass(slots=True, kw_only=True)
class _Prices:
    """Prices of one thing in the zones of a region, and the record that described it."""

    record: _Record
    usd: list[float] = field(default_factory=list)
    spot_usd: list[float] = field(default_factory=list)

    def middle(self) -> tuple[float | None, float | None]:
        usd = statistics.median_low(self.usd) if self.usd else None
        spot = statistics.median_low(self.spot_usd) if self.spot_usd else None
        return usd, spot


@dataclass(slots=True, kw_only=True)
class _Sheet:
    """All prices of a list by name and region; parts are accelerators sold apart."""

    machines: dict[tuple[str, str], _Prices] = field(default_factory=dict)
    parts: dict[tuple[str, float, str], _Prices] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)


def parse_catalog(
    text: str,
    *,
    source: PriceSource,
    known: Identities,
    regions: tuple[str, ...],
    observed_on: str,
    source_key: str,
) -> PriceList:
    """Return the list of a vendor.

    Args:
        text: the whole file.
        source: whose list it is.
        known: machines that we can say something about; others are left out.
        regions: only these; empty for all.
        observed_on: ISO date of the download.
        source_key: what the offers name as their source.

    Raises:
        PriceError: when it is not such a file.
    """
    sheet = _read_sheet(text, set(regions) if source.is_same_naming else set())
    offers = []
    for name, region in sheet.machines:
        offer = _offer(
            sheet, name, region, source=source, known=known, observed_on=observed_on,
            source_key=source_key,
        )  # fmt: skip
        if offer is not None:
            offers.append(offer)
    if source.vendor == "gcp":
        offers += _with_gpus_by_choice(sheet, known, observed_on, source_key)
    return PriceList(
        offers=tuple(offers),
        n_listed=sheet.counts["listed"],
        n_impossible=sheet.counts["impossible"],
        n_spot_above=sheet.counts["spot_above"],
    )


def _records(text: str) -> Iterator[_Record]:
    start = text.lstrip("\ufeff \r\n")[:1]
    if start in ("<", "{"):
        raise PriceError("the answer is a web page, not a price list")
    reader = csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    try:
        names = reader.fieldnames or []
        if not names:
            raise PriceError("the list is empty")
        for name in NEEDED:
            if name not in names:
                raise PriceError(f"the list has no column {name!r}")
        for record in reader:
            if None in record or None in record.values():
                raise PriceError(f"line {reader.line_num} has not as many cells as the header")
            yield record
    except csv.Error as error:
        raise PriceError(f"line {reader.line_num} is not CSV: {error}") from None


def _read_sheet(text: str, regions: set[str]) -> _Sheet:
    sheet = _Sheet()
    for record in _records(text):
        sheet.counts["listed"] += 1
        region, name = record["Region"].strip(), record["InstanceType"].strip()
        if not _REGION.fullmatch(region) or (regions and region not in regions):
            continue
        if name and not _NAME.fullmatch(name):
            continue
        if name:
            prices = sheet.machines.setdefault((name, region), _Prices(record=record))
            _add_prices(prices, record, sheet.counts)
        elif not record["AcceleratorName"].startswith("tpu"):
            count = _number(record["AcceleratorCount"]) or 1.0
            key = (record["AcceleratorName"], count, region)
            # Clusters of parts may cost more than any machine: not counted as impossible.
            _add_prices(sheet.parts.setdefault(key, _Prices(record=record)), record, Counter())
    return sheet


def _add_prices(prices: _Prices, record: _Record, counts: Counter[str]) -> None:
    found: list[float | None] = []
    for column, values in (("Price", prices.usd), ("SpotPrice", prices.spot_usd)):
        usd = _number(record[column])
        if record[column].strip() and (usd is None or not possible(usd)):
            counts["impossible"] += 1
            usd = None
        if usd is not None:
            values.append(usd)
        found.append(usd)
    on_demand, spot = found
    if on_demand is not None and spot is not None and spot > on_demand * ROUNDING:
        counts["spot_above"] += 1


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None


def _offer(
    sheet: _Sheet,
    name: str,
    region: str,
    *,
    source: PriceSource,
    known: Identities,
    observed_on: str,
    source_key: str,
) -> Offer | None:
    prices = sheet.machines[name, region]
    facts = _facts(prices.record, name, source=source, known=known)
    if facts is None:
        return None
    usd, spot = prices.middle()
    if source.vendor == "gcp" and facts.accelerator is not None:
        part = GCP_GPUS.get("-".join(name.split("-")[:2]))
        usd, spot = _with_part(sheet, (usd, spot), part, facts.n_accelerators or 1.0, region)
    spot = spot_below(spot, usd)
    if usd is None and spot is None:
        return None
    return make_offer(
        facts, vendor=source.vendor, instance_type=name, region=region, usd=usd, spot_usd=spot,
        observed_on=observed_on, source=source_key,
    )  # fmt: skip


def _with_part(
    sheet: _Sheet,
    bare: tuple[float | None, float | None],
    part: str | None,
    count: float,
    region: str,
) -> tuple[float | None, float | None]:
    """Return both prices with the GPUs; unknown where the price of the GPUs is."""
    if part is None:
        return None, None
    exact = sheet.parts.get((part, count, region))
    single = sheet.parts.get((part, 1.0, region))
    chosen, factor = (exact, 1.0) if exact is not None else (single, count)
    if chosen is None:
        return None, None
    usd, spot = (
        None if a is None or b is None else a + factor * b
        for a, b in zip(bare, chosen.middle(), strict=True)
    )
    return usd, spot


def _with_gpus_by_choice(
    sheet: _Sheet, known: Identities, observed_on: str, source_key: str
) -> Iterator[Offer]:
    """Yield Google's machines with a GPU of the user's choice, named like n1-standard-4+T4x1."""
    for (vendor, name), facts in known.machines.items():
        bare, plus, part = name.partition("+")
        if vendor != "gcp" or not plus or facts.n_accelerators is None:
            continue
        gpu = part.rpartition("x")[0]
        for machine, region in sheet.machines:
            if machine != bare:
                continue
            prices = sheet.machines[machine, region].middle()
            usd, spot = _with_part(sheet, prices, gpu, facts.n_accelerators, region)
            spot = spot_below(spot, usd)
            if usd is not None or spot is not None:
                yield make_offer(
                    facts, vendor="gcp", instance_type=name, region=region, usd=usd,
                    spot_usd=spot, observed_on=observed_on, source=source_key,
                )  # fmt: skip


def _facts(
    record: _Record, name: str, *, source: PriceSource, known: Identities
) -> MachineFacts | None:
    """Return what is known of a machine, None when that is too little to advise it."""
    machine = known.machines.get((source.vendor, name))
    if machine is not None:
        return machine
    family = family_of(source.vendor, name)
    is_known_family = (source.vendor, family or "") in known.families
    vcpus, gib = _number(record["vCPUs"]), _number(record["MemoryGiB"])
    facts = MachineFacts(
        family=family,
        architecture=architecture(record.get("Arch") or "")
        or known.families.get((source.vendor, family or "")),
        vcpus=vcpus if vcpus and possible(vcpus) else None,
        memory_bytes=round(gib * GIB) if gib and 0.0625 <= gib <= 65536 else None,
    )
    accelerator = record["AcceleratorName"]
    if not accelerator:
        is_plain = is_known_family and facts.vcpus is not None and _LOCAL_DISK not in name
        return facts if is_plain else None
    spelling = known.spelling(accelerator)
    count = _number(record["AcceleratorCount"])
    if spelling is None or source.vendor == "gcp" or not count or not 0 < count <= 64:
        return None
    return MachineFacts(
        family=facts.family,
        architecture=facts.architecture,
        vcpus=facts.vcpus,
        memory_bytes=facts.memory_bytes,
        accelerator=spelling,
        n_accelerators=count,
        accelerator_memory_bytes=known.memory_bytes(
            accelerator, reported_gib=parse_gpu_gib(record.get("GpuInfo") or "")
        ),
    )


def parse_gpu_gib(text: str) -> float | None:
    """Return the memory of one GPU in GiB that a `GpuInfo` cell seems to state, else None.

    The cell says MiB, and some vendors' rows mean GiB: a GPU with less than 1,024 MiB is one.
    """
    if not text.startswith("{") or len(text) > _MOST_GPU_INFO:
        return None
    try:
        size = ast.literal_eval(text)["Gpus"][0]["MemoryInfo"]["SizeInMiB"]
        value = float(size)
    except (ValueError, SyntaxError, TypeError, LookupError, MemoryError, RecursionError):
        return None
    if not 1.0 <= value < 4 * 1024 * 1024:
        return None
    return value if value < _LEAST_MIB else value / 1024.0
