"""`dl-advisor history`: what was tried before.

Leaves to others: keeping it (`ui.history.store`).
"""

import argparse
import csv
import json
import sys

from advisor.format import format_duration
from advisor.i18n import N_, Translator
from advisor.model.codec import encode
from advisor.model.quantity import Phase
from advisor.report.columns import pad
from advisor.report.names import OUTCOMES, PHASES
from advisor.report.said import said_line
from advisor.report.trial_section import setup_title
from ui.commands import say
from ui.exits import EXIT_DONE
from ui.history.store import History, HistoryRow
from ui.language import user_translator
from ui.terminal import print_line
from ui.try_commands import history_file

_HEADS = ("finished_on", "network", "phase", "batch_size", "precision", "machine", "search",
          "setup", "outcome", "step_s", "first_step_s", "peak_memory_bytes", "check_value",
          "message")  # fmt: skip


def history(options: argparse.Namespace) -> int:
    """Print all finished runs."""
    path = history_file()
    rows: tuple[HistoryRow, ...] = ()
    if path.is_file():
        with History(path) as kept:
            rows = kept.rows()
    if options.json:
        print_line(json.dumps([encode(row) for row in rows], indent=1, ensure_ascii=False))
    elif options.csv:
        writer = csv.writer(sys.stdout)
        writer.writerow(_HEADS)
        writer.writerows(_cells(row) for row in rows)
    elif not rows:
        say("nothing was tried yet: run `dl-advisor try`")
    else:
        tr = user_translator()
        for row in rows:
            print_line(_line(row, tr))
    return EXIT_DONE


def _cells(row: HistoryRow) -> tuple[object, ...]:
    search, run = row.search, row.run
    return (
        row.finished_on, search.network, search.phase, search.batch_size, search.precision,
        search.machine, search.key, row.setup.id, run.outcome.value,
        run.step_s if run.is_completed else "", run.first_step_s or "",
        run.peak_memory_bytes or "", "" if run.check_value is None else run.check_value,
        run.message,
    )  # fmt: skip


def _line(row: HistoryRow, tr: Translator) -> str:
    search, run = row.search, row.run
    figure = (
        format_duration(run.step_s)
        if run.is_completed
        else f"{tr(OUTCOMES[run.outcome])}: {said_line(run.message, tr)}"
    )
    phase = tr(PHASES[Phase(search.phase)])
    batch = tr(N_("batch {n}"), n=search.batch_size)
    return (
        f"{row.finished_on}  {search.network:24} {pad(phase, 9)} "
        f"{pad(batch, 11)} {pad(setup_title(row.setup, tr), 40)} {figure}"
    )
