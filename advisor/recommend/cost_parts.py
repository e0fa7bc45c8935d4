"""Parts of a cost, and their sum.

Leaves to others: which parts there are (`advisor.recommend.cost`, `advisor.recommend.rent_cost`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from advisor.model.prediction import Cost, CostPart
from advisor.model.quantity import Interval, Source

NOTHING_USD = Interval(low=0.0, mid=0.0, high=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A price beside the hour: a part, or the name of what is unknown, or both."""

    part: CostPart | None = None
    missing: str | None = None


def exactly(usd: float) -> Interval:
    """Return an amount that is no range."""
    return Interval(low=usd, mid=usd, high=usd)


def added(
    *,
    parts: Sequence[CostPart],
    missing: Sequence[str],
    price_date: str | None = None,
    sources: tuple[Source, ...] = (),
) -> Cost:
    """Return the cost whose total is the sum of its parts."""
    total = Interval(
        low=sum(part.usd.low for part in parts),
        mid=sum(part.usd.mid for part in parts),
        high=sum(part.usd.high for part in parts),
    )
    return Cost(
        total_usd=total,
        parts=tuple(parts),
        missing=tuple(missing),
        price_date=price_date,
        sources=sources,
    )
