"""Rows and sentences of the dialog that tries settings: each run, the verdicts.

Leaves to others: running (`ui.trying`), the dialog (`ui.dialogs.trial`).
"""

from advisor.format import UNKNOWN, format_bytes, format_duration, format_factor_interval
from advisor.i18n import N_, Translator
from advisor.model.trial import (
    TrialReport,
    TrialResult,
    TrialRun,
    TrialSetup,
    TrialVerdict,
)
from advisor.report.names import OUTCOMES
from advisor.report.said import said_line
from advisor.report.trial_section import (
    VERDICTS,
    ahead_lines,
    setup_title,
    title_of,
    warning_lines,
)
from ui.models.rows import Cell

RUN_HEADS = (N_("#"), N_("Setting"), N_("A step"), N_("First step"), N_("Memory"), N_("Outcome"))


def run_rows(
    runs: tuple[tuple[TrialSetup, TrialRun], ...], tr: Translator
) -> tuple[tuple[Cell, ...], ...]:
    """Return a row for each finished run, in their order."""
    return tuple(_row(number, *pair, tr=tr) for number, pair in enumerate(runs, start=1))


def _row(number: int, setup: TrialSetup, run: TrialRun, *, tr: Translator) -> tuple[Cell, ...]:
    title = setup_title(setup, tr)
    step_s = run.step_s if run.is_completed else None
    outcome = tr(OUTCOMES[run.outcome])
    message = said_line(run.message, tr)
    if message:
        outcome = f"{outcome}: {message}"
    memory = run.peak_memory_bytes
    return (
        Cell(text=str(number), value=float(number), is_number=True),
        Cell(text=title, value=title),
        Cell(text=format_duration(step_s), value=step_s or 0.0, is_number=True, is_strong=True),
        Cell(text=format_duration(run.first_step_s), value=run.first_step_s or 0.0, is_number=True),
        Cell(text=format_bytes(memory), value=float(memory or 0), is_number=True),
        Cell(text=outcome, value=outcome, explanation=message),
    )


def verdict_lines(report: TrialReport, tr: Translator) -> tuple[str, ...]:
    """Return a line for each setting that was tried, or why nothing could be."""
    baseline = report.results[0]
    if baseline.verdict is TrialVerdict.FAILED:
        return (
            tr(N_("The network cannot be run: {message}"), message=said_line(baseline.message, tr)),
        )
    verdicts = (_verdict_line(result, tr) for result in report.results[1:])
    now = _state_now_lines(baseline, tr)
    return (*ahead_lines(report, tr), *now, *verdicts, *warning_lines(report, tr))


def _state_now_lines(baseline: TrialResult, tr: Translator) -> tuple[str, ...]:
    if baseline.step_s is None:
        return ()
    return (
        tr(
            N_("{title}: {step} a step; {n} runs."),
            title=title_of(baseline, tr),
            step=format_duration(baseline.step_s.mid),
            n=baseline.n_runs,
        ),
    )


def _verdict_line(result: TrialResult, tr: Translator) -> str:
    verdict = tr(VERDICTS[result.verdict])
    title = title_of(result, tr)
    has_figure = result.speedup is not None and result.verdict is TrialVerdict.UNSTABLE
    if result.message and not has_figure:
        return tr(N_("{title}: {verdict}: {message}"),
                  title=title, verdict=verdict, message=said_line(result.message, tr))  # fmt: skip
    if result.speedup is None:
        return tr(N_("{title}: {verdict}"), title=title, verdict=verdict)
    line = tr(
        N_("{title}: {verdict}, {factor} as fast as now, with a 95 % interval; {n} runs."),
        title=title,
        verdict=verdict,
        factor=format_factor_interval(result.speedup) or UNKNOWN,
        n=result.n_runs,
    )
    return f"{line} ({said_line(result.message, tr)})" if result.message else line
