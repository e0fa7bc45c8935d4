"""A card: title, facts in two columns, what is missing with the line that mends it.

Signals of `CardWidget`:
    change_requested: dotted name and label of a value that the user wants to replace.
    reset_requested: dotted name of a replaced value that the probe's shall stand for again.
Leaves to others: what it says (`ui.models.cards`).
"""

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from advisor.i18n import N_, Translator
from advisor.model.recommendation import Step
from ui.models.cards import Card, CardFact, Remedy
from ui.theme import line_icon
from ui.widgets.labels import text_label
from ui.widgets.step_box import StepBox

_ICON, _BUTTON = 14, 20


class CardWidget(QFrame):
    """Shows one card."""

    change_requested = Signal(str, str)
    reset_requested = Signal(str)

    def __init__(
        self, card: Card, *, translator: Translator, parent: QWidget | None = None
    ) -> None:
        """Show the card."""
        super().__init__(parent)
        self._tr = translator
        self._icons: list[tuple[QToolButton, str]] = []
        self.setObjectName("card")
        self.setAccessibleName(card.title)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 12, 12)
        column.setSpacing(6)
        column.addWidget(text_label(card.title, name="card_title"))
        if card.subtitle:
            column.addWidget(text_label(card.subtitle, name="page_text"))
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(1)
        grid.setColumnStretch(1, 1)
        for number, fact in enumerate(card.facts):
            self._add_fact(grid, number, fact)
        column.addLayout(grid)
        for remedy in card.remedies:
            self._add_remedy(column, remedy)
        column.addStretch(1)

    def _add_fact(self, grid: QGridLayout, number: int, fact: CardFact) -> None:
        label = QLabel(fact.label)
        label.setObjectName("field")
        label.setTextFormat(Qt.TextFormat.PlainText)
        top = Qt.AlignmentFlag.AlignTop
        grid.addWidget(label, number, 0, top)
        name = "own" if fact.is_own else "warning" if fact.is_bad else "value"
        value = text_label(fact.value, name=name, tip=fact.tip)
        label.setToolTip(fact.tip)
        # The first line of the text stands beside the middle of the button.
        for text in (label, value):
            line = text.fontMetrics().boundingRect(text.text().partition("\n")[0] or " ")
            above = max(0, (_BUTTON - line.height()) // 2)
            text.setContentsMargins(0, above, 0, above)
        grid.addWidget(value, number, 1, top)
        if fact.path:
            grid.addWidget(self._button(fact), number, 2, top)

    def _button(self, fact: CardFact) -> QToolButton:
        button = QToolButton()
        button.setAutoRaise(True)
        button.setIconSize(QSize(_ICON, _ICON))
        button.setFixedSize(_BUTTON, _BUTTON)
        if fact.is_own:
            icon = "action-undo"
            tip = self._tr(N_("Yours. Take what the probe found again: {name}"), name=fact.label)
            button.clicked.connect(lambda: self.reset_requested.emit(fact.path))
        else:
            icon = "action-edit"
            tip = self._tr(N_("Change: {name}"), name=fact.label)
            button.clicked.connect(lambda: self.change_requested.emit(fact.path, fact.label))
        button.setIcon(line_icon(icon, self))
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        self._icons.append((button, icon))
        return button

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Draw the icons again in the colours of another palette."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            for button, icon in self._icons:
                button.setIcon(line_icon(icon, self))

    def _add_remedy(self, column: QVBoxLayout, remedy: Remedy) -> None:
        column.addWidget(text_label(remedy.text, name="value"))
        if remedy.remedy:
            step = Step(caption="", kind="shell", content=remedy.remedy)
            column.addWidget(StepBox(step, translator=self._tr))
