"""The charts of an advice: when each option is done, and time against money.

Both go by the time that the order goes by, with the user's own work and waiting.
Leaves to others: the tables beside them (`advisor.report.advice_sections`), drawing
(`advisor.report.charts`).
"""

from collections.abc import Iterator

from advisor.format import format_duration
from advisor.i18n import N_, Translator
from advisor.model.option import OptionKind
from advisor.model.recommendation import RankedOption, Recommendation
from advisor.model.report import Bar, BarChart, Point, ScatterChart
from advisor.report.money import short_money
from advisor.report.order_notes import has_done_times
from advisor.report.said import said_title

# Fewer points are no picture.
_LEAST_POINTS = 3
_LOG_FROM = 20.0
_TOTAL = N_("time of the whole job")
_TOTAL_LOG = N_("time of the whole job, log scale")
_DONE = N_("done in: with your own work and waiting")
_DONE_LOG = N_("done in: with your own work and waiting, log scale")


def time_chart(advice: Recommendation, tr: Translator) -> BarChart:
    """Return a bar for each option: when its result is there, with the interval of its time."""
    bars = tuple(_bar(row, number, tr) for number, row in enumerate(advice.ranked))
    mids = [bar.mid for bar in bars if bar.mid > 0]
    is_log = bool(mids) and max(mids) > _LOG_FROM * min(mids)
    axes = (_DONE, _DONE_LOG) if has_done_times(advice) else (_TOTAL, _TOTAL_LOG)
    title = tr(N_("Every option beside the others"))
    return BarChart(title=title, axis=tr(axes[is_log]), bars=bars, is_log=is_log)


def _bar(row: RankedOption, number: int, tr: Translator) -> Bar:
    time_s = row.prediction.total_s.shifted(row.until_done_s - row.prediction.total_s.mid)
    return Bar(
        label=said_title(row.option.title, tr),
        low=time_s.low,
        mid=time_s.mid,
        high=time_s.high,
        text=f"{format_duration(time_s.mid, tr)}, {short_money(row.cost)}",
        emphasis=_emphasis(row, number),
    )


def _emphasis(row: RankedOption, number: int) -> str:
    if row.option.kind is OptionKind.STAY:
        return "now"
    return "best" if number == 0 else "none"


def money_chart(advice: Recommendation, tr: Translator) -> Iterator[ScatterChart]:
    """Yield time against money where there are enough options with a price."""
    points = tuple(_points(advice, tr))
    # Where all cost the same, money says nothing.
    if len(points) >= _LEAST_POINTS and len({point.y for point in points}) > 1:
        hours, done = tr(N_("hours")), tr(N_("hours until done, your own work and waiting counted"))
        yield ScatterChart(
            title=tr(N_("Time against money")),
            x_axis=done if has_done_times(advice) else hours,
            y_axis=tr(N_("USD")),
            points=points,
            is_log_x=True,
        )


def _points(advice: Recommendation, tr: Translator) -> Iterator[Point]:
    for row in advice.ranked:
        if row.cost.total_usd is not None:
            yield Point(
                label=said_title(row.option.title, tr),
                x=row.until_done_s / 3600,
                y=row.cost.total_usd.mid,
                is_marked=row.is_pareto,
                number=row.rank,
            )
