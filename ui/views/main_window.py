"""The main window: it holds the page, takes dropped model files, and tells before it closes.

Signals of `MainWindow`:
    closing: the window is about to close; whatever runs must stop now.
    model_dropped: path of a model file, as text.
Leaves to others: everything on the page.
"""

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QLabel, QMainWindow, QMessageBox, QWidget

from advisor.i18n import N_, Translator
from ui.widgets.job_form import MODEL_SUFFIXES

MINIMUM_SIZE = (900, 600)
USUAL_SIZE = (1180, 760)
_MESSAGE_MS = 15_000


class MainWindow(QMainWindow):
    """Navigation and nothing else."""

    closing = Signal()
    model_dropped = Signal(str)

    def __init__(
        self,
        page: QWidget,
        *,
        version: str,
        translator: Translator,
        parent: QWidget | None = None,
    ) -> None:
        """Show a page."""
        super().__init__(parent)
        self._tr = translator
        self.setWindowTitle("DL Advisor")
        self.setMinimumSize(*MINIMUM_SIZE)
        self.resize(*USUAL_SIZE)
        self.setCentralWidget(page)
        self.setAcceptDrops(True)
        about = QLabel(
            translator(N_("DL Advisor {version} · Nothing leaves this machine"), version=version)
        )
        about.setObjectName("about")
        about.setToolTip(
            translator(
                N_(
                    "Prices and published results come with the app. No network is used, no"
                    " account is needed, nothing is uploaded."
                )
            )
        )
        self.statusBar().addPermanentWidget(about)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Quit), self, self.close)

    def show_saved(self, path: str) -> None:
        """Tell where a file was written."""
        self.statusBar().showMessage(self._tr(N_("Written: {path}"), path=path), _MESSAGE_MS)

    def show_copied(self) -> None:
        """Tell that the advice is on the clipboard."""
        text = self._tr(N_("The advice is on the clipboard."))
        self.statusBar().showMessage(text, _MESSAGE_MS)

    def show_refused(self, text: str) -> None:
        """Tell why a file was not written or not read."""
        self.statusBar().showMessage(text, _MESSAGE_MS)
        QMessageBox.warning(self, self._tr(N_("Not done")), text)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802 - Qt's name
        """Take model files."""
        if _model_of(event) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802 - Qt's name
        """Name the file that was dropped."""
        path = _model_of(event)
        if path is not None:
            event.acceptProposedAction()
            self.model_dropped.emit(str(path))

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802 - Qt's name
        """Go from the screen at once and tell whoever must stop."""
        self.closing.emit()
        super().closeEvent(event)


def _model_of(event: QDropEvent) -> Path | None:
    paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
    return next((path for path in paths if path.suffix.lower() in MODEL_SUFFIXES), None)
