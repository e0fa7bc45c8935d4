"""State and intent of the main job: what the window shows before, while and after measuring.

Holds one frozen state and replaces it; knows no widgets.
Leaves to others: the steps (`ui.journey`), the widgets (`ui.views.start`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from advisor.errors import AdvisorError, InputError
from advisor.i18n import N_, Translator
from advisor.model.machine import MachineProfile
from advisor.model.measurement import BenchmarkRequest, FailedMeasurement, Measurement
from advisor.model.recommendation import Recommendation
from probes.bench.events import KernelFinished, KernelStarted
from probes.bench.process import CancelToken
from ui.background import BackgroundTask, error_line
from ui.files import read_document, write_bytes, write_document
from ui.journey import (
    JourneyEvent,
    JourneyRequest,
    PlanReady,
    ProfileReady,
    ProvisionalReady,
    WhatIf,
    now,
    rank_anew,
    walk,
)
from ui.last_measured import MeasuredRun
from ui.settings import keep_last, read_last
from ui.sitting import Sitting, n_taken

# A child that is asked to stop has gone within this time, whatever it does.
CLOSE_TIMEOUT_S = 8.0
# Kernels finish faster than anybody reads, and each repaint takes time from what is measured.
REPAINT_MS = 300

Walk = Callable[..., Recommendation]


class Stage(StrEnum):
    """Where the main job stands."""

    EMPTY = "empty"
    PROBING = "probing"
    MEASURING = "measuring"
    CANCELLING = "cancelling"
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"
    LAST = "last"


BUSY_STAGES = (Stage.PROBING, Stage.MEASURING, Stage.CANCELLING)


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviseState:
    """All that the page shows.

    Attributes:
        profile: the machine, None until it is known.
        recommendation: the best answer so far; is_provisional: made without measurements.
        what_if: the answer to other circumstances of the same job, None where none are asked for.
        running: kernel under measurement; results: all finished ones, newest last.
        n_taken: how many of them are of an earlier run of the same sitting.
        message: one line for the user when failed, "" otherwise.
    """

    stage: Stage = Stage.EMPTY
    profile: MachineProfile | None = None
    recommendation: Recommendation | None = None
    what_if: Recommendation | None = None
    is_provisional: bool = False
    running: BenchmarkRequest | None = None
    results: tuple[Measurement | FailedMeasurement, ...] = ()
    n_total: int = 0
    n_taken: int = 0
    message: str = ""

    @property
    def shown(self) -> Recommendation | None:
        """The answer that is looked at, saved and exported."""
        return self.what_if or self.recommendation

    @property
    def is_busy(self) -> bool:
        """Whether something runs that can be cancelled."""
        return self.stage in BUSY_STAGES


class AdvisePresenter(QObject):
    """Runs the main job for a view.

    Signals:
        state_changed: the new `AdviseState`.
        saved: path of a file that was written.
        refused: one line why a file was not written, or not read.
        unexpected: an exception that is a fault of the app, not of the user's input.
        closed: after `close`, nothing runs any more.
    """

    state_changed = Signal(object)
    saved = Signal(str)
    refused = Signal(str)
    unexpected = Signal(object)
    closed = Signal()

    def __init__(
        self,
        *,
        translator: Translator,
        walk_line: Walk = walk,
        keep: Callable[[Recommendation], str | None] = keep_last,
        read: Callable[[], Recommendation | None] = read_last,
        rerank: Callable[[Recommendation, WhatIf], Recommendation] = rank_anew,
        sitting: Sitting | None = None,
        parent: QObject | None = None,
    ) -> None:
        """Take the functions that walk the line and keep and read the answer; tests pass others."""
        super().__init__(parent)
        self._tr = translator
        self._walk = walk_line
        self._keep = keep
        self._read = read
        self._rerank = rerank
        self._what_if: WhatIf | None = None
        self._what_if_task: BackgroundTask | None = None
        self._sitting = sitting or Sitting()
        self._state = AdviseState()
        self._task: BackgroundTask | None = None
        self._cancel = CancelToken()
        self._is_closing = False
        self._repaint = QTimer(self)
        self._repaint.setSingleShot(True)
        self._repaint.setInterval(REPAINT_MS)
        self._repaint.timeout.connect(lambda: self.state_changed.emit(self._state))

    def speak(self, translator: Translator) -> None:
        """Use another language from now on."""
        self._tr = translator

    @property
    def state(self) -> AdviseState:
        """What is to be shown now."""
        return self._state

    def start(self, request: JourneyRequest, *, is_anew: bool = False) -> None:
        """Start the main job; a second start while it runs does nothing.

        Args:
            request: the job.
            is_anew: whether all is measured, though it was a moment ago.
        """
        if self._state.is_busy or self._is_closing:
            return
        self._cancel = cancel = CancelToken()
        self._what_if = None
        known = self._state.recommendation
        if known is not None and known.measurements is not None:
            # In memory: reading a file would keep the window waiting for the interpreter.
            run = MeasuredRun(profile=known.profile, measurements=known.measurements)
            request = replace(request, earlier=run)
        if not is_anew:
            request = self._sitting.with_known(request)
        self._replace(AdviseState(stage=Stage.PROBING))

        def work(send: Callable[[Any], None]) -> tuple[Recommendation, str | None]:
            advice = self._walk(request, on_event=send, cancel=cancel)
            # Kept before anything is told: whoever closes the window now loses nothing.
            return advice, self._keep(advice)

        self._task = BackgroundTask(work, parent=self)
        self._task.sent.connect(self._on_event)
        self._task.done.connect(lambda kept: self._on_done(kept, request))
        self._task.failed.connect(self._on_failed)
        self._task.start()

    def ask_what_if(self, what_if: WhatIf) -> None:
        """Rank the options of the advice anew for other epochs or limits, or for its own again.

        Nothing is measured; only the last of several quick questions is answered.
        """
        advice = self._state.recommendation
        if advice is None or self._state.is_busy:
            return
        self._what_if = what_if
        if self._what_if_task is None:
            self._rank_anew(advice, what_if)

    def _rank_anew(self, advice: Recommendation, what_if: WhatIf) -> None:
        self._what_if = None
        if what_if == WhatIf.of(advice):
            self._replace(replace(self._state, what_if=None))
            return
        task = BackgroundTask(lambda _send: self._rerank(advice, what_if), parent=self)
        self._what_if_task = task
        task.done.connect(lambda found: self._on_ranked(found, of=advice))
        task.failed.connect(self._on_rank_failed)
        task.start()

    def _on_ranked(self, found: Recommendation, *, of: Recommendation) -> None:
        self._what_if_task = None
        advice = self._state.recommendation
        if advice is None or self._state.is_busy:
            return
        # What is shown may be another advice by now.
        if advice is of:
            self._replace(replace(self._state, what_if=found))
        if self._what_if is not None:
            self._rank_anew(advice, self._what_if)

    def _on_rank_failed(self, error: Exception) -> None:
        self._what_if_task = None
        self.unexpected.emit(error)

    def forget_failure(self) -> None:
        """Take a failure off the page: the user does something else now.

        What was known when a run failed stays to be seen.
        """
        state = self._state
        if state.stage is Stage.FAILED:
            stage = Stage.EMPTY if state.recommendation is None else Stage.CANCELLED
            self._replace(replace(state, stage=stage, message=""))

    def show_last(self) -> None:
        """Show the advice of the last run, of an earlier start perhaps."""
        if self._state.is_busy:
            return
        self.forget_failure()
        advice = self._read()
        if advice is None:
            self.refused.emit(self._tr(N_("The last advice cannot be read: press Advise me.")))
            return
        self.show_advice(advice)

    def open_file(self, name: str) -> bool:
        """Show the advice that a file holds; tell whether it does."""
        self.forget_failure()
        try:
            advice = read_document(Path(name), Recommendation)
        except InputError as error:
            self.refused.emit(error_line(error))
            return False
        self.show_advice(advice)
        return True

    def show_advice(self, advice: Recommendation) -> None:
        """Show an advice that was made before; while the job runs it does nothing."""
        if self._state.is_busy or self._is_closing:
            return
        results = advice.measurements.results if advice.measurements else ()
        self._what_if = None
        self._replace(
            AdviseState(
                stage=Stage.LAST,
                profile=advice.profile,
                recommendation=advice,
                is_provisional=advice.measurements is None,
                results=results,
            )
        )

    def cancel(self) -> None:
        """Stop measuring; what was measured is kept."""
        if self._state.is_busy:
            self._cancel.cancel()
            self._replace(replace(self._state, stage=Stage.CANCELLING))

    def close(self) -> None:
        """Stop everything and tell by `closed`, at once or when the last child has gone."""
        self._is_closing = True
        if not self._state.is_busy:
            self.closed.emit()
            return
        self.cancel()
        QTimer.singleShot(int(CLOSE_TIMEOUT_S * 1000), self, self.closed.emit)

    def wait(self, timeout_s: float) -> bool:
        """Wait for the job's thread to end; tell whether none is left."""
        tasks = (self._task, self._what_if_task)
        return all(task is None or task.wait(timeout_s) for task in tasks)

    def export_pdf_to(self, name: str) -> None:
        """Write the shown advice as PDF."""
        path = Path(name)
        advice = self._state.shown
        if advice is None:
            return
        # Only an export loads what writes PDF.
        from advisor.report.build import build_report
        from advisor.report.pdf import render_pdf

        report = build_report(advice, self._tr)
        self._write(path, lambda: write_bytes(path, render_pdf(report, created_at=now())))

    def save_json_to(self, name: str) -> None:
        """Write the shown advice, with everything it was made from."""
        path = Path(name)
        advice = self._state.shown
        if advice is None:
            return
        self._write(path, lambda: write_document(str(path), advice))

    def _write(self, path: Path, write: Callable[[], None]) -> None:
        try:
            write()
        except (AdvisorError, OSError) as error:
            self.refused.emit(error_line(error))
        else:
            self.saved.emit(str(path))

    def _replace(self, state: AdviseState) -> None:
        self._repaint.stop()
        self._state = state
        self.state_changed.emit(state)
        if self._is_closing and not state.is_busy:
            self.closed.emit()

    def _replace_soon(self, state: AdviseState) -> None:
        """Replace the state now and tell it a little later, with what comes until then."""
        self._state = state
        if not self._repaint.isActive():
            self._repaint.start()

    def _on_event(self, event: JourneyEvent) -> None:
        """Take in what the run tells; its advice comes with its end, once that is kept on disk."""
        state = self._state
        if isinstance(event, ProfileReady):
            self._replace(replace(state, profile=event.profile))
        elif isinstance(event, ProvisionalReady):
            advice = event.recommendation
            self._replace(replace(state, recommendation=advice, is_provisional=True))
        elif isinstance(event, PlanReady):
            stage = Stage.CANCELLING if self._cancel.is_cancelled else Stage.MEASURING
            self._replace(replace(state, stage=stage, n_total=event.n_kernels))
        elif isinstance(event, KernelStarted):
            self._replace_soon(replace(state, running=event.request))
        elif isinstance(event, KernelFinished):
            results = (*state.results, event.result)
            self._replace_soon(replace(state, running=None, results=results))

    def _on_done(self, kept: tuple[Recommendation, str | None], request: JourneyRequest) -> None:
        advice, reason = kept
        known = None if request.known is None else request.known.measurements
        taken = n_taken(advice.measurements, known)
        results = advice.measurements.results if taken and advice.measurements else None
        self._sitting.keep(request, advice)
        stage = Stage.CANCELLED if self._cancel.is_cancelled else Stage.DONE
        self._replace(
            replace(
                self._state,
                stage=stage,
                recommendation=advice,
                is_provisional=advice.measurements is None,
                running=None,
                results=self._state.results if results is None else results,
                n_taken=taken,
            )
        )
        if reason is not None:
            text = N_("The advice could not be kept for later: {reason}")
            self.refused.emit(self._tr(text, reason=reason))

    def _on_failed(self, error: Exception) -> None:
        text = error_line(error)
        is_expected = isinstance(error, AdvisorError | OSError)
        if not is_expected:
            text = self._tr(
                N_("DL Advisor made a mistake: {error}. Start again, or choose another job."),
                error=f"{type(error).__name__}: {text}",
            )
        self._replace(replace(self._state, stage=Stage.FAILED, message=text, running=None))
        if not is_expected:
            self.unexpected.emit(error)
