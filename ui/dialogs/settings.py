"""The settings dialog: the language, the theme, and where the user's own files are.

Signals of `SettingsDialog`:
    language_chosen: name of the language that the window shall speak from now on.
    theme_chosen: the `Theme` that the window shall have from now on.
Leaves to others: keeping the choices (`ui.language`, `ui.theme_choice`), building the window anew
(`ui.app`).
"""

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QWidget,
)

from advisor.i18n import LANGUAGES, N_, Translator
from ui.dialogs.calm import CalmDialog
from ui.language import LANGUAGE_NAMES
from ui.settings import data_folder, prices_folder
from ui.theme_choice import Theme, chosen_theme
from ui.widgets.labels import text_label

_WIDTH = 520
_THEMES = {Theme.SYSTEM: N_("as the system"), Theme.LIGHT: N_("light"), Theme.DARK: N_("dark")}


class SettingsDialog(CalmDialog):
    """Asks for what holds for the whole app."""

    language_chosen = Signal(str)
    theme_chosen = Signal(object)

    def __init__(self, *, translator: Translator, parent: QWidget | None = None) -> None:
        """Show what holds now."""
        super().__init__(parent)
        tr = translator
        self.setWindowTitle(tr(N_("Settings")))
        self.setMinimumWidth(_WIDTH)
        self.language = QComboBox()
        self.language.setAccessibleName(tr(N_("Language")))
        for name in LANGUAGES:
            self.language.addItem(LANGUAGE_NAMES[name], name)
        self.language.setCurrentIndex(max(0, self.language.findData(tr.language)))
        self.theme = QComboBox()
        self.theme.setAccessibleName(tr(N_("Theme")))
        for theme, text in _THEMES.items():
            self.theme.addItem(tr(text), theme.value)
        self.theme.setCurrentIndex(self.theme.findData(chosen_theme().value))
        self.close_button = QPushButton(tr(N_("&Close")))
        form = QFormLayout(self)
        form.setContentsMargins(16, 16, 16, 12)
        form.setVerticalSpacing(10)
        form.addRow(QLabel(tr(N_("Language"))), self.language)
        form.addRow(QLabel(tr(N_("Theme"))), self.theme)
        for text, folder in (
            (N_("Your results"), data_folder()),
            (N_("Fetched prices"), prices_folder()),
        ):
            form.addRow(QLabel(tr(text)), text_label(str(folder), name="page_text"))
        privacy = tr(
            N_(
                "Nothing is sent and nothing is fetched unless you say so: there is no account, no"
                " telemetry and no search for updates."
            )
        )
        form.addRow(text_label(privacy, name="message_text"))
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self.close_button)
        form.addRow(row)
        self.language.activated.connect(
            lambda: self.language_chosen.emit(str(self.language.currentData()))
        )
        self.theme.activated.connect(
            lambda: self.theme_chosen.emit(Theme(self.theme.currentData()))
        )
        self.close_button.clicked.connect(self.close)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Be as high as the texts are at this width: Qt reckons with a narrower one."""
        super().showEvent(event)
        layout = self.layout()
        assert layout is not None
        self.resize(self.width(), layout.totalHeightForWidth(self.width()))
