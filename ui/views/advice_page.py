"""The advice page: the job and its ranked options once there are any, what to do until then.

Signals of `AdvicePage`:
    page_requested: name of the page that the user wants to see next.
    what_if_changed: a `WhatIf` that the options shall be ranked for.
    try_requested: id of the chosen option, to be tried on this machine.
    last_requested: the advice of the last run is to be shown.
Leaves to others: the advice itself (`ui.views.advice`).
"""

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QPushButton, QStackedWidget, QVBoxLayout, QWidget

from advisor.i18n import N_, Translator
from advisor.model.recommendation import Recommendation
from advisor.report.job_line import job_sentence
from ui.presenters.advise import AdviseState
from ui.views.advice import AdviceView
from ui.widgets.labels import text_label
from ui.widgets.message_panel import MessagePanel
from ui.widgets.what_if import WhatIfBar


class AdvicePage(QWidget):
    """Shows the advice of an `AdviseState`; it is made when the page is looked at."""

    page_requested = Signal(str)
    what_if_changed = Signal(object)
    try_requested = Signal(str)
    last_requested = Signal()

    def __init__(self, *, translator: Translator, parent: QWidget | None = None) -> None:
        """Build the page without an advice."""
        super().__init__(parent)
        self._tr = translator
        self._state = AdviseState()
        self._shown: AdviseState | None = None
        self.advice = AdviceView(translator=translator)
        self.what_if = WhatIfBar(translator=translator)
        self.what_if.changed.connect(self.what_if_changed)
        # The job on the first page may be another one meanwhile.
        self.job = text_label(name="status")
        self._asked: Recommendation | None = None
        self.message = MessagePanel()
        self.start_button = QPushButton(translator(N_("&Go to the start")))
        self.message.add_button(self.start_button)
        self.start_button.clicked.connect(lambda: self.page_requested.emit("start"))
        self._has_last = False
        self.last_button = QPushButton(translator(N_("Show the &last advice")))
        self.last_button.clicked.connect(self.last_requested)
        self.message.add_button(self.last_button)
        self.try_button = QPushButton(translator(N_("&Try it on this machine…")))
        self.try_button.setToolTip(
            translator(N_("Real steps of your network, before and after, as long as you say."))
        )
        self.try_button.clicked.connect(self._try)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.message)
        both = QWidget()
        rows = QVBoxLayout(both)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.addWidget(self.job)
        rows.addWidget(self.what_if)
        rows.addWidget(self.advice, 1)
        self.advice.add_button(self.try_button)
        self._both = both
        self._stack.addWidget(both)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 16, 12)
        column.addWidget(self._stack)
        self._show_now()

    def offer_last(self, *, has_last: bool) -> None:
        """Offer the advice of the last run while there is no other, where there is one."""
        self._has_last = has_last
        self._show_last_button()

    def _show_last_button(self) -> None:
        self.last_button.setVisible(self._has_last and not self._state.is_busy)

    def show_state(self, state: AdviseState) -> None:
        """Show a state, now if the page is seen, else when it is."""
        self._state = state
        if self.isVisible():
            self._show_now()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Catch up with what happened while another page was seen."""
        super().showEvent(event)
        self._show_now()

    def _show_now(self) -> None:
        state = self._state
        if state is self._shown:
            return
        self._shown = state
        asked, advised = state.recommendation, state.shown
        if asked is None or advised is None:
            self.advice.clear()
            self._show_message(state)
            self._stack.setCurrentWidget(self.message)
            return
        job = job_sentence(advised.workload, advised.preferences, self._tr)
        is_other = state.what_if is not None
        self.job.setText(self._tr(N_("What if: {job}"), job=job) if is_other else job)
        self.advice.show_advice(advised, is_provisional=state.is_provisional)
        if not advised.ranked:
            # Only the report tells why each one was left out.
            self.advice.lead_to(self.advice.report)
        self.advice.show_exports(is_enabled=not state.is_busy)
        self._show_circumstances(asked, state.what_if)
        self.what_if.setEnabled(not state.is_busy)
        self.try_button.setEnabled(not state.is_busy)
        self._stack.setCurrentWidget(self._both)

    def _show_circumstances(self, asked: Recommendation, what_if: Recommendation | None) -> None:
        """Let the sliders follow a new advice; while others are asked for, the user moves them."""
        is_new = asked is not self._asked
        self._asked = asked
        if is_new or what_if is None:
            self.what_if.show_asked(asked)
            if what_if is not None:
                self.what_if.show_what_if(what_if)

    def _show_message(self, state: AdviseState) -> None:
        """Say why there is no advice, and what comes next."""
        tr = self._tr
        self._show_last_button()
        if state.is_busy:
            text = tr(N_("The first answer comes in a moment."))
            self.message.show_message(tr(N_("Looking at this machine …")), text)
        elif state.message:
            title = tr(N_("This job cannot be advised"))
            text = tr(N_("Change the job, then press Advise me again."))
            self.message.show_message(title, state.message, closing_text=text, is_failure=True)
        else:
            text = tr(N_("Press Advise me on the first page; a first answer takes seconds."))
            self.message.show_message(tr(N_("No advice yet")), text)

    def _try(self) -> None:
        if self._state.recommendation is not None:
            self.try_requested.emit(self.advice.chosen_id())
