"""Whether a list of prices is trusted: every check, in order, each with its own sentence.

A list that looks wrong is worth less than an old one. The comparisons are with what is in use.
Leaves to others: reading (`parse_*`), keeping (`table`).
"""

from collections.abc import Iterable, Mapping, Sequence

from advisor.knowledge.refresh.priced import PriceList
from advisor.knowledge.refresh.sources import PriceError, PriceSource
from advisor.model.offer import Offer, SpotBand

LEAST_SHARE = 0.8
# So many cells of a list may be impossible, or far from the last price, before it is refused.
MOST_ODD_SHARE = 0.01
MOST_MOVED_SHARE = 0.02
N_ANCHORS = 5

_Key = tuple[object, ...]


def check_list(
    new: PriceList, *, source: PriceSource, used: Sequence[Offer], n_listed_before: int | None
) -> None:
    """Check a vendor's list.

    Args:
        new: the list as read.
        source: whose it is.
        used: the vendor's offers in use, in the regions asked for.
        n_listed_before: rows of the last list that was accepted, None without one.

    Raises:
        PriceError: saying which check failed.
    """
    if new.n_listed < source.min_rows:
        raise PriceError(f"{new.n_listed} rows, at least {source.min_rows} were expected")
    if n_listed_before is not None and new.n_listed < LEAST_SHARE * n_listed_before:
        raise PriceError(f"{new.n_listed} rows, where the last list had {n_listed_before}")
    _check_cells(new)
    if not new.offers:
        raise PriceError("no machine that we know in the regions asked for")
    _check_coverage(new.offers, source, used)
    _check_anchors(new.offers, source, used)


def _check_cells(new: PriceList) -> None:
    most = MOST_ODD_SHARE * new.n_listed
    if new.n_impossible > most:
        raise PriceError(f"{new.n_impossible} prices are not between 0 and 1,000 USD per hour")
    if new.n_spot_above > most:
        raise PriceError(f"{new.n_spot_above} spot prices are above the on-demand price")


def _check_coverage(offers: Sequence[Offer], source: PriceSource, used: Sequence[Offer]) -> None:
    """Compare the number of offers within families that the list has at all."""
    if not source.is_same_naming:
        return
    families = {offer.family for offer in offers}
    before = sum(offer.family in families for offer in used)
    if len(offers) < LEAST_SHARE * before:
        raise PriceError(f"{len(offers)} offers, where {before} are in use")


def _check_anchors(offers: Sequence[Offer], source: PriceSource, used: Sequence[Offer]) -> None:
    old, new = _on_demand(used, source), _on_demand(offers, source)
    for key in anchors(used, offers, source=source):
        if not _is_near(old[key], new[key], source):
            name = " ".join(str(part) for part in key)
            raise PriceError(f"{name} would cost {new[key]:g} USD per hour instead of {old[key]:g}")
    common = old.keys() & new.keys()
    n_moved = sum(not _is_near(old[key], new[key], source) for key in common)
    if n_moved > max(1.0, MOST_MOVED_SHARE * len(common)) and source.is_same_naming:
        raise PriceError(f"{n_moved} of {len(common)} prices moved by more than "
                         f"{source.anchor_factor:g} times")  # fmt: skip


def anchors(
    used: Sequence[Offer], offers: Sequence[Offer], *, source: PriceSource
) -> tuple[_Key, ...]:
    """Return the few things, spread over the list, whose prices must be near the ones in use."""
    common = sorted(_on_demand(used, source).keys() & _on_demand(offers, source).keys(), key=str)
    if len(common) <= N_ANCHORS:
        return tuple(common)
    step = (len(common) - 1) / (N_ANCHORS - 1)
    return tuple(common[round(i * step)] for i in range(N_ANCHORS))


def _on_demand(offers: Iterable[Offer], source: PriceSource) -> Mapping[_Key, float]:
    """Return the cheapest on-demand price by what can be compared between two lists."""
    prices: dict[_Key, float] = {}
    for offer in offers:
        if offer.usd_per_hour is None:
            continue
        key: _Key = (offer.instance_type, offer.region)
        if not source.is_same_naming:
            if offer.accelerator is None or offer.n_accelerators != 1.0:
                continue
            key = (offer.accelerator, offer.accelerator_memory_bytes)
        prices[key] = min(offer.usd_per_hour, prices.get(key, offer.usd_per_hour))
    return prices


def _is_near(old: float, new: float, source: PriceSource) -> bool:
    return old / source.anchor_factor <= new <= old * source.anchor_factor


def check_bands(new: Sequence[SpotBand], *, used: Sequence[SpotBand]) -> None:
    """Check interruption bands against those in use for the same places.

    Raises:
        PriceError: saying which check failed.
    """
    if not new or len(new) < LEAST_SHARE * len(used):
        raise PriceError(f"{len(new)} bands, where {len(used)} are in use")
    if len(used) >= N_ANCHORS and len({band.high_percent for band in new}) == 1:
        raise PriceError("every machine is in the same band")
