"""Colours and the style sheet, light and dark, after the system's palette.

Leaves to others: layout (`ui.views`).
"""

from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication, QWidget

from advisor.report.html import Colours

_LIGHT = Colours(
    muted="#5b6673", shade="#eef1f5", best="#1b7f5c", now="#2f6db5", avoid="#b5402f", none="#9aa5b1"
)
_DARK = Colours(
    muted="#a3adb8", shade="#2b3138", best="#3fb58a", now="#6aa5e8", avoid="#e0705f", none="#6b7580"
)
_SHEET = """
QLabel#heading {{ font-size: 15pt; font-weight: 600; padding-bottom: 6px; }}
QLabel#status {{ color: {muted}; }}
QLabel#status[failed="true"] {{ color: {avoid}; }}
QPushButton#primary {{
    background: {now}; color: white; border: 0; border-radius: 6px;
    padding: 10px 18px; font-size: 12pt; font-weight: 600;
}}
QPushButton#primary:disabled {{ background: {none}; }}
QPushButton#primary:focus {{ border: 2px solid palette(text); }}
QFrame#answer_card {{ background: {shade}; border-left: 4px solid {best}; border-radius: 4px; }}
QLabel#badge {{ color: {muted}; }}
QLabel#answer_title {{ font-size: 14pt; font-weight: 600; }}
QLabel#answer_numbers {{ font-size: 12pt; }}
QProgressBar {{ border: 0; background: {shade}; height: 8px; border-radius: 4px; }}
QProgressBar::chunk {{ background: {best}; border-radius: 4px; }}
QTableView {{ border: 0; }}
"""


def is_dark(widget: QWidget | QApplication) -> bool:
    """Tell whether the palette in force has light text on dark ground."""
    palette = widget.palette()
    text = palette.color(QPalette.ColorRole.WindowText).lightness()
    return text > palette.color(QPalette.ColorRole.Window).lightness()


def report_colours(widget: QWidget | QApplication) -> Colours:
    """Return the colours that fit the palette in force."""
    return _DARK if is_dark(widget) else _LIGHT


def style_sheet(app: QApplication) -> str:
    """Return the style sheet of the app."""
    colours = report_colours(app)
    names = ("muted", "shade", "best", "now", "avoid", "none")
    return _SHEET.format(**{name: getattr(colours, name) for name in names})
