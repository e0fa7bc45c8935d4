"""The order of options under an objective: hard limits, one score, ties, the Pareto front.

Every option competes with its *effective time*: computing + redone work after interruptions
+ waiting before the start + a person's work to get there (`advisor.recommend.effort`).

- **fastest**: least effective time.
- **cheapest**: least money; among equal money the least effective time. Work that leads to a later
  result than staying as it is counts a few cents an hour, so that nobody works to save one.
- **balanced**: the cheapest within 20 % of the fastest. Precisely: let T be the least effective
  time of all options that could be chosen. In the window are the options that need at most 1.2 T,
  and those that run on this machine and need at most T + 1 h (money must save at least an hour).
  First stand the options of the window by money, then the others by effective time.

Under all three an option that computes something else (a smaller network, frozen layers) stands
below every option that does the job as it was asked, and one whose price is unknown below those
whose price is known where money counts. Values that differ by less than 10 % stand in the order
of least change, then of money. A tie, with a shared rank, are those of them whose computing times
differ by less than 10 % too: what takes twice as long is no tie to anybody who waits for it, nor
is a rental that costs over ten times as much as another.
Leaves to others: times (`advisor.predict`), money (`advisor.recommend.cost`), wording.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from advisor.model.objective import Objective
from advisor.model.option import Option, OptionKind
from advisor.model.prediction import Cost, Prediction
from advisor.model.quantity import Interval
from advisor.model.recommendation import (
    Preferences,
    Reason,
    ReasonCode,
    Rejection,
    ScorePart,
)
from advisor.recommend.effort import Effort, changes_network
from advisor.recommend.reasons import reason

# Differences below this fraction are a tie.
TIE_FRACTION = 0.10
# "Cheapest within 20 % of the fastest".
WINDOW_FRACTION = 0.20
# So many times as much money, and more than none, is no tie between rentals.
_DEAR = 10.0
_CENT_USD = 0.01
# What an hour of work must save at least where it brings the result no sooner than staying does.
# No wage: below it is what the machine draws while somebody works at it.
WORK_USD_PER_H = 0.10
UNPAID_WORK = "unpaid_work_usd"
# Money is worth spending only when it saves at least this many hours.
WORTH_PAYING_H = 1.0
# Scores of a lower class lie above all of a higher one: no job takes 1e8 hours or USD.
CLASS_STEP = 1e8
# Decides between options of equal money, and never against a price: USD for an hour.
PATIENCE_USD_PER_H = 1e-6

_HOUR_S = 3600.0
# Kinds that use this machine as it stands: no rent, no purchase.
_NOT_LOCAL = frozenset({OptionKind.CLOUD, OptionKind.BUY, OptionKind.FREE_TIER})
# The order in which advice of equal value is given: the least change first.
_CHANGE_ORDER = {kind: float(position) for position, kind in enumerate(OptionKind)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An option with all that decides its place. `redone_s`: work lost to interruptions."""

    option: Option
    prediction: Prediction
    cost: Cost
    effort: Effort
    redone_s: Interval

    @property
    def effective_s(self) -> float:
        """Seconds from now to the result: computing, redone work, waiting and a person's work."""
        return (
            self.prediction.total_s.mid
            + self.redone_s.mid
            + self.effort.wait_s
            + self.effort.work_s
        )

    @property
    def usd(self) -> float | None:
        """Middle of the cost, None when it is unknown."""
        return None if self.cost.total_usd is None else self.cost.total_usd.mid

    @property
    def is_local(self) -> bool:
        """Whether it runs on this machine as it stands."""
        return self.option.kind not in _NOT_LOCAL

    @property
    def is_same_job(self) -> bool:
        """Whether it computes what was asked, not something smaller instead."""
        return not changes_network(self.option)


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A candidate in its place. `value` is what was compared: hours, or USD under money."""

    candidate: Candidate
    rank: int
    value: float
    score: float
    score_parts: tuple[ScorePart, ...]
    tied_with: tuple[str, ...]
    is_pareto: bool
    is_in_window: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """All that may be chosen, best first, and what the limits refused."""

    placed: tuple[Placed, ...]
    rejections: tuple[Rejection, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scored:
    candidate: Candidate
    step: float
    value: float
    # Of it, what is counted for work: no share of a tenth that is a tie.
    work_usd: float
    parts: tuple[ScorePart, ...]
    is_in_window: bool


def limit_reasons(candidate: Candidate, *, preferences: Preferences) -> tuple[Reason, ...]:
    """Return why the user's hard limits refuse a candidate; empty when they allow it."""
    reasons = []
    if preferences.max_usd is not None:
        if candidate.usd is None:
            reasons.append(reason(ReasonCode.PRICE_UNKNOWN))
        elif candidate.usd > preferences.max_usd:
            reasons.append(
                reason(ReasonCode.OVER_BUDGET, usd=candidate.usd, limit_usd=preferences.max_usd)
            )
    hours = candidate.effective_s / _HOUR_S
    if preferences.deadline_h is not None and hours > preferences.deadline_h:
        reasons.append(
            reason(ReasonCode.OVER_DEADLINE, hours=hours, limit_hours=preferences.deadline_h)
        )
    return tuple(reasons)


def rank(candidates: Iterable[Candidate], *, preferences: Preferences) -> Ranking:
    """Return the candidates in the order of the module's rules.

    The result does not depend on the order of the candidates.
    """
    allowed = []
    rejections = []
    for candidate in sorted(candidates, key=lambda entry: entry.option.id):
        refused = limit_reasons(candidate, preferences=preferences)
        if refused:
            option = candidate.option
            rejections.append(Rejection(option_id=option.id, title=option.title, reasons=refused))
        else:
            allowed.append(candidate)
    window_s = _window(allowed, preferences.objective)
    at_rest_s = _at_rest_s(allowed)
    scored = sorted(
        (_score(entry, preferences.objective, window_s, at_rest_s) for entry in allowed),
        key=lambda entry: (entry.step, entry.value, *_least_change(entry.candidate)),
    )
    return Ranking(placed=_place(scored), rejections=tuple(rejections))


def pareto_ids(candidates: Sequence[Candidate]) -> frozenset[str]:
    """Return the ids of the options that no other beats in both effective time and money."""
    known = sorted(
        (entry.effective_s, entry.usd, entry.option.id)
        for entry in candidates
        if entry.usd is not None
    )
    front = []
    best_usd = float("inf")
    best_s = -1.0
    for time_s, usd, option_id in known:
        if usd < best_usd or (usd == best_usd and time_s == best_s):
            front.append(option_id)
            best_usd, best_s = usd, time_s
    return frozenset(front)


def _window(candidates: Sequence[Candidate], objective: Objective) -> tuple[float, float] | None:
    """Return the longest effective time in the window: of any option, and of a local one."""
    if objective is not Objective.BALANCED:
        return None
    times = [c.effective_s for c in candidates if c.is_same_job and c.usd is not None]
    if not times:
        return None
    fastest_s = min(times)
    widest_s = fastest_s * (1.0 + WINDOW_FRACTION)
    return widest_s, max(widest_s, fastest_s + WORTH_PAYING_H * _HOUR_S)


def _is_in_window(candidate: Candidate, window_s: tuple[float, float] | None) -> bool:
    if window_s is None:
        return False
    # The last bit of a product must not push the fastest itself out of its window.
    return candidate.effective_s <= window_s[1 if candidate.is_local else 0] * (1.0 + 1e-12)


def _at_rest_s(candidates: Iterable[Candidate]) -> float | None:
    """Return the effective time of staying, None where that is refused or takes work itself."""
    times = (
        entry.effective_s
        for entry in candidates
        if entry.option.kind is OptionKind.STAY and entry.effort.work_s == 0.0
    )
    return min(times, default=None)


def counts_unpaid_work(parts: Iterable[ScorePart]) -> bool:
    """Whether work for nothing is a part of a score."""
    return any(part.name == UNPAID_WORK and part.value > 0.0 for part in parts)


def unpaid_work_h(candidate: Candidate, *, at_rest_s: float | None) -> float:
    """Return the hours of work of which nothing comes back in time: done later than by staying."""
    if at_rest_s is None:
        return 0.0
    later_s = max(0.0, candidate.effective_s - at_rest_s)
    return min(candidate.effort.work_s, later_s) / _HOUR_S


def _score(
    candidate: Candidate,
    objective: Objective,
    window_s: tuple[float, float] | None,
    at_rest_s: float | None,
) -> _Scored:
    in_window = _is_in_window(candidate, window_s)
    by_money = objective is Objective.CHEAPEST or in_window
    steps = _class_steps(candidate, objective=objective, in_window=in_window)
    work_usd = 0.0
    if by_money and candidate.usd is not None:
        work_usd = WORK_USD_PER_H * unpaid_work_h(candidate, at_rest_s=at_rest_s)
        parts = _money_parts(candidate, work_usd=work_usd)
    else:
        parts = _time_parts(candidate)
    return _Scored(
        candidate=candidate,
        step=sum(part.value for part in steps),
        value=sum(part.value for part in parts),
        work_usd=work_usd,
        parts=(*steps, *parts),
        is_in_window=in_window,
    )


def _class_steps(
    candidate: Candidate, *, objective: Objective, in_window: bool
) -> tuple[ScorePart, ...]:
    steps = []
    if objective is Objective.BALANCED and not in_window:
        steps.append(ScorePart(name="beyond_window", value=CLASS_STEP))
    if objective is not Objective.FASTEST and candidate.usd is None:
        steps.append(ScorePart(name="price_unknown", value=2 * CLASS_STEP))
    if not candidate.is_same_job:
        steps.append(ScorePart(name="other_job", value=4 * CLASS_STEP))
    return tuple(steps)


def _money_parts(candidate: Candidate, *, work_usd: float) -> tuple[ScorePart, ...]:
    patience = candidate.effective_s / _HOUR_S * PATIENCE_USD_PER_H
    return (
        ScorePart(name="usd", value=candidate.usd or 0.0),
        ScorePart(name=UNPAID_WORK, value=work_usd),
        ScorePart(name="patience_usd", value=patience),
    )


def _time_parts(candidate: Candidate) -> tuple[ScorePart, ...]:
    return (
        ScorePart(name="compute_h", value=candidate.prediction.total_s.mid / _HOUR_S),
        ScorePart(name="redone_h", value=candidate.redone_s.mid / _HOUR_S),
        ScorePart(name="wait_h", value=candidate.effort.wait_s / _HOUR_S),
        ScorePart(name="work_h", value=candidate.effort.work_s / _HOUR_S),
    )


def _least_change(candidate: Candidate) -> tuple[float, float, float, str]:
    usd = float("inf") if candidate.usd is None else candidate.usd
    order = _CHANGE_ORDER[candidate.option.kind]
    return order, usd, candidate.effective_s, candidate.option.id


def _bands(scored: Sequence[_Scored]) -> list[list[_Scored]]:
    """Split sorted entries into groups whose values lie within 10 % of their first."""
    groups: list[list[_Scored]] = []
    for entry in scored:
        if groups:
            leader = groups[-1][0]
            limit = leader.value + TIE_FRACTION * (leader.value - leader.work_usd)
            if entry.step == leader.step and entry.value <= limit:
                groups[-1].append(entry)
                continue
        groups.append([entry])
    return groups


def _ties(band: Sequence[_Scored]) -> list[list[_Scored]]:
    """Split entries of near value into those of near computing time, the least change first."""
    ties: list[list[_Scored]] = []
    for entry in sorted(band, key=_compute_order):
        limit = (1.0 + TIE_FRACTION) * ties[-1][0].candidate.prediction.total_s.mid if ties else 0.0
        if ties and entry.candidate.prediction.total_s.mid <= limit:
            ties[-1].append(entry)
        else:
            ties.append([entry])
    alike = [same for tie in ties for same in _without_dear_rentals(tie)]
    ordered = [sorted(tie, key=lambda item: _least_change(item.candidate)) for tie in alike]
    return sorted(ordered, key=lambda tie: _least_change(tie[0].candidate))


def _without_dear_rentals(tie: Sequence[_Scored]) -> list[list[_Scored]]:
    """Split off rentals that cost over ten times as much as another one that is done as soon."""
    prices = [usd for entry in tie if (usd := _rent_usd(entry)) is not None]
    limit = max(_DEAR * min(prices), min(prices) + _CENT_USD) if prices else math.inf
    near: list[_Scored] = []
    dear: list[_Scored] = []
    for entry in tie:
        (dear if (_rent_usd(entry) or 0.0) > limit else near).append(entry)
    return [near, *_without_dear_rentals(dear)] if dear else [near]


def _rent_usd(entry: _Scored) -> float | None:
    candidate = entry.candidate
    return candidate.usd if candidate.option.kind is OptionKind.CLOUD else None


def _compute_order(entry: _Scored) -> tuple[float, str]:
    return entry.candidate.prediction.total_s.mid, entry.candidate.option.id


def _place(scored: Sequence[_Scored]) -> tuple[Placed, ...]:
    front = pareto_ids([entry.candidate for entry in scored])
    placed: list[Placed] = []
    for tie in (tie for band in _bands(scored) for tie in _ties(band)):
        position = len(placed) + 1
        ids = [entry.candidate.option.id for entry in tie]
        for entry in tie:
            option_id = entry.candidate.option.id
            placed.append(
                Placed(
                    candidate=entry.candidate,
                    rank=position,
                    value=entry.value,
                    score=sum(part.value for part in entry.parts),
                    score_parts=entry.parts,
                    tied_with=tuple(sorted(other for other in ids if other != option_id)),
                    is_pareto=option_id in front,
                    is_in_window=entry.is_in_window,
                )
            )
    return tuple(placed)
