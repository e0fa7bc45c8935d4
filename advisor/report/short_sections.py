"""The parts of a report that fit a screen of a terminal: options, what to avoid, ideas, in lines.

Leaves to others: the whole of each (`advisor.report.advice_sections`).
"""

from advisor.format import format_duration, format_duration_interval, format_factor
from advisor.i18n import N_, Translator
from advisor.model.option import DEVICE_PREFIX, OptionKind
from advisor.model.recommendation import Hint, Reason, ReasonCode, Recommendation, Rejection
from advisor.model.report import Paragraph, Section, Table
from advisor.report.advice_sections import warning_notes
from advisor.report.money import short_money
from advisor.report.order_notes import DONE_HEAD, order_notes, without_done
from advisor.report.reasons import clauses_text, reason_text
from advisor.report.said import said, said_title

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
            short_money(row.cost),
            format_factor(row.speedup.mid) + (" (!)" if row.prediction.is_warned else ""),
        )
        for row in advice.ranked
    )
    heads = (tr(N_("#")), tr(N_("Option")), tr(N_("Whole job (80 % interval)")),
             tr(DONE_HEAD), tr(N_("Money")), tr(N_("Speed-up")))  # fmt: skip
    table = without_done(Table(heads=heads, rows=rows, right_aligned=(3, 4, 5)), 3, advice)
    notes = (*warning_notes(advice, tr), *order_notes(advice, tr))
    return Section(title=tr(N_("All options")), blocks=(table, *notes))


def short_avoid_section(advice: Recommendation, tr: Translator) -> Section:
    """Return what makes it worse in a line each, and own GPUs that nothing serves."""
    rows = advice.avoid[:_SHOWN_AVOID]
    told = {row.option.id for row in rows}
    texts = [
        *(_line(row.option.title, row.reasons, tr) for row in rows),
        *(
            _line(rejection.title, rejection.reasons, tr)
            for rejection in _own_gpus_left_out(advice)
            if rejection.option_id not in told and not _is_unheard_of(rejection)
        ),
    ]
    lines = tuple(Paragraph(text=text, style="note") for text in texts)
    return Section(title=tr(N_("Avoid")), blocks=lines)


def _own_gpus_left_out(advice: Recommendation) -> tuple[Rejection, ...]:
    return tuple(row for row in advice.rejected if row.option_id.startswith(DEVICE_PREFIX))


def _is_unheard_of(rejection: Rejection) -> bool:
    """Whether nothing is known of a GPU: that speaks neither for it nor against it."""
    return rejection.reasons[0].code is ReasonCode.NOT_APPLICABLE


def _unheard_of_line(rejection: Rejection, tr: Translator) -> str:
    """Return what is not known of a GPU: among ideas "does not apply" would speak against it."""
    why = next((p.value for p in rejection.reasons[0].parameters if p.name == "why"), None)
    if not isinstance(why, str):
        return _line(rejection.title, rejection.reasons, tr)
    title = said_title(rejection.title, tr)
    return tr(N_("{title}: {why}."), title=title, why=said(why, tr))


def _line(title: str, reasons: tuple[Reason, ...], tr: Translator) -> str:
    said = said_title(title, tr)
    if reasons:
        return tr(N_("{title}: {why}."), title=said, why=_clause(reasons[0], tr))
    return tr(N_("{text}."), text=said)


def _clause(reason: Reason, tr: Translator) -> str:
    """Return a reason without the full stop that a text of the tables may end with."""
    return reason_text(reason, tr).rstrip(".。")


def short_hints_section(advice: Recommendation, tr: Translator) -> Section:
    """Return what is worth trying in a line each: an own GPU first, then what gains most."""
    on_gpus = [hint for hint in advice.hints if hint.option.kind is OptionKind.LOCAL_DEVICE]
    is_way = {hint.option.id: not hint.option.id.startswith(DEVICE_PREFIX) for hint in on_gpus}
    gpu = min(on_gpus, key=lambda hint: (is_way[hint.option.id], *_place(hint)), default=None)
    ordered = sorted(advice.hints, key=lambda hint: (hint is not gpu, *_place(hint)))[:_SHOWN_HINTS]
    lines = tuple(
        Paragraph(
            text=tr(
                N_("{title}: {why}."),
                title=said_title(hint.option.title, tr),
                why=clauses_text([reason_text(r, tr) for r in _shown_reasons(hint)], tr),
            ),
            style="note",
        )
        for hint in ordered
        if hint.reasons
    )
    unheard_of = tuple(
        Paragraph(text=_unheard_of_line(row, tr), style="note")
        for row in _own_gpus_left_out(advice)
        if _is_unheard_of(row)
    )
    return Section(title=tr(N_("Worth trying, not ranked")), blocks=(*lines, *unheard_of))


def _shown_reasons(hint: Hint) -> tuple[Reason, ...]:
    """Return the first reason, and what a free service ends with."""
    limits = (reason for reason in hint.reasons[1:] if reason.code is ReasonCode.FREE_LIMIT)
    return (hint.reasons[0], *limits)


def _place(hint: Hint) -> tuple[bool, float]:
    """Order by whether no figure is known, then by what somebody gained at most."""
    first = hint.reasons[0] if hint.reasons else None
    has_no_figure = first is None or first.code is ReasonCode.NO_FIGURE
    values = {p.name: p.value for p in first.parameters} if first is not None else {}
    gains = [values.get(name) for name in ("factor_x", "high_x")]
    return has_no_figure, -max((gain for gain in gains if isinstance(gain, float)), default=0.0)
