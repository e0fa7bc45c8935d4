"""The window's composition root: builds knowledge, presenter and window, and runs Qt.

Leaves to others: everything else.
"""

import signal
import sys
from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from advisor.i18n import Translator, translator_for
from ui.excepthook import ExceptionDialog
from ui.journey import app_version, bundled_knowledge
from ui.presenters.advise import AdvisePresenter
from ui.settings import last_recommendation_file
from ui.theme import ThemeWatcher, app_icon
from ui.views.main_window import MainWindow
from ui.views.start import StartView
from ui.window_memory import WindowMemory, config_file

# How often Python gets to see a Ctrl-C while Qt waits for events.
_SIGNAL_POLL_MS = 500


def build_window(
    presenter: AdvisePresenter, *, translator: Translator, memory: WindowMemory | None = None
) -> MainWindow:
    """Return the main window, wired to its presenter.

    Args:
        presenter: runs the main job; the window becomes its parent.
        translator: of all texts.
        memory: what the window remembers between starts, None for nothing.
    """
    view = StartView(bundled_knowledge().networks, translator=translator)
    window = MainWindow(view, version=app_version(), translator=translator)
    presenter.setParent(window)
    view.advise_requested.connect(presenter.start)
    view.cancel_requested.connect(presenter.cancel)
    view.last_requested.connect(presenter.show_last)
    view.pdf_requested.connect(presenter.export_pdf_to)
    view.json_requested.connect(presenter.save_json_to)
    view.copied.connect(window.show_copied)
    presenter.state_changed.connect(view.show_state)
    presenter.saved.connect(window.show_saved)
    presenter.refused.connect(window.show_refused)
    window.model_dropped.connect(view.take_model)
    view.offer_last(has_last=last_recommendation_file().is_file())
    if memory is not None:
        memory.restore(window, view.form)
        window.closing.connect(lambda: memory.keep(window, view.form))
    window.closing.connect(presenter.close)
    return window


def style(app: QApplication) -> None:
    """Give the app its style and its icon."""
    app.setStyle("Fusion")
    app.setWindowIcon(app_icon())
    ThemeWatcher(app)


def run(*, on_window: Callable[[MainWindow], None] | None = None) -> int:
    """Open the window and return the exit code when it is closed and nothing runs any more.

    Args:
        on_window: called with the window once it is shown.
    """
    QGuiApplication.setApplicationDisplayName("DL Advisor")
    QGuiApplication.setDesktopFileName("dl-advisor")
    app = QApplication(sys.argv[:1])
    # The window goes at once; the app goes when the last child has gone.
    app.setQuitOnLastWindowClosed(False)
    style(app)
    translator = translator_for("en")
    dialog = ExceptionDialog(translator=translator, parent=app)
    dialog.install()
    presenter = AdvisePresenter(translator=translator)
    presenter.unexpected.connect(dialog.handle_error)
    presenter.closed.connect(app.quit)
    window = build_window(presenter, translator=translator, memory=WindowMemory(config_file()))
    window.show()
    signal.signal(signal.SIGINT, lambda *_: window.close())
    timer = QTimer(app)
    timer.start(_SIGNAL_POLL_MS)
    timer.timeout.connect(lambda: None)
    if on_window is not None:
        on_window(window)
    return app.exec()
