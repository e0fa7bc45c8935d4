"""Rows of the tables of the main page: ranked options, what to avoid, ideas.

Leaves to others: the table model (`ui.models.rows`).
"""

import math

from advisor.format import (
    UNKNOWN,
    format_duration,
    format_factor,
    format_factor_interval,
    format_usd_interval,
)
from advisor.i18n import N_, Translator
from advisor.model.prediction import Prediction
from advisor.model.recommendation import AvoidedOption, Hint, RankedOption, Recommendation
from advisor.report.advice_sections import MAY_BE_FAR_OFF
from advisor.report.money import short_money
from advisor.report.names import BASES, KINDS, PARTS
from advisor.report.order_notes import DONE_HEAD, order_text
from advisor.report.reasons import reasons_text, sentence_start
from advisor.report.said import said, said_title, source_text
from ui.models.explanations import BASIS_TIPS, DONE, INTERVAL, MONEY, RANK, SPEEDUP
from ui.models.rows import Cell, Span

OPTION_HEADS = (
    N_("#"), N_("Option"), N_("Whole job"), DONE_HEAD, N_("Money"), N_("Speed-up"),
)  # fmt: skip
OPTION_TIPS = (RANK, "", INTERVAL, DONE, MONEY, SPEEDUP)
AVOID_HEADS = (N_("Avoid"), N_("Speed"), N_("Why"))
AVOID_TIPS = ("", N_("Speed against now: 0.5× takes twice the time."), "")
HINT_HEADS = (N_("Worth trying"), N_("What is known"), N_("How"))


def option_rows(advice: Recommendation, tr: Translator) -> tuple[tuple[Cell, ...], ...]:
    """Return a row for each ranked option."""
    # A figure that may be far off would stretch the axis until no other interval can be seen.
    times = [row.prediction.total_s for row in advice.ranked if not row.prediction.is_warned]
    smallest = min((time.low for time in times if time.low > 0), default=1.0)
    largest = max((time.high for time in times), default=1.0)
    return tuple(
        _option_row(
            row,
            tr,
            span=_span(row.prediction, smallest, largest),
            is_first=n == 0,
            order=order_text(advice, tr),
        )
        for n, row in enumerate(advice.ranked)
    )


def _span(prediction: Prediction, smallest: float, largest: float) -> Span | None:
    """Place an interval on the log axis that all rows share."""
    time_s = prediction.total_s
    if prediction.is_warned or time_s.low <= 0 or largest <= smallest:
        return None
    width = math.log(largest / smallest)
    low, mid, high = (math.log(t / smallest) / width for t in (time_s.low, time_s.mid, time_s.high))
    return Span(low=low, mid=mid, high=high)


def _option_row(
    row: RankedOption, tr: Translator, *, span: Span | None, is_first: bool, order: str
) -> tuple[Cell, ...]:
    usd = row.cost.total_usd
    basis = row.prediction.basis
    total_s = row.prediction.total_s
    title = said_title(row.option.title, tr)
    detail = f"{tr(KINDS[row.option.kind])} · {tr(BASES[basis])}"
    warned = tr(MAY_BE_FAR_OFF) if row.prediction.is_warned else ""
    return (
        Cell(text=str(row.rank), value=float(row.rank), is_number=True, is_strong=is_first),
        Cell(
            text=title,
            value=title,
            detail=detail + (" (!)" if row.prediction.is_warned else ""),
            explanation="\n".join(filter(None, (tr(BASIS_TIPS[basis]), warned))),
            is_strong=is_first,
        ),
        Cell(
            text=format_duration(total_s.mid, tr),
            value=total_s.mid,
            detail=f"{format_duration(total_s.low, tr)} – {format_duration(total_s.high, tr)}",
            bar=span,
            explanation="\n".join(said(e.statement, tr) for e in row.prediction.evidence),
            is_strong=is_first,
        ),
        Cell(
            text=format_duration(row.done_s, tr),
            value=math.inf if row.done_s is None else row.done_s,
            explanation=order,
            is_strong=is_first,
        ),
        Cell(
            text=short_money(row.cost),
            value=math.inf if usd is None else usd.mid,
            explanation=_money_tip(row, tr),
            is_number=True,
        ),
        Cell(text=format_factor(row.speedup.mid), value=row.speedup.mid, is_number=True,
             explanation=format_factor_interval(row.speedup)),
    )  # fmt: skip


def money_lines(row: RankedOption, tr: Translator) -> list[str]:
    """Return the parts of a cost and what is not known of it, a line each."""
    lines = [
        f"{format_usd_interval(p.usd)}: {said(p.explanation, tr) or tr(PARTS.get(p.code, p.code))}"
        for p in row.cost.parts
    ]
    if row.cost.missing:
        what = ", ".join(said(each, tr) for each in row.cost.missing)
        lines.append(tr(N_("Not known: {what}"), what=what))
    return lines


def _money_tip(row: RankedOption, tr: Translator) -> str:
    lines = money_lines(row, tr)
    if row.cost.price_date is not None:
        lines.append(tr(N_("Price of {date}"), date=row.cost.price_date))
    return "\n".join(lines)


def avoid_rows(advice: Recommendation, tr: Translator) -> tuple[tuple[Cell, ...], ...]:
    """Return a row for each thing to avoid."""
    return tuple(_avoid_row(row, tr) for row in advice.avoid)


def _avoid_row(row: AvoidedOption, tr: Translator) -> tuple[Cell, ...]:
    texts = [reasons_text(row.reasons, tr)]
    statements = [sentence_start(said(e.statement, tr)) for e in row.evidence]
    texts += [each for each in statements if each.rstrip(".。") not in texts[0]]
    why = "\n".join(filter(None, texts))
    title = said_title(row.option.title, tr)
    factor = None if row.speedup is None else row.speedup.mid
    sources = "\n".join(source_text(e.source, tr) for e in row.evidence)
    return (
        Cell(text=title, value=title),
        Cell(text=format_factor(factor), value=factor or 0.0, is_number=True,
             explanation="" if row.speedup is None else format_factor_interval(row.speedup)),
        Cell(text=why, value=why, explanation=sources),
    )  # fmt: skip


def hint_rows(advice: Recommendation, tr: Translator) -> tuple[tuple[Cell, ...], ...]:
    """Return a row for each idea whose gain nobody has measured."""
    return tuple(_hint_row(hint, tr) for hint in advice.hints)


def _hint_row(hint: Hint, tr: Translator) -> tuple[Cell, ...]:
    known = reasons_text(hint.reasons, tr)
    how = "\n".join(said(step.content, tr) for step in hint.steps)
    title = said_title(hint.option.title, tr)
    return (
        Cell(text=title, value=title, explanation=tr(KINDS[hint.option.kind])),
        Cell(text=known, value=known),
        Cell(text=how or UNKNOWN, value=how),
    )
