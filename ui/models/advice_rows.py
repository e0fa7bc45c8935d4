"""Rows of the tables of the main page: ranked options, what to avoid, finished kernels.

Leaves to others: the table model (`ui.models.rows`).
"""

from advisor.format import (
    UNKNOWN,
    format_duration,
    format_duration_interval,
    format_factor,
    format_percent,
    format_rate,
    format_usd,
)
from advisor.i18n import N_, Translator
from advisor.model.measurement import FailedMeasurement, Measurement
from advisor.model.recommendation import AvoidedOption, RankedOption, Recommendation
from advisor.predict.work import rate
from advisor.report.names import BASES, OUTCOMES, request_name
from advisor.report.reasons import reason_text
from ui.models.rows import Cell

OPTION_HEADS = (
    N_("#"),
    N_("Option"),
    N_("Whole job (80 % interval)"),
    N_("Money"),
    N_("Speed-up"),
    N_("Basis"),
)
AVOID_HEADS = (N_("Avoid"), N_("Speed against now"), N_("Why"))
RESULT_HEADS = (N_("Kernel"), N_("Device"), N_("Result"), N_("Spread"))


def option_rows(advice: Recommendation, tr: Translator) -> tuple[tuple[Cell, ...], ...]:
    """Return a row for each ranked option."""
    return tuple(_option_row(row, tr) for row in advice.ranked)


def _option_row(row: RankedOption, tr: Translator) -> tuple[Cell, ...]:
    why = ". ".join(reason_text(reason, tr) for reason in row.reasons)
    usd = None if row.cost.total_usd is None else row.cost.total_usd.mid
    money_why = "; ".join(f"{p.code}: {p.explanation}" for p in row.cost.parts)
    basis = tr(BASES[row.prediction.basis])
    evidence = "\n".join(e.statement for e in row.prediction.evidence)
    total_s = row.prediction.total_s
    return (
        Cell(text=str(row.rank), value=float(row.rank), is_number=True),
        Cell(text=row.option.title, value=row.option.title, explanation=why),
        Cell(text=format_duration_interval(total_s), value=total_s.mid, explanation=evidence),
        Cell(
            text=format_usd(usd),
            value=float("inf") if usd is None else usd,
            explanation=money_why or "; ".join(row.cost.missing),
            is_number=True,
        ),
        Cell(text=format_factor(row.speedup.mid), value=row.speedup.mid, is_number=True),
        Cell(text=basis, value=basis, explanation=evidence),
    )


def avoid_rows(advice: Recommendation, tr: Translator) -> tuple[tuple[Cell, ...], ...]:
    """Return a row for each thing to avoid."""
    return tuple(_avoid_row(row, tr) for row in advice.avoid)


def _avoid_row(row: AvoidedOption, tr: Translator) -> tuple[Cell, ...]:
    said = [reason_text(reason, tr) for reason in row.reasons]
    said += [evidence.statement for evidence in row.evidence]
    why = ". ".join(said)
    factor = None if row.speedup is None else row.speedup.mid
    return (
        Cell(text=row.option.title, value=row.option.title),
        Cell(text=format_factor(factor), value=factor or 0.0, is_number=True),
        Cell(text=why, value=why),
    )


def result_rows(
    results: tuple[Measurement | FailedMeasurement, ...], tr: Translator
) -> tuple[tuple[Cell, ...], ...]:
    """Return a row for each finished kernel, in the order in which they came."""
    return tuple(_result_row(result, tr) for result in results)


def _result_row(result: Measurement | FailedMeasurement, tr: Translator) -> tuple[Cell, ...]:
    name = request_name(result.request, tr)
    device = result.request.device_id
    if isinstance(result, FailedMeasurement):
        verdict = tr(OUTCOMES[result.outcome])
        return (
            Cell(text=name, value=name),
            Cell(text=device, value=device),
            Cell(text=verdict, value=-1.0, explanation=result.message),
            Cell(text=UNKNOWN, value=-1.0, explanation=result.message, is_number=True),
        )
    value, unit = rate(result)
    spread = result.mad_s / result.median_s if result.median_s > 0 else 0.0
    explanation = f"{format_duration(result.median_s)}, {len(result.values_s)} values"
    return (
        Cell(text=name, value=name, explanation=result.check),
        Cell(text=device, value=device),
        Cell(text=format_rate(value, unit), value=value, explanation=explanation, is_number=True),
        Cell(text=f"± {format_percent(spread)}", value=spread, is_number=True),
    )
