"""A vendor's list as read, before it is trusted: offers, and what was wrong with its cells.

Leaves to others: the forms of the lists (`parse_*`), whether to trust one (`accept`).
"""

import math
from dataclasses import dataclass

from advisor.knowledge.refresh.identities import MachineFacts
from advisor.model.offer import Offer

# No machine costs more per hour; what does is a cluster or a mistake.
MOST_USD_PER_HOUR = 1000.0
# Lists round spot and on-demand prices differently.
ROUNDING = 1.001


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceList:
    """A list as read.

    Attributes:
        offers: of known machines in the regions asked for, prices possible or None.
        n_listed: rows of the whole list, for comparing one list with the next.
        n_impossible: prices of machines that are not above 0 and below 1,000 USD per hour.
        n_spot_above: spot prices above the on-demand price of their row.
    """

    offers: tuple[Offer, ...]
    n_listed: int
    n_impossible: int
    n_spot_above: int


def possible(usd: float) -> bool:
    """Return whether a price per hour can be true; unknown is not zero."""
    return math.isfinite(usd) and 0.0 < usd < MOST_USD_PER_HOUR


def spot_below(spot_usd: float | None, on_demand_usd: float | None) -> float | None:
    """Return the spot price, None where it is none: at the on-demand price nobody bids."""
    if spot_usd is None or on_demand_usd is None:
        return spot_usd
    return spot_usd if spot_usd * ROUNDING < on_demand_usd else None


def make_offer(
    facts: MachineFacts,
    *,
    vendor: str,
    instance_type: str,
    region: str,
    usd: float | None,
    spot_usd: float | None,
    observed_on: str,
    source: str,
) -> Offer:
    """Return an offer with this date and source for the prices that it has."""
    return Offer(
        vendor=vendor,
        instance_type=instance_type,
        region=region,
        family=facts.family,
        architecture=facts.architecture,
        vcpus=facts.vcpus,
        memory_bytes=facts.memory_bytes,
        accelerator=facts.accelerator,
        n_accelerators=facts.n_accelerators,
        accelerator_memory_bytes=facts.accelerator_memory_bytes,
        usd_per_hour=usd,
        spot_usd_per_hour=spot_usd,
        observed_on=observed_on,
        spot_observed_on=None if spot_usd is None else observed_on,
        source=source,
        spot_source=None if spot_usd is None else source,
    )
