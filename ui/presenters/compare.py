"""State of the compare page: this machine among published results, worked out beside the window.

Signals of `ComparePresenter`:
    state_changed: the new `CompareState`.
    unexpected: an exception that is a fault of the app.
Leaves to others: the comparison (`ui.comparing`), its words (`ui.models.compare_rows`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from PySide6.QtCore import QObject, Signal

from advisor.model.comparison import Comparison
from advisor.model.recommendation import Recommendation
from ui.background import BackgroundTask, error_line
from ui.dataset import bundled_knowledge


class CompareStage(StrEnum):
    """Where the page stands."""

    EMPTY = "empty"
    WORKING = "working"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareState:
    """All that the page shows; `message` is one line when failed, "" otherwise."""

    stage: CompareStage = CompareStage.EMPTY
    comparison: Comparison | None = None
    message: str = ""


def compare_with_dataset(advice: Recommendation) -> Comparison:
    """Return the comparison with the bundled dataset and the user's own rows."""
    # Only this page loads the comparison.
    from ui.comparing import compare_all

    return compare_all(advice, bundled_knowledge())


def _subjects(advice: Recommendation) -> tuple[object, ...]:
    """Return what a comparison depends on, of all that is in an advice."""
    return advice.profile, advice.measurements, advice.workload, advice.baseline


class ComparePresenter(QObject):
    """Compares when the page is looked at and something new is known."""

    state_changed = Signal(object)
    unexpected = Signal(object)

    def __init__(
        self,
        *,
        compare: Callable[[Recommendation], Comparison] = compare_with_dataset,
        parent: QObject | None = None,
    ) -> None:
        """Take the function that compares."""
        super().__init__(parent)
        self._compare = compare
        self._state = CompareState()
        self._wanted: Recommendation | None = None
        self._shown: tuple[object, ...] | None = None
        self._task: BackgroundTask | None = None

    @property
    def state(self) -> CompareState:
        """What is to be shown now."""
        return self._state

    def take(self, advice: Recommendation | None) -> None:
        """Keep the advice whose subjects are compared when the page asks for it."""
        self._wanted = advice

    def show(self) -> None:
        """Compare what was taken last, unless that is shown already."""
        advice = self._wanted
        if self._task is not None or advice is None or _subjects(advice) == self._shown:
            return
        self._replace(replace(self._state, stage=CompareStage.WORKING, message=""))
        self._task = BackgroundTask(lambda _send: self._compare(advice), parent=self)
        self._task.done.connect(lambda found: self._on_done(advice, found))
        self._task.failed.connect(self._on_failed)
        self._task.start()

    def wait(self, timeout_s: float) -> bool:
        """Wait for the thread to end; tell whether none is left."""
        return self._task is None or self._task.wait(timeout_s)

    def _on_done(self, advice: Recommendation, found: Comparison) -> None:
        self._shown = _subjects(advice)
        self._task = None
        self._replace(CompareState(stage=CompareStage.READY, comparison=found))

    def _on_failed(self, error: Exception) -> None:
        text = error_line(error)
        self._task = None
        self._replace(CompareState(stage=CompareStage.FAILED, message=text))
        self.unexpected.emit(error)

    def _replace(self, state: CompareState) -> None:
        self._state = state
        self.state_changed.emit(state)
