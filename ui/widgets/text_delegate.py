"""Entries of lists and cells of tables as high as their text in any script.

Letters of another font, such as Chinese ones, are higher than the font by which Qt reckons.
Leaves to others: the entries, cells of two lines (`ui.widgets.row_delegate`).
"""

import math
import re
from typing import Any

from PySide6.QtCore import QLocale, QModelIndex, QPersistentModelIndex, QSize
from PySide6.QtGui import QFont, QTextLayout, QTextOption
from PySide6.QtWidgets import QListView, QStyledItemDelegate, QStyleOptionViewItem

# Room beside and above the text, as the style sheet gives it.
_BESIDE_PX = 20
_ABOVE_PX = 8
# Around the text of a cell: what the style sheet gives it, and Qt beside it.
_CELL_BESIDE_PX = 18
_CELL_ABOVE_PX = 4
# Qt cuts a word that is longer than its line: from so many letters on (a path, a call, an address)
# it may end behind each sign that parts it.
_LONG_WORD = re.compile(r"\S{24,}")
_PARTING_SIGN = re.compile(r"(?<=[^\w\s])(?=\w)|(?<=_)(?=[^_])")
_BREAK_HERE = "\N{ZERO WIDTH SPACE}"


def line_height(font: QFont, text: str) -> int:
    """Return the height in pixels of a line with the letters of a text."""
    layout = QTextLayout(text, font)
    layout.beginLayout()
    line = layout.createLine()
    layout.endLayout()
    return math.ceil(line.height())


def _wrapped_height(font: QFont, text: str, width: int) -> int:
    """Return the height in pixels of a text that wraps at a width in pixels."""
    # Qt leaves a line out where all of them in the height of the highest do not fit.
    layout = QTextLayout(text.replace("\n", "\N{LINE SEPARATOR}"), font)
    layout.setTextOption(QTextOption())
    layout.beginLayout()
    heights = []
    while (line := layout.createLine()).isValid():
        line.setLineWidth(width)
        heights.append(line.height())
    layout.endLayout()
    return math.ceil(len(heights) * max(heights, default=0.0))


def breakable(text: str) -> str:
    """Return a text whose long words may go on in the next line."""
    return _LONG_WORD.sub(lambda word: _PARTING_SIGN.sub(_BREAK_HERE, word[0]), text)


class WrappedDelegate(QStyledItemDelegate):
    """Draws cells of a table whose text wraps."""

    def displayText(self, value: Any, locale: QLocale | QLocale.Language) -> str:  # noqa: N802
        """Return the text of a cell as it is drawn."""
        return breakable(super().displayText(value, locale))

    def sizeHint(  # noqa: N802 - Qt's name
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Return the size of a cell at the width of its column."""
        usual = super().sizeHint(option, index)
        width = option.rect.width() - _CELL_BESIDE_PX
        if width <= 0:
            return usual
        height = _wrapped_height(option.font, breakable(str(index.data() or "")), width)
        return QSize(usual.width(), max(usual.height(), height + 2 * _CELL_ABOVE_PX))


class TextDelegate(QStyledItemDelegate):
    """Draws the entries of a list."""

    def __init__(self, view: QListView) -> None:
        """Draw for a list."""
        super().__init__(view)
        self._view = view

    def sizeHint(  # noqa: N802 - Qt's name
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Return the size of an entry at the width of the list."""
        width = self._view.viewport().width() - _BESIDE_PX
        height = _wrapped_height(self._view.font(), str(index.data() or ""), width)
        return QSize(super().sizeHint(option, index).width(), height + 2 * _ABOVE_PX)
