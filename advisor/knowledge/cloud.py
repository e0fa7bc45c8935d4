"""Look-ups around an offer: its CPU, its GPU, how it is billed, what its disk and traffic cost.

`cloud_index` indexes the tables once, the index is passed down. A missing row is None, never 0.
Prices of disk and traffic are known for few regions: a vendor's other regions take the price of
its first one, and the row that was used says which region that is.
Leaves to others: adding up a job's cost (`advisor.recommend.cost`), what a CPU or a GPU makes of
the work (`advisor.predict`).
"""

import re
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeVar

from advisor.knowledge.catalog import MachineType, machine_types
from advisor.knowledge.graphics import find_gpu_family
from advisor.knowledge.store import Knowledge
from advisor.model.machine import DeviceKind
from advisor.model.offer import (
    BillingRule,
    CpuPlatform,
    EgressPrice,
    Offer,
    Retirement,
    SpotBand,
    StoragePrice,
)
from advisor.model.published import DeviceSpec, GpuFamily

# A month in the price lists of all vendors.
HOURS_PER_MONTH = 730.0

# Where an instance shares a core with others by credits: fast only for a short while.
_BURSTABLE = {
    "aws": re.compile(r"t\d[a-z]*\."),
    "azure": re.compile(r"Standard_B\d"),
    "gcp": re.compile(r"e2-(?:micro|small|medium)$|f1-micro$|g1-small$"),
}

# A guest is often told the base clock, or a made-up one, where all cores run faster: reported are
# 3.5 GHz (AWS) and 2.8 (Azure) of Ice Lake servers, 3.7 and 2.0 (Hetzner) of Zen 4.
_LEAST_SHARE_OF_CLOCK = 0.9

_GONE = frozenset({"retired", "not_listed"})

_Price = TypeVar("_Price", StoragePrice, EgressPrice)
_Pair = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudIndex:
    """The cloud tables by key, and the offers by machine. Make it with `cloud_index`."""

    machines: tuple[MachineType, ...]
    platforms: MappingProxyType[_Pair, CpuPlatform]
    billing: MappingProxyType[str, BillingRule]
    disks: MappingProxyType[str, tuple[StoragePrice, ...]]
    egress: MappingProxyType[str, tuple[EgressPrice, ...]]
    bands: MappingProxyType[tuple[str, str, str], SpotBand]
    retirements: MappingProxyType[str, tuple[tuple[re.Pattern[str], Retirement], ...]]
    accelerators: MappingProxyType[tuple[str, int | None], DeviceSpec | None]
    families: MappingProxyType[str, GpuFamily | None]
    clocks: MappingProxyType[str, float]

    def clock_ghz(self, platform: CpuPlatform | None) -> float | None:
        """Return the clock under load: as reported, or nearly what others report of such chips.

        None when neither is known. Arm servers have one clock, so what is reported stands. Of a
        family with several chips the slowest counts.
        """
        if platform is None:
            return None
        names = (platform.microarchitecture or "").split(" | ")
        return clock_under_load(platform.reported_ghz, names, clocks=self.clocks)

    def platform_of(self, offer: Offer) -> CpuPlatform | None:
        """Return what CPU the offer's family shows to its guest."""
        if offer.family is None:
            return None
        return self.platforms.get((offer.vendor, offer.family))

    def billing_rule(self, vendor: str) -> BillingRule | None:
        """Return how a vendor rounds time."""
        return self.billing.get(vendor)

    def disk_price(self, *, vendor: str, region: str) -> StoragePrice | None:
        """Return the price of a vendor's usual disk, of another region where this is unknown."""
        return _of_region(self.disks.get(vendor, ()), region)

    def disk_usd(self, *, vendor: str, region: str, gib: float, hours: float) -> float | None:
        """Return USD for the vendor's usual disk of a size during some hours."""
        price = self.disk_price(vendor=vendor, region=region)
        if price is None:
            return None
        size = _next_doubling(gib) if price.is_billed_in_doublings else gib
        return price.usd_per_gib_month * size * hours / HOURS_PER_MONTH

    def egress_price(self, *, vendor: str, region: str) -> EgressPrice | None:
        """Return the price of traffic to the internet, of another region where this is unknown."""
        return _of_region(self.egress.get(vendor, ()), region)

    def egress_usd(
        self, *, vendor: str, region: str, gib: float, used_gib: float | None = None
    ) -> float | None:
        """Return USD for traffic to the internet.

        Args:
            vendor: key of the vendor.
            region: where the machine stands.
            gib: size of what is downloaded.
            used_gib: traffic of this month so far; None: the free allowance is not counted on.
        """
        price = self.egress_price(vendor=vendor, region=region)
        if price is None:
            return None
        free = 0.0
        if used_gib is not None and price.free_gib_per_month is not None:
            free = max(0.0, price.free_gib_per_month - used_gib)
        return price.usd_per_gib * max(0.0, gib - free)

    def spot_band(self, offer: Offer) -> SpotBand | None:
        """Return how often spot instances of the offer are interrupted, None when unknown."""
        return self.bands.get((offer.vendor, offer.instance_type, offer.region))

    def retirement_of(self, offer: Offer) -> Retirement | None:
        """Return what is known of the end of the offer's series: past, announced, or None."""
        for pattern, retirement in self.retirements.get(offer.vendor, ()):
            if pattern.fullmatch(offer.instance_type):
                return retirement
        return None

    def is_retired(self, offer: Offer, *, today: str) -> bool:
        """Tell whether the offer's series is gone on an ISO date, or no longer listed."""
        retirement = self.retirement_of(offer)
        if retirement is None:
            return False
        if retirement.date is not None:
            return retirement.date <= today
        return retirement.status in _GONE

    def accelerator_device(self, offer: Offer) -> DeviceSpec | None:
        """Return the specification of the offer's accelerator, None when there is none."""
        if offer.accelerator is None:
            return None
        exact = (offer.accelerator, offer.accelerator_memory_bytes)
        if exact in self.accelerators:
            return self.accelerators[exact]
        return self.accelerators.get((offer.accelerator, None))


def is_burstable(offer: Offer) -> bool:
    """Tell whether the offer runs at full speed only for a while."""
    pattern = _BURSTABLE.get(offer.vendor)
    return pattern is not None and pattern.match(offer.instance_type) is not None


def physical_cores(offer: Offer, *, platform: CpuPlatform | None) -> float | None:
    """Return the cores behind the offer's vCPUs, None when either is unknown.

    A vCPU is a hyper-thread on most types and a whole core on others: `vcpus_per_core`.
    """
    if offer.vcpus is None or platform is None or platform.vcpus_per_core is None:
        return None
    return offer.vcpus / platform.vcpus_per_core


def clock_under_load(
    told_ghz: float | None, names: Sequence[str], *, clocks: Mapping[str, float]
) -> float | None:
    """Return the clock of a guest's cores: as it is told, or nearly that of others of its kind.

    Args:
        told_ghz: None unknown.
        names: of the microarchitectures that it may be.
        clocks: from `usual_clocks`; where it lacks one of them, what is told stands.
    """
    known = [clocks[name] for name in names if name in clocks]
    if not known or len(known) < len(names):
        return told_ghz
    return max(told_ghz or 0.0, _LEAST_SHARE_OF_CLOCK * min(known))


def usual_clocks(platforms: Iterable[CpuPlatform]) -> dict[str, float]:
    """Return for each x86 microarchitecture the highest of what each vendor usually reports."""
    reported: dict[str, dict[str, list[float]]] = {}
    for row in platforms:
        name = row.microarchitecture
        if row.reported_ghz and name and " | " not in name and row.architecture == "x86_64":
            reported.setdefault(name, {}).setdefault(row.vendor, []).append(row.reported_ghz)
    return {
        name: max(statistics.median_low(clocks) for clocks in by_vendor.values())
        for name, by_vendor in reported.items()
    }


def cloud_index(knowledge: Knowledge) -> CloudIndex:
    """Return the index of a knowledge: build it once and pass it down.

    Of rows with the same key the first is taken.
    """
    devices = {
        spec.device: spec for spec in reversed(knowledge.devices) if spec.kind is not DeviceKind.CPU
    }
    retirements: dict[str, list[tuple[re.Pattern[str], Retirement]]] = {}
    for row in knowledge.retirements:
        entry = (re.compile(row.instance_pattern), row)
        retirements.setdefault(row.vendor, []).append(entry)
    return CloudIndex(
        machines=machine_types(knowledge.offers),
        clocks=MappingProxyType(usual_clocks(knowledge.cpu_platforms)),
        platforms=MappingProxyType(
            {(row.vendor, row.family): row for row in reversed(knowledge.cpu_platforms)}
        ),
        billing=MappingProxyType({row.vendor: row for row in reversed(knowledge.billing_rules)}),
        disks=_by_vendor(knowledge.storage_prices),
        egress=_by_vendor(knowledge.egress_prices),
        bands=MappingProxyType(
            {
                (row.vendor, row.instance_type, row.region): row
                for row in reversed(knowledge.spot_bands)
            }
        ),
        retirements=MappingProxyType(
            {vendor: tuple(entries) for vendor, entries in retirements.items()}
        ),
        families=MappingProxyType(
            {
                name: _family_of(name, knowledge)
                for row in knowledge.accelerators
                if (name := row.device)
            }
        ),
        accelerators=MappingProxyType(
            {
                (row.accelerator, row.memory_bytes): devices.get(row.device or "")
                for row in reversed(knowledge.accelerators)
            }
        ),
    )


def _family_of(name: str, knowledge: Knowledge) -> GpuFamily | None:
    return find_gpu_family(knowledge, pci_vendor_id=None, pci_device_id=None, name=name)


def _by_vendor(rows: Iterable[_Price]) -> MappingProxyType[str, tuple[_Price, ...]]:
    by_vendor: dict[str, list[_Price]] = {}
    for row in rows:
        by_vendor.setdefault(row.vendor, []).append(row)
    return MappingProxyType({vendor: tuple(prices) for vendor, prices in by_vendor.items()})


def _of_region(prices: tuple[_Price, ...], region: str) -> _Price | None:
    """Return the first price of a region (the usual kind stands first), else the vendor's first."""
    for price in prices:
        if price.region in (region, None):
            return price
    return prices[0] if prices else None


def _next_doubling(gib: float) -> float:
    """Return the smallest power of two of GiB, from 4 on, that holds a size."""
    size = 4.0
    while size < gib:
        size *= 2.0
    return size
