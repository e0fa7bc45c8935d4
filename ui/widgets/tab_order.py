"""The Tab key goes from a scroll area to what it holds, though that was made after the rest.

Leaves to others: the order of what is made with its page (Qt takes that of making).
"""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QWidget


def lead_into(area: QScrollArea) -> None:
    """Let the Tab key go through what an area holds next after the area itself."""
    last: QWidget = area
    body = area.widget()
    for widget in body.findChildren(QWidget) if body is not None else ():
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
            QWidget.setTabOrder(last, widget)
            last = widget
