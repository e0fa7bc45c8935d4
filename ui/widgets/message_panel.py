"""A quiet page with a title, a text and numbered steps: shown where there is no advice yet.

Signals: none. Leaves to others: what it says.
"""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from ui.widgets.labels import text_label

_TEXT_WIDTH = 540


class MessagePanel(QWidget):
    """Shows a message in the middle of its area."""

    def __init__(self, *, parent: QWidget | None = None) -> None:
        """Start empty."""
        super().__init__(parent)
        self.title = text_label(name="message_title")
        self.text = text_label(name="message_text")
        self.closing_text = text_label(name="message_text")
        self._shown_steps: tuple[str, ...] = ()
        self._steps = QWidget()
        self._grid = QGridLayout(self._steps)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(8)
        self._grid.setColumnStretch(1, 1)
        middle = QWidget()
        middle.setMaximumWidth(_TEXT_WIDTH)
        column = QVBoxLayout(middle)
        column.setSpacing(14)
        column.addStretch(2)
        for widget in (self.title, self.text, self._steps, self.closing_text):
            column.addWidget(widget)
        column.addStretch(3)
        self._column = column
        row = QHBoxLayout(self)
        row.setContentsMargins(24, 12, 24, 12)
        row.addStretch(1)
        row.addWidget(middle, 20)
        row.addStretch(1)

    def add_button(self, button: QPushButton) -> None:
        """Put a button below the texts."""
        below_texts = self._column.count() - 1
        self._column.insertWidget(below_texts, button, 0, Qt.AlignmentFlag.AlignLeft)

    def show_message(
        self,
        title: str,
        text: str,
        *,
        steps: Sequence[str] = (),
        closing_text: str = "",
        is_failure: bool = False,
    ) -> None:
        """Replace the message."""
        self.title.setText(title)
        self.text.setText(text)
        self.closing_text.setText(closing_text)
        self.closing_text.setVisible(bool(closing_text))
        self._show_steps(steps)
        self.text.setProperty("failed", is_failure)
        self.text.style().unpolish(self.text)
        self.text.style().polish(self.text)

    def _show_steps(self, steps: Sequence[str]) -> None:
        self._steps.setVisible(bool(steps))
        if tuple(steps) == self._shown_steps:
            return
        self._shown_steps = tuple(steps)
        while (item := self._grid.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for number, step in enumerate(steps):
            mark = QLabel(str(number + 1))
            mark.setObjectName("step_number")
            mark.setAlignment(Qt.AlignmentFlag.AlignCenter)
            mark.setFixedSize(24, 24)
            self._grid.addWidget(mark, number, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(text_label(step, name="message_text"), number, 1)
