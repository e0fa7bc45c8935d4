"""From which amount of work on leaving things as they are costs more than changing them.

Leaves to others: times and money (`advisor.predict`, `advisor.recommend.cost`).
"""

from advisor.recommend.effort import Effort


def break_even_h(effort: Effort, *, speedup: float) -> float | None:
    """Return the hours of computing here after which an option saves time in all.

    The option's work and waiting are paid once; each hour here takes `1 / speedup` there.
    None when the option is not faster: it never pays.
    """
    if speedup <= 1.0:
        return None
    return (effort.work_s + effort.wait_s) / 3600.0 / (1.0 - 1.0 / speedup)


def jobs_until_paid(
    purchase_usd: float, *, rent_usd_per_job: float, own_usd_per_job: float
) -> float | None:
    """Return the number of jobs after which buying is cheaper than renting for each of them.

    None when a rented job costs no more than the electricity of one's own: it never pays.
    """
    saved_usd = rent_usd_per_job - own_usd_per_job
    if saved_usd <= 0.0:
        return None
    return purchase_usd / saved_usd


def price_that_pays_usd(
    jobs: float, *, rent_usd_per_job: float, own_usd_per_job: float
) -> float | None:
    """Return the highest price at which a device pays within some jobs; None when it never does."""
    saved_usd = rent_usd_per_job - own_usd_per_job
    return jobs * saved_usd if saved_usd > 0.0 else None
