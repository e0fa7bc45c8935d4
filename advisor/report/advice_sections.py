"""The parts of a report that say what to do: the answer, the options, money, what to avoid.

Leaves to others: the machine (`advisor.report.machine_sections`), the method
(`advisor.report.method_sections`), the wording of reasons (`advisor.report.reasons`).
"""

import math
from collections.abc import Iterable, Sequence

from advisor.format import (
    UNKNOWN,
    format_duration,
    format_duration_interval,
    format_factor,
    format_factor_interval,
    format_usd_interval,
)
from advisor.i18n import N_, Translator
from advisor.model.option import OptionKind
from advisor.model.quantity import Source
from advisor.model.recommendation import (
    Caveat,
    RankedOption,
    Reason,
    ReasonCode,
    Recommendation,
    Rejection,
    Step,
)
from advisor.model.report import (
    Block,
    Paragraph,
    Section,
    Table,
)
from advisor.report.advice_charts import money_chart, time_chart
from advisor.report.money import money_text, short_money
from advisor.report.names import BASES, KINDS, PARTS
from advisor.report.order_notes import DONE_HEAD, order_notes, without_done
from advisor.report.reasons import (
    cancelled_text,
    caveat_text,
    reason_text,
    reasons_text,
    sentences_text,
)
from advisor.report.runner_up_notes import runner_up_notes
from advisor.report.said import said, said_deed, said_title, source_text
from advisor.report.steps import told_once

# Options whose steps are printed in full; all others can be opened in the window.
_SHOWN_STEPS = 2
_SHOWN_EVIDENCE = 4
_SHOWN_HINT_STEPS = 3
_SHOWN_TITLES = 2
# Reasons that differ in names only: the titles tell which.
_GROUPED_BY_CODE = frozenset({ReasonCode.FRAMEWORK_NOT_FOUND, ReasonCode.EXCLUDED})
# The parameter of a broken limit that tells how far off an option is.
_LIMITS = {ReasonCode.OVER_DEADLINE: "hours", ReasonCode.OVER_BUDGET: "usd"}
# Of 1 269 left-out times that had it 68 were (`python -m tests.accuracy`, unseen devices).
MAY_BE_FAR_OFF = N_(
    "(!) may be off by more than 3 times: about 1 in 20 such times was, in tests against published"
    " results."
)
_PAID_KINDS = (OptionKind.CLOUD, OptionKind.BUY)


def nothing_fits_text(advice: Recommendation, tr: Translator) -> str:
    """Return that no option is within the limits, and which one is nearest."""
    return "\n".join(filter(None, (_nothing(advice, tr), _nearest_miss(advice, tr))))


def _nothing(advice: Recommendation, tr: Translator) -> str:
    code = "nothing_within_limits" if advice.preferences.has_limits else "nothing_fits"
    return caveat_text(Caveat(code=code), tr)


def answer_section(advice: Recommendation, tr: Translator, *, is_short: bool = False) -> Section:
    """Return the answer: the first option, its time, money, basis, reasons and how to do it.

    Of a cancelled run it begins with that. A short one leaves out the evidence and the chart.
    """
    title = tr(N_("The answer"))
    cancelled = cancelled_text(advice.measurements, tr)
    first_blocks = (Paragraph(text=cancelled),) if cancelled else ()
    if not advice.ranked:
        nothing = Paragraph(text=_nothing(advice, tr), style="lead")
        nearest = Paragraph(text=_nearest_miss(advice, tr))
        return Section(title=title, blocks=(*first_blocks, nothing, nearest))
    first = advice.ranked[0]
    blocks: list[Block] = [
        *first_blocks,
        Paragraph(text=_headline(first, tr), style="lead"),
        Paragraph(text=_why(first, tr)),
        *_tie(first, advice, tr),
        *(() if is_short else _evidence(first, tr)),
        *_steps(first.steps, tr, title=first.option.title),
        *(() if is_short else (time_chart(advice, tr),)),
    ]
    return Section(title=title, blocks=tuple(blocks))


def _nearest_miss(advice: Recommendation, tr: Translator) -> str:
    """Tell what came nearest to the deadline or the budget, "" when nothing was refused by one."""
    found = []
    for rejection in advice.rejected:
        misses = [(far, each) for each in rejection.reasons if (far := _miss(each)) is not None]
        if misses:
            farthest = max(far for far, _each in misses)
            found.append((farthest, rejection.title, tuple(each for _far, each in misses)))
    if not found:
        return ""
    _far, option, reasons = min(found, key=lambda miss: miss[:2])
    return tr(
        N_("Nearest: {option}. {why}"), option=said_title(option, tr), why=reasons_text(reasons, tr)
    )


def _miss(reason: Reason) -> float | None:
    """Return by which factor an option misses a limit; None when it is refused for another reason.

    A limit of nothing is missed by any amount alike.
    """
    if reason.code not in _LIMITS:
        return None
    values = {parameter.name: parameter.value for parameter in reason.parameters}
    name = _LIMITS[reason.code]
    value, limit = values.get(name), values.get(f"limit_{name}")
    if not isinstance(value, float) or not isinstance(limit, float):
        return None
    return value / limit if limit > 0.0 else math.inf


def _headline(row: RankedOption, tr: Translator) -> str:
    return tr(
        N_("{title}: {time} for the whole job, {cost}. Basis: {basis}."),
        title=said_deed(row.option, tr),
        time=format_duration_interval(row.prediction.total_s, tr),
        cost=money_text(row.cost, tr),
        basis=tr(BASES[row.prediction.basis]),
    )


def _why(row: RankedOption, tr: Translator) -> str:
    return reasons_text(row.reasons, tr)


def _tie(first: RankedOption, advice: Recommendation, tr: Translator) -> Iterable[Block]:
    titles = {row.option.id: said_title(row.option.title, tr) for row in advice.ranked}
    tied = [titles[name] for name in first.tied_with if name in titles]
    if tied:
        text = tr(N_("A tie (less than 10 % apart) with: {names}."), names=tr(N_("; ")).join(tied))
        yield Paragraph(text=text)


def _evidence(row: RankedOption, tr: Translator) -> Iterable[Block]:
    for evidence in row.prediction.evidence[:_SHOWN_EVIDENCE]:
        text = f"{said(evidence.statement, tr)} {_source(evidence.source, tr)}"
        yield Paragraph(text=text, style="note")


def _steps(steps: tuple[Step, ...], tr: Translator, *, title: str) -> Iterable[Block]:
    for step in told_once(steps, title=title):
        caption, content = said(step.caption, tr), said(step.content, tr)
        is_text = step.kind == "text"
        # A sentence looks like its caption: in one paragraph it is seen which is which.
        if is_text and caption and not set(":：") & set(caption):
            content = tr(N_("{caption}: {content}"), caption=caption, content=content)
        elif caption:
            yield Paragraph(text=caption)
        yield Paragraph(text=content, style="body" if is_text else "code")


def warning_notes(advice: Recommendation, tr: Translator) -> tuple[Paragraph, ...]:
    """Return what the mark (!) means, nothing where no row has it."""
    if not any(row.prediction.is_warned for row in advice.ranked):
        return ()
    return (Paragraph(text=tr(MAY_BE_FAR_OFF), style="note"),)


def options_section(advice: Recommendation, tr: Translator) -> Section:
    """Return all ranked options in hours and money, and time against cost as a chart."""
    rows = tuple(
        (
            str(row.rank),
            said_title(row.option.title, tr),
            tr(KINDS[row.option.kind]),
            format_duration_interval(row.prediction.total_s, tr),
            format_duration(row.done_s, tr),
            format_duration(row.prediction.epoch_s.mid, tr),
            short_money(row.cost),
            format_factor(row.speedup.mid),
            tr(BASES[row.prediction.basis]) + (" (!)" if row.prediction.is_warned else ""),
        )
        for row in advice.ranked
    )
    heads = (
        tr(N_("#")), tr(N_("Option")), tr(N_("Kind")), tr(N_("Whole job (80 % interval)")),
        tr(DONE_HEAD), tr(N_("Epoch")), tr(N_("Money")), tr(N_("Speed-up")), tr(N_("Basis")),
    )  # fmt: skip
    table = without_done(Table(heads=heads, rows=rows, right_aligned=(4, 5, 6, 7)), 4, advice)
    blocks: list[Block] = [table, *warning_notes(advice, tr), *order_notes(advice, tr)]
    blocks += money_chart(advice, tr)
    blocks += [Paragraph(text=text, style="note") for text in runner_up_notes(advice, tr)]
    return Section(title=tr(N_("All options, in hours and money")), blocks=tuple(blocks))


def how_section(advice: Recommendation, tr: Translator) -> Section:
    """Return the steps of the runner-ups."""
    blocks: list[Block] = []
    for row in advice.ranked[1 : 1 + _SHOWN_STEPS]:
        if row.steps:
            blocks.append(Paragraph(text=said_title(row.option.title, tr), style="lead"))
            blocks += _steps(row.steps, tr, title=row.option.title)
    return Section(title=tr(N_("How to do the runners-up")), blocks=tuple(blocks))


def money_section(advice: Recommendation, tr: Translator) -> Section:
    """Return what renting and buying cost: the best offer at list price, as spot, and a card."""
    blocks: list[Block] = []
    for row in _priced_examples(advice):
        title = tr(
            N_("{title}: {cost}, price of {date}"),
            title=said_title(row.option.title, tr),
            cost=money_text(row.cost, tr),
            date=row.cost.price_date or UNKNOWN,
        )
        heads = (tr(N_("Part")), tr(N_("Money")), tr(N_("How it is counted")))
        parts = tuple(
            (
                tr(PARTS.get(part.code, part.code)),
                format_usd_interval(part.usd),
                said(part.explanation, tr),
            )
            for part in row.cost.parts
        )
        blocks.append(Paragraph(text=title, style="lead"))
        blocks.append(Table(heads=heads, rows=parts, right_aligned=(1,)))
        blocks += [Paragraph(text=_source(source, tr), style="note") for source in row.cost.sources]
    return Section(title=tr(N_("What the money is for")), blocks=tuple(blocks))


def _priced_examples(advice: Recommendation) -> Iterable[RankedOption]:
    """Yield the first of each kind that costs money."""
    seen = set()
    for row in advice.ranked:
        kind = (row.option.kind, row.option.is_spot)
        if row.cost.parts and row.option.kind in _PAID_KINDS and kind not in seen:
            seen.add(kind)
            yield row


def _source(source: Source, tr: Translator) -> str:
    return f"[{source_text(source, tr)}]"


def avoid_section(advice: Recommendation, tr: Translator) -> Section:
    """Return what makes it worse here, by how much, and who measured it."""
    rows = []
    for row in advice.avoid:
        source = row.evidence[0].source if row.evidence else None
        where = said(source.reference, tr) if source else UNKNOWN
        effect = UNKNOWN if row.speedup is None else format_factor_interval(row.speedup)
        texts = [reason_text(r, tr) for r in row.reasons]
        texts += [said(e.statement, tr) for e in row.evidence]
        why = sentences_text(dict.fromkeys(texts), tr)
        rows.append((said_title(row.option.title, tr), effect, why, where))
    heads = (tr(N_("Avoid")), tr(N_("Speed against now")), tr(N_("Why")), tr(N_("Source")))
    return Section(title=tr(N_("Avoid")), blocks=(Table(heads=heads, rows=tuple(rows)),))


def hints_section(advice: Recommendation, tr: Translator) -> Section:
    """Return advice worth trying whose gain nobody has measured."""
    rows = tuple(
        (
            said_title(hint.option.title, tr),
            reasons_text(hint.reasons, tr),
            "\n".join(
                said(step.content, tr)
                for step in hint.steps[:_SHOWN_HINT_STEPS]
                if step.kind != "url"
            ),
        )
        for hint in advice.hints
    )
    heads = (tr(N_("Worth trying")), tr(N_("What is known")), tr(N_("How")))
    intro = Paragraph(
        text=tr(
            N_("These have no place in the ranking: what they gain depends on your code, or nobody"
               " has measured it on a machine like this one.")
        )
    )  # fmt: skip
    return Section(title=tr(N_("Worth trying")), blocks=(intro, Table(heads=heads, rows=rows)))


def rejections_section(advice: Recommendation, tr: Translator) -> Section:
    """Return what was considered and does not apply: by reason, with counts and a few names."""
    groups: dict[str, list[str]] = {}
    for rejection in advice.rejected:
        groups.setdefault(_short_why(rejection, tr), []).append(said_title(rejection.title, tr))
    ordered = sorted(groups.items(), key=lambda group: -len(group[1]))
    rows = tuple((why, str(len(titles)), _some(titles, tr)) for why, titles in ordered)
    heads = (tr(N_("Why")), tr(N_("How many")), tr(N_("Not for this case")))
    table = Table(heads=heads, rows=rows, right_aligned=(1,))
    return Section(title=tr(N_("Considered and left out")), blocks=(table,))


def _short_why(rejection: Rejection, tr: Translator) -> str:
    """Return the reason that groups: of a framework that is not here its name, not the version."""
    if not rejection.reasons:
        return UNKNOWN
    first = rejection.reasons[0]
    if first.code in _GROUPED_BY_CODE:
        return reason_text(Reason(code=first.code), tr)
    return reason_text(first, tr)


def _some(titles: Sequence[str], tr: Translator) -> str:
    shown = tr(N_("; ")).join(titles[:_SHOWN_TITLES])
    more = len(titles) - _SHOWN_TITLES
    return tr(N_("{shown}; and {more} more"), shown=shown, more=more) if more > 0 else shown
