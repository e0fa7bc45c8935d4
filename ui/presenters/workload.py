"""State of the workload page: the network that the form names, read beside the window.

Signals of `WorkloadPresenter`:
    state_changed: the new `WorkloadState`.
    unexpected: an exception that is a fault of the app.
Leaves to others: reading networks (`advisor.network`), the words (`ui.models.workload_cards`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from PySide6.QtCore import QObject, QTimer, Signal

from advisor.errors import AdvisorError
from advisor.model.machine import MachineProfile
from advisor.model.workload import Workload
from ui.background import BackgroundTask, error_line
from ui.dataset import bundled_knowledge
from ui.journey import JourneyRequest, load_job

# Somebody who types a number has finished when nothing came for this long.
SETTLE_MS = 250


class WorkloadStage(StrEnum):
    """Where the page stands."""

    READING = "reading"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadState:
    """All that the page shows.

    Attributes:
        request: what the form said; workload: the last network that could be read.
        profile: the machine, None until it is known.
        message: one line when failed, "" otherwise.
    """

    stage: WorkloadStage = WorkloadStage.READING
    request: JourneyRequest | None = None
    workload: Workload | None = None
    profile: MachineProfile | None = None
    message: str = ""


def read_job(request: JourneyRequest) -> Workload:
    """Return the workload of a request, from the bundled networks or a file."""
    return load_job(request, bundled_knowledge())


class WorkloadPresenter(QObject):
    """Reads the network whenever the form changes; only the newest answer counts."""

    state_changed = Signal(object)
    unexpected = Signal(object)

    def __init__(
        self,
        *,
        read: Callable[[JourneyRequest], Workload] = read_job,
        parent: QObject | None = None,
    ) -> None:
        """Take the function that reads a network."""
        super().__init__(parent)
        self._read = read
        self._state = WorkloadState()
        self._task: BackgroundTask | None = None
        self._wanted: JourneyRequest | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SETTLE_MS)
        self._timer.timeout.connect(self._start)

    @property
    def state(self) -> WorkloadState:
        """What is to be shown now."""
        return self._state

    def show_request(self, request: JourneyRequest) -> None:
        """Read the network of a request a moment later, unless another one comes first."""
        self._wanted = request
        if self._state.stage is WorkloadStage.FAILED:
            self._replace(replace(self._state, stage=WorkloadStage.READING, message=""))
        self._timer.start()

    def show_profile(self, profile: MachineProfile | None) -> None:
        """Take the machine whose memory stands beside the network's need."""
        if profile is not None and profile != self._state.profile:
            self._replace(replace(self._state, profile=profile))

    def wait(self, timeout_s: float) -> bool:
        """Wait for the reading thread to end; tell whether none is left."""
        return self._task is None or self._task.wait(timeout_s)

    def _start(self) -> None:
        request = self._wanted
        if request is None or self._task is not None:
            return
        self._wanted = None
        self._task = task = BackgroundTask(lambda _send: self._read(request), parent=self)
        task.done.connect(lambda workload: self._on_read(request, workload))
        task.failed.connect(lambda error: self._on_failed(request, error))
        task.start()

    def _on_read(self, request: JourneyRequest, workload: Workload) -> None:
        self._replace(
            replace(self._state, stage=WorkloadStage.READY, request=request, workload=workload,
                    message="")
        )  # fmt: skip
        self._go_on()

    def _on_failed(self, request: JourneyRequest, error: Exception) -> None:
        text = error_line(error)
        self._replace(
            replace(self._state, stage=WorkloadStage.FAILED, request=request, workload=None,
                    message=text)
        )  # fmt: skip
        if not isinstance(error, AdvisorError | OSError):
            self.unexpected.emit(error)
        self._go_on()

    def _go_on(self) -> None:
        """Read what was asked for while something else was read."""
        self._task = None
        if self._wanted is not None and not self._timer.isActive():
            self._start()

    def _replace(self, state: WorkloadState) -> None:
        self._state = state
        self.state_changed.emit(state)
