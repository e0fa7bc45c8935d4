"""What an advice says of an option or a device, so that an explanation says the same.

Leaves to others: the advice (`advisor.recommend`), words (`advisor.report.explain_sections`).
"""

from advisor.model.explanation import Advised, AdvisedJob, AdvisedPlace
from advisor.model.option import DEVICE_PREFIX, ELSEWHERE
from advisor.model.recommendation import Reason, Recommendation


def advised_job(advice: Recommendation) -> AdvisedJob:
    """Return the job of an advice, its date, and what comes first in it."""
    job = advice.workload
    titles = [row.option.title for row in advice.ranked]
    here = [row.option.title for row in advice.ranked if row.option.kind not in ELSEWHERE]
    return AdvisedJob(
        title=job.title,
        phase=job.phase,
        created_on=advice.created_on,
        first=next(iter(titles), None),
        first_here=next(iter(here), None),
    )


def advised(option_id: str, advice: Recommendation) -> Advised | None:
    """Return where an advice has an option; None where it leaves it out or says nothing."""
    for row in advice.ranked:
        if row.option.id == option_id:
            return Advised(
                place=AdvisedPlace.RANKED,
                rank=row.rank,
                total_s=row.prediction.total_s,
                speedup=row.speedup,
                reasons=row.reasons,
            )
    for hint in advice.hints:
        if hint.option.id == option_id:
            return _unranked(AdvisedPlace.HINT, hint.reasons)
    for avoided in advice.avoid:
        if avoided.option.id == option_id:
            return Advised(
                place=AdvisedPlace.AVOID,
                rank=None,
                total_s=None,
                speedup=avoided.speedup,
                reasons=avoided.reasons,
            )
    return None


def _unranked(place: AdvisedPlace, reasons: tuple[Reason, ...]) -> Advised:
    return Advised(place=place, rank=None, total_s=None, speedup=None, reasons=reasons)


def refused(option_id: str, advice: Recommendation) -> tuple[Reason, ...]:
    """Return why an advice leaves an option out; nothing where it does not."""
    rows = (row for row in advice.rejected if row.option_id == option_id)
    return next((row.reasons for row in rows), ())


def against_device(device_id: str, advice: Recommendation) -> tuple[Reason, ...]:
    """Return why an advice avoids a device of the machine or leaves it out."""
    option_id = f"{DEVICE_PREFIX}{device_id}"
    found = advised(option_id, advice)
    if found is not None:
        return found.reasons if found.place is AdvisedPlace.AVOID else ()
    return refused(option_id, advice)
