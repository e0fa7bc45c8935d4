"""Draws entries of a list of several lines: each as high as its wrapped text in any script.

Leaves to others: the entries.
"""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QListView, QStyledItemDelegate, QStyleOptionViewItem

# Room beside and above the text, as the style sheet gives it.
_BESIDE_PX = 20
_ABOVE_PX = 8


class TextDelegate(QStyledItemDelegate):
    """Letters of another font are higher than those by which Qt reckons the height of an entry."""

    def __init__(self, view: QListView) -> None:
        """Draw the entries of a list."""
        super().__init__(view)
        self._view = view

    def sizeHint(  # noqa: N802 - Qt's name
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Return the size of an entry at the width of the list."""
        document = QTextDocument()
        document.setDefaultFont(self._view.font())
        document.setDocumentMargin(0)
        document.setPlainText(str(index.data() or ""))
        document.setTextWidth(self._view.viewport().width() - _BESIDE_PX)
        height = round(document.size().height()) + 2 * _ABOVE_PX
        return QSize(super().sizeHint(option, index).width(), height)
