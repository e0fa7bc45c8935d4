"""How old the prices in use are and where they came from, vendor by vendor.

Leaves to others: showing it (`ui.price_commands`).
"""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from advisor.knowledge.refresh.sources import SOURCES
from advisor.knowledge.refresh.table import add_refreshed, read_origin
from advisor.knowledge.store import Knowledge
from advisor.model.offer import Offer

OLD_DAYS = 90
OLD_SPOT_DAYS = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class VendorPrices:
    """Prices in use of one vendor.

    Attributes:
        n_offers, n_spot: offers, and those of them with a spot price.
        oldest, newest: ISO dates of the prices; spot_oldest, spot_newest: None without any.
        age_days, spot_age_days: of the oldest price.
        n_old: offers observed more than 90 days ago; n_spot_old: spot prices, 7 days.
        sources: keys of the lists.
        is_refreshable: whether `prices refresh` knows a list of this vendor.
        fetched_at: ISO time of the last refresh, None when the bundled table is in use.
        url: of the list of the last refresh.
    """

    vendor: str
    n_offers: int
    n_spot: int
    oldest: str
    newest: str
    spot_oldest: str | None
    spot_newest: str | None
    age_days: int
    spot_age_days: int | None
    n_old: int
    n_spot_old: int
    sources: tuple[str, ...]
    is_refreshable: bool
    fetched_at: str | None
    url: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceStatus:
    """All vendors; `problems` are refreshed tables that could not be read."""

    today: str
    vendors: tuple[VendorPrices, ...]
    problems: tuple[str, ...]


def price_status(bundled: Knowledge, *, folder: Path, today: str) -> PriceStatus:
    """Return the state of all prices.

    Args:
        bundled: knowledge without refreshed prices.
        folder: of the refreshed tables.
        today: ISO date.
    """
    knowledge = add_refreshed(bundled, folder=folder)
    groups: dict[str, list[Offer]] = {}
    for offer in knowledge.offers:
        groups.setdefault(offer.vendor, []).append(offer)
    problems = knowledge.skipped[len(bundled.skipped) :]
    return PriceStatus(
        today=today,
        vendors=tuple(_vendor(v, groups[v], folder, today) for v in sorted(groups)),
        problems=tuple(fault.problem for fault in problems),
    )


def _vendor(vendor: str, offers: list[Offer], folder: Path, today: str) -> VendorPrices:
    dates = sorted(offer.observed_on for offer in offers)
    spot_dates = sorted(o.spot_observed_on for o in offers if o.spot_observed_on is not None)
    origin = read_origin(folder, name=vendor) if vendor in SOURCES else None
    return VendorPrices(
        vendor=vendor,
        n_offers=len(offers),
        n_spot=len(spot_dates),
        oldest=dates[0],
        newest=dates[-1],
        spot_oldest=spot_dates[0] if spot_dates else None,
        spot_newest=spot_dates[-1] if spot_dates else None,
        age_days=_age(dates[0], today),
        spot_age_days=_age(spot_dates[0], today) if spot_dates else None,
        n_old=_count_old(dates, today, OLD_DAYS),
        n_spot_old=_count_old(spot_dates, today, OLD_SPOT_DAYS),
        sources=tuple(sorted({offer.source for offer in offers})),
        is_refreshable=vendor in SOURCES,
        fetched_at=None if origin is None else origin.fetched_at,
        url=None if origin is None else origin.url,
    )


def _age(date: str, today: str) -> int:
    return max(0, (dt.date.fromisoformat(today) - dt.date.fromisoformat(date)).days)


def _count_old(dates: Iterable[str], today: str, limit: int) -> int:
    return sum(_age(date, today) > limit for date in dates)
