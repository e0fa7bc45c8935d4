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
from advisor.model.machine import MachineProfile
from advisor.model.measurement import MeasurementSet
from advisor.model.workload import Workload
from ui.background import BackgroundTask, error_line
from ui.journey import bundled_knowledge


class CompareStage(StrEnum):
    """Where the page stands."""

    EMPTY = "empty"
    WORKING = "working"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Subjects:
    """What is compared: a machine, what was measured on it, and a network."""

    profile: MachineProfile
    measurements: MeasurementSet | None
    workload: Workload | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareState:
    """All that the page shows; `message` is one line when failed, "" otherwise."""

    stage: CompareStage = CompareStage.EMPTY
    comparison: Comparison | None = None
    message: str = ""


def compare_with_dataset(subjects: Subjects) -> Comparison:
    """Return the comparison with the bundled dataset and the user's own rows."""
    # Only this page loads the comparison.
    from ui.comparing import compare_all

    return compare_all(
        subjects.profile, subjects.measurements, subjects.workload, bundled_knowledge()
    )


class ComparePresenter(QObject):
    """Compares when the page is looked at and something new is known."""

    state_changed = Signal(object)
    unexpected = Signal(object)

    def __init__(
        self,
        *,
        compare: Callable[[Subjects], Comparison] = compare_with_dataset,
        parent: QObject | None = None,
    ) -> None:
        """Take the function that compares."""
        super().__init__(parent)
        self._compare = compare
        self._state = CompareState()
        self._wanted: Subjects | None = None
        self._shown: Subjects | None = None
        self._task: BackgroundTask | None = None

    @property
    def state(self) -> CompareState:
        """What is to be shown now."""
        return self._state

    def take(self, subjects: Subjects | None) -> None:
        """Keep what is to be compared when the page asks for it."""
        self._wanted = subjects

    def show(self) -> None:
        """Compare what was taken last, unless that is shown already."""
        if self._task is not None or self._wanted is None or self._wanted == self._shown:
            return
        subjects = self._wanted
        self._replace(replace(self._state, stage=CompareStage.WORKING, message=""))
        self._task = BackgroundTask(lambda _send: self._compare(subjects), parent=self)
        self._task.done.connect(lambda found: self._on_done(subjects, found))
        self._task.failed.connect(self._on_failed)
        self._task.start()

    def wait(self, timeout_s: float) -> bool:
        """Wait for the thread to end; tell whether none is left."""
        return self._task is None or self._task.wait(timeout_s)

    def _on_done(self, subjects: Subjects, found: Comparison) -> None:
        self._shown = subjects
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
