"""The first page: the job in one sentence, one button, live progress, the answer.

Signals of `StartView`:
    advise_requested, cancel_requested, last_requested: what they say.
    page_requested: name of the page that the user wants to see next.
Leaves to others: the job (`ui.views.workload`), running it (`ui.presenters.advise`), all options
(`ui.views.advice`).
"""

from collections.abc import Iterator

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from advisor.format import format_number
from advisor.i18n import N_, Translator
from advisor.model.device_names import device_name
from advisor.model.machine import MachineProfile
from advisor.model.measurement import Outcome
from advisor.model.recommendation import Preferences
from advisor.report.job_line import job_sentence
from advisor.report.names import WARNINGS, request_name
from probes.machine.override_forms import corrected_since
from ui.presenters.advise import AdviseState, Stage
from ui.widgets.answer_card import AnswerCard
from ui.widgets.labels import text_label
from ui.widgets.message_panel import MessagePanel

_WELCOME_TITLE = N_("What happens when you press Advise me")
_WELCOME_STEPS = (
    N_("This machine is looked at: processor, memory, graphics, drivers. Takes a second."),
    N_("A first answer from published results stands here at once."),
    N_("The kernels of your network are measured on this machine. Takes about a minute."),
    N_(
        "You get ranked options in hours and money: keep, set, change, rent or buy, each with"
        " its reasons, and what to avoid."
    ),
)
_ANEW = N_(
    "Advise me takes what was measured in this sitting within the last half hour, and times only"
    " what a new network adds. This button times everything again."
)
_PRIVACY = N_("Nothing leaves this machine.")
_STAGE_TEXTS = {
    Stage.EMPTY: N_("Takes about a minute. Close other programs for steady figures."),
    Stage.PROBING: N_("Takes a second or two, up to half a minute where a driver does not answer."),
    Stage.CANCELLING: N_("Stopping; what was measured is kept …"),
    Stage.DONE: N_("Done."),
    Stage.CANCELLED: N_("Stopped. The advice rests on what was known until then."),
}
# Verdicts that say nothing about the machine's health.
_QUIET_OUTCOMES = (Outcome.UNSUPPORTED, Outcome.SKIPPED, Outcome.CANCELLED)
_CONTROLS_WIDTH = 900


class StartView(QWidget):
    """Shows an `AdviseState` and names the user's intent."""

    advise_requested = Signal()
    anew_requested = Signal()
    cancel_requested = Signal()
    last_requested = Signal()
    page_requested = Signal(str)

    def __init__(self, *, translator: Translator, parent: QWidget | None = None) -> None:
        """Build the page in its empty state."""
        super().__init__(parent)
        self._tr = translator
        self._stage = Stage.EMPTY
        self._has_last = self._has_run = False
        self._preferences: Preferences | None = None
        self._advised_job = ""
        self._advised_wants: Preferences | None = None
        self._advised_on: MachineProfile | None = None
        self._machine: MachineProfile | None = None
        self.title = text_label(translator(N_("What should run faster or cheaper?")),
                                name="page_title")  # fmt: skip
        self.job = text_label(name="message_text")
        self.job_button = QPushButton(translator(N_("C&hange the job…")))
        self.advise_button = QPushButton(translator(N_("&Advise me")))
        self.advise_button.setObjectName("primary")
        self.cancel_button = QPushButton(translator(N_("S&top measuring")))
        self.anew_button = QPushButton(translator(N_("Measure all ane&w")))
        self.anew_button.setToolTip(translator(_ANEW))
        self.last_button = QPushButton(translator(N_("Show the &last advice")))
        self.status = text_label(name="status")
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(translator(N_("Measured kernels")))
        self.message = MessagePanel()
        self.other_job = text_label(name="status")
        self.other_job.hide()
        self.card = AnswerCard(translator=translator)
        self.options_button = QPushButton(translator(N_("All &options and the report")))
        self.measure_button = QPushButton(translator(N_("What was &measured")))
        self._lay_out()
        self._connect()
        self.show_state(AdviseState())

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        for button in (
            self.advise_button, self.cancel_button, self.job_button, self.anew_button,
            self.last_button,
        ):  # fmt: skip
            buttons.addWidget(button)
        buttons.addStretch(1)
        controls = QWidget()
        controls.setMaximumWidth(_CONTROLS_WIDTH)
        column = QVBoxLayout(controls)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.title)
        column.addWidget(self.job)
        column.addLayout(buttons)
        column.addWidget(self.progress)
        column.addWidget(self.status)
        further = QHBoxLayout()
        further.addWidget(self.options_button)
        further.addWidget(self.measure_button)
        further.addStretch(1)
        self._below = QStackedWidget()
        self._below.addWidget(self.message)
        self._below.addWidget(self.card)
        page = QVBoxLayout(self)
        page.setContentsMargins(24, 20, 24, 12)
        page.setSpacing(16)
        top = QHBoxLayout()
        top.addWidget(controls, 1000)
        top.addStretch(1)
        page.addLayout(top)
        page.addWidget(self.other_job)
        page.addWidget(self._below, 1)
        page.addLayout(further)

    def _connect(self) -> None:
        self.advise_button.clicked.connect(self.advise_requested)
        self.anew_button.clicked.connect(self.anew_requested)
        self.cancel_button.clicked.connect(self.cancel_requested)
        self.last_button.clicked.connect(self.last_requested)
        self.job_button.clicked.connect(lambda: self.page_requested.emit("workload"))
        self.options_button.clicked.connect(lambda: self.page_requested.emit("advice"))
        self.measure_button.clicked.connect(lambda: self.page_requested.emit("measure"))

    def show_job(self, text: str, preferences: Preferences | None = None) -> None:
        """Show the job in one sentence, and remember exactly what is wanted, where it is known."""
        self._preferences = preferences
        self._show_job(text, problem="")

    def show_problem(self, text: str) -> None:
        """Show why there is no job: nothing can be advised on until it is another one."""
        self._preferences = None
        self._show_job(text, problem=text)

    def _show_job(self, text: str, *, problem: str) -> None:
        self.job.setText(text)
        self.job.setProperty("problem", bool(problem))
        self.job.style().unpolish(self.job)
        self.job.style().polish(self.job)
        self.advise_button.setEnabled(not problem)
        self.advise_button.setToolTip(problem)
        self.anew_button.setEnabled(not problem)
        self._tell_other_job()

    def show_machine(self, profile: MachineProfile | None) -> None:
        """Take the machine with the user's own values as they are now."""
        self._machine = profile
        self._tell_other_job()

    def offer_last(self, *, has_last: bool) -> None:
        """Offer the advice of the last run, where there is one."""
        self._has_last = has_last
        self.last_button.setVisible(has_last)

    def show_state(self, state: AdviseState) -> None:
        """Show a state of the main job."""
        self._stage = state.stage
        self._show_controls(state)
        self._show_status(state)
        advice = state.recommendation
        self._advised_job, self._advised_on, self._advised_wants = "", None, None
        if advice is not None:
            self._advised_on = advice.profile
            self._advised_wants = advice.preferences
            self._advised_job = job_sentence(advice.workload, advice.preferences, self._tr)
        self._tell_other_job()
        for button in (self.options_button, self.measure_button):
            button.setVisible(advice is not None)
        if advice is not None and advice.ranked:
            self.card.show_option(advice, 0, is_provisional=state.is_provisional)
            self._below.setCurrentWidget(self.card)
        elif advice is not None:
            title = self._tr(N_("No option fits your limits"))
            text = self._tr(N_("The advice tells why each one was left out."))
            # Sliders may have asked for another size than the job above.
            self.message.show_message(title, self._advised_job, closing_text=text)
            self._below.setCurrentWidget(self.message)
        else:
            self._show_message(state)
            self._below.setCurrentWidget(self.message)

    def _tell_other_job(self) -> None:
        """Say what the answer is for, where the job above or the machine was changed since."""
        texts = []
        # Two limits may read alike: 250.1 and 250.4 USD.
        is_other = self._preferences not in (None, self._advised_wants)
        is_told = bool(self._advised_job and self.job.text())
        if is_told and (is_other or self._advised_job != self.job.text()):
            text = N_("The answer below is for another job: {job}.")
            texts.append(self._tr(text, job=self._advised_job))
        before, now = self._advised_on, self._machine
        if before is not None and now is not None and corrected_since(before, now):
            text = N_("A value of the machine was changed after the answer below was made.")
            texts.append(self._tr(text))
        self.other_job.setText("\n".join(texts))
        self.other_job.setVisible(bool(texts))

    def _show_controls(self, state: AdviseState) -> None:
        had_focus = self.advise_button.hasFocus() or self.cancel_button.hasFocus()
        self.advise_button.setVisible(not state.is_busy)
        self.cancel_button.setVisible(state.is_busy)
        # Only then Advise me takes what was measured a moment ago.
        self._has_run |= state.stage is Stage.DONE and not state.is_provisional
        self.anew_button.setVisible(self._has_run and not state.is_busy)
        self.cancel_button.setEnabled(state.stage is not Stage.CANCELLING)
        self.job_button.setEnabled(not state.is_busy)
        is_last_shown = state.stage is Stage.LAST
        self.last_button.setVisible(self._has_last and not state.is_busy and not is_last_shown)
        # Never the endless animation of an unknown total: it would disturb what is measured.
        self.progress.setRange(0, max(1, state.n_total))
        self.progress.setValue(len(state.results))
        self.progress.setVisible(state.is_busy)
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
            text = tr(N_("Change the job, then press Advise me again."))
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
                "",
                steps=[tr(step) for step in _WELCOME_STEPS],
                closing_text=tr(_PRIVACY),
            )

    def _status_text(self, state: AdviseState) -> str:
        tr = self._tr
        if state.stage is Stage.FAILED:
            return state.message if state.recommendation is not None else tr(N_("Not done."))
        if state.stage is Stage.MEASURING:
            return self._measuring_text(state)
        if state.stage is Stage.LAST and state.recommendation is not None:
            advice = state.recommendation
            date = tr(N_("The last advice, of {date}."), date=advice.created_on)
            # The job of the form, which stands above, may be another one.
            job = job_sentence(advice.workload, advice.preferences, tr)
            return "\n".join((self._joined(date, *self._notes(state)), job))
        text = tr(_STAGE_TEXTS[state.stage])
        return text if state.is_busy else self._joined(text, *self._notes(state))

    def _joined(self, *sentences: str) -> str:
        """Return sentences one after another; Chinese has no space between them."""
        return ("" if self._tr.language.startswith("zh") else " ").join(sentences)

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
        if state.n_taken:
            text = N_("{n} of them are from a moment ago: only what this network adds was timed.")
            yield tr(text, n=state.n_taken)
        failed = sum(result.outcome not in _QUIET_OUTCOMES for result in results.failed)
        if failed:
            yield tr(N_("{n} gave no figure: the page Measure tells why."), n=failed)
        for warning in results.warnings:
            yield tr(N_("Beware: {warning}."), warning=tr(WARNINGS[warning]))

    def _measuring_text(self, state: AdviseState) -> str:
        count = self._tr(
            N_("Measuring: {n} of up to {total} kernels"), n=len(state.results), total=state.n_total
        )
        if state.running is None:
            return count
        name = request_name(state.running, self._tr)
        return f"{count}\n{device_name(state.running.device_id, state.profile)}: {name}"
