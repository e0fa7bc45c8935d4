"""Options as points: time until done against money, and those that nothing beats in both.

Leaves to others: drawing (`ui.widgets.chart`).
"""

from advisor.format import format_duration, format_usd
from advisor.i18n import N_, Translator
from advisor.model.option import OptionKind
from advisor.model.recommendation import RankedOption, Recommendation
from advisor.report.said import said_title
from ui.models.curves import CurvePoint, Series


def pareto_series(advice: Recommendation, tr: Translator) -> tuple[Series, ...]:
    """Return the options with a price: now, the front as a line, the others.

    The front is the recommendation's own, so the time is the one that it judges by: with the
    user's own work and waiting.
    """
    priced = sorted(
        (row for row in advice.ranked if _usd(row) is not None),
        key=lambda row: (row.until_done_s, _usd(row) or 0.0),
    )
    now = [row for row in priced if row.option.kind is OptionKind.STAY]
    front = [row for row in priced if row.is_pareto]
    others = [row for row in priced if row not in front and row not in now]
    series = []
    if len(front) > 1:
        line = tuple(_point(row, "") for row in front)
        name = tr(N_("nothing is both faster and cheaper"))
        series.append(Series(name=name, points=line, shade=2, mark=0, is_line=True))
    for name, rows, shade, mark in (
        # What is drawn later lies above.
        (tr(N_("the other options")), others, 0, 1),
        (tr(N_("on the front")), [row for row in front if row not in now], 2, 0),
        (tr(N_("as it is now")), now, 1, 2),
    ):
        if rows:
            points = tuple(_point(row, _label(row, tr)) for row in rows)
            series.append(Series(name=name, points=points, shade=shade, mark=mark))
    return tuple(series)


def _usd(row: RankedOption) -> float | None:
    return None if row.cost.total_usd is None else row.cost.total_usd.mid


def _point(row: RankedOption, label: str) -> CurvePoint:
    return CurvePoint(x=row.until_done_s, y=_usd(row) or 0.0, label=label)


def _label(row: RankedOption, tr: Translator) -> str:
    time = format_duration(row.until_done_s, tr)
    return f"{row.rank}. {said_title(row.option.title, tr)}\n{time} · {format_usd(_usd(row))}"
