"""State and intent of the history page: what was advised and tried before.

Signals of `HistoryPresenter`:
    state_changed: the new `HistoryState`.
    saved: path of a file that was written.
    refused: one line why something was not done.
    unexpected: an exception that is a fault of the app.
Leaves to others: the entries (`ui.models.history_entries`), the words (`ui.views.history`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from advisor.errors import AdvisorError, InputError
from advisor.i18n import N_, Translator
from advisor.model.own_step import OwnStep
from advisor.model.recommendation import Recommendation
from advisor.model.trial import TrialReport
from ui.background import BackgroundTask, error_line
from ui.files import read_document, write_bytes, write_document
from ui.history.store import History
from ui.models.history_diff import Diff, diff_advices, diff_trials
from ui.models.history_entries import (
    EntryKind,
    HistoryEntry,
    open_entry,
    own_step_id,
    own_step_key,
    read_advices,
    read_trials,
)
from ui.models.history_rows import history_csv, problem_text
from ui.settings import advices_folder, trials_file

# Entries that are told together: each telling lays the table out anew.
_BATCH = 20

Answer = Recommendation | TrialReport | OwnStep | Diff


class HistoryStage(StrEnum):
    """Where the page stands."""

    EMPTY = "empty"
    READING = "reading"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryState:
    """All that the page shows.

    Attributes:
        entries: newest first.
        chosen: ids of the chosen entries.
        answer: of what is chosen; None: nothing, or it is being read (`is_answering`).
        message: one line when failed; problem: why there is no answer; "" otherwise.
    """

    stage: HistoryStage = HistoryStage.EMPTY
    entries: tuple[HistoryEntry, ...] = ()
    chosen: tuple[str, ...] = ()
    answer: Answer | None = None
    is_answering: bool = False
    message: str = ""
    problem: str = ""

    def entry(self, name: str) -> HistoryEntry | None:
        """Return the entry of an id, None when it is gone."""
        return next((entry for entry in self.entries if entry.id == name), None)


class HistoryPresenter(QObject):
    """Reads the history beside the window; a reading that is overtaken is not shown."""

    state_changed = Signal(object)
    saved = Signal(str)
    refused = Signal(str)
    unexpected = Signal(object)

    def __init__(
        self,
        *,
        translator: Translator,
        folder: Callable[[], Path] = advices_folder,
        trials: Callable[[], Path] = trials_file,
        parent: QObject | None = None,
    ) -> None:
        """Take where the history lies."""
        super().__init__(parent)
        self._tr = translator
        self._folder, self._trials = folder, trials
        self._state = HistoryState()
        self._foreign: tuple[HistoryEntry, ...] = ()
        self._reading: BackgroundTask | None = None
        self._tasks: list[BackgroundTask] = []

    @property
    def state(self) -> HistoryState:
        """What is to be shown now."""
        return self._state

    def read(self) -> None:
        """Read the history anew; what was read before stays to be seen until then."""
        if self._reading is not None:
            return
        is_first = not self._state.entries
        if is_first:
            self._replace(replace(self._state, stage=HistoryStage.READING, message=""))
        folder, trials = self._folder(), self._trials()

        def work(send: Callable[[Any], None]) -> tuple[HistoryEntry, ...]:
            found = list(read_trials(trials))
            for number, entry in enumerate(read_advices(folder), start=1):
                found.append(entry)
                if is_first and number % _BATCH == 0:
                    send(tuple(found))
            return tuple(found)

        self._reading = task = self._task(work)
        task.sent.connect(lambda found: self._take(found, stage=HistoryStage.READING))
        task.done.connect(self._on_read)
        task.failed.connect(self._on_failed)
        task.start()

    def choose(self, names: Sequence[str]) -> None:
        """Read what the user chose: one result, or two to be compared."""
        chosen = tuple(names)
        if chosen == self._state.chosen and (self._state.answer or self._state.is_answering):
            return
        entries = [entry for name in chosen if (entry := self._state.entry(name)) is not None]
        problem = self._problem(entries)
        is_answering = bool(entries) and not problem
        self._replace(
            replace(
                self._state, chosen=chosen, answer=None, is_answering=is_answering, problem=problem
            )
        )
        if not is_answering:
            return
        task = self._task(lambda _send: answer_of(entries))
        task.done.connect(lambda answer: self._on_answer(chosen, answer))
        task.failed.connect(lambda error: self._on_no_answer(chosen, error))
        task.start()

    def _problem(self, entries: Sequence[HistoryEntry]) -> str:
        damaged = next((entry for entry in entries if entry.kind is EntryKind.DAMAGED), None)
        if damaged is not None:
            return problem_text(damaged, self._tr)
        if len(entries) > 2:
            return self._tr(N_("Choose one to see its answer, or two to compare them."))
        kinds = {entry.kind for entry in entries}
        if len(entries) > 1 and EntryKind.OWN_STEP in kinds:
            return self._tr(N_("A step that was run is compared with nothing: choose it alone."))
        if len(kinds) > 1:
            return self._tr(N_("An advice and a trial cannot be compared: choose two alike."))
        return ""

    def open_file(self, name: str) -> None:
        """Show a saved result from anywhere; it is not copied."""
        task = self._task(lambda _send: open_entry(Path(name)))
        task.done.connect(self._on_opened)
        task.failed.connect(self._on_refused)
        task.start()

    def delete(self, name: str) -> None:
        """Delete a result of the history for good."""
        entry = self._state.entry(name)
        if entry is None or entry.is_foreign:
            return
        trials = self._trials()

        def work(_send: Callable[[Any], None]) -> None:
            if entry.id == str(trials):
                raise InputError(f"{trials}: holds all trials: remove the file yourself")
            if Path(entry.id).is_absolute():
                Path(entry.id).unlink(missing_ok=True)
                return
            key = own_step_key(entry.id)
            with History(trials) as history:
                if key is None:
                    history.remove(entry.id)
                else:
                    history.remove_own_step(key)

        task = self._task(work)
        task.done.connect(lambda _nothing: self._on_deleted(name))
        task.failed.connect(self._on_refused)
        task.start()

    def save_csv_to(self, name: str) -> None:
        """Write the list as CSV."""
        data = history_csv(self._state.entries, self._tr).encode("utf-8")
        self._write(name, lambda: write_bytes(Path(name), data))

    def save_json_to(self, name: str) -> None:
        """Write the chosen result with everything it was made from."""
        answer = self._state.answer
        if isinstance(answer, Recommendation | TrialReport):
            self._write(name, lambda: write_document(str(Path(name)), answer))

    def wait(self, timeout_s: float) -> bool:
        """Wait for the threads to end; tell whether none is left."""
        return all(task.wait(timeout_s) for task in tuple(self._tasks))

    def _write(self, name: str, write: Callable[[], None]) -> None:
        task = self._task(lambda _send: write())
        task.done.connect(lambda _nothing: self.saved.emit(name))
        task.failed.connect(self._on_refused)
        task.start()

    def _task(self, work: Callable[[Callable[[Any], None]], Any]) -> BackgroundTask:
        task = BackgroundTask(work, parent=self)
        self._tasks.append(task)
        for end in (task.done, task.failed):
            end.connect(lambda _value: self._tasks.remove(task))
        return task

    def _take(self, found: tuple[HistoryEntry, ...], *, stage: HistoryStage) -> None:
        names = {entry.id for entry in found}
        foreign = tuple(entry for entry in self._foreign if entry.id not in names)
        kept = sorted(found, key=lambda entry: entry.date, reverse=True)
        entries = (*foreign, *kept)
        if not entries and stage is HistoryStage.READY:
            stage = HistoryStage.EMPTY
        self._replace(replace(self._state, stage=stage, entries=entries, message=""))

    def _on_read(self, found: tuple[HistoryEntry, ...]) -> None:
        self._reading = None
        self._take(found, stage=HistoryStage.READY)
        if any(self._state.entry(name) is None for name in self._state.chosen):
            self.choose(())

    def _on_failed(self, error: Exception) -> None:
        self._reading = None
        self._replace(replace(self._state, stage=HistoryStage.FAILED, message=error_line(error)))
        if not isinstance(error, AdvisorError | OSError):
            self.unexpected.emit(error)

    def _on_answer(self, chosen: tuple[str, ...], answer: Answer) -> None:
        if chosen == self._state.chosen:
            self._replace(replace(self._state, answer=answer, is_answering=False))

    def _on_no_answer(self, chosen: tuple[str, ...], error: Exception) -> None:
        if chosen == self._state.chosen:
            self._replace(replace(self._state, is_answering=False, problem=error_line(error)))
        if not isinstance(error, AdvisorError | OSError):
            self.unexpected.emit(error)

    def _on_opened(self, entry: HistoryEntry) -> None:
        others = tuple(old for old in self._foreign if old.id != entry.id)
        known = tuple(old for old in self._state.entries if old.id != entry.id)
        if not any(old.id == entry.id and not old.is_foreign for old in self._state.entries):
            self._foreign = (entry, *others)
            self._replace(replace(self._state, stage=HistoryStage.READY, entries=(entry, *known)))
        self.choose((entry.id,))

    def _on_deleted(self, name: str) -> None:
        # A step goes with the trial that it is from.
        gone = (name, own_step_id(name))
        entries = tuple(entry for entry in self._state.entries if entry.id not in gone)
        stage = HistoryStage.READY if entries else HistoryStage.EMPTY
        self._replace(replace(self._state, stage=stage, entries=entries))
        if name in self._state.chosen:
            self.choose(())

    def _on_refused(self, error: Exception) -> None:
        self.refused.emit(error_line(error))
        if not isinstance(error, AdvisorError | OSError):
            self.unexpected.emit(error)

    def _replace(self, state: HistoryState) -> None:
        self._state = state
        self.state_changed.emit(state)


def answer_of(entries: Sequence[HistoryEntry]) -> Answer:
    """Return what one entry holds, or two compared, the older one before.

    Raises:
        InputError: when a file is gone or the two cannot be compared.
    """
    if len(entries) == 1:
        return _content(entries[0])
    before, after = sorted(entries, key=lambda entry: entry.date)
    names = (before.date, after.date)
    old, new = _content(before), _content(after)
    if isinstance(old, Recommendation) and isinstance(new, Recommendation):
        return diff_advices(old, new, names=names)
    if isinstance(old, TrialReport) and isinstance(new, TrialReport):
        return diff_trials(old, new, names=names)
    raise InputError("an advice and a trial cannot be compared")


def _content(entry: HistoryEntry) -> Recommendation | TrialReport | OwnStep:
    return entry.report or entry.own_step or read_document(Path(entry.id), Recommendation)
