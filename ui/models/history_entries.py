"""What was advised and tried before, one entry for each, read from the user's own data.

A file that cannot be read is an entry with the reason.
Leaves to others: the files (`ui.history`), words and rows (`ui.models.history_rows`).
"""

import datetime as dt
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from advisor.errors import AdvisorError, InputError
from advisor.i18n import N_
from advisor.model.own_step import OwnStep
from advisor.model.quantity import Phase, Precision
from advisor.model.recommendation import Recommendation
from advisor.model.trial import TrialReport
from advisor.trial.judge import judge_all
from advisor.trial.plan import BASELINE_ID, baseline_setup
from ui.files import read_document
from ui.history.advices import kept_advices, kept_at
from ui.history.rows import HistoryRow, OwnStepRow
from ui.history.store import History

_OWN_STEP = "own-step:"
_DAMAGED_STEP = N_("the figures of this step cannot be read: delete it")


class EntryKind(StrEnum):
    """What an entry is."""

    ADVICE = "advice"
    TRIAL = "trial"
    OWN_STEP = "own_step"
    DAMAGED = "damaged"


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryEntry:
    """One thing of the history.

    Attributes:
        id: unique: the path of the file, the key of the search, or `own_step_id` of that key.
        date: local date and time, or the date alone, in ISO form.
        best: title of the best option of an advice, "" otherwise.
        time_s: of the whole job with the best option; None: not known, or a trial.
        report: of a trial; own_step: a step as predicted and as run; None otherwise.
        problem: why it cannot be read, "" otherwise.
        is_cancelled: an advice from a run that was stopped before its end.
        is_foreign: a file that the user opened from elsewhere; it is never deleted.
    """

    id: str
    kind: EntryKind
    date: str
    network: str = ""
    machine: str = ""
    best: str = ""
    time_s: float | None = None
    report: TrialReport | None = None
    own_step: OwnStep | None = None
    problem: str = ""
    is_cancelled: bool = False
    is_foreign: bool = False


def own_step_id(key: str) -> str:
    """Return the id of the entry of the step that the search with this key tried."""
    return f"{_OWN_STEP}{key}"


def own_step_key(name: str) -> str | None:
    """Return the key of the search, from the id of the entry of its step; None: another entry."""
    return name.removeprefix(_OWN_STEP) if name.startswith(_OWN_STEP) else None


def read_advices(folder: Path) -> Iterator[HistoryEntry]:
    """Yield the kept advice, the newest first."""
    for path in kept_advices(folder):
        yield advice_entry(path)


def advice_entry(path: Path, *, is_foreign: bool = False) -> HistoryEntry:
    """Return the entry of a file that should hold an advice."""
    moment = kept_at(path)
    date = "" if moment is None else _local_date(moment)
    try:
        advice = read_document(path, Recommendation)
    except AdvisorError as error:
        problem = " ".join(str(error).split())
        return HistoryEntry(
            id=str(path), kind=EntryKind.DAMAGED, date=date, problem=problem, is_foreign=is_foreign
        )
    first = advice.ranked[0] if advice.ranked else None
    return HistoryEntry(
        id=str(path),
        kind=EntryKind.ADVICE,
        date=date or advice.created_on,
        network=advice.workload.title,
        machine=advice.profile.cpu.brand,
        best="" if first is None else first.option.title,
        time_s=None if first is None else first.prediction.total_s.mid,
        is_cancelled=advice.measurements is not None and advice.measurements.is_cancelled,
        is_foreign=is_foreign,
    )


def _local_date(moment: dt.datetime) -> str:
    return moment.astimezone().strftime("%Y-%m-%d %H:%M")


def _date_of(row: HistoryRow) -> str:
    try:
        return _local_date(dt.datetime.fromisoformat(row.finished_at))
    except ValueError:
        return row.finished_on  # only the date was kept


def open_entry(path: Path) -> HistoryEntry:
    """Return the entry of a saved advice or of a saved trial, wherever it lies.

    Raises:
        InputError: when it is neither.
    """
    if _kind_of(path) == TrialReport.__name__:
        report = read_document(path, TrialReport)
        return HistoryEntry(
            id=str(path),
            kind=EntryKind.TRIAL,
            date=report.measured_on,
            network=report.title,
            report=report,
            is_foreign=True,
        )
    entry = advice_entry(path, is_foreign=True)
    if entry.kind is EntryKind.DAMAGED:
        raise InputError(entry.problem)
    return entry


def _kind_of(path: Path) -> str:
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return ""
    return str(body.get("kind", "")) if isinstance(body, dict) else ""


def read_trials(path: Path) -> Iterator[HistoryEntry]:
    """Yield an entry for each search that was kept, and one for the step that it tried.

    The newest search first; none without the file.
    """
    if not path.is_file():
        return
    try:
        with History(path) as history:
            rows, steps = history.rows(), history.own_step_rows()
    except (AdvisorError, AssertionError) as error:
        problem = " ".join(str(error).split())
        yield HistoryEntry(id=str(path), kind=EntryKind.DAMAGED, date="", problem=problem)
        return
    for key, own in reversed(searches_of(rows).items()):
        yield _trial_entry(key, own)
    for step in reversed(steps):
        yield _own_step_entry(step)


def _own_step_entry(row: OwnStepRow) -> HistoryEntry:
    search, step = row.search, row.step
    return HistoryEntry(
        id=own_step_id(search.key),
        kind=EntryKind.DAMAGED if step is None else EntryKind.OWN_STEP,
        date=search.created_on if step is None else step.measured_on,
        network=search.title,
        machine=search.machine,
        own_step=step,
        problem=_DAMAGED_STEP if step is None else "",
    )


def _trial_entry(key: str, rows: list[HistoryRow]) -> HistoryEntry:
    search = rows[0].search
    try:
        report = report_of(rows)
    except ValueError as error:
        return HistoryEntry(
            id=key, kind=EntryKind.DAMAGED, date=_date_of(rows[-1]), problem=str(error)
        )
    return HistoryEntry(
        id=key,
        kind=EntryKind.TRIAL,
        date=_date_of(rows[-1]),
        network=search.title,
        machine=search.machine,
        report=report,
    )


def searches_of(rows: Iterable[HistoryRow]) -> dict[str, list[HistoryRow]]:
    """Return the runs of each search by its key, both in their order."""
    found: dict[str, list[HistoryRow]] = {}
    for row in rows:
        found.setdefault(row.search.key, []).append(row)
    return found


def report_of(rows: list[HistoryRow]) -> TrialReport:
    """Return the judged report of the runs of one search, also of one that was broken off."""
    search = rows[0].search
    setups = {row.setup.id: row.setup for row in rows}
    baseline = setups.pop(BASELINE_ID, baseline_setup())
    precision = Precision(search.precision)
    runs = [row.run for row in rows]
    return TrialReport(
        measured_on=rows[-1].finished_on,
        source=search.network,
        title=search.title,
        phase=Phase(search.phase),
        batch_size=search.batch_size,
        precision=precision,
        results=judge_all([baseline, *setups.values()], runs, precision=precision),
        duration_s=sum(run.duration_s for run in runs),
    )
