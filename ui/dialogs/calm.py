"""What the dialogs share: Enter presses the button that has the focus and no other one.

Qt would press the first button when Enter is pressed in a table or a field: it would fetch, send
or start what the user only looked at.
Leaves to others: everything that a dialog shows.
"""

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QPushButton

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class CalmDialog(QDialog):
    """A dialog without a button for Enter; Escape ends it as its button does.

    What must happen at the end, however it comes, belongs to `finished`: Escape closes a dialog
    without a close event.
    """

    def setVisible(self, visible: bool) -> None:  # noqa: FBT001, N802 - Qt's name
        """Show the dialog; none of its buttons waits for Enter."""
        for button in self.findChildren(QPushButton):
            button.setAutoDefault(False)
        super().setVisible(visible)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Press the button that has the focus on Enter; leave the other keys to Qt."""
        if event.key() not in _ENTER:
            super().keyPressEvent(event)
            return
        button = self.focusWidget()
        if isinstance(button, QPushButton) and button.isEnabled():
            button.click()
