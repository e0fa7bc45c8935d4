"""The rail on the left: one entry for each page, chosen by click, arrow keys or Ctrl+number.

Signals of `NavigationRail`:
    page_chosen: name of the page.
Leaves to others: the pages (`ui.views`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from ui.theme import line_icon

_ICON = 20
_PADDING = 54
_ROW_HEIGHT = 42


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One page: its name for programs and its title for people."""

    name: str
    title: str


class NavigationRail(QListWidget):
    """Shows the entries and which of them is open."""

    page_chosen = Signal(str)

    def __init__(
        self, entries: Sequence[Entry], *, name: str, parent: QWidget | None = None
    ) -> None:
        """Show the entries; `name` is what the list is, for assistive technology."""
        super().__init__(parent)
        self._names = [entry.name for entry in entries]
        self.setObjectName("rail")
        self.setAccessibleName(name)
        self.setIconSize(QSize(_ICON, _ICON))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        for number, entry in enumerate(entries, start=1):
            item = QListWidgetItem(entry.title)
            item.setSizeHint(QSize(0, max(_ROW_HEIGHT, self.fontMetrics().height() + 20)))
            item.setToolTip(f"{entry.title}  (Ctrl+{number})")
            self.addItem(item)
        widest = max(self.fontMetrics().horizontalAdvance(entry.title) for entry in entries)
        self.setFixedWidth(widest + _PADDING + _ICON)
        self._paint_icons()
        self.currentRowChanged.connect(self._tell)

    def choose(self, name: str) -> None:
        """Mark an entry as open and tell it."""
        self.setCurrentRow(self._names.index(name))

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Draw the icons again in the colours of another palette."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._paint_icons()

    def _paint_icons(self) -> None:
        for number in range(self.count()):
            self.item(number).setIcon(line_icon(f"page-{self._names[number]}", self))

    def _tell(self, number: int) -> None:
        if 0 <= number < len(self._names):
            self.page_chosen.emit(self._names[number])
