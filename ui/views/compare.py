"""The compare page: what is compared on the left, the devices on a logarithmic axis on the right.

Signals of `CompareView`:
    shown: the page came to be seen, or shall try again.
    page_requested: name of the page that the user wants to see next.
Leaves to others: comparing (`ui.presenters.compare`), the rows (`ui.models.compare_rows`).
"""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from advisor.i18n import N_, Translator
from advisor.model.comparison import ComparedResult, ComparisonGroup
from advisor.model.machine import DeviceKind
from ui.models import compare_rows as rows
from ui.models.rows import RowsModel
from ui.presenters.compare import CompareStage, CompareState
from ui.widgets.labels import spoken, text_label
from ui.widgets.message_panel import MessagePanel
from ui.widgets.rows_table import RowsTable
from ui.widgets.text_delegate import TextDelegate

_LIST_WIDTH = 236


class CompareView(QWidget):
    """Shows a `CompareState`."""

    shown = Signal()
    page_requested = Signal(str)

    def __init__(self, *, translator: Translator, parent: QWidget | None = None) -> None:
        """Build the page without a comparison."""
        super().__init__(parent)
        self._tr = translator
        self._groups: tuple[ComparisonGroup, ...] = ()
        self._results: tuple[ComparedResult | None, ...] = ()
        self.groups = QListWidget()
        self.groups.setAccessibleName(translator(N_("What is compared")))
        self.groups.setObjectName("groups")
        self.groups.setWordWrap(True)
        self.groups.setMaximumWidth(_LIST_WIDTH)
        self.groups.setItemDelegate(TextDelegate(self.groups))
        self.groups.setResizeMode(QListWidget.ResizeMode.Adjust)
        self.groups.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.kind, self.since = QComboBox(), QComboBox()
        self.text = text_label(name="message_text")
        self._rows = RowsModel(
            [translator(head) for head in rows.COMPARE_HEADS],
            explanations=[translator(tip) if tip else "" for tip in rows.COMPARE_TIPS],
            parent=self,
        )
        self.table = RowsTable(
            self._rows, widths={1: 130, 2: 92, 3: 72}, name=translator(N_("Devices"))
        )
        self.table.give_two_lines(more_px=22)
        self.source = text_label(name="note")
        self.copy_button = QPushButton(translator(N_("&Copy the source")))
        self.message = MessagePanel()
        self.start_button = QPushButton(translator(N_("&Go to the start")))
        self.message.add_button(self.start_button)
        self.again_button = QPushButton(translator(N_("&Try again")))
        self.message.add_button(self.again_button)
        self._lay_out()
        self._connect()
        self.show_state(CompareState())

    def _lay_out(self) -> None:
        tr = self._tr
        filters = QHBoxLayout()
        for text, combo in ((N_("&Kind"), self.kind), (N_("&Since"), self.since)):
            label = QLabel(tr(text))
            label.setObjectName("field")
            label.setBuddy(combo)
            combo.setAccessibleName(spoken(tr(text)))
            combo.setMinimumContentsLength(10)
            filters.addWidget(label)
            filters.addWidget(combo)
        filters.addStretch(1)
        right = QWidget()
        column = QVBoxLayout(right)
        column.setContentsMargins(8, 0, 0, 0)
        column.addWidget(self.text)
        column.addLayout(filters)
        column.addWidget(self.table, 1)
        below = QHBoxLayout()
        below.addWidget(self.source, 1)
        below.addWidget(self.copy_button, 0, Qt.AlignmentFlag.AlignTop)
        column.addLayout(below)
        halves = QSplitter(Qt.Orientation.Horizontal)
        halves.addWidget(self.groups)
        halves.addWidget(right)
        halves.setChildrenCollapsible(False)
        halves.setStretchFactor(1, 1)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.message)
        self._stack.addWidget(halves)
        self._halves = halves
        page = QVBoxLayout(self)
        page.setContentsMargins(24, 20, 16, 12)
        page.setSpacing(10)
        page.addWidget(text_label(tr(N_("Among published results")), name="page_title"))
        page.addWidget(self._stack, 1)

    def _connect(self) -> None:
        self.groups.currentRowChanged.connect(self._show_group)
        self.kind.activated.connect(self._show_rows)
        self.since.activated.connect(self._show_rows)
        self.table.row_chosen.connect(self._show_source)
        self.copy_button.clicked.connect(
            lambda: QGuiApplication.clipboard().setText(self.source.text())
        )
        self.again_button.clicked.connect(self.shown)
        self.start_button.clicked.connect(lambda: self.page_requested.emit("start"))

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Tell that the page is looked at."""
        super().showEvent(event)
        self.shown.emit()

    def show_state(self, state: CompareState) -> None:
        """Show a state of the page."""
        tr = self._tr
        self.start_button.setVisible(state.stage is CompareStage.EMPTY)
        self.again_button.setVisible(state.stage is CompareStage.FAILED)
        if state.comparison is not None:
            self._groups = state.comparison.groups
            self.groups.clear()
            self.groups.addItems([rows.group_title(group, tr) for group in self._groups])
            self._stack.setCurrentWidget(self._halves)
            self.groups.setCurrentRow(0)
            return
        self._stack.setCurrentWidget(self.message)
        if state.stage is CompareStage.WORKING:
            self.message.show_message(tr(N_("Looking through the published results …")), "")
        elif state.stage is CompareStage.FAILED:
            self.message.show_message(tr(N_("Not done")), state.message, is_failure=True)
        else:
            text = tr(N_("Press Advise me first: then this machine's figures are known."))
            self.message.show_message(tr(N_("Nothing to compare yet")), text)

    @property
    def _group(self) -> ComparisonGroup | None:
        number = self.groups.currentRow()
        return self._groups[number] if 0 <= number < len(self._groups) else None

    def _show_group(self) -> None:
        group, tr = self._group, self._tr
        if group is None:
            return
        self.text.setText(rows.group_text(group, tr))
        self.kind.clear()
        self.kind.addItem(tr(N_("all")), "")
        for kind in rows.kinds_of(group):
            self.kind.addItem(rows.kind_name(kind, tr), kind.value)
        self.since.clear()
        self.since.addItem(tr(N_("any year")), 0)
        for year in rows.years_of(group):
            self.since.addItem(str(year), year)
        self._show_rows()

    def _show_rows(self) -> None:
        group = self._group
        if group is None:
            return
        kind = self.kind.currentData()
        results = rows.filtered(
            group, kind=DeviceKind(kind) if kind else None, since=self.since.currentData() or None
        )
        shown, self._results = rows.compare_rows(group, results, self._tr)
        self._rows.show_rows(shown)
        own = next((n for n, result in enumerate(self._results) if result is None), 0)
        if shown:
            self.table.choose_row(own)
            self.table.scrollTo(self.table.currentIndex())
        self._show_source(own)

    def _show_source(self, number: int) -> None:
        result = self._results[number] if number < len(self._results) else None
        self.copy_button.setVisible(result is not None)
        if result is None:
            self.source.setText(self._tr(N_("Choose a device to see where its figure is from.")))
            return
        self.source.setText(rows.source_of(result, self._tr))
