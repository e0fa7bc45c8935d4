"""A page of cards under a title: one column where the page is narrow, two where it is wide.

Signals of `CardPage`: those of its cards (`ui.widgets.card`).
Leaves to others: the cards (`ui.models`), what stands above them (the page).
"""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from advisor.i18n import Translator
from ui.models.cards import Card
from ui.widgets.card import CardWidget
from ui.widgets.tab_order import lead_into

_TWO_COLUMNS_WIDTH = 820
_SPACING = 12


class CardPage(QScrollArea):
    """Shows cards; what does not fit scrolls."""

    change_requested = Signal(str, str)
    reset_requested = Signal(str)

    def __init__(self, *, name: str, translator: Translator, parent: QWidget | None = None) -> None:
        """Start without cards; `name` is what the page is, for assistive technology."""
        super().__init__(parent)
        self._tr = translator
        self._cards: tuple[Card, ...] = ()
        self.widgets: tuple[CardWidget, ...] = ()
        self._n_columns = 1
        self.setAccessibleName(name)
        self.setObjectName("cards")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def show_cards(self, cards: Sequence[Card]) -> None:
        """Replace the cards; equal ones are left as they are."""
        if tuple(cards) == self._cards:
            return
        self._cards = tuple(cards)
        place = self.verticalScrollBar().value()
        self._lay_out()
        self.verticalScrollBar().setValue(place)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Lay the cards out again when another number of columns fits."""
        super().resizeEvent(event)
        if self._wanted_columns() != self._n_columns:
            self._lay_out()

    def _wanted_columns(self) -> int:
        return 2 if self.viewport().width() >= _TWO_COLUMNS_WIDTH else 1

    def _lay_out(self) -> None:
        self._n_columns = self._wanted_columns()
        inner = QWidget()
        inner.setObjectName("left_column")
        row = QHBoxLayout(inner)
        row.setContentsMargins(0, 0, 8, 8)
        row.setSpacing(_SPACING)
        columns = [QVBoxLayout() for _ in range(self._n_columns)]
        heights = [0] * self._n_columns
        widgets = []
        for card in self._cards:
            widget = CardWidget(card, translator=self._tr)
            widget.change_requested.connect(self.change_requested)
            widget.reset_requested.connect(self.reset_requested)
            shortest = heights.index(min(heights))
            columns[shortest].addWidget(widget)
            heights[shortest] += 3 + len(card.facts) + 3 * len(card.remedies)
            widgets.append(widget)
        for column in columns:
            column.setSpacing(_SPACING)
            column.addStretch(1)
            row.addLayout(column, 1)
        self.widgets = tuple(widgets)
        # The area deletes the widget that it held before.
        self.setWidget(inner)
        lead_into(self)
