"""Why an option stands where it stands, and why it is not the first.

Leaves to others: the text of a reason (`advisor.report.reasons`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from advisor.model.objective import Objective
from advisor.model.option import OptionKind
from advisor.model.quantity import Basis, Interval
from advisor.model.recommendation import Reason, ReasonCode
from advisor.recommend.break_even import break_even_h
from advisor.recommend.effort import changes_network
from advisor.recommend.options import effect_of
from advisor.recommend.rank import (
    TIE_FRACTION,
    WINDOW_FRACTION,
    Candidate,
    Placed,
    counts_unpaid_work,
)
from advisor.recommend.reasons import reason
from advisor.recommend.staying import is_as_it_is
from advisor.recommend.worth_buying import Use, alternative, jobs_to_pay

_HOUR_S = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """What an option is compared with.

    Attributes:
        placed: all that may be chosen, best first.
        least_s: least effective time of those that do the job as asked and have a price.
        fastest_id: least effective time; cheapest_id: least money; None when nothing is placed.
        rented: rented machines with a price, the alternatives to buying.
        titles: of all options, by id.
        use: how much the user computes, for the date on which a purchase has paid; None: no date.
        use_h_per_week: what they said of it, None when nothing.
        today: ISO date.
    """

    placed: Sequence[Placed]
    objective: Objective
    least_s: float
    fastest_id: str | None
    cheapest_id: str | None
    rented: tuple[Candidate, ...]
    titles: dict[str, str]
    use: Use | None = None
    use_h_per_week: float | None = None
    today: str = ""


def field_of(
    placed: Sequence[Placed],
    *,
    objective: Objective,
    use: Use | None = None,
    use_h_per_week: float | None = None,
    today: str = "",
) -> Field:
    """Return what options are compared with."""
    same_job = [entry.candidate for entry in placed if entry.candidate.is_same_job]
    priced = [candidate for candidate in same_job if candidate.usd is not None]
    rented = [candidate for candidate in priced if candidate.option.kind is OptionKind.CLOUD]
    return Field(
        placed=placed,
        objective=objective,
        least_s=min((candidate.effective_s for candidate in priced), default=0.0),
        fastest_id=_id_of(min(same_job, key=_time_order, default=None)),
        cheapest_id=_id_of(min(priced, key=_money_order, default=None)),
        rented=tuple(rented),
        titles={entry.candidate.option.id: entry.candidate.option.title for entry in placed},
        use=use,
        use_h_per_week=use_h_per_week,
        today=today,
    )


def _time_order(candidate: Candidate) -> tuple[float, str]:
    return candidate.effective_s, candidate.option.id


def _money_order(candidate: Candidate) -> tuple[float, float, str]:
    usd = candidate.usd
    return (
        float("inf") if usd is None else usd,
        candidate.effective_s,
        candidate.option.id,
    )


def _id_of(candidate: Candidate | None) -> str | None:
    return None if candidate is None else candidate.option.id


def explain(placed: Placed, *, speedup: Interval, field: Field) -> tuple[Reason, ...]:
    """Return the reasons of an option, the most important first."""
    return (
        *_place_reasons(placed, field),
        *_speed_reasons(placed, speedup),
        *_tie_reasons(placed, field),
        *_why_not_first(placed, field),
        *_effort_reasons(placed, speedup),
        *_purchase_reasons(placed, field),
    )


def _place_reasons(placed: Placed, field: Field) -> list[Reason]:
    candidate = placed.candidate
    option = candidate.option
    hours = candidate.effective_s / _HOUR_S
    found = []
    is_first = field.placed[0].candidate.option.id == option.id
    if is_first and field.objective is Objective.BALANCED and placed.is_in_window:
        found.append(_window_reason(candidate, field))
    if option.id == field.fastest_id:
        found.append(reason(ReasonCode.FASTEST, hours=hours))
    # What costs something that nobody knows may be dearer than another.
    is_cheapest = option.id == field.cheapest_id and not candidate.cost.missing
    if is_cheapest and candidate.usd is not None:
        found.append(reason(ReasonCode.CHEAPEST, usd=candidate.usd))
    if is_as_it_is(option):
        found.append(reason(ReasonCode.NO_COST_NO_CHANGE))
    if changes_network(option):
        found.append(reason(ReasonCode.CHANGES_THE_NETWORK))
    return found


def _window_reason(candidate: Candidate, field: Field) -> Reason:
    """Say by how much the window is wide; one of this machine may be in it by its hour alone."""
    hours = candidate.effective_s / _HOUR_S
    if candidate.effective_s > field.least_s * (1.0 + WINDOW_FRACTION) * (1.0 + 1e-12):
        return reason(ReasonCode.CHEAPEST_WITHIN, hours=hours)
    return reason(ReasonCode.CHEAPEST_WITHIN, percent=100.0 * WINDOW_FRACTION, hours=hours)


def _speed_reasons(placed: Placed, speedup: Interval) -> list[Reason]:
    candidate = placed.candidate
    found = []
    if speedup.mid > 1.0 + TIE_FRACTION / 2.0:
        code = ReasonCode.FASTER_THAN_NOW
        factor = speedup.mid
        found.append(reason(code, factor_x=factor, low_x=speedup.low, high_x=speedup.high))
    elif speedup.mid < 1.0 - TIE_FRACTION / 2.0:
        found.append(reason(ReasonCode.SLOWER_THAN_NOW, factor_x=1.0 / speedup.mid))
    basis = candidate.prediction.basis
    fact = candidate.option.fact
    if candidate.is_local and basis in (Basis.MEASURED, Basis.SCALED_FROM_MEASUREMENT):
        found.append(reason(ReasonCode.MEASURED_HERE))
    elif fact is not None and (effect := effect_of(fact)) is not None:
        found.append(reason(ReasonCode.PUBLISHED_EFFECT, low_x=effect.low, high_x=effect.high))
    return found


def _tie_reasons(placed: Placed, field: Field) -> list[Reason]:
    return [
        reason(ReasonCode.TIE_WITH, option=field.titles.get(other, other))
        for other in placed.tied_with[:1]
    ]


def _why_not_first(placed: Placed, field: Field) -> list[Reason]:
    first, candidate = field.placed[0].candidate, placed.candidate
    if first.option.id == candidate.option.id:
        return []
    found = []
    factor = candidate.effective_s / first.effective_s if first.effective_s > 0.0 else 1.0
    is_slower = factor > 1.0 + TIE_FRACTION
    extra_usd = None
    if candidate.usd is not None and first.usd is not None:
        extra_usd = candidate.usd - first.usd
    is_dearer = extra_usd is not None and extra_usd > 0.0
    if is_slower and is_dearer:
        found.append(reason(ReasonCode.DOMINATED, option=first.option.title))
    if is_slower:
        found.append(reason(ReasonCode.SLOWER_THAN_FIRST, factor_x=factor))
    if is_dearer and extra_usd is not None:
        found.append(reason(ReasonCode.DEARER_THAN_FIRST, usd=extra_usd))
    if extra_usd is not None and extra_usd < 0.0 and counts_unpaid_work(placed.score_parts):
        found.append(reason(ReasonCode.SAVES_TOO_LITTLE, usd=-extra_usd))
    if candidate.usd is None:
        found.append(reason(ReasonCode.PRICE_UNKNOWN))
    return found


def _effort_reasons(placed: Placed, speedup: Interval) -> list[Reason]:
    effort = placed.candidate.effort
    found = []
    if effort.work_s > 0.0:
        minutes = effort.work_s / 60.0
        found.append(reason(ReasonCode.WORK_MINUTES, minutes=minutes, basis=effort.basis))
    is_bought = placed.candidate.option.purchase is not None
    if effort.work_s + effort.wait_s > 0.0 and placed.candidate.is_same_job and not is_bought:
        hours = break_even_h(effort, speedup=speedup.mid)
        if hours is not None:
            found.append(reason(ReasonCode.BREAK_EVEN_HOURS, hours=hours))
    return found


def _purchase_reasons(placed: Placed, field: Field) -> list[Reason]:
    candidate = placed.candidate
    if candidate.option.purchase is None:
        return []
    rented = alternative(candidate, field.rented)
    jobs = None if rented is None else jobs_to_pay(candidate, rented)
    if rented is None or jobs is None:
        return []
    values: dict[str, str | float] = {
        "hours": jobs * candidate.prediction.total_s.mid / _HOUR_S,
        "jobs": jobs,
        "against": rented.option.title,
    }
    date = None if field.use is None else field.use.date_after(jobs, today=field.today)
    if date is not None:
        values["date"] = date
        if field.use_h_per_week is not None:
            values["use_hours"] = field.use_h_per_week
    return [reason(ReasonCode.BREAK_EVEN_HOURS, **values)]
