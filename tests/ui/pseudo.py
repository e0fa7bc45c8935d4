"""A language whose texts are 30 % longer, and a look for what does not fit where it stands."""

import gettext

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QListView,
    QScrollArea,
    QTabBar,
)

from advisor.i18n import Translator

LONGER = 0.3
# Rounding of fonts.
SLACK_PX = 2
_FILL = "ëîœ"


class _Longer(gettext.NullTranslations):
    """Every message, with words of our own making behind it."""

    def gettext(self, message):
        extra = max(1, round(len(message.rpartition("\x04")[2]) * LONGER))
        return message + " " + " ".join(_words(extra - 1))


def _words(count):
    """Yield words of nine letters, so many characters in all."""
    text = _FILL * 3
    while count > 0:
        yield text[:count]
        count -= len(text) + 1


def pseudo():
    """Return the translator of the longer language."""
    return Translator("en_XA", _Longer())


def clipped(window):
    """Yield a line for each widget of a shown window whose text does not fit."""
    least = window.minimumSizeHint()
    if least.width() > window.width() or least.height() > window.height():
        yield f"{window.objectName()}: needs {least.width()}x{least.height()}"
    for kind, look in _LOOKS.items():
        for widget in window.findChildren(kind):
            if widget.isVisible() and widget.window() is window:
                yield from (f"{kind.__name__} {what}" for what in look(widget))


def _of_label(label):
    text = label.text()
    if not text or label.toolTip():
        return
    need = label.heightForWidth(label.width()) if label.wordWrap() else label.sizeHint().height()
    if need > label.height() + SLACK_PX:
        yield f"{text!r}: {label.height()} high, needs {need}"
    if not label.wordWrap() and label.sizeHint().width() > label.width() + SLACK_PX:
        yield f"{text!r}: {label.width()} wide, needs {label.sizeHint().width()}"


def _of_button(button):
    need, have = button.sizeHint(), button.size()
    if button.text() and need.width() > have.width() + SLACK_PX:
        yield f"{button.text()!r}: {have.width()} wide, needs {need.width()}"


def _of_combo(combo):
    room = combo.width() - 34
    need = combo.fontMetrics().horizontalAdvance(combo.currentText())
    if need > room + SLACK_PX and not combo.toolTip():
        yield f"{combo.accessibleName()} {combo.currentText()!r}: {room} wide, needs {need}"


def _of_line(line):
    text = line.placeholderText()
    need = line.fontMetrics().horizontalAdvance(text) + 12
    if need > line.width() + SLACK_PX and not line.toolTip():
        yield f"{text!r}: {line.width()} wide, needs {need}"


def _of_tabs(bar):
    need = sum(bar.tabRect(n).width() for n in range(bar.count()))
    if need > bar.width() + SLACK_PX:
        yield f"{bar.tabText(0)!r} …: {bar.width()} wide, needs {need}"
    for n in range(bar.count()):
        if bar.tabRect(n).width() < bar.fontMetrics().horizontalAdvance(bar.tabText(n)):
            yield f"{bar.tabText(n)!r} is cut"


def _of_header(header):
    model = header.model()
    if header.orientation() is not Qt.Orientation.Horizontal or model is None:
        return
    for n in range(header.count()):
        text = str(model.headerData(n, header.orientation()) or "")
        need = header.sectionSizeHint(n)
        has_tip = bool(model.headerData(n, header.orientation(), Qt.ItemDataRole.ToolTipRole))
        if text and need > header.sectionSize(n) + SLACK_PX and not has_tip:
            yield f"{text!r}: {header.sectionSize(n)} wide, needs {need}"


def _of_list(view):
    model = view.model()
    for row in range(model.rowCount()):
        index = model.index(row, 0)
        need, have = view.sizeHintForIndex(index).width(), view.viewport().width()
        is_told = bool(index.data(Qt.ItemDataRole.ToolTipRole)) or view.wordWrap()
        can_scroll = view.horizontalScrollBar().maximum() > 0
        if need > have + SLACK_PX and not is_told and not can_scroll:
            yield f"{index.data()!r}: {have} wide, needs {need}"


def _of_area(area):
    inner = area.widget()
    is_cut = area.horizontalScrollBarPolicy() is Qt.ScrollBarPolicy.ScrollBarAlwaysOff
    if inner is not None and is_cut and inner.width() > area.viewport().width() + SLACK_PX:
        yield f"{area.accessibleName()}: {area.viewport().width()} wide, needs {inner.width()}"


_LOOKS = {
    QLabel: _of_label,
    QAbstractButton: _of_button,
    QComboBox: _of_combo,
    QLineEdit: _of_line,
    QTabBar: _of_tabs,
    QHeaderView: _of_header,
    QListView: _of_list,
    QScrollArea: _of_area,
}
