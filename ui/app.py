"""The window's composition root: builds presenters and window, and runs Qt.

Leaves to others: the pages and what they are connected to (`ui.wiring`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from advisor.i18n import Translator, translator_for
from ui.background import BackgroundTask, wait_for_all
from ui.ending import answered_by
from ui.excepthook import ExceptionDialog
from ui.language import keep_language, user_translator
from ui.making_ready import MakingReady
from ui.presenters.advise import AdvisePresenter
from ui.presenters.compare import ComparePresenter
from ui.presenters.machine import MachinePresenter
from ui.presenters.workload import WorkloadPresenter
from ui.theme import style
from ui.theme_choice import chosen_theme, show_theme
from ui.translators import QtWords
from ui.views.main_window import MainWindow
from ui.window_memory import WindowMemory, config_file
from ui.wiring import Presenters, Wiring

# How often Python gets to see a signal while Qt waits for events.
_SIGNAL_POLL_MS = 200
# What cannot be stopped, and takes no longer: asking the machine, reading a file.
_GONE_S = 5.0
# How often a window that was replaced is looked at: whether something of it still runs.
_IDLE_POLL_MS = 200


def build_window(
    presenter: AdvisePresenter,
    *,
    translator: Translator,
    memory: WindowMemory | None = None,
    on_language: Callable[[str], None] | None = None,
) -> MainWindow:
    """Return the main window, wired to its presenters.

    Args:
        presenter: runs the main job; the window becomes its parent.
        translator: of all texts.
        memory: what the window remembers between starts, None for nothing.
        on_language: called with the name of the language that the user wants instead.
    """
    machine, workload, compare = MachinePresenter(), WorkloadPresenter(), ComparePresenter()
    for other in (machine, workload, compare):
        other.unexpected.connect(presenter.unexpected)
    presenters = Presenters(advise=presenter, machine=machine, workload=workload, compare=compare)
    wiring = Wiring(presenters, translator=translator)
    window, form = wiring.window, wiring.form
    if memory is not None:
        memory.restore(window, form)
        window.closing.connect(lambda: memory.keep(window, form))
    if on_language is not None:
        wiring.language_chosen.connect(on_language)
    return window


class Shell(QObject):
    """Holds the window, and builds it anew in another language without a restart.

    Signals:
        spoken: the translator of the new language.
    """

    spoken = Signal(object)

    def __init__(
        self, presenter: AdvisePresenter, *, memory: WindowMemory, translator: Translator
    ) -> None:
        """Build the window."""
        super().__init__()
        self._presenter = presenter
        self._memory = memory
        self.window = self._build(translator)

    def _build(self, translator: Translator) -> MainWindow:
        return build_window(
            self._presenter,
            translator=translator,
            memory=self._memory,
            on_language=lambda name: QTimer.singleShot(0, lambda: self.speak(name)),
        )

    def speak(self, language: str) -> None:
        """Go on in another language: same job, same page, same place on the screen.

        The settings, in which it was chosen, stay open.
        """
        old = self.window
        settings_at = None
        for wiring in old.findChildren(Wiring):
            self._memory.keep(old, wiring.form)
            settings_at = wiring.settings_place
            wiring.leave()
        keep_language(language)
        translator = translator_for(language)
        self._presenter.speak(translator)
        self.spoken.emit(translator)
        self.window = self._build(translator)
        self.window.setGeometry(old.geometry())
        self.window.show_page(old.page_name)
        self.window.show()
        old.hide()
        if settings_at is not None:
            for wiring in self.window.findChildren(Wiring):
                wiring.show_settings(at=settings_at)
        self._delete_when_idle(old)

    def _delete_when_idle(self, window: MainWindow) -> None:
        # A thread must not find its task deleted.
        if all(task.wait(0.0) for task in window.findChildren(BackgroundTask)):
            window.deleteLater()
        else:
            QTimer.singleShot(_IDLE_POLL_MS, lambda: self._delete_when_idle(window))


def open_saved(name: str, *, presenter: AdvisePresenter, window: MainWindow) -> None:
    """Show a saved advice on its page; a file that is none is refused in a dialog."""
    if presenter.open_file(name):
        window.show_page("advice")


def run(
    *,
    page: str | None = None,
    saved: str | None = None,
    on_window: Callable[[MainWindow], None] | None = None,
) -> int:
    """Open the window and return the exit code when it is closed and nothing runs any more.

    Args:
        page: name of the page to open, None for the last one.
        saved: file of a saved advice to be shown, None for none.
        on_window: called with the window once it is shown.
    """
    QGuiApplication.setApplicationDisplayName("DL Advisor")
    QGuiApplication.setDesktopFileName("dl-advisor")
    app = QApplication(sys.argv[:1])
    # The window goes at once; the app goes when the last child has gone.
    app.setQuitOnLastWindowClosed(False)
    show_theme(chosen_theme(), app)
    style(app)
    translator = user_translator()
    words = QtWords(app)
    words.speak(translator)
    dialog = ExceptionDialog(translator=translator, parent=app)
    dialog.install()
    presenter = AdvisePresenter(translator=translator)
    presenter.unexpected.connect(dialog.handle_error)
    presenter.closed.connect(app.quit)
    shell = Shell(presenter, memory=WindowMemory(config_file()), translator=translator)
    shell.spoken.connect(words.speak)
    shell.spoken.connect(dialog.speak)
    if page is not None:
        shell.window.show_page(page)
    shell.window.show()
    timer = QTimer(app)
    timer.start(_SIGNAL_POLL_MS)
    timer.timeout.connect(lambda: None)
    if saved is not None:
        QTimer.singleShot(0, lambda: open_saved(saved, presenter=presenter, window=shell.window))
    if on_window is not None:
        on_window(shell.window)
    ready = MakingReady(lambda: shell.window, parent=app)
    with answered_by(lambda *_: _end(shell.window, app)):
        code = app.exec()
        ready.stop()
        # What still asks the machine removes its folder and its children.
        wait_for_all(_GONE_S)
    return code


def _end(window: MainWindow, app: QApplication) -> None:
    """Close the window; who asks once more does not want to wait for what it stops."""
    if window.isVisible():
        window.close()
    else:
        app.quit()
