"""When the result of each option is there, and what the order goes by: so that it can be checked.

A time of computing alone may be shorter in a row below the first: setting up takes the user's
own time too.
Leaves to others: the order (`advisor.recommend.rank`), the tables that show it.
"""

import dataclasses

from advisor.format import format_usd
from advisor.i18n import N_, Translator
from advisor.model.objective import Objective
from advisor.model.recommendation import RankedOption, ReasonCode, Recommendation
from advisor.model.report import Paragraph, Table
from advisor.recommend.rank import TIE_FRACTION, WORK_USD_PER_H, counts_unpaid_work

DONE_HEAD = N_("Done in")
# Where both are the same to the eye, the time alone says it.
_LEAST_SHARE = 0.01
_MEANING = N_("Done in: with your own work and waiting.")
_ORDERS = {
    Objective.FASTEST: N_("The order goes by it."),
    Objective.CHEAPEST: N_("The order goes by money, then by it."),
    Objective.BALANCED: N_("Of those done about soonest the cheapest come first."),
}

_WORK = N_("Work that makes nothing sooner than now counts {usd} an hour.")
_NEAR = N_("Within 10 % what changes least comes first, then what costs less.")
_OTHER_JOB = N_("What computes something else stands last.")


def has_done_times(advice: Recommendation) -> bool:
    """Return whether some option takes the user's own work or waiting: the time alone misleads."""
    return any(map(_differs, advice.ranked))


def _differs(row: RankedOption) -> bool:
    return row.done_s is not None and row.done_s > (1.0 + _LEAST_SHARE) * row.prediction.total_s.mid


def order_text(advice: Recommendation, tr: Translator) -> str:
    """Return what "Done in" means and what the order goes by, "" where nothing depends on it."""
    if not has_done_times(advice):
        return ""
    between = "" if tr.language.startswith("zh") else " "
    told = [tr(_MEANING), tr(_ORDERS[advice.preferences.objective])]
    if _is_by_work(advice):
        told.append(tr(_WORK, usd=format_usd(WORK_USD_PER_H)))
    told.append(tr(_NEAR))
    if any(_is_other_job(row) for row in advice.ranked):
        told.append(tr(_OTHER_JOB))
    return between.join(told)


def _is_by_work(advice: Recommendation) -> bool:
    """Whether what costs less stands below because of the work that it takes."""
    dearest = 0.0
    for row in advice.ranked:
        usd = 0.0 if row.cost.total_usd is None else row.cost.total_usd.mid
        has_work = counts_unpaid_work(row.score_parts)
        if has_work and usd < (1.0 - TIE_FRACTION) * dearest:
            return True
        dearest = max(dearest, usd)
    return False


def _is_other_job(row: RankedOption) -> bool:
    return any(each.code is ReasonCode.CHANGES_THE_NETWORK for each in row.reasons)


def order_notes(advice: Recommendation, tr: Translator) -> tuple[Paragraph, ...]:
    """Return the same as a note below a table."""
    text = order_text(advice, tr)
    return (Paragraph(text=text, style="note"),) if text else ()


def without_done(table: Table, place: int, advice: Recommendation) -> Table:
    """Return a table without its column "Done in" where that would tell nothing.

    Args:
        table: of the options.
        place: of the column, counted from 0.
        advice: whose options they are.
    """
    if has_done_times(advice):
        return table
    return dataclasses.replace(
        table,
        heads=_without(table.heads, place),
        rows=tuple(_without(row, place) for row in table.rows),
        right_aligned=tuple(n - (n > place) for n in table.right_aligned if n != place),
    )


def _without(cells: tuple[str, ...], place: int) -> tuple[str, ...]:
    return (*cells[:place], *cells[place + 1 :])
