"""The machine page: a card for each part, what is missing, and every value open to correction.

Signals of `MachineView`:
    probe_requested, doctor_requested: what they say.
    change_requested: dotted name and new text; reset_requested: dotted name.
    page_requested: name of the page that the user wants to see next.
Leaves to others: the cards (`ui.models.machine_cards`), probing (`ui.presenters.machine`).
"""

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QInputDialog,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from advisor.i18n import N_, Translator
from advisor.model.machine import MachineProfile
from advisor.report.reasons import sentence_start
from advisor.report.said import said
from probes.machine.override_forms import UNKNOWN_WORD, ValueForm, ValueUnit, value_form
from ui.models.machine_cards import machine_cards
from ui.presenters.machine import MachineStage, MachineState
from ui.widgets.card_page import CardPage
from ui.widgets.labels import text_label

_TEXTS = {
    MachineStage.EMPTY: "",
    MachineStage.PROBING: N_("Looking at this machine …"),
    MachineStage.READY: N_(
        "What the probe found. It reads only; a value that you know better can be changed."
    ),
}
_QUESTIONS = {
    ValueUnit.NONE: N_("{name}:"),
    ValueUnit.BYTES: N_("{name}, with its unit (16 GiB):"),
    ValueUnit.MHZ: N_("{name}, in MHz:"),
}
_WORDS = {"yes": N_("yes"), "no": N_("no"), UNKNOWN_WORD: N_("not known")}


class MachineView(QWidget):
    """Shows a `MachineState` and names the user's intent."""

    probe_requested = Signal()
    doctor_requested = Signal()
    change_requested = Signal(str, str)
    reset_requested = Signal(str)
    page_requested = Signal(str)

    def __init__(
        self,
        *,
        translator: Translator,
        refusal: Callable[[str, str], str] = lambda _path, _text: "",
        parent: QWidget | None = None,
    ) -> None:
        """Build the page in its empty state.

        `refusal` takes the dotted name and the text of a value and tells why it cannot be, "" if
        it can.
        """
        super().__init__(parent)
        self._refusal = refusal
        self._tr = translator
        self._profile: MachineProfile | None = None
        self.text = text_label(name="status")
        self.cards = CardPage(name=translator(N_("Parts of this machine")), translator=translator)
        self.probe_button = QPushButton(translator(N_("Look &again")))
        self.doctor_button = QPushButton(translator(N_("Copy &doctor report")))
        self.doctor_button.setToolTip(
            translator(
                N_("All that a bug report needs, as text in English. It stays on the clipboard.")
            )
        )
        self.next_button = QPushButton(translator(N_("&Choose the network")))
        title = text_label(translator(N_("This machine")), name="page_title")
        buttons = QHBoxLayout()
        for button in (self.next_button, self.probe_button, self.doctor_button):
            buttons.addWidget(button)
        buttons.addStretch(1)
        page = QVBoxLayout(self)
        page.setContentsMargins(24, 20, 16, 12)
        page.setSpacing(10)
        page.addWidget(title)
        page.addWidget(self.text)
        page.addWidget(self.cards, 1)
        page.addLayout(buttons)
        self.probe_button.clicked.connect(self.probe_requested)
        self.doctor_button.clicked.connect(self.doctor_requested)
        self.next_button.clicked.connect(lambda: self.page_requested.emit("workload"))
        self.cards.change_requested.connect(self._ask)
        self.cards.reset_requested.connect(self.reset_requested)

    def show_state(self, state: MachineState) -> None:
        """Show a state of the page."""
        is_failed = state.stage is MachineStage.FAILED
        self.text.setText(state.message if is_failed else self._tr(_TEXTS[state.stage]))
        self.text.setProperty("failed", is_failed)
        self.text.style().unpolish(self.text)
        self.text.style().polish(self.text)
        self.probe_button.setEnabled(state.stage is not MachineStage.PROBING)
        self.doctor_button.setEnabled(state.profile is not None)
        self._profile = state.profile
        if state.profile is not None:
            self.cards.show_cards(machine_cards(state.profile, self._tr))

    def _ask(self, path: str, label: str) -> None:
        """Ask for a value, beginning with the one that is there; the same one changes nothing.

        One that cannot be is asked for again, with the reason and what was typed.
        """
        if self._profile is None:
            return
        form = value_form(self._profile, path)
        typed, reason = form.text, ""
        while True:
            text, is_given = self._answer(form, label, typed=typed, reason=reason)
            typed = text.strip()
            if not is_given or typed in ("", form.text):
                return
            reason = said(self._refusal(path, typed), self._tr)
            if not reason:
                self.change_requested.emit(path, typed)
                return

    def _answer(self, form: ValueForm, label: str, *, typed: str, reason: str) -> tuple[str, bool]:
        title = self._tr(N_("Change a value"))
        question = self._tr(_QUESTIONS[form.unit], name=label)
        if form.choices:
            words = [self._tr(_WORDS.get(choice, choice)) for choice in form.choices]
            now = form.choices.index(form.text)
            word, is_given = QInputDialog.getItem(self, title, question, words, now, editable=False)
            return form.choices[words.index(word)] if is_given else form.text, is_given
        if form.may_be_unknown:
            hint = self._tr(N_("“unknown” is an answer too."))
            question = f"{question}\n{hint}"
        if reason:
            question = f"{sentence_start(reason)}\n\n{question}"
        return QInputDialog.getText(self, title, question, QLineEdit.EchoMode.Normal, typed)
