"""The parts of a report that fit a screen of a terminal: options, what to avoid, ideas, in lines.

Leaves to others: the whole of each (`advisor.report.advice_sections`).
"""

from advisor.format import format_duration, format_duration_interval, format_factor
from advisor.i18n import N_, Translator
from advisor.model.option import OptionKind
from advisor.model.recommendation import AvoidedOption, Hint, Reason, ReasonCode, Recommendation
from advisor.model.report import Paragraph, Section, Table
from advisor.report.advice_sections import short_money, warning_notes
from advisor.report.order_notes import DONE_HEAD, order_notes, without_done
from advisor.report.reasons import reason_text
from advisor.report.said import said_title

_SHOWN_AVOID = 6
_SHOWN_HINTS = 4


def short_options_section(advice: Recommendation, tr: Translator) -> Section:
    """Return the ranked options in one line each, for a terminal."""
    rows = tuple(
        (
            str(row.rank),
            said_title(row.option.title, tr),
            format_duration_interval(row.prediction.total_s, tr),
            format_duration(row.done_s, tr),
            short_money(row),
            format_factor(row.speedup.mid) + (" (!)" if row.prediction.is_warned else ""),
        )
        for row in advice.ranked
    )
    heads = (tr(N_("#")), tr(N_("Option")), tr(N_("Whole job (80 % interval)")),
             tr(DONE_HEAD), tr(N_("Money")), tr(N_("Speed-up")))  # fmt: skip
    table = without_done(Table(heads=heads, rows=rows, right_aligned=(4, 5)), 3, advice)
    notes = (*warning_notes(advice, tr), *order_notes(advice, tr))
    return Section(title=tr(N_("All options")), blocks=(table, *notes))


def short_avoid_section(advice: Recommendation, tr: Translator) -> Section:
    """Return what makes it worse in a line each, for a terminal."""
    lines = tuple(
        Paragraph(text=_avoid_line(row, tr), style="note") for row in advice.avoid[:_SHOWN_AVOID]
    )
    return Section(title=tr(N_("Avoid")), blocks=lines)


def _avoid_line(row: AvoidedOption, tr: Translator) -> str:
    title = said_title(row.option.title, tr)
    if row.reasons:
        return tr(N_("{title}: {why}."), title=title, why=reason_text(row.reasons[0], tr))
    return tr(N_("{text}."), text=title)


def short_hints_section(advice: Recommendation, tr: Translator) -> Section:
    """Return what is worth trying in a line each: the machine's own GPU, then what has a figure."""
    ordered = sorted(advice.hints, key=_place)[:_SHOWN_HINTS]
    lines = tuple(
        Paragraph(
            text=tr(
                N_("{title}: {why}."),
                title=said_title(hint.option.title, tr),
                why="; ".join(reason_text(reason, tr) for reason in _shown_reasons(hint)),
            ),
            style="note",
        )
        for hint in ordered
        if hint.reasons
    )
    return Section(title=tr(N_("Worth trying, not ranked")), blocks=lines)


def _shown_reasons(hint: Hint) -> tuple[Reason, ...]:
    """Return the first reason, and what a free service ends with."""
    limits = (reason for reason in hint.reasons[1:] if reason.code is ReasonCode.FREE_LIMIT)
    return (hint.reasons[0], *limits)


def _place(hint: Hint) -> int:
    if hint.option.kind is OptionKind.LOCAL_DEVICE:
        return 0
    has_no_figure = not hint.reasons or hint.reasons[0].code is ReasonCode.NO_FIGURE
    return 2 if has_no_figure else 1
