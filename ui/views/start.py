"""The main page: the job, one button and live progress on the left, the advice on the right.

Signals of `StartView`:
    advise_requested: a `JourneyRequest`; cancel_requested; last_requested; pdf_requested and
    json_requested: a path as text; copied.
Leaves to others: running the job (`ui.presenters.advise`), the advice (`ui.views.advice`).
"""

from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from advisor.format import format_number
from advisor.i18n import N_, Translator
from advisor.model.measurement import Outcome
from advisor.model.published import NetworkFacts
from advisor.report.names import WARNINGS, request_name
from ui.models.advice_rows import device_name
from ui.presenters.advise import AdviseState, Stage
from ui.views.advice import AdviceView
from ui.widgets.job_form import JobForm
from ui.widgets.labels import text_label
from ui.widgets.message_panel import MessagePanel

_LEFT_WIDTH = (290, 400)
_WELCOME_TITLE = N_("What should run faster or cheaper?")
_WELCOME_TEXT = N_("Choose your network and the size of the job, then press Advise me.")
_WELCOME_STEPS = (
    N_("This machine is looked at: processor, memory, graphics, drivers. Takes a second."),
    N_("A first answer from published results stands here at once."),
    N_("The kernels of your network are measured on this machine. Takes about a minute."),
    N_(
        "You get ranked options in hours and money: keep, set, change, rent or buy, each with"
        " its reasons, and what to avoid."
    ),
)
_PRIVACY = N_("Nothing leaves this machine.")
_STAGE_TEXTS = {
    Stage.EMPTY: N_("Takes about a minute. Close other programs for steady figures."),
    Stage.PROBING: N_("Takes a second or two."),
    Stage.CANCELLING: N_("Stopping; what was measured is kept …"),
    Stage.DONE: N_("Done."),
    Stage.CANCELLED: N_("Stopped. The advice rests on what was known until then."),
}
# Verdicts that say nothing about the machine's health.
_QUIET_OUTCOMES = (Outcome.UNSUPPORTED, Outcome.SKIPPED, Outcome.CANCELLED)


class StartView(QWidget):
    """Shows an `AdviseState` and names the user's intent."""

    advise_requested = Signal(object)
    cancel_requested = Signal()
    last_requested = Signal()
    pdf_requested = Signal(str)
    json_requested = Signal(str)
    copied = Signal()

    def __init__(
        self,
        networks: tuple[NetworkFacts, ...],
        *,
        translator: Translator,
        parent: QWidget | None = None,
    ) -> None:
        """Build the page in its empty state."""
        super().__init__(parent)
        self._tr = translator
        self._stage = Stage.EMPTY
        self.form = JobForm(networks, translator=translator)
        self.advise_button = QPushButton(translator(N_("&Advise me")))
        self.advise_button.setObjectName("primary")
        self.cancel_button = QPushButton(translator(N_("S&top measuring")))
        self.status = text_label(name="status")
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(translator(N_("Measured kernels")))
        self.message = MessagePanel()
        self.last_button = QPushButton(translator(N_("Show the &last advice")))
        self.message.add_button(self.last_button)
        self._has_last = False
        self.advice = AdviceView(translator=translator)
        self._lay_out()
        self._connect()
        self.show_state(AdviseState())

    def _lay_out(self) -> None:
        left = QWidget()
        left.setObjectName("left_column")
        column = QVBoxLayout(left)
        column.setContentsMargins(4, 4, 12, 4)
        column.setSpacing(8)
        heading = QLabel(self._tr(N_("Your job")))
        heading.setObjectName("heading")
        for widget in (
            heading, self.form, self.advise_button, self.cancel_button, self.progress, self.status,
        ):  # fmt: skip
            column.addWidget(widget)
        column.addStretch(1)
        area = QScrollArea()
        area.setObjectName("left")
        area.setWidget(left)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setMinimumWidth(_LEFT_WIDTH[0])
        area.setMaximumWidth(_LEFT_WIDTH[1])
        self._right = QStackedWidget()
        self._right.addWidget(self.message)
        self._right.addWidget(self.advice)
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.addWidget(area)
        splitter.addWidget(self._right)
        splitter.setStretchFactor(1, 1)
        splitter.setChildrenCollapsible(False)
        splitter.setSizes([_LEFT_WIDTH[0] + 20, 800])
        QHBoxLayout(self).addWidget(splitter)

    def _connect(self) -> None:
        self.advise_button.clicked.connect(lambda: self.advise_requested.emit(self.form.request()))
        self.cancel_button.clicked.connect(self.cancel_requested)
        self.last_button.clicked.connect(self.last_requested)
        self.advice.pdf_requested.connect(self.pdf_requested)
        self.advice.json_requested.connect(self.json_requested)
        self.advice.copied.connect(self.copied)

    def take_model(self, path: str) -> None:
        """Choose a model file as the network, unless a job runs."""
        if self.form.isEnabled():
            self.form.show_model(Path(path))

    def offer_last(self, *, has_last: bool) -> None:
        """Offer the advice of the last run, where there is one."""
        self._has_last = has_last
        self.last_button.setVisible(has_last)

    def show_state(self, state: AdviseState) -> None:
        """Show a state of the main job."""
        is_new = state.stage is not self._stage
        self._stage = state.stage
        if is_new and state.stage is Stage.PROBING:
            self.advice.clear()
        self._show_controls(state)
        if state.recommendation is not None:
            self.advice.show_advice(state.recommendation, is_provisional=state.is_provisional)
        self.advice.show_results(state.results, state.profile)
        if is_new and state.stage is Stage.MEASURING:
            self.advice.lead_to(self.advice.results_table)
        elif is_new and not state.is_busy:
            self.advice.lead_to(self.advice.options_table)
        self._show_status(state)
        if self.advice.has_advice:
            self._right.setCurrentWidget(self.advice)
        else:
            self._show_message(state)
            self._right.setCurrentWidget(self.message)

    def _show_controls(self, state: AdviseState) -> None:
        had_focus = self.advise_button.hasFocus() or self.cancel_button.hasFocus()
        self.advise_button.setVisible(not state.is_busy)
        self.cancel_button.setVisible(state.is_busy)
        self.cancel_button.setEnabled(state.stage is not Stage.CANCELLING)
        self.form.setEnabled(not state.is_busy)
        self.last_button.setVisible(self._has_last and not state.is_busy)
        # Never the endless animation of an unknown total: it would disturb what is measured.
        self.progress.setRange(0, max(1, state.n_total))
        self.progress.setValue(len(state.results))
        self.progress.setVisible(state.is_busy)
        self.advice.show_exports(is_enabled=not state.is_busy)
        if had_focus:
            (self.cancel_button if state.is_busy else self.advise_button).setFocus()

    def _show_status(self, state: AdviseState) -> None:
        self.status.setText(self._status_text(state))
        is_failed = state.stage is Stage.FAILED
        if self.status.property("failed") != is_failed:
            self.status.setProperty("failed", is_failed)
            self.status.style().unpolish(self.status)
            self.status.style().polish(self.status)

    def _show_message(self, state: AdviseState) -> None:
        tr = self._tr
        if state.stage is Stage.FAILED:
            title = tr(N_("This job cannot be advised"))
            text = tr(N_("Change the job on the left, then press Advise me again."))
            self.message.show_message(title, state.message, closing_text=text, is_failure=True)
        elif state.is_busy:
            text = tr(N_("The first answer comes in a moment."))
            found = ""
            if state.profile is not None:
                found = tr(N_("Found: {cpu}.\n\n"), cpu=state.profile.cpu.brand)
            self.message.show_message(tr(N_("Looking at this machine …")), found + text)
        else:
            self.message.show_message(
                tr(_WELCOME_TITLE),
                tr(_WELCOME_TEXT),
                steps=[tr(step) for step in _WELCOME_STEPS],
                closing_text=tr(_PRIVACY),
            )

    def _status_text(self, state: AdviseState) -> str:
        tr = self._tr
        if state.stage is Stage.FAILED:
            return state.message if self.advice.has_advice else tr(N_("Not done."))
        if state.stage is Stage.MEASURING:
            return self._measuring_text(state)
        if state.stage is Stage.LAST and state.recommendation is not None:
            date = state.recommendation.created_on
            text = tr(N_("The last advice, of {date}."), date=date)
        else:
            text = tr(_STAGE_TEXTS[state.stage])
        return text if state.is_busy else " ".join((text, *self._notes(state)))

    def _notes(self, state: AdviseState) -> Iterator[str]:
        """Say what came out of measuring, and what disturbed it."""
        tr = self._tr
        results = state.recommendation.measurements if state.recommendation else None
        if results is None:
            return
        seconds = format_number(results.duration_s, digits=2)
        yield tr(
            N_("{n} kernels measured in {seconds} s."), n=len(results.measured), seconds=seconds
        )
        failed = sum(result.outcome not in _QUIET_OUTCOMES for result in results.failed)
        if failed:
            yield tr(
                N_("{n} gave no figure: point at them under Measured for the reason."), n=failed
            )
        for warning in results.warnings:
            yield tr(N_("Beware: {warning}."), warning=tr(WARNINGS[warning]))

    def _measuring_text(self, state: AdviseState) -> str:
        count = self._tr(
            N_("Measuring: {n} of {total} kernels"), n=len(state.results), total=state.n_total
        )
        if state.running is None:
            return count
        name = request_name(state.running, self._tr)
        return f"{count}\n{device_name(state.running.device_id, state.profile)}: {name}"
