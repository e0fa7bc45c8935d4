"""A read-only table model over plain rows: text to show, values to sort by.

Leaves to others: making the rows (`ui.models.advice_rows`), painting (`ui.widgets.row_delegate`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont

AnyIndex = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class CellRole(IntEnum):
    """Roles of ours: the value to sort by is `Qt.ItemDataRole.UserRole` itself."""

    DETAIL = Qt.ItemDataRole.UserRole + 1
    BAR = Qt.ItemDataRole.UserRole + 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A bar in a cell: where an interval lies on the axis of its column, each from 0 to 1."""

    low: float
    mid: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell: its text, the value it sorts by, an explanation for the pointer.

    Attributes:
        detail: a second, quieter line; "" for none.
        bar: an interval to be drawn below the text, None for none.
    """

    text: str
    value: float | str
    explanation: str = ""
    detail: str = ""
    bar: Span | None = None
    is_number: bool = False
    is_strong: bool = False


class RowsModel(QAbstractTableModel):
    """Shows rows of cells under fixed heads.

    Args:
        heads: titles of the columns.
        explanations: what each column means, for the pointer; "" for none.
    """

    def __init__(
        self,
        heads: Sequence[str],
        *,
        explanations: Sequence[str] = (),
        parent: QObject | None = None,
    ) -> None:
        """Start without rows."""
        super().__init__(parent)
        self._heads = tuple(heads)
        self._explanations = tuple(explanations)
        self._rows: tuple[tuple[Cell, ...], ...] = ()

    def show_rows(self, rows: Sequence[tuple[Cell, ...]]) -> None:
        """Replace the rows; those that stay in front are left alone, with what is chosen there."""
        rows, old = tuple(rows), self._rows
        if rows == old:
            return
        kept = next(
            (n for n, (one, other) in enumerate(zip(old, rows, strict=False)) if one != other),
            min(len(old), len(rows)),
        )
        if kept == 0:
            self.beginResetModel()
            self._rows = rows
            self.endResetModel()
            return
        if kept < len(old):
            self.beginRemoveRows(QModelIndex(), kept, len(old) - 1)
            self._rows = old[:kept]
            self.endRemoveRows()
        if kept < len(rows):
            self.beginInsertRows(QModelIndex(), kept, len(rows) - 1)
            self._rows = rows
            self.endInsertRows()

    def column(self, number: int) -> list[Cell]:
        """Return the cells of a column, from the first row to the last."""
        return [row[number] for row in self._rows]

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
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if cell.is_number else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.FontRole:
            return _strong_font() if cell.is_strong else None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return cell.text
            case Qt.ItemDataRole.UserRole:
                return cell.value
            case Qt.ItemDataRole.ToolTipRole:
                return _tool_tip(cell)
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{cell.text}, {cell.detail}".rstrip(", ")
            case CellRole.DETAIL:
                return cell.detail
            case CellRole.BAR:
                return cell.bar
        return None

    def headerData(  # noqa: N802 - Qt's name
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:
        """Return the head of a column, its explanation or its alignment."""
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self._heads):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._heads[section]
        if role == Qt.ItemDataRole.ToolTipRole and section < len(self._explanations):
            return self._explanations[section] or None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            is_number = bool(self._rows) and self._rows[0][section].is_number
            side = Qt.AlignmentFlag.AlignRight if is_number else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None


def _strong_font() -> QFont:
    font = QFont()
    font.setBold(True)
    return font


def _tool_tip(cell: Cell) -> str:
    lines = (cell.text, cell.detail, cell.explanation)
    return "\n".join(line for line in lines if line)
