"""Where prices come from, as data: addresses, folders, versions, limits of a transfer.

Every address can be replaced, so that a test or a mirror of the user's own stands in for the net.
Leaves to others: transfers (`fetch`), what an answer means (`parse_*`), trust (`accept`).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from advisor.errors import AdvisorError, InputError

MIB = 1024 * 1024


class PriceError(AdvisorError, ValueError):
    """A download that failed, or an answer that is not accepted; one line."""


class GoneError(PriceError):
    """The server has nothing at this address."""


class Cancelled(AdvisorError):  # noqa: N818 - what the user asked for is not an error
    """The user asked to stop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoints:
    """Base addresses, each without a slash at its end.

    Attributes:
        catalogs: SkyPilot's catalogs and their mirrors, in the order of trying.
        versions: schema versions of the catalogs, the newest first.
        azure: Azure Retail Prices.
        spot_advisor: interruption bands of AWS.
    """

    catalogs: tuple[str, ...] = (
        "https://raw.githubusercontent.com/skypilot-org/skypilot-catalog/master/catalogs",
        "https://skypilot-catalog.s3.us-east-1.amazonaws.com/catalogs",
    )
    versions: tuple[str, ...] = ("v9", "v8")
    azure: str = "https://prices.azure.com/api/retail/prices"
    spot_advisor: str = "https://spot-bid-advisor.s3.amazonaws.com/spot-advisor-data.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of transfers.

    Attributes:
        connect_s, read_s: longest wait for a connection and between two pieces of an answer.
        total_s: longest time for one vendor, all its requests together.
        tries: requests of one address before it is given up.
        pause_s: wait before the second try.
        max_bytes: largest answer after unpacking.
        max_redirects: redirects that are followed, on the same host only.
        max_pages: most pages of one list.
    """

    connect_s: float = 10.0
    read_s: float = 30.0
    total_s: float = 180.0
    tries: int = 2
    pause_s: float = 1.0
    max_bytes: int = 64 * MIB
    max_redirects: int = 3
    max_pages: int = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceSource:
    """What is known of a vendor's list before it is read.

    Attributes:
        vendor: our key.
        catalog: folder of the vendor in SkyPilot's catalogs, None: another source has it.
        min_rows: a shorter list is not the list.
        is_same_naming: instance types and regions are called as in the bundled table. Otherwise
            the whole vendor is replaced, and prices are compared by accelerator.
        anchor_factor: how far a price may move between two lists; marketplaces move more.
        region_pattern: what the vendor's region names look like, "" where they are not chosen.
        usual_regions: asked for when the user names none: those that hold the cheapest price of
            nearly every machine.
    """

    vendor: str
    catalog: str | None
    min_rows: int = 500
    is_same_naming: bool = True
    anchor_factor: float = 2.0
    region_pattern: str = ""
    usual_regions: tuple[str, ...] = ()


SOURCES = {
    source.vendor: source
    for source in (
        PriceSource(
            vendor="aws",
            catalog="aws",
            region_pattern=r"[a-z]{2,3}(-[a-z]+)+-\d",
            usual_regions=(
                *("us-east-1", "us-west-2", "eu-west-1", "eu-central-1"),
                *("ap-northeast-1", "ap-south-1"),
            ),
        ),
        PriceSource(
            vendor="azure",
            catalog=None,
            region_pattern=r"[a-z]+\d?",
            usual_regions=(
                *("eastus", "eastus2", "westus2", "westeurope", "centralindia", "southeastasia"),
            ),
        ),
        PriceSource(
            vendor="gcp",
            catalog="gcp",
            region_pattern=r"[a-z]+-[a-z]+\d+",
            usual_regions=(
                *("us-central1", "us-east4", "us-west4", "europe-west4"),
                *("asia-south1", "asia-southeast1"),
            ),
        ),
        PriceSource(vendor="lambda", catalog="lambda", min_rows=20, is_same_naming=False),
        PriceSource(vendor="nebius", catalog="nebius", min_rows=10, is_same_naming=False),
        PriceSource(
            vendor="runpod",
            catalog="runpod",
            min_rows=100,
            is_same_naming=False,
            anchor_factor=3.0,
        ),
        PriceSource(
            vendor="vast-ai", catalog="vast", min_rows=20, is_same_naming=False, anchor_factor=5.0
        ),
        PriceSource(
            vendor="verda", catalog="verda", min_rows=10, is_same_naming=False, anchor_factor=3.0
        ),
    )
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RefreshRequest:
    """What the user asks for.

    Attributes:
        vendors: keys of `SOURCES`; empty for all.
        regions: regions of vendors that name them; empty: the usual ones.
    """

    vendors: tuple[str, ...] = ()
    regions: tuple[str, ...] = ()
    endpoints: Endpoints = field(default_factory=Endpoints)
    limits: Limits = field(default_factory=Limits)

    def chosen(self) -> tuple[PriceSource, ...]:
        """Return the sources asked for; with regions only those that have such regions.

        Raises:
            InputError: naming a vendor or region whose prices cannot be refreshed.
        """
        for vendor in self.vendors:
            if vendor not in SOURCES:
                known = ", ".join(SOURCES)
                raise InputError(f"the prices of {vendor!r} cannot be refreshed: choose of {known}")
        named = [s for s in SOURCES.values() if not self.vendors or s.vendor in self.vendors]
        for region in self.regions:
            if not any(is_region(region, source=source) for source in named):
                raise InputError(f"{region!r} is not a region of {_names(named)}")
        return tuple(s for s in named if self._is_asked(s))

    def _is_asked(self, source: PriceSource) -> bool:
        if not self.regions:
            return True
        if not source.is_same_naming:
            return source.vendor in self.vendors
        return any(is_region(region, source=source) for region in self.regions)


def is_region(name: str, *, source: PriceSource) -> bool:
    """Return whether a name looks like a region of a vendor."""
    return re.fullmatch(source.region_pattern, name) is not None


def _names(sources: Iterable[PriceSource]) -> str:
    return ", ".join(source.vendor for source in sources if source.region_pattern) or "a vendor"
