"""A read-only table model over plain rows: text to show, values to sort by.

Leaves to others: making the rows (`ui.models.options`, `ui.models.results`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

AnyIndex = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell: its text, the value it sorts by, an explanation for the pointer."""

    text: str
    value: float | str
    explanation: str = ""
    is_number: bool = False
    is_strong: bool = False


class RowsModel(QAbstractTableModel):
    """Shows rows of cells under fixed heads."""

    def __init__(self, heads: Sequence[str], *, parent: QObject | None = None) -> None:
        """Start without rows."""
        super().__init__(parent)
        self._heads = tuple(heads)
        self._rows: tuple[tuple[Cell, ...], ...] = ()

    def show_rows(self, rows: Sequence[tuple[Cell, ...]]) -> None:
        """Replace the rows; when the old ones stay in front, only the new ones are inserted."""
        rows = tuple(rows)
        known = len(self._rows)
        if known and rows[:known] == self._rows:
            if len(rows) > known:
                self.beginInsertRows(QModelIndex(), known, len(rows) - 1)
                self._rows = rows
                self.endInsertRows()
            return
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def rowCount(self, parent: AnyIndex = _ROOT) -> int:  # noqa: N802 - Qt's name
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: AnyIndex = _ROOT) -> int:  # noqa: N802 - Qt's name
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self._heads)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return text, sort value, explanation or alignment of a cell."""
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        cell = self._rows[index.row()][index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return cell.text
        if role == Qt.ItemDataRole.UserRole:
            return cell.value
        if role == Qt.ItemDataRole.ToolTipRole:
            return cell.explanation or cell.text
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if cell.is_number else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def headerData(  # noqa: N802 - Qt's name
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:
        """Return the head of a column."""
        is_head = orientation == Qt.Orientation.Horizontal
        if is_head and role == Qt.ItemDataRole.DisplayRole and 0 <= section < len(self._heads):
            return self._heads[section]
        return None
