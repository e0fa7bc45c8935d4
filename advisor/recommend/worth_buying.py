"""Whether a card to buy is plausible for this user: fast enough, and paid within some years.

A card is compared with renting a machine like it for each job. How many jobs there will be follows
from the hours of computing that the user states; where nothing is stated a job on each working
day is assumed, and said so. A card whose price nobody knows is not ranked: it is a hint with the
price below which it would pay, where such a price is within sight.
Leaves to others: the arithmetic (`advisor.recommend.break_even`), which cards there are
(`advisor.recommend.purchases`), wording (`advisor.report.reasons`).
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from advisor.model.machine import MachineProfile
from advisor.model.prediction import Prediction
from advisor.model.recommendation import Hint, Preferences, Reason, ReasonCode, Rejection
from advisor.recommend.break_even import jobs_until_paid, price_that_pays_usd
from advisor.recommend.preferences import check_date
from advisor.recommend.rank import Candidate
from advisor.recommend.reasons import reason
from advisor.recommend.steps import steps_for

# A purchase that pays later than this is none: cards age.
HORIZON_YEARS = 3
WEEKS_PER_YEAR = 365.25 / 7.0
# Where the user does not say how much they compute: this job on each working day.
USUAL_JOBS_PER_WEEK = 5.0
# No card of the kinds that are looked at is sold for less.
LEAST_PRICE_USD = 150.0
# Without rented machines to compare with, a card is worth a thought from so much computing on.
LEAST_USE_H_PER_WEEK = 5.0
# The time on a card that was never timed here is right within a factor of 1.9 in 9 of 10 cases: one
# that is told to gain less than this may as well gain nothing.
LEAST_GAIN = 1.5
# A rented machine within this factor of a bought one in time is its alternative.
ALIKE_FACTOR = 2.0
SHOWN_UNPRICED = 2
_HOUR_S = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """How many such jobs a week there are; `is_stated`: it follows from what the user said."""

    jobs_per_week: float
    is_stated: bool

    @property
    def most_jobs(self) -> float:
        """Jobs within which a purchase must have paid."""
        return self.jobs_per_week * WEEKS_PER_YEAR * HORIZON_YEARS

    def most_jobs_on(self, job_s: float) -> float:
        """Return the same for a card: no more than it gets done in the time."""
        horizon_s = HORIZON_YEARS * WEEKS_PER_YEAR * 7.0 * 24.0 * _HOUR_S
        return min(self.most_jobs, horizon_s / job_s) if job_s > 0.0 else self.most_jobs

    def date_after(self, jobs: float, *, today: str) -> str | None:
        """Return the ISO date by which so many jobs are done; None beyond the year 9999."""
        try:
            done = check_date(today) + dt.timedelta(weeks=jobs / self.jobs_per_week)
        except OverflowError:
            return None
        return done.isoformat()


@dataclass(frozen=True, slots=True, kw_only=True)
class Purchases:
    """What became of the cards: those to be ranked, hints, and why the others are left out."""

    candidates: tuple[Candidate, ...]
    hints: tuple[Hint, ...]
    rejections: tuple[Rejection, ...]


def use_of(preferences: Preferences, *, baseline: Prediction) -> Use:
    """Return how many such jobs the user has a week, by the hours that they compute here."""
    hours = preferences.use_h_per_week
    job_h = baseline.total_s.mid / _HOUR_S
    if hours is None or job_h <= 0.0:
        return Use(jobs_per_week=USUAL_JOBS_PER_WEEK, is_stated=False)
    return Use(jobs_per_week=hours / job_h, is_stated=True)


def alternative(candidate: Candidate, rented: Sequence[Candidate]) -> Candidate | None:
    """Return the cheapest rented machine at most half as fast, else the fastest there is."""
    priced = [entry for entry in rented if entry.usd is not None]
    limit_s = ALIKE_FACTOR * candidate.prediction.total_s.mid
    alike = [entry for entry in priced if entry.prediction.total_s.mid <= limit_s]
    if alike:
        return min(alike, key=lambda e: (e.usd or 0.0, e.effective_s, e.option.id))
    return min(priced, key=lambda e: (e.effective_s, e.option.id), default=None)


def electricity_usd(candidate: Candidate) -> float:
    """Return what a job costs on a bought card once it is there."""
    return sum(part.usd.mid for part in candidate.cost.parts if part.code == "electricity")


def price_of_card_usd(candidate: Candidate) -> float | None:
    """Return the price of a bought card, None when it is unknown."""
    parts = (part.usd.mid for part in candidate.cost.parts if part.code == "purchase")
    return next(parts, None)


def jobs_to_pay(candidate: Candidate, rented: Candidate) -> float | None:
    """Return after how many jobs a card of known price is cheaper than renting; None: never."""
    price_usd = price_of_card_usd(candidate)
    if price_usd is None or rented.usd is None:
        return None
    own_usd = electricity_usd(candidate)
    return jobs_until_paid(price_usd, rent_usd_per_job=rented.usd, own_usd_per_job=own_usd)


def judge_purchases(
    cards: Sequence[Candidate],
    *,
    rented: Sequence[Candidate],
    use: Use,
    baseline: Prediction,
    profile: MachineProfile,
) -> Purchases:
    """Return which cards are plausible, which would be at some price, and why not the others.

    Args:
        cards: BUY options.
        rented: CLOUD options, what buying is compared with.
        use: how much the user computes.
        baseline: staying; decides alone where nothing is rented.
        profile: of this machine, for the steps of hints.
    """
    kept: list[Candidate] = []
    unpriced: list[tuple[Candidate, Hint]] = []
    misses: list[tuple[float, Candidate, Reason]] = []
    for card in cards:
        gain = baseline.total_s.mid / card.prediction.total_s.mid
        if gain < LEAST_GAIN:
            why = reason(ReasonCode.GAINS_TOO_LITTLE, factor_x=gain)
            misses.append((float("inf"), card, why))
            continue
        other = alternative(card, rented)
        if price_of_card_usd(card) is None:
            hint, miss = _unpriced(card, other, use=use, baseline=baseline, profile=profile)
            if hint is not None:
                unpriced.append((card, hint))
            else:
                misses.append((miss[0], card, miss[1]))
            continue
        miss_or_none = _miss(card, other, use=use, baseline=baseline)
        if miss_or_none is None:
            kept.append(card)
        else:
            misses.append((miss_or_none[0], card, miss_or_none[1]))
    fastest = sorted(unpriced, key=lambda pair: (pair[0].effective_s, pair[0].option.id))
    return Purchases(
        candidates=tuple(kept),
        hints=tuple(hint for _, hint in fastest[:SHOWN_UNPRICED]),
        rejections=_nearest(misses),
    )


def _uses_too_little(use: Use, baseline: Prediction) -> bool:
    return use.jobs_per_week * baseline.total_s.mid / _HOUR_S < LEAST_USE_H_PER_WEEK


def _miss(
    card: Candidate, rented: Candidate | None, *, use: Use, baseline: Prediction
) -> tuple[float, Reason] | None:
    """Return how far a card of known price is from paying, and why it does not; None: it may."""
    if rented is None:
        if not _uses_too_little(use, baseline):
            return None
        return float("inf"), reason(ReasonCode.PAYS_TOO_LATE)
    jobs = jobs_to_pay(card, rented)
    most_jobs = use.most_jobs_on(card.prediction.total_s.mid)
    if jobs is not None and jobs <= most_jobs:
        return None
    if jobs is None:
        return float("inf"), reason(ReasonCode.PAYS_TOO_LATE, against=rented.option.title)
    why = reason(
        ReasonCode.PAYS_TOO_LATE,
        jobs=jobs,
        limit_jobs=most_jobs,
        years=float(HORIZON_YEARS),
        against=rented.option.title,
    )
    return jobs, why


def _unpriced(
    card: Candidate,
    rented: Candidate | None,
    *,
    use: Use,
    baseline: Prediction,
    profile: MachineProfile,
) -> tuple[Hint | None, tuple[float, Reason]]:
    """Return the hint of a card of unknown price, or how far it is from a price that pays."""
    factor = baseline.total_s.mid / card.prediction.total_s.mid
    faster = reason(ReasonCode.FASTER_THAN_NOW, factor_x=factor)
    if rented is None or rented.usd is None:
        if _uses_too_little(use, baseline):
            return None, (float("inf"), reason(ReasonCode.PAYS_TOO_LATE))
        reasons: tuple[Reason, ...] = (faster, reason(ReasonCode.PRICE_UNKNOWN))
        return _hint(card, reasons, profile), (0.0, faster)
    own_usd = electricity_usd(card)
    most_jobs = use.most_jobs_on(card.prediction.total_s.mid)
    usd = price_that_pays_usd(most_jobs, rent_usd_per_job=rented.usd, own_usd_per_job=own_usd)
    below = reason(
        ReasonCode.PAYS_BELOW_PRICE,
        usd=usd or 0.0,
        jobs=most_jobs,
        against=rented.option.title,
    )
    if usd is None or usd < LEAST_PRICE_USD:
        return None, (float("inf") if not usd else LEAST_PRICE_USD / usd * most_jobs, below)
    return _hint(card, (faster, below), profile), (0.0, below)


def _hint(card: Candidate, reasons: tuple[Reason, ...], profile: MachineProfile) -> Hint:
    steps = steps_for(card.option, profile=profile, hours=0.0)
    return Hint(option=card.option, reasons=reasons, steps=steps)


def _nearest(misses: Sequence[tuple[float, Candidate, Reason]]) -> tuple[Rejection, ...]:
    """Return one line for all cards that are left out: the one that is nearest to paying."""
    if not misses:
        return ()
    _, card, why = min(misses, key=lambda miss: (miss[0], miss[1].option.id))
    return (Rejection(option_id="buy:not_worth", title=card.option.title, reasons=(why,)),)
