"""Which theme the user wants: that of the system, light or dark; kept, and shown at once.

Leaves to others: the style sheet, which follows the palette (`ui.theme`).
"""

from enum import StrEnum

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication

from ui.kept_words import keep_word, kept_word

# Name of the choice.
THEME = "theme"


class Theme(StrEnum):
    """Which colours the window has."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


_SCHEMES = {Theme.LIGHT: Qt.ColorScheme.Light, Theme.DARK: Qt.ColorScheme.Dark}
_LIGHT_GROUND = "#efefef"
_DARK_GROUNDS = ("#2d3236", "#23272b")
_DARK = {
    QPalette.ColorRole.Base: "#1b1e21",
    QPalette.ColorRole.AlternateBase: "#212529",
    QPalette.ColorRole.ToolTipBase: "#2d3236",
    QPalette.ColorRole.Highlight: "#2f6db5",
    QPalette.ColorRole.HighlightedText: "#ffffff",
    QPalette.ColorRole.Link: "#6aa5e8",
    QPalette.ColorRole.LinkVisited: "#b79ae0",
}
_DARK_TEXT, _DARK_QUIET = "#e8eaed", "#9aa0a6"
_TEXTS = (
    QPalette.ColorRole.WindowText,
    QPalette.ColorRole.Text,
    QPalette.ColorRole.ButtonText,
    QPalette.ColorRole.ToolTipText,
)


def keep_theme(theme: Theme) -> None:
    """Keep the theme for later."""
    keep_word(THEME, theme.value)


def chosen_theme() -> Theme:
    """Return the kept theme, that of the system without one."""
    kept = kept_word(THEME)
    return next((theme for theme in Theme if theme == kept), Theme.SYSTEM)


def palette_of(theme: Theme) -> QPalette:
    """Return the colours of a theme; for that of the system an empty palette, which Qt fills."""
    if theme is Theme.SYSTEM:
        return QPalette()
    if theme is Theme.LIGHT:
        return QPalette(QColor(_LIGHT_GROUND))
    button, window = _DARK_GROUNDS
    palette = QPalette(QColor(button), QColor(window))
    for role, name in _DARK.items():
        palette.setColor(role, QColor(name))
    quiet = QColor(_DARK_QUIET)
    palette.setColor(QPalette.ColorRole.PlaceholderText, quiet)
    for role in _TEXTS:
        palette.setColor(role, QColor(_DARK_TEXT))
        palette.setColor(QPalette.ColorGroup.Disabled, role, quiet.darker(150))
    return palette


def show_theme(theme: Theme, app: QApplication) -> None:
    """Give all windows a theme now.

    By a palette of our own: many desktops on Linux cannot be asked for another one. They are asked
    nevertheless, for the frames of the windows and the dialogs for files.
    """
    scheme = _SCHEMES.get(theme)
    hints = app.styleHints()
    if scheme is None:
        hints.unsetColorScheme()
    else:
        hints.setColorScheme(scheme)
    app.setPalette(palette_of(theme))


def choose_theme(theme: Theme) -> None:
    """Keep a theme that the user chose, and show it."""
    keep_theme(theme)
    app = QApplication.instance()
    if isinstance(app, QApplication):
        show_theme(theme, app)
