"""What may go wrong with the first option: a limit within its interval, electricity not counted.

A limit is held against the middle of an interval, and electricity of unknown price counts as
nothing: both are told where they could change the choice.
Leaves to others: the other caveats (`advisor.recommend.caveats`), the limits themselves
(`advisor.recommend.rank`), watts (`advisor.recommend.own_power`).
"""

from collections.abc import Sequence

from advisor.model.objective import Objective
from advisor.model.option import ELSEWHERE, OptionKind
from advisor.model.recommendation import Caveat, Preferences, RankedOption
from advisor.recommend.reasons import caveat

# Few households pay more for electricity: above it the price decides nothing.
MOST_USD_PER_KWH = 0.60
_HOUR_S = 3600.0


def limit_caveats(
    ranked: Sequence[RankedOption], *, preferences: Preferences
) -> tuple[Caveat, ...]:
    """Return which limits the first option keeps in the middle of its interval only."""
    if not ranked:
        return ()
    first = ranked[0]
    found = []
    total_usd, limit_usd = first.cost.total_usd, preferences.max_usd
    if limit_usd is not None and total_usd is not None and total_usd.high > limit_usd:
        found.append(caveat("first_may_exceed_budget", usd=total_usd.high, limit_usd=limit_usd))
    limit_h = preferences.deadline_h
    if limit_h is not None and (hours := _longest_h(first)) > limit_h:
        found.append(caveat("first_may_exceed_deadline", hours=hours, limit_hours=limit_h))
    return tuple(found)


def _longest_h(row: RankedOption) -> float:
    """Return the hours until it is done at the upper end, all work and waiting counted."""
    total = row.prediction.total_s
    done_s = total.mid if row.done_s is None else row.done_s
    return (done_s - total.mid + total.high) / _HOUR_S


def electricity_caveats(
    ranked: Sequence[RankedOption], *, preferences: Preferences, first_w: float | None
) -> tuple[Caveat, ...]:
    """Return that electricity is not counted, with the price from which on renting costs less.

    Args:
        ranked: options, best first.
        preferences: the price of electricity and what is wanted.
        first_w: watts that the first option takes here; None: not known.
    """
    if preferences.electricity_usd_per_kwh is not None:
        return ()
    plain = (caveat("electricity_not_counted"),)
    rented = [
        (row.cost.total_usd.mid, row.option.title)
        for row in ranked
        if row.option.kind is OptionKind.CLOUD and row.cost.total_usd is not None
    ]
    is_here = bool(ranked) and ranked[0].option.kind not in ELSEWHERE
    if first_w is None or not (is_here and rented) or preferences.objective is Objective.FASTEST:
        return plain
    kwh = first_w / 1000.0 * ranked[0].prediction.total_s.mid / _HOUR_S
    usd, option = min(rented)
    if kwh <= 0.0 or usd / kwh > MOST_USD_PER_KWH:
        return plain
    return (caveat("electricity_decides", kwh=kwh, usd=usd / kwh, option=option),)
