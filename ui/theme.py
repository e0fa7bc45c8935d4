"""Colours, the style sheet and the icon, light and dark, after the system's palette.

Leaves to others: layout (`ui.views`).
"""

import importlib.resources
import re

from PySide6.QtCore import QObject
from PySide6.QtGui import QFontDatabase, QFontInfo, QIcon, QPalette, QPixmap
from PySide6.QtWidgets import QApplication, QWidget

from advisor.report.html import Colours

BUNDLED_FONT = "NotoSansSC-Regular-subset.ttf"
_LIGHT = Colours(
    muted="#5b6673", shade="#f2f4f7", best="#1b7f5c", now="#2f6db5", avoid="#b5402f", none="#9aa5b1"
)
_DARK = Colours(
    muted="#a3adb8", shade="#2b3138", best="#3fb58a", now="#6aa5e8", avoid="#e8806f", none="#6b7580"
)
# The text on the main button is white in both: its ground must be dark enough for that.
_PRIMARY = {False: ("#2f6db5", "#3a7cc8", "#27598f"), True: ("#3572b8", "#4180c6", "#2c5f9a")}
_CHOSEN = {False: "#dce8f6", True: "#2f4561"}
_LINES = {False: "#d5dae0", True: "#454c54"}
# Titles stay larger than the text of who has set a larger one than this.
_USUAL_PT = 10.0
_SIZE = re.compile(r"\b(\d+)pt\b")
_SHEET = """
QListWidget#rail {{
    border: 0; border-right: 1px solid {line}; background: palette(window); padding-top: 8px;
    outline: 0;
}}
QListWidget#rail::item {{ padding-left: 10px; border-left: 3px solid transparent; }}
QListWidget#rail::item:hover {{ background: {shade}; }}
QListWidget#rail::item:selected {{
    background: {chosen}; color: palette(text); border-left: 3px solid {now};
}}
QPushButton:disabled, QCheckBox:disabled {{ color: {none}; }}
QListWidget#groups::item {{ padding: 5px 6px; border-bottom: 1px solid {line}; }}
QListWidget#groups::item:selected {{ background: {chosen}; color: palette(text); }}
QFrame#card {{ background: palette(base); border: 1px solid {line}; border-radius: 6px; }}
QLabel#card_title {{ font-size: 12pt; font-weight: 600; }}
QLabel#page_title {{ font-size: 15pt; font-weight: 600; }}
QLabel#page_text {{ color: {muted}; }}
QLabel#own {{ color: {now}; font-weight: 600; }}
QLabel#warning {{ color: {avoid}; }}
QLabel#heading {{ font-size: 15pt; font-weight: 600; }}
QLabel#field {{ color: {muted}; }}
QLabel#status {{ color: {muted}; }}
QLabel#status[failed="true"] {{ color: {avoid}; font-weight: 600; }}
QLabel#about {{ color: {muted}; padding: 0 6px; }}
QToolButton:checked {{ background: transparent; border: 0; }}
QPushButton {{ padding: 5px 12px; }}
QPushButton#primary {{
    background: {primary}; color: white; border: 2px solid {primary}; border-radius: 6px;
    padding: 8px 16px; font-size: 12pt; font-weight: 600;
}}
QPushButton#primary:hover {{ background: {hover}; }}
QPushButton#primary:pressed {{ background: {pressed}; }}
QPushButton#primary:disabled {{ background: {none}; border-color: {none}; }}
QPushButton#primary:focus {{ border-color: palette(text); }}
QFrame#answer_card {{
    background: palette(base); border: 1px solid {line}; border-left: 4px solid {best};
    border-radius: 6px;
}}
QFrame#answer_card[first="false"] {{ border-left-color: {none}; }}
QFrame#answer_card QScrollArea, QWidget#card_body {{ background: transparent; border: 0; }}
QLabel#badge {{ color: {muted}; }}
QLabel#answer_title {{ font-size: 14pt; font-weight: 600; }}
QLabel#answer_numbers {{ font-size: 11pt; }}
QLabel#card_heading {{ font-weight: 600; }}
QLabel#note {{ color: {muted}; }}
QPlainTextEdit#code {{ background: {shade}; border: 1px solid {line}; border-radius: 4px; }}
QLabel#message_title {{ font-size: 15pt; font-weight: 600; }}
QLabel#message_text {{ font-size: 11pt; color: {muted}; }}
QLabel#step_number {{
    background: {now}; color: white; border-radius: 12px; font-weight: 600;
}}
QLabel#message_text[failed="true"] {{ color: palette(text); }}
QLabel#message_text[problem="true"] {{ color: {avoid}; font-weight: 600; }}
QProgressBar {{ border: 0; background: {line}; max-height: 8px; border-radius: 4px; }}
QProgressBar::chunk {{ background: {best}; border-radius: 4px; }}
QTableView, QTextBrowser {{ border: 0; }}
QTableView {{ selection-background-color: {chosen}; selection-color: palette(text); }}
QTableView::item {{ padding: 4px 6px; }}
QHeaderView::section {{
    background: palette(window); border: 0; border-bottom: 1px solid {line}; padding: 4px 6px;
}}
QCheckBox::indicator, QListView::indicator {{
    width: 14px; height: 14px; border: 1px solid {muted}; border-radius: 3px;
    background: palette(base);
}}
QListView::indicator {{ width: 12px; height: 12px; }}
QListWidget#setups::item {{ padding: 3px 4px; }}
QCheckBox::indicator:checked, QListView::indicator:checked {{
    background: {now}; border-color: {now}; image: url("{check}");
}}
QCheckBox::indicator:focus {{ border-color: palette(text); }}
QCheckBox::indicator:disabled, QListView::indicator:disabled {{ border-color: {line}; }}
QTabBar::tab {{
    padding: 6px 12px; border: 0; border-bottom: 2px solid transparent; color: {muted};
}}
QTabBar::tab:hover {{ background: {shade}; }}
QTabBar::tab:selected {{ color: palette(text); border-bottom-color: {now}; }}
QTabBar::tab:selected:focus {{ background: {chosen}; }}
QSlider:horizontal {{ min-height: 20px; }}
QSlider::groove:horizontal {{ height: 4px; border-radius: 2px; background: {line}; }}
QSlider::sub-page:horizontal {{ border-radius: 2px; background: {now}; }}
QSlider::sub-page:horizontal:disabled {{ background: {none}; }}
QSlider::handle:horizontal {{
    width: 12px; margin: -6px 0; border: 2px solid {now}; border-radius: 8px;
    background: palette(base);
}}
QSlider::handle:horizontal:hover {{ background: {chosen}; }}
QSlider::handle:horizontal:focus {{ border-color: palette(text); }}
QSlider::handle:horizontal:disabled {{ border-color: {none}; }}
QScrollArea#left {{ border: 0; background: transparent; }}
QWidget#left_column {{ background: transparent; }}
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
    primary, hover, pressed = _PRIMARY[is_dark(app)]
    larger = max(1.0, QFontInfo(app.font()).pointSizeF() / _USUAL_PT)
    sheet = _SHEET.format(
        **{name: getattr(colours, name) for name in names},
        primary=primary,
        hover=hover,
        pressed=pressed,
        line=_LINES[is_dark(app)],
        chosen=_CHOSEN[is_dark(app)],
        check=_icon_path("check"),
    )
    return _SIZE.sub(lambda found: f"{round(int(found[1]) * larger)}pt", sheet)


class ThemeWatcher(QObject):
    """Gives the app its style sheet, and another one when the system turns dark or light.

    By the app's signal: an event filter on the app would see every event of every widget, and each
    would wait for Python.
    """

    def __init__(self, app: QApplication) -> None:
        """Watch the app."""
        super().__init__(app)
        self._app = app
        self._was_dark = is_dark(app)
        app.setStyleSheet(style_sheet(app))
        app.paletteChanged.connect(self._follow)

    def _follow(self, _palette: QPalette) -> None:
        if is_dark(self._app) is not self._was_dark:
            self._was_dark = is_dark(self._app)
            self._app.setStyleSheet(style_sheet(self._app))


def add_bundled_font(app: QApplication) -> None:
    """Let letters that the system's fonts lack come from the font that we bring."""
    place = importlib.resources.files("resources").joinpath("fonts", BUNDLED_FONT)
    number = QFontDatabase.addApplicationFontFromData(place.read_bytes())
    families = QFontDatabase.applicationFontFamilies(number)
    font = app.font()
    # The family that is really drawn: "Sans Serif" is no font, and ours would come before it.
    font.setFamilies([QFontInfo(font).family(), *families])
    app.setFont(font)


def app_icon() -> QIcon:
    """Return the icon of the app."""
    return QIcon(_pixmap(_icon_data("dl-advisor")))


def line_icon(name: str, widget: QWidget) -> QIcon:
    """Return a drawing of lines in the colour of the text around it, at twice the usual size."""
    colour = widget.palette().color(QPalette.ColorRole.WindowText).name()
    data = _icon_data(name).replace(b"currentColor", colour.encode("ascii"))
    return QIcon(_pixmap(data.replace(b"<svg ", b'<svg width="48" height="48" ', 1)))


def _icon_data(name: str) -> bytes:
    return importlib.resources.files("resources").joinpath("icons", f"{name}.svg").read_bytes()


def _icon_path(name: str) -> str:
    """Return where a drawing lies, as a style sheet names files."""
    place = importlib.resources.files("resources").joinpath("icons", f"{name}.svg")
    return str(place).replace("\\", "/")


def _pixmap(data: bytes) -> QPixmap:
    pixmap = QPixmap()
    pixmap.loadFromData(data, "SVG")
    return pixmap


def style(app: QApplication) -> None:
    """Give the app its style and its icon; the style follows the system."""
    app.setStyle("Fusion")
    add_bundled_font(app)
    app.setWindowIcon(app_icon())
    ThemeWatcher(app)
