"""The main window: it holds the pages and tells before it closes.

Signals of `MainWindow`:
    closing: the window is about to close; whatever runs must stop now.
Leaves to others: everything on the pages.
"""

from PySide6.QtCore import Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QMainWindow, QMessageBox, QWidget

from advisor.i18n import N_, Translator

MINIMUM_SIZE = (900, 600)


class MainWindow(QMainWindow):
    """Navigation and nothing else."""

    closing = Signal()

    def __init__(
        self, page: QWidget, *, translator: Translator, parent: QWidget | None = None
    ) -> None:
        """Show a page."""
        super().__init__(parent)
        self._tr = translator
        self.setWindowTitle("DL Advisor")
        self.setMinimumSize(*MINIMUM_SIZE)
        self.resize(1180, 760)
        self.setCentralWidget(page)

    def show_saved(self, path: str) -> None:
        """Tell where a file was written."""
        self.statusBar().showMessage(self._tr(N_("Written: {path}"), path=path))

    def show_refused(self, text: str) -> None:
        """Tell why a file was not written."""
        self.statusBar().showMessage(text)
        QMessageBox.warning(self, self._tr(N_("Not written")), text)

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802 - Qt's name
        """Stop what runs, then close."""
        self.closing.emit()
        super().closeEvent(event)
