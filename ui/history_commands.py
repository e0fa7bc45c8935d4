"""`dl-advisor history`: what was advised and tried before.

Leaves to others: keeping it (`ui.history`), reading advice (`ui.models.history_entries`).
"""

import argparse
import contextlib
import csv
import json
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from advisor.format import UNKNOWN, format_duration, format_factor
from advisor.i18n import N_, NP_, Translator
from advisor.model.codec import encode
from advisor.model.own_step import OwnStep
from advisor.model.quantity import Phase
from advisor.model.report import Report, Section, Table
from advisor.model.trial import TrialResult
from advisor.report.names import OUTCOMES, PHASES
from advisor.report.said import said_line, said_title
from advisor.report.trial_section import setup_title
from ui.commands import say, tell_put_aside
from ui.exits import EXIT_DONE
from ui.history.rows import HistoryRow
from ui.history.store import History
from ui.models.history_entries import (
    EntryKind,
    HistoryEntry,
    read_advices,
    report_of,
    searches_of,
)
from ui.settings import advices_folder
from ui.terminal import print_line, report_text, user_translator
from ui.try_commands import history_file

_HEADS = ("finished_on", "network", "phase", "batch_size", "precision", "machine", "search",
          "setup", "outcome", "step_s", "first_step_s", "peak_memory_bytes", "check_value",
          "message")  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """What the history holds, oldest first; own steps with the processor that they ran on."""

    advices: tuple[HistoryEntry, ...]
    own_steps: tuple[tuple[str, OwnStep], ...] = ()
    runs: tuple[HistoryRow, ...] = ()


def history(options: argparse.Namespace) -> int:
    """Print all kept advice, all finished runs, and the steps that were predicted and run."""
    kept = _read()
    if options.json:
        print_line(json.dumps(_typed(kept), indent=1, ensure_ascii=False))
    elif options.csv:
        writer = csv.writer(sys.stdout)
        writer.writerow(_HEADS)
        writer.writerows(_cells(row) for row in kept.runs)
    elif not (kept.advices or kept.runs):
        say("nothing was advised or tried yet: run `dl-advisor advise`")
    else:
        print_line(report_text(_report(kept, user_translator())))
    return EXIT_DONE


def _read() -> _Kept:
    advices = tuple(reversed(tuple(read_advices(advices_folder()))))
    path = history_file()
    if not path.is_file():
        return _Kept(advices=advices)
    with History(path) as found:
        tell_put_aside(found.put_aside)
        steps = tuple(
            (row.search.machine, row.step) for row in found.own_step_rows() if row.step is not None
        )
        return _Kept(advices=advices, own_steps=steps, runs=found.rows())


def _typed(kept: _Kept) -> dict[str, object]:
    """Return the history as JSON has it: a file may be given to `report`."""
    return {
        "advices": [
            {
                "file": each.id,
                "date": each.date,
                "network": each.network,
                "machine": each.machine,
                "best": each.best,
                "time_s": each.time_s,
                "is_cancelled": each.is_cancelled,
                "problem": each.problem,
            }
            for each in kept.advices
        ],
        "own_steps": [
            {"machine": machine, "step": encode(step)} for machine, step in kept.own_steps
        ],
        "runs": [encode(row) for row in kept.runs],
    }


def _cells(row: HistoryRow) -> tuple[object, ...]:
    search, run = row.search, row.run
    return (
        row.finished_on, search.network, search.phase, search.batch_size, search.precision,
        search.machine, search.key, row.setup.id, run.outcome.value,
        run.step_s if run.is_completed else "", run.first_step_s or "",
        run.peak_memory_bytes or "", "" if run.check_value is None else run.check_value,
        run.message,
    )  # fmt: skip


def _report(kept: _Kept, tr: Translator) -> Report:
    advice_heads = (
        N_("Date"),
        N_("Network"),
        NP_("of a list", "Machine"),
        N_("Best option"),
        N_("Time"),
    )
    run_heads = (
        N_("Date"), N_("Network"), N_("Job"), N_("Setting"), N_("Runs"), N_("Step"), N_("Speed"),
    )  # fmt: skip
    step_heads = (
        N_("Date"),
        N_("Network"),
        N_("Job"),
        NP_("of a list", "Machine"),
        N_("Predicted"),
        N_("As run"),
    )
    judged = _judged(kept.runs)
    parts = (
        (N_("Advice"), advice_heads, [_advice_cells(each, tr) for each in kept.advices], (4,)),
        (
            N_("Runs of trials"),
            run_heads,
            [
                _run_cells(rows, judged.get((rows[0].search.key, rows[0].setup.id)), tr)
                for rows in _alike(kept.runs)
            ],
            (4, 5, 6),
        ),
        (
            N_("Steps, predicted and run"),
            step_heads,
            [_step_cells(machine, step, tr) for machine, step in kept.own_steps],
            (4, 5),
        ),
    )
    sections = tuple(
        Section(title=tr(title), blocks=(_table(heads, rows, right, tr),))
        for title, heads, rows, right in parts
        if rows
    )
    return Report(
        title=tr(N_("History")), subtitle="", sections=sections, footer="", language=tr.language
    )


def _table(
    heads: Sequence[str],
    rows: Sequence[tuple[str, ...]],
    right_aligned: tuple[int, ...],
    tr: Translator,
) -> Table:
    return Table(heads=tuple(map(tr, heads)), rows=tuple(rows), right_aligned=right_aligned)


def _advice_cells(entry: HistoryEntry, tr: Translator) -> tuple[str, ...]:
    if entry.kind is EntryKind.DAMAGED:
        problem = entry.problem.removeprefix(f"{entry.id}: ")
        why = said_line(f"cannot be read: {problem}", tr)
        return (entry.date or UNKNOWN, UNKNOWN, UNKNOWN, why, UNKNOWN)
    best = said_title(entry.best, tr) or UNKNOWN
    if entry.is_cancelled:
        best = tr(N_("Cancelled run: {title}"), title=best)
    return (entry.date, entry.network, entry.machine, best, format_duration(entry.time_s))


def _alike(rows: Sequence[HistoryRow]) -> list[list[HistoryRow]]:
    """Return the runs of one setting in one search together, the failed ones apart."""
    found: dict[tuple[str, str, str], list[HistoryRow]] = {}
    for row in rows:
        run = row.run
        end = "" if run.is_completed else f"{run.outcome.value} {run.message}"
        found.setdefault((row.search.key, row.setup.id, end), []).append(row)
    return list(found.values())


def _judged(rows: Sequence[HistoryRow]) -> dict[tuple[str, str], TrialResult]:
    """Return what all runs of a search say together, by its key and the setting, as `try` does."""
    found = {}
    for key, own in searches_of(rows).items():
        # The runs of a damaged search are listed as they are.
        with contextlib.suppress(ValueError):
            for result in report_of(own).results:
                found[key, result.setup.id] = result
    return found


def _run_cells(
    rows: Sequence[HistoryRow], result: TrialResult | None, tr: Translator
) -> tuple[str, ...]:
    """Return the cells of runs that are alike: how many, their step, and the speed it is."""
    first = rows[0]
    search, run = first.search, first.run
    figure, speed, n_runs = UNKNOWN, "", len(rows)
    if not run.is_completed:
        figure = f"{tr(OUTCOMES[run.outcome])}: {said_line(run.message, tr)}"
    elif result is None or result.step_s is None:
        figure = format_duration(statistics.median(row.run.step_s for row in rows))
    else:
        figure, n_runs = format_duration(result.step_s.mid), max(n_runs, result.n_runs)
        speed = format_factor(result.speedup.mid) if result.speedup is not None else ""
    job = _job(Phase(search.phase), search.batch_size, tr)
    title = setup_title(first.setup, tr)
    date = max(row.finished_on for row in rows)
    return (date, search.network, job, title, str(n_runs), figure, speed)


def _step_cells(machine: str, step: OwnStep, tr: Translator) -> tuple[str, ...]:
    job = _job(step.phase, step.batch_size, tr)
    figures = (format_duration(step.predicted_s), format_duration(step.measured_s))
    return (step.measured_on, step.network, job, machine, *figures)


def _job(phase: Phase, batch_size: int, tr: Translator) -> str:
    return tr(N_("{phase}, batch {n}"), phase=tr(PHASES[phase]), n=batch_size)
