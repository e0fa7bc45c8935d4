"""Which of the ranked options are shown: the best, and one of each way to go.

A table of twelve rented machines that differ in region helps nobody: of each kind a few stand,
and the best local, on-demand, spot and bought options stand wherever they rank.
Leaves to others: the order itself (`advisor.recommend.rank`).
"""

import dataclasses
from collections import Counter
from collections.abc import Sequence

from advisor.model.option import OptionKind
from advisor.recommend.offers import LARGE_VENDORS
from advisor.recommend.rank import TIE_FRACTION, Candidate, Placed

# Rows in the table of advice.
SHOWN = 12
# Rows of one way to go, beyond which others come first.
PER_WAY = 2
_PER_WAY_LOCAL = 5


def way_of(placed: Placed) -> str:
    """Return the way to go that an option belongs to.

    One of local, on-demand and spot of large and of small vendors, buy, other job.
    """
    option = placed.candidate.option
    if not placed.candidate.is_same_job:
        return "other job"
    if option.offer is not None:
        form = "spot" if option.is_spot else "on-demand"
        size = "large" if option.offer.vendor in LARGE_VENDORS else "small"
        return f"{form}, {size} vendors"
    if placed.candidate.is_local:
        return "local"
    return option.kind.value


def choose(placed: Sequence[Placed]) -> tuple[Placed, ...]:
    """Return the rows to show, in their order, ranks and ties counted among them alone."""
    placed = _worth_a_look(placed)
    wanted = _required(placed)
    counts = Counter(way_of(placed[position]) for position in wanted)
    for position, entry in enumerate(placed):
        if len(wanted) >= SHOWN:
            break
        way = way_of(entry)
        limit = _PER_WAY_LOCAL if way == "local" else PER_WAY
        if position not in wanted and counts[way] < limit:
            wanted.add(position)
            counts[way] += 1
    return _renumbered([placed[position] for position in sorted(wanted)])


def _worth_a_look(placed: Sequence[Placed]) -> list[Placed]:
    """Return the options but rented machines that gain nothing: as fast as now, later and dearer.

    One that costs no more than staying stands: electricity is dear in some places.
    """
    now = next((p.candidate for p in placed if p.candidate.option.kind is OptionKind.STAY), None)
    return [entry for entry in placed if now is None or not _gains_nothing(entry.candidate, now)]


def _gains_nothing(candidate: Candidate, now: Candidate) -> bool:
    if candidate.option.offer is None or candidate.usd is None or now.usd is None:
        return False
    is_as_fast = (
        candidate.prediction.total_s.mid > (1.0 - TIE_FRACTION) * now.prediction.total_s.mid
    )
    return is_as_fast and candidate.effective_s > now.effective_s and candidate.usd > now.usd


def _required(placed: Sequence[Placed]) -> set[int]:
    """The first of each way, and staying."""
    first: dict[str, int] = {}
    for position, entry in enumerate(placed):
        first.setdefault(way_of(entry), position)
        if entry.candidate.option.kind is OptionKind.STAY:
            first["stay"] = position
    return set(first.values())


def _renumbered(shown: Sequence[Placed]) -> tuple[Placed, ...]:
    ids = {entry.candidate.option.id for entry in shown}
    place_of: dict[int, int] = {}
    for position, entry in enumerate(shown, start=1):
        place_of.setdefault(entry.rank, position)
    return tuple(
        dataclasses.replace(
            entry,
            rank=place_of[entry.rank],
            tied_with=tuple(other for other in entry.tied_with if other in ids),
        )
        for entry in shown
    )
