"""Qt's own words in the user's language: its file dialogs, Yes, No and Cancel.

Leaves to others: our messages (`advisor.i18n`), which language it is (`ui.language`).
"""

import logging

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QObject, QTranslator

from advisor.i18n import Translator

_log = logging.getLogger(__name__)
# Qt's words are English where nothing is loaded.
_ENGLISH = "en"


class QtWords(QObject):
    """Holds the words of one language for an application."""

    def __init__(self, app: QCoreApplication) -> None:
        """Start in English."""
        super().__init__(app)
        self._app = app
        self._words: QTranslator | None = None

    def speak(self, translator: Translator) -> None:
        """Take the words of a language from now on; where Qt has none they stay English."""
        if self._words is not None:
            self._app.removeTranslator(self._words)
            self._words.deleteLater()
            self._words = None
        if translator.language == _ENGLISH:
            return
        words = QTranslator(self)
        folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
        if words.load(f"qtbase_{translator.language}", folder):
            self._app.installTranslator(words)
            self._words = words
        else:
            _log.info("Qt has no words for %s in %s", translator.language, folder)
            words.deleteLater()
