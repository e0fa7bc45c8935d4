"""The window's composition root: builds knowledge, presenter and window, and runs Qt.

Leaves to others: everything else.
"""

import signal
import sys

from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from advisor.i18n import Translator, translator_for
from ui.excepthook import ExceptionDialog
from ui.journey import bundled_knowledge
from ui.presenters.advise import AdvisePresenter
from ui.theme import style_sheet
from ui.views.main_window import MainWindow
from ui.views.start import StartView

# How often Python gets to see a Ctrl-C while Qt waits for events.
_SIGNAL_POLL_MS = 250


def build_window(presenter: AdvisePresenter, *, translator: Translator) -> MainWindow:
    """Return the main window, wired to its presenter."""
    view = StartView(bundled_knowledge().networks, translator=translator)
    window = MainWindow(view, translator=translator)
    presenter.setParent(window)
    view.advise_requested.connect(presenter.start)
    view.cancel_requested.connect(presenter.cancel)
    view.pdf_requested.connect(presenter.export_pdf_to)
    view.json_requested.connect(presenter.save_json_to)
    presenter.state_changed.connect(view.show_state)
    presenter.saved.connect(window.show_saved)
    presenter.refused.connect(window.show_refused)
    window.closing.connect(presenter.close)
    return window


def run() -> int:
    """Open the window and return the exit code when it is closed."""
    QGuiApplication.setApplicationDisplayName("DL Advisor")
    QGuiApplication.setDesktopFileName("dl-advisor")
    app = QApplication(sys.argv[:1])
    app.setStyle("Fusion")
    app.setStyleSheet(style_sheet(app))
    app.styleHints().colorSchemeChanged.connect(lambda: app.setStyleSheet(style_sheet(app)))
    translator = translator_for("en")
    dialog = ExceptionDialog(translator=translator, parent=app)
    dialog.install()
    window = build_window(AdvisePresenter(translator=translator), translator=translator)
    window.show()
    signal.signal(signal.SIGINT, lambda *_: window.close())
    timer = QTimer(app)
    timer.start(_SIGNAL_POLL_MS)
    timer.timeout.connect(lambda: None)
    return app.exec()
