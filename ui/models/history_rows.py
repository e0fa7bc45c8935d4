"""Rows of the history page: the list, and two results before and after; the list as CSV.

Leaves to others: reading (`ui.models.history_entries`), comparing (`ui.models.history_diff`).
"""

import csv
import io
import math
from collections.abc import Iterable

from advisor.format import (
    UNKNOWN,
    format_duration,
    format_factor,
    format_factor_interval,
    format_number,
    format_rate,
)
from advisor.i18n import N_, NP_, Translator
from advisor.model.own_step import OwnStep
from advisor.model.trial import TrialReport, TrialVerdict
from advisor.report.names import PHASES, request_name
from advisor.report.reasons import between
from advisor.report.said import said_title
from advisor.report.trial_section import title_of
from advisor.trial.judge import ahead_of
from ui.models.history_diff import Change, Diff, DiffRow, FigureKind
from ui.models.history_entries import EntryKind, HistoryEntry, own_step_key
from ui.models.rows import Cell

HISTORY_HEADS = (
    N_("Date"),
    N_("Network"),
    NP_("of a list", "Machine"),
    N_("Best option"),
    N_("Time"),
)
HISTORY_TIPS = (
    "", "", "", N_("What stood first then."), N_("Of the whole job; of one step for a trial."),
)  # fmt: skip
DIFF_HEADS = (N_("Figure"), N_("Before"), N_("After"), N_("Factor"), N_("Change"))
DIFF_TIPS = (
    "",
    "",
    "",
    N_("2× is twice as fast as before."),
    N_("Below 5 % it is a tie; unclear where the values scatter more than they differ."),
)
KINDS = {
    EntryKind.ADVICE: N_("advice"),
    EntryKind.TRIAL: N_("trial"),
    EntryKind.OWN_STEP: N_("predicted and run"),
    EntryKind.DAMAGED: N_("cannot be read"),
}
CHANGES = {
    Change.FASTER: N_("faster"),
    Change.SLOWER: N_("slower"),
    Change.TIE: N_("tie"),
    Change.UNCLEAR: N_("unclear"),
}
_JOBS = {
    FigureKind.JOB_NOW: N_("Whole job as the machine is, predicted"),
    FigureKind.JOB_BEST: N_("Whole job with the best option, predicted"),
}
CSV_HEADS = (
    "date", "kind", "network", "machine", "best", "time_s", "problem",
    "phase", "batch_size", "predicted_s",
)  # fmt: skip


def problem_text(entry: HistoryEntry, tr: Translator) -> str:
    """Return why an entry cannot be read, "" when it can."""
    return entry.problem if own_step_key(entry.id) is None else tr(entry.problem)


def best_text(entry: HistoryEntry, tr: Translator) -> str:
    """Return what stood first in an entry, or why it cannot be read."""
    if entry.kind is EntryKind.DAMAGED:
        return problem_text(entry, tr).removeprefix(f"{entry.id}: ")
    if entry.own_step is not None:
        return tr(
            N_("{predicted} predicted, {run} run"),
            predicted=format_duration(entry.own_step.predicted_s),
            run=format_duration(entry.own_step.measured_s),
        )
    if entry.report is None:
        title = said_title(entry.best, tr) or UNKNOWN
        return tr(N_("Cancelled run: {title}"), title=title) if entry.is_cancelled else title
    best = entry.report.best
    if best is None or best.speedup is None:
        return _ahead_text(entry.report, tr)
    factor = format_factor_interval(best.speedup)
    return tr(N_("{title}: {factor}"), title=title_of(best, tr), factor=factor)


def _ahead_text(report: TrialReport, tr: Translator) -> str:
    ahead = ahead_of(report)
    if ahead is None or ahead.speedup is None:
        has_none = report.results[0].verdict is TrialVerdict.FAILED
        return tr(N_("no figure") if has_none else N_("nothing surely faster"))
    factor = format_factor_interval(ahead.speedup)
    return tr(N_("{title}: {factor}, not proven"), title=title_of(ahead, tr), factor=factor)


def entry_time_s(entry: HistoryEntry) -> float | None:
    """Return the seconds of the whole job, of a trial those of one step; None when unknown."""
    if entry.own_step is not None:
        return entry.own_step.measured_s
    if entry.report is None:
        return entry.time_s
    result = entry.report.best or entry.report.results[0]
    return None if result.step_s is None else result.step_s.mid


def history_rows(entries: Iterable[HistoryEntry], tr: Translator) -> tuple[tuple[Cell, ...], ...]:
    """Return a row for each entry."""
    return tuple(_entry_row(entry, tr) for entry in entries)


def _entry_row(entry: HistoryEntry, tr: Translator) -> tuple[Cell, ...]:
    time_s = entry_time_s(entry)
    kind = tr(KINDS[entry.kind])
    if entry.is_foreign:
        kind = tr(N_("{kind}, opened from a file"), kind=kind)
    best = best_text(entry, tr)
    date = entry.date or UNKNOWN
    return (
        Cell(text=date, value=entry.date, detail=kind, explanation=entry.id),
        Cell(text=entry.network or UNKNOWN, value=entry.network),
        Cell(text=entry.machine or UNKNOWN, value=entry.machine),
        Cell(text=best, value=best, detail=_step_name(entry.own_step, tr),
             explanation=problem_text(entry, tr)),
        Cell(text=format_duration(time_s), value=math.inf if time_s is None else time_s,
             detail=_of_what(entry, tr), is_number=True),
    )  # fmt: skip


def _of_what(entry: HistoryEntry, tr: Translator) -> str:
    """Return what the time of an entry is the time of."""
    if entry_time_s(entry) is None:
        return ""
    is_job = entry.own_step is None and entry.report is None
    return tr(N_("whole job")) if is_job else tr(N_("one step"))


def _step_name(step: OwnStep | None, tr: Translator) -> str:
    if step is None:
        return ""
    phase = tr(PHASES[step.phase])
    return tr(N_("one step, {phase}, batch {n}"), phase=phase, n=step.batch_size)


def own_step_text(step: OwnStep, tr: Translator) -> str:
    """Return what a step that was tried says, in sentences."""
    return tr(
        N_(
            "{date}: one step of {network} ({phase}, batch {n}, {precision}) was predicted to take"
            " {predicted}, and took {run}. What is predicted on the same machine is corrected by"
            " it; of each job the last one counts."
        ),
        date=step.measured_on,
        network=step.network,
        phase=tr(PHASES[step.phase]),
        n=step.batch_size,
        precision=step.precision.value,
        predicted=format_duration(step.predicted_s),
        run=format_duration(step.measured_s),
    )


def history_csv(entries: Iterable[HistoryEntry], tr: Translator) -> str:
    """Return the list as CSV; names of columns and kinds are those of programs."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(CSV_HEADS)
    for entry in entries:
        time_s = entry_time_s(entry)
        best = "" if entry.kind is EntryKind.DAMAGED else best_text(entry, tr)
        writer.writerow(
            (entry.date, entry.kind.value, entry.network, entry.machine, best,
             "" if time_s is None else time_s, entry.problem, *_job_cells(entry))
        )  # fmt: skip
    return stream.getvalue()


def _job_cells(entry: HistoryEntry) -> tuple[str | int | float, ...]:
    step = entry.own_step
    if step is not None:
        return step.phase.value, step.batch_size, step.predicted_s
    if entry.report is not None:
        return entry.report.phase.value, entry.report.batch_size, ""
    return "", "", ""


def diff_rows(diff: Diff, tr: Translator) -> tuple[tuple[Cell, ...], ...]:
    """Return a row for each figure that both results have."""
    return tuple(_diff_row(row, tr) for row in diff.rows)


def _diff_row(row: DiffRow, tr: Translator) -> tuple[Cell, ...]:
    name, detail = _figure_name(row, tr)
    change = tr(CHANGES[row.change])
    is_sure = row.change in (Change.FASTER, Change.SLOWER)
    if row.rates is None:
        before, after = format_duration(row.before_s), format_duration(row.after_s)
    else:
        before, after = (format_rate(*figure) for figure in row.rates)
    return (
        Cell(text=name, value=name, detail=detail),
        Cell(text=before, value=row.before_s, is_number=True),
        Cell(text=after, value=row.after_s, is_number=True),
        Cell(text=format_factor(row.factor), value=row.factor, is_number=True,
             explanation=f"{format_number(row.factor, digits=4)}×", is_strong=is_sure),
        Cell(text=change, value=change, is_strong=is_sure),
    )  # fmt: skip


def _figure_name(row: DiffRow, tr: Translator) -> tuple[str, str]:
    if row.request is not None:
        return request_name(row.request, tr), row.request.device_id
    if row.result is not None:
        return title_of(row.result, tr), tr(N_("time for a sample, tried"))
    return tr(_JOBS[row.kind]), ""


def diff_text(diff: Diff, tr: Translator) -> str:
    """Return what the comparison comes to, in sentences."""
    counts = {change: sum(row.change is change for row in diff.rows) for change in Change}
    lines = [
        tr(
            N_(
                "{before}, then {after}: {faster} faster, {slower} slower, {tie} as before,"
                " {unclear} unclear."
            ),
            before=diff.before,
            after=diff.after,
            faster=counts[Change.FASTER],
            slower=counts[Change.SLOWER],
            tie=counts[Change.TIE],
            unclear=counts[Change.UNCLEAR],
        )
    ]
    lines += [tr(note) for note in diff.notes]
    if diff.n_lost:
        lines.append(tr(N_("Only one of the two has another {n} figures."), n=diff.n_lost))
    return between(tr).join(lines)
