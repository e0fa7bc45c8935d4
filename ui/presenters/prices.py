"""State and intent of the prices dialog: how old the prices are, and fetching newer ones.

Signals of `PricesPresenter`:
    state_changed: the new `PricesState`.
    unexpected: an exception that is a fault of the app.
Leaves to others: the refresh (`ui.pricing`), the words (`ui.dialogs.prices`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from PySide6.QtCore import QObject, Signal

from advisor.errors import AdvisorError
from advisor.knowledge.refresh.run import RefreshProgress, TableOutcome
from advisor.knowledge.refresh.sources import RefreshRequest
from advisor.knowledge.refresh.status import PriceStatus
from probes.bench.process import CancelToken
from ui.background import BackgroundTask, error_line
from ui.pricing import fetch_prices, status_now


class PricesStage(StrEnum):
    """Where the dialog stands."""

    READING = "reading"
    READY = "ready"
    FETCHING = "fetching"
    STOPPING = "stopping"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class PricesState:
    """All that the dialog shows.

    Attributes:
        status: how old the prices in use are, None until they are read.
        progress: the piece of an answer that came last, None while nothing is fetched.
        outcomes: the tables that have ended, in their order.
        message: one line when failed, "" otherwise.
    """

    stage: PricesStage = PricesStage.READING
    status: PriceStatus | None = None
    progress: RefreshProgress | None = None
    outcomes: tuple[TableOutcome, ...] = ()
    message: str = ""

    @property
    def is_busy(self) -> bool:
        """Whether something runs that can be stopped."""
        return self.stage in (PricesStage.FETCHING, PricesStage.STOPPING)


Fetch = Callable[..., Iterator[TableOutcome]]


class PricesPresenter(QObject):
    """Reads ages and fetches prices beside the window; never fetches unasked."""

    state_changed = Signal(object)
    unexpected = Signal(object)

    def __init__(
        self,
        *,
        fetch: Fetch = fetch_prices,
        read: Callable[[], PriceStatus] = status_now,
        request: RefreshRequest | None = None,
        parent: QObject | None = None,
    ) -> None:
        """Take what fetches and what tells the ages; tests pass a request for their own server."""
        super().__init__(parent)
        self._fetch = fetch
        self._read = read
        self._request = request or RefreshRequest()
        self._state = PricesState()
        self._cancel = CancelToken()
        self._task: BackgroundTask | None = None

    @property
    def state(self) -> PricesState:
        """What is to be shown now."""
        return self._state

    def read(self) -> None:
        """Find out how old the prices are."""
        if self._task is None:
            self._run(lambda _send: self._read(), self._on_read)

    def fetch(self) -> None:
        """Ask for newer prices; what was fetched is kept when the user stops it."""
        if self._task is not None:
            return
        self._cancel = cancel = CancelToken()
        self._replace(replace(self._state, stage=PricesStage.FETCHING, outcomes=(), message=""))

        def work(send: Callable[[Any], None]) -> PriceStatus:
            for outcome in self._fetch(
                self._request, should_stop=lambda: cancel.is_cancelled, on_progress=send
            ):
                send(outcome)
            return self._read()

        self._run(work, self._on_fetched)

    def stop(self) -> None:
        """Stop fetching."""
        if self._state.stage is PricesStage.FETCHING:
            self._cancel.cancel()
            self._replace(replace(self._state, stage=PricesStage.STOPPING))

    def wait(self, timeout_s: float) -> bool:
        """Stop and wait for the thread to end; tell whether none is left."""
        self._cancel.cancel()
        return self._task is None or self._task.wait(timeout_s)

    def _run(
        self,
        work: Callable[[Callable[[Any], None]], PriceStatus],
        on_done: Callable[[PriceStatus], None],
    ) -> None:
        self._task = task = BackgroundTask(work, parent=self)
        task.sent.connect(self._on_news)
        task.done.connect(on_done)
        task.failed.connect(self._on_failed)
        task.start()

    def _on_news(self, news: RefreshProgress | TableOutcome) -> None:
        if isinstance(news, TableOutcome):
            outcomes = (*self._state.outcomes, news)
            self._replace(replace(self._state, outcomes=outcomes, progress=None))
        else:
            self._replace(replace(self._state, progress=news))

    def _on_read(self, status: PriceStatus) -> None:
        self._task = None
        self._replace(replace(self._state, stage=PricesStage.READY, status=status))

    def _on_fetched(self, status: PriceStatus) -> None:
        self._task = None
        self._replace(replace(self._state, stage=PricesStage.DONE, status=status, progress=None))

    def _on_failed(self, error: Exception) -> None:
        self._task = None
        text = error_line(error)
        self._replace(replace(self._state, stage=PricesStage.FAILED, message=text, progress=None))
        if not isinstance(error, AdvisorError | OSError):
            self.unexpected.emit(error)

    def _replace(self, state: PricesState) -> None:
        self._state = state
        self.state_changed.emit(state)
