"""State and intent of the dialog that tries settings: what can be tried, the runs, the verdict.

Signals of `TrialPresenter`:
    state_changed: the new `TrialState`.
    advised: the `Recommendation` that was made anew with what was tried.
    unexpected: an exception that is a fault of the app.
Leaves to others: the trial (`ui.trying`), the words (`ui.dialogs.trial`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from advisor.errors import AdvisorError
from advisor.model.recommendation import Recommendation
from advisor.model.trial import TrialReport, TrialRun, TrialSetup
from probes.bench.process import CancelToken
from ui.background import BackgroundTask, error_line
from ui.settings import keep_last
from ui.try_run import RunSetup
from ui.trying import TrialPlan, advice_with, plan_trial, run_trial, tells_something


class TrialStage(StrEnum):
    """Where the dialog stands."""

    PREPARING = "preparing"
    READY = "ready"
    RUNNING = "running"
    STOPPING = "stopping"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialState:
    """All that the dialog shows.

    Attributes:
        plan: what can be tried, None until it is known.
        option_id: the option from which the user came.
        running: what runs now; runs: all finished ones with their setups, newest last.
        report: the verdicts, None until all is run; is_advised: the advice was made anew.
        message: one line when failed, "" otherwise.
    """

    stage: TrialStage = TrialStage.PREPARING
    plan: TrialPlan | None = None
    option_id: str = ""
    running: TrialSetup | None = None
    runs: tuple[tuple[TrialSetup, TrialRun], ...] = ()
    report: TrialReport | None = None
    is_advised: bool = False
    message: str = ""

    @property
    def is_running(self) -> bool:
        """Whether something runs that can be stopped."""
        return self.stage in (TrialStage.RUNNING, TrialStage.STOPPING)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Started:
    setup: TrialSetup


@dataclass(frozen=True, slots=True, kw_only=True)
class _Finished:
    setup: TrialSetup
    run: TrialRun


class TrialPresenter(QObject):
    """Prepares and runs trials beside the window; nothing runs before `start`."""

    state_changed = Signal(object)
    advised = Signal(object)
    unexpected = Signal(object)

    def __init__(
        self,
        *,
        plan: Callable[..., TrialPlan] = plan_trial,
        run: RunSetup | None = None,
        keep: Callable[[Recommendation], object] = keep_last,
        parent: QObject | None = None,
    ) -> None:
        """Take what plans, what runs a setup (None: as `Searcher`), and what keeps the advice."""
        super().__init__(parent)
        self._plan, self._run_setup, self._keep = plan, run, keep
        self._state = TrialState()
        self._cancel = CancelToken()
        self._task: BackgroundTask | None = None

    @property
    def state(self) -> TrialState:
        """What is to be shown now."""
        return self._state

    def prepare(
        self, advice: Recommendation, *, option_id: str, model_file: Path | None = None
    ) -> None:
        """Find out what can be tried for the job of an advice."""
        if self._task is not None:
            return
        self._replace(TrialState(option_id=option_id))
        self._begin(lambda _send: self._plan(advice, model_file=model_file), self._on_plan)

    def start(self, names: Sequence[str], *, minutes: float) -> None:
        """Run the named setups and the state now in turn; the user has agreed."""
        plan = self._state.plan
        if self._task is not None or plan is None:
            return
        setups = tuple(setup for setup in plan.setups[1:] if setup.id in names)
        self._cancel = cancel = CancelToken()
        self._replace(
            TrialState(stage=TrialStage.RUNNING, plan=plan, option_id=self._state.option_id)
        )

        def work(send: Callable[[Any], None]) -> tuple[TrialReport, Recommendation | None]:
            report = run_trial(
                plan,
                setups,
                minutes=minutes,
                on_start=lambda setup: send(_Started(setup=setup)),
                on_run=lambda setup, run: send(_Finished(setup=setup, run=run)),
                cancel=cancel,
                run=self._run_setup,
            )
            if not tells_something(report):
                return report, None
            advice = advice_with(report, plan.advice)
            self._keep(advice)
            return report, advice

        self._begin(work, self._on_report)

    def stop(self) -> None:
        """Stop; what was run is kept."""
        if self._state.stage is TrialStage.RUNNING:
            self._cancel.cancel()
            self._replace(replace(self._state, stage=TrialStage.STOPPING))

    def wait(self, timeout_s: float) -> bool:
        """Stop and wait for the thread to end; tell whether none is left."""
        self._cancel.cancel()
        return self._task is None or self._task.wait(timeout_s)

    def _begin(
        self, work: Callable[[Callable[[Any], None]], Any], on_done: Callable[[Any], None]
    ) -> None:
        self._task = task = BackgroundTask(work, parent=self)
        task.sent.connect(self._on_news)
        task.done.connect(on_done)
        task.failed.connect(self._on_failed)
        task.start()

    def _on_news(self, news: _Started | _Finished) -> None:
        if isinstance(news, _Started):
            self._replace(replace(self._state, running=news.setup))
        else:
            runs = (*self._state.runs, (news.setup, news.run))
            self._replace(replace(self._state, running=None, runs=runs))

    def _on_plan(self, plan: TrialPlan) -> None:
        self._task = None
        self._replace(replace(self._state, stage=TrialStage.READY, plan=plan))

    def _on_report(self, found: tuple[TrialReport, Recommendation | None]) -> None:
        self._task = None
        report, advice = found
        stage = TrialStage.STOPPED if self._cancel.is_cancelled else TrialStage.DONE
        self._replace(
            replace(
                self._state,
                stage=stage,
                running=None,
                report=report,
                is_advised=advice is not None,
            )
        )
        if advice is not None:
            self.advised.emit(advice)

    def _on_failed(self, error: Exception) -> None:
        self._task = None
        text = error_line(error)
        self._replace(replace(self._state, stage=TrialStage.FAILED, running=None, message=text))
        if not isinstance(error, AdvisorError | OSError):
            self.unexpected.emit(error)

    def _replace(self, state: TrialState) -> None:
        self._state = state
        self.state_changed.emit(state)
