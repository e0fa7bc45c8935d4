"""Rows and sentences of the dialog that tries settings: each run, then the verdicts.

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
_OF_ALL_RUNS = N_("Of all runs, at one pace of the machine (runs: {n}).")


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


def result_rows(report: TrialReport, tr: Translator) -> tuple[tuple[Cell, ...], ...]:
    """Return a row for each setting with the figures of its verdict, as the report has them.

    The steps of single runs, which were taken at other paces of the machine, tell other ones.
    """
    return tuple(
        _result_row(number, result, tr) for number, result in enumerate(report.results, start=1)
    )


def _result_row(number: int, result: TrialResult, tr: Translator) -> tuple[Cell, ...]:
    title = title_of(result, tr)
    step_s = None if result.step_s is None else result.step_s.mid
    verdict = tr(VERDICTS[result.verdict])
    message = said_line(result.message, tr)
    if message:
        verdict = f"{verdict}: {message}"
    memory = result.peak_memory_bytes
    how = "" if step_s is None else tr(_OF_ALL_RUNS, n=result.n_runs)
    return (
        Cell(text=str(number), value=float(number), is_number=True),
        Cell(text=title, value=title),
        Cell(text=format_duration(step_s), value=step_s or 0.0, is_number=True, is_strong=True,
             explanation=how),
        Cell(text=format_duration(result.first_step_s), value=result.first_step_s or 0.0,
             is_number=True),
        Cell(text=format_bytes(memory), value=float(memory or 0), is_number=True),
        Cell(text=verdict, value=verdict, explanation=message),
    )  # fmt: skip


def verdict_lines(report: TrialReport, tr: Translator) -> tuple[str, ...]:
    """Return a line for each setting that was tried, or why nothing could be."""
    baseline = report.results[0]
    if baseline.verdict is TrialVerdict.FAILED:
        return (
            tr(
                N_("The network gave no figure: {message}"), message=said_line(baseline.message, tr)
            ),
        )
    verdicts = (_verdict_line(result, tr) for result in report.results[1:])
    now = _state_now_lines(baseline, tr)
    return (*ahead_lines(report, tr), *now, *verdicts, *warning_lines(report, tr))


def _state_now_lines(baseline: TrialResult, tr: Translator) -> tuple[str, ...]:
    if baseline.step_s is None:
        return ()
    return (
        tr(
            N_("{title}: {step} a step (runs: {n})."),
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
        N_("{title}: {verdict}, {factor} as fast as now, with a 95 % interval (runs: {n})."),
        title=title,
        verdict=verdict,
        factor=format_factor_interval(result.speedup) or UNKNOWN,
        n=result.n_runs,
    )
    return f"{line} ({said_line(result.message, tr)})" if result.message else line
