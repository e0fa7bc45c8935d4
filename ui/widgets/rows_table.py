"""A table view over a `RowsModel`: sortable, read-only, whole rows selected.

Signals: those of `QTableView`, and `row_chosen`: number of the chosen row in the model.
Leaves to others: the rows (`ui.models`).
"""

from collections.abc import Mapping
from types import MappingProxyType

from PySide6.QtCore import QModelIndex, QSortFilterProxyModel, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from ui.models.rows import RowsModel
from ui.widgets.row_delegate import RowDelegate
from ui.widgets.text_delegate import WrappedDelegate, line_height

# Ten digits in the letters for which the widths of columns are given.
_TEN_DIGITS_PX = 80
# Of the table, for the columns of a fixed width in larger letters.
_SHARE_OF_FIXED = 0.65
NOTHING_FITTED: Mapping[int, float] = MappingProxyType({})


class RowsTable(QTableView):
    """Shows rows.

    Args:
        model: the rows.
        widths: width in pixels of each column that has a fixed one, in letters of the usual size;
            in larger ones it is wider. The others share the rest.
        fitted: of those with a width, the ones that are as wide as what stands in them, and the
            most that each may take, as a share of the table; until the user drags it.
        name: what the table is, for assistive technology.

    Signals:
        row_chosen: number of the row, in the model's own order.
    """

    row_chosen = Signal(int)

    def __init__(
        self,
        model: RowsModel,
        *,
        widths: Mapping[int, int],
        fitted: Mapping[int, float] = NOTHING_FITTED,
        name: str,
        parent: QWidget | None = None,
    ) -> None:
        """Show the model in its own order."""
        super().__init__(parent)
        self._model = model
        self._proxy = QSortFilterProxyModel(self)
        self._proxy.setSourceModel(model)
        self._proxy.setSortRole(Qt.ItemDataRole.UserRole)
        self.setModel(self._proxy)
        self.setAccessibleName(name)
        self.setSortingEnabled(True)
        self.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        self.verticalHeader().hide()
        self.setShowGrid(False)
        self.setWordWrap(True)
        self.setAlternatingRowColors(True)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        for column in range(model.columnCount()):
            is_fixed = column in widths
            mode = (
                QHeaderView.ResizeMode.Interactive if is_fixed else QHeaderView.ResizeMode.Stretch
            )
            header.setSectionResizeMode(column, mode)
            if is_fixed:
                self.setColumnWidth(column, widths[column])
        self._least_widths = dict(widths)
        self._usual_widths = dict(widths) if self._larger() > 1.0 else {}
        self._fitted = dict(fitted)
        self._is_fitting = False
        if fitted or self._usual_widths:
            header.sectionResized.connect(self._leave_dragged)
        if fitted:
            for changed in (self._proxy.modelReset, self._proxy.rowsInserted):
                changed.connect(lambda *_rows: self._fit_columns())
        self.selectionModel().currentRowChanged.connect(self._tell_row)

    def _larger(self) -> float:
        """Return how much wider the letters of the table are than usual ones."""
        digits = QFontMetrics(self.font()).horizontalAdvance("0" * 10)
        return max(1.0, digits / _TEN_DIGITS_PX)

    def _enlarge_columns(self) -> None:
        """Make the columns of a fixed width as much wider as the letters are, while there is room.

        The columns without one keep their share of the table.
        """
        header, wanted = self.horizontalHeader(), self._larger()
        room = _SHARE_OF_FIXED * self.viewport().width()
        larger = min(wanted, max(1.0, room / max(1, sum(self._usual_widths.values()))))
        self._is_fitting = True
        for column, usual in self._usual_widths.items():
            head = header.sectionSizeHint(column) if larger == wanted else 0
            self._least_widths[column] = max(round(usual * larger), head)
            self.setColumnWidth(column, self._least_widths[column])
        self._is_fitting = False

    @property
    def proxy(self) -> QSortFilterProxyModel:
        """The model that the table shows: that of the rows, in the order that the user chose."""
        return self._proxy

    def choose_row(self, number: int) -> None:
        """Select a row by its number in the model."""
        index = self._proxy.mapFromSource(self._model.index(number, 0))
        self.setCurrentIndex(index)

    @property
    def chosen_row(self) -> int:
        """Number of the chosen row in the model, -1 without one."""
        return int(self._proxy.mapToSource(self.currentIndex()).row())

    def give_two_lines(self, *, more_px: int) -> None:
        """Make each row as high as two lines in the letters of the heads, and a little more.

        Its cells do not wrap; `RowDelegate` paints them.
        """
        self.setItemDelegate(RowDelegate(self))
        columns = range(self._proxy.columnCount())
        heads = [self._proxy.headerData(n, Qt.Orientation.Horizontal) for n in columns]
        height = 2 * line_height(self.font(), "".join(str(head) for head in heads)) + more_px
        self.verticalHeader().setDefaultSectionSize(height)
        self.setWordWrap(False)

    def fit_rows(self) -> None:
        """Make each row as high as its wrapped text, now and after each change of width."""
        self.setItemDelegate(WrappedDelegate(self))
        mode = QHeaderView.ResizeMode.ResizeToContents
        self.verticalHeader().setSectionResizeMode(mode)

    def _fit_columns(self) -> None:
        """Make each fitted column as wide as its longest text and its head, within its share."""
        header, room = self.horizontalHeader(), self.viewport().width()
        self._is_fitting = True
        for column, share in self._fitted.items():
            wanted = max(self._width_of(column), header.sectionSizeHint(column))
            width = max(self._least_widths[column], min(wanted, round(share * room)))
            self.setColumnWidth(column, width)
        self._is_fitting = False

    def _width_of(self, column: int) -> int:
        """Return the width in pixels that a column's longest text asks for.

        Qt would ask the delegate about each cell, which takes 0.2 ms of Python: only the cell whose
        letters are the widest is asked about.
        """
        usual, strong = QFont(self.font()), QFont(self.font())
        strong.setBold(True)
        widths = {False: QFontMetrics(usual), True: QFontMetrics(strong)}
        cells = self._model.column(column)
        if not cells:
            return 0
        lengths = [
            max(map(widths[cell.is_strong].horizontalAdvance, (cell.text, cell.detail)))
            for cell in cells
        ]
        widest = self._model.index(lengths.index(max(lengths)), column)
        return self.sizeHintForIndex(self._proxy.mapFromSource(widest)).width()

    def _leave_dragged(self, column: int, _before: int, _now: int) -> None:
        if not self._is_fitting:
            self._fitted.pop(column, None)
            self._usual_widths.pop(column, None)

    def follow_end(self) -> None:
        """Scroll to the last row, unless the user looks at others."""
        bar = self.verticalScrollBar()
        if bar.value() >= bar.maximum() - bar.pageStep() // 2:
            self.scrollToBottom()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Stay at the end when the end was seen."""
        bar = self.verticalScrollBar()
        was_at_end = bar.value() == bar.maximum() > 0
        super().resizeEvent(event)
        if self._usual_widths:
            self._enlarge_columns()
        if self._fitted:
            self._fit_columns()
        if was_at_end:
            self.scrollToBottom()

    def _tell_row(self, current: QModelIndex, _before: QModelIndex) -> None:
        if current.isValid():
            self.row_chosen.emit(self._proxy.mapToSource(current).row())
