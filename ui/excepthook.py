"""What happens to an error that nobody expected: a log file, one dialog, no silent death.

Leaves to others: errors of the user's input, which never come here.
"""

import logging
import sys
import threading
import traceback
from types import TracebackType

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMessageBox

from advisor.i18n import N_, Translator

_log = logging.getLogger(__name__)


class ExceptionDialog(QObject):
    """Shows the first unexpected error; further ones are logged while it is open.

    Signals:
        caught: the text of an error, from any thread.
    """

    caught = Signal(str)

    def __init__(self, *, translator: Translator, parent: QObject | None = None) -> None:
        """Be ready; `install` takes over the hooks."""
        super().__init__(parent)
        self._tr = translator
        self._is_open = False
        self.caught.connect(self._show)

    def speak(self, translator: Translator) -> None:
        """Go on in another language."""
        self._tr = translator

    def install(self) -> None:
        """Take over the hooks of the interpreter and of its threads."""
        sys.excepthook = self.handle
        threading.excepthook = lambda args: self.handle(
            args.exc_type, args.exc_value or args.exc_type(), args.exc_traceback
        )

    def handle(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        """Log an error and tell the user."""
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        text = "".join(traceback.format_exception(kind, error, trace))
        _log.error("unexpected error\n%s", text)
        self.caught.emit(text)

    def handle_error(self, error: BaseException) -> None:
        """Log an exception that was caught elsewhere and tell the user."""
        self.handle(type(error), error, error.__traceback__)

    def _show(self, text: str) -> None:
        if self._is_open:
            return
        from ui.doctor import doctor_head

        self._is_open = True
        box = QMessageBox(
            QMessageBox.Icon.Critical,
            self._tr(N_("Something went wrong")),
            self._tr(N_("This is a fault of DL Advisor. Nothing was sent anywhere.")),
        )
        box.setInformativeText(text.strip().splitlines()[-1])
        details = f"{doctor_head()}\n\n{text}"
        copy = box.addButton(self._tr(N_("Copy details")), QMessageBox.ButtonRole.ActionRole)
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(details))
        box.addButton(QMessageBox.StandardButton.Close)
        box.exec()
        self._is_open = False
