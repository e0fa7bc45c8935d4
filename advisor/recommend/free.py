"""Free notebook services: how long a job would take there, and in how many of their sessions.

A free offer has no price and is never summed: whether a job fits in its hours is what counts.
Leaves to others: the limits (`free_tiers` of the knowledge), who is hinted at
(`advisor.recommend.options`), times (`advisor.predict`).
"""

import math
from collections.abc import Iterable, Sequence

from advisor.model.machine import MissingFact
from advisor.model.offer import FreeTier, Offer
from advisor.model.option import OptionKind
from advisor.model.recommendation import Hint, Reason, ReasonCode, Rejection
from advisor.recommend.evaluate import Given, predict_option, speedup_of
from advisor.recommend.offers import cloud_option
from advisor.recommend.reasons import reason
from advisor.recommend.room import needed_bytes

# What they hand out (`free_tiers`): its time tells whether a job fits.
FREE_ACCELERATOR = "T4"
_SOONER_HERE = "a device of this machine does the job sooner"
_NO_GAIN = "no difference to speak of"
# Nobody is told "1 times slower".
_AS_FAST = 1.05


def with_free_time(hint: Hint, *, given: Given) -> Hint:
    """Add to a free notebook service how long the job would take there, and its limits.

    Args:
        hint: of any kind; the others are returned as they are.
        given: the job, the machine and what is known.
    """
    if hint.option.kind is not OptionKind.FREE_TIER:
        return hint
    knowledge = given.context.knowledge
    offer = next((o for o in knowledge.offers if o.accelerator == FREE_ACCELERATOR), None)
    if offer is None:
        return hint
    others = tuple(r for r in hint.reasons if r.code is not ReasonCode.NO_FIGURE)
    lacking = _lacking(offer, given=given)
    if lacking is not None:
        return Hint(option=hint.option, reasons=(lacking, *others), steps=hint.steps)
    option = cloud_option(offer, is_spot=False)
    found = predict_option(option, given=given)
    if isinstance(found, MissingFact):
        return hint
    speedup = speedup_of(option, found, baseline=given.baseline)
    if 1.0 / speedup.mid > _AS_FAST:
        code, factor = ReasonCode.SLOWER_THAN_NOW, 1.0 / speedup.mid
    else:
        code, factor = ReasonCode.FASTER_THAN_NOW, speedup.mid
    hours = found.total_s.mid / 3600.0
    why = reason(code, factor_x=factor, hours=hours, device=FREE_ACCELERATOR)
    limits = free_limits(
        hint.option.id,
        hours=hours,
        most_hours=found.total_s.high / 3600.0,
        tiers=knowledge.free_tiers,
    )
    return Hint(option=hint.option, reasons=(why, *limits, *others), steps=hint.steps)


def _lacking(offer: Offer, *, given: Given) -> Reason | None:
    """Return that a job does not fit the memory of what they hand out; None where it may."""
    device = given.index.accelerator_device(offer)
    size = offer.accelerator_memory_bytes or (None if device is None else device.memory_bytes)
    needed = needed_bytes(given.context.workload)
    if size is None or needed <= size:
        return None
    return reason(
        ReasonCode.MEMORY_TOO_SMALL, needed_bytes=float(needed), available_bytes=float(size)
    )


def without_slow(
    hints: Iterable[Hint], *, local_s: Sequence[float]
) -> tuple[tuple[Hint, ...], tuple[Rejection, ...]]:
    """Return the hints without free services that are no gain or too small, and why each is.

    Args:
        hints: free services with their times (`with_free_time`), and others, which stay.
        local_s: seconds that the whole job takes at the longest on devices of this machine.
    """
    kept: list[Hint] = []
    refused: list[Rejection] = []
    for hint in hints:
        why = _why_slow(hint, local_s) if hint.option.kind is OptionKind.FREE_TIER else None
        if why is None:
            kept.append(hint)
        else:
            option = hint.option
            refused.append(Rejection(option_id=option.id, title=option.title, reasons=(why,)))
    return tuple(kept), tuple(refused)


def _why_slow(hint: Hint, local_s: Sequence[float]) -> Reason | None:
    first = hint.reasons[0]
    if first.code in (ReasonCode.SLOWER_THAN_NOW, ReasonCode.MEMORY_TOO_SMALL):
        return first
    told = {p.name: p.value for p in first.parameters}
    factor, hours = told.get("factor_x"), told.get("hours")
    if isinstance(factor, float) and factor < _AS_FAST:
        return reason(ReasonCode.NOT_APPLICABLE, why=_NO_GAIN)
    if isinstance(hours, float) and any(hours * 3600.0 > _AS_FAST * each for each in local_s):
        return reason(ReasonCode.NOT_APPLICABLE, why=_SOONER_HERE)
    return None


def free_limits(
    option_id: str, *, hours: float, most_hours: float, tiers: Iterable[FreeTier]
) -> tuple[Reason, ...]:
    """Return in how many sessions and weeks a job of some hours is done; empty: no limit is known.

    Args:
        option_id: of the service.
        hours: that the job computes there.
        most_hours: the same at the upper end of its interval.
        tiers: the limits, with the day on which each was read.
    """
    found = []
    for tier in tiers:
        if tier.option_id != option_id or tier.session_hours is None:
            continue
        told: dict[str, str | float] = {
            "date": tier.observed_on,
            "session_h": tier.session_hours,
            "hours": hours,
            "device": FREE_ACCELERATOR,
        }
        n_sessions = math.ceil(hours / tier.session_hours)
        if n_sessions > 1:
            told["n_sessions"] = float(n_sessions)
        elif most_hours > tier.session_hours:
            told["most_hours"] = most_hours
        if tier.hours_a_week is not None and hours > tier.hours_a_week:
            told["n_weeks"] = float(math.ceil(hours / tier.hours_a_week))
            told["week_h"] = tier.hours_a_week
        found.append(reason(ReasonCode.FREE_LIMIT, **told))
    return tuple(found)
