"""Which of the ranked options are shown: the best, and one of each way to go.

A table of twelve rented machines that differ in region helps nobody: of each kind a few stand,
and the best local, on-demand, spot and bought options stand wherever they rank. Where renting is
far later than staying, and dearer, one of each kind is enough to see it.
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
# Renting that takes so many times as long as staying is no alternative: an account takes longer
# than the job.
_FAR = 10.0


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
    now = next((p.candidate for p in placed if p.candidate.option.kind is OptionKind.STAY), None)
    placed = [entry for entry in placed if now is None or not _gains_nothing(entry.candidate, now)]
    wanted = _required(placed)
    counts = Counter(way_of(placed[position]) for position in wanted)
    for position, entry in enumerate(placed):
        if len(wanted) >= SHOWN:
            break
        way = way_of(entry)
        limit = _PER_WAY_LOCAL if way == "local" else PER_WAY
        if now is not None and _loses_by_far(entry.candidate, now):
            limit = 1
        if position not in wanted and counts[way] < limit:
            wanted.add(position)
            counts[way] += 1
    return _renumbered([placed[position] for position in sorted(wanted)])


def _loses(candidate: Candidate, now: Candidate) -> bool:
    """Whether a rented machine is done later than staying, and costs more.

    One that costs no more than staying may be wanted: electricity is dear in some places.
    """
    if candidate.option.offer is None or candidate.usd is None or now.usd is None:
        return False
    return candidate.effective_s > now.effective_s and candidate.usd > now.usd


def _loses_by_far(candidate: Candidate, now: Candidate) -> bool:
    return _loses(candidate, now) and candidate.effective_s > _FAR * now.effective_s


def _gains_nothing(candidate: Candidate, now: Candidate) -> bool:
    """Whether a rented machine that loses does not even compute faster: then it is no row."""
    least_s = (1.0 - TIE_FRACTION) * now.prediction.total_s.mid
    return _loses(candidate, now) and candidate.prediction.total_s.mid > least_s


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
