"""What the report says about a run of minutes: burst, what lasts, the verdict, the curve.

Leaves to others: judging the values (`advisor.predict.sustained`).
"""

from collections.abc import Iterable

from advisor.format import format_duration, format_percent, format_rate
from advisor.i18n import N_, Translator
from advisor.model.device_names import device_name
from advisor.model.machine import MachineProfile
from advisor.model.measurement import MeasurementSet
from advisor.model.report import Bar, BarChart, Block, Paragraph
from advisor.predict.sustained import (
    THROTTLED_LOSS,
    CurvePoint,
    Steadiness,
    SustainedSummary,
    burst_and_sustained,
)
from advisor.predict.work import flop
from advisor.report.names import request_name

# The time of a shorter run is told in seconds.
_SHORT_RUN_S = 180.0
_VERDICTS = {
    Steadiness.STEADY: N_(
        "It keeps up its rate: what a short measurement says holds for long runs."
    ),
    Steadiness.THROTTLED: N_(
        "It is throttled: after about {at} its rate is {loss} below that of the first seconds. "
        "Long runs take {longer} longer than a short measurement says: give it more air, plug it "
        "in, or allow it more power."
    ),
    Steadiness.DISTURBED: N_(
        "Its rate fell by {loss}, but other programs used the machine meanwhile: close them and "
        "measure again before blaming the cooling."
    ),
    Steadiness.UNSTEADY: N_(
        "The values scatter too much to tell whether it is throttled: close other programs and "
        "measure again."
    ),
    Steadiness.TOO_SHORT: N_("The run was too short to tell whether it is throttled."),
}


def sustained_blocks(
    results: MeasurementSet, tr: Translator, *, profile: MachineProfile | None = None
) -> Iterable[Block]:
    """Yield for each run of minutes its verdict and its curve.

    `profile` tells the name of the device; None: it is called by its id.
    """
    for summary in burst_and_sustained(results.measured, warnings=results.warnings):
        yield Paragraph(text=_headline(summary, tr, profile), style="lead")
        yield Paragraph(text=_verdict(summary, tr))
        yield _chart(summary, tr)


def _flop_per_s(summary: SustainedSummary, value_s: float) -> float:
    return flop(summary.request.shape, direction=summary.request.direction) / value_s


def _headline(summary: SustainedSummary, tr: Translator, profile: MachineProfile | None) -> str:
    return tr(
        N_(
            "{kernel} on {device} with {framework} for {duration}: {burst} in the first "
            "{burst_window}, {lasting} in the last {lasting_window}"
        ),
        kernel=request_name(summary.request, tr),
        device=device_name(summary.request.device_id, profile),
        framework=summary.stack.framework,
        duration=format_duration(round(summary.duration_s)),
        burst=format_rate(_flop_per_s(summary, summary.burst_s), "flop/s"),
        burst_window=format_duration(round(summary.burst_window_s)),
        lasting=format_rate(_flop_per_s(summary, summary.lasting_s), "flop/s"),
        lasting_window=format_duration(round(summary.lasting_window_s)),
    )


def _verdict(summary: SustainedSummary, tr: Translator) -> str:
    return tr(
        _VERDICTS[summary.verdict],
        at=format_duration(summary.dropped_at_s and round(summary.dropped_at_s)),
        loss=format_percent(1.0 - summary.lasting_share),
        longer=format_percent(1.0 / summary.lasting_share - 1.0),
    )


def _unit_s(summary: SustainedSummary) -> float:
    return 1.0 if summary.duration_s < _SHORT_RUN_S else 60.0


def _bar(point: CurvePoint, summary: SustainedSummary) -> Bar:
    value = _flop_per_s(summary, point.value_s)
    is_low = summary.burst_s / point.value_s < 1.0 - THROTTLED_LOSS
    return Bar(
        label=f"{point.from_s / _unit_s(summary):.1f}–{point.to_s / _unit_s(summary):.1f}",
        low=value,
        mid=value,
        high=value,
        text=format_rate(value, "flop/s"),
        emphasis="avoid" if is_low else "none",
    )


def _chart(summary: SustainedSummary, tr: Translator) -> BarChart:
    is_short = _unit_s(summary) == 1.0
    seconds, minutes = N_("Rate over time, in seconds"), N_("Rate over time, in minutes")
    return BarChart(
        title=tr(seconds if is_short else minutes),
        axis="FLOP/s",
        bars=tuple(_bar(point, summary) for point in summary.curve),
    )
