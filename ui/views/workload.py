"""The workload page: which network and how much of it, its layers, and where it fits.

Signals of `WorkloadView`:
    page_requested: name of the page that the user wants to see next.
Leaves to others: reading the network (`ui.presenters.workload`), the form (`ui.widgets.job_form`).
"""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from advisor.i18n import N_, Translator
from ui.models.rows import RowsModel
from ui.models.workload_cards import LAYER_HEADS, LAYER_TIPS, layer_rows, workload_cards
from ui.presenters.workload import WorkloadStage, WorkloadState
from ui.widgets.card_page import CardPage
from ui.widgets.job_form import JobForm
from ui.widgets.labels import breakable, text_label
from ui.widgets.rows_table import RowsTable

_LEFT_WIDTH = (320, 400)


class WorkloadView(QWidget):
    """Shows the form and a `WorkloadState`."""

    page_requested = Signal(str)

    def __init__(
        self, form: JobForm, *, translator: Translator, parent: QWidget | None = None
    ) -> None:
        """Take the form, which belongs to this page from now on."""
        super().__init__(parent)
        self._tr = translator
        self.form = form
        self.text = text_label(name="status")
        self.cards = CardPage(name=translator(N_("Size and memory")), translator=translator)
        self._rows = RowsModel(
            [translator(head) for head in LAYER_HEADS],
            explanations=[translator(tip) for tip in LAYER_TIPS],
            parent=self,
        )
        self.layers_table = RowsTable(
            self._rows,
            widths={1: 106, 2: 96, 3: 92, 4: 104},
            fitted={1: 0.24, 2: 0.16, 3: 0.18, 4: 0.2},
            name=translator(N_("Layers")),
        )
        self.layers_table.setWordWrap(False)
        self.next_button = QPushButton(translator(N_("&Go on: ask for advice")))
        self.next_button.clicked.connect(lambda: self.page_requested.emit("start"))
        self._lay_out()
        self.show_state(WorkloadState())

    def _lay_out(self) -> None:
        left = QWidget()
        left.setObjectName("left_column")
        column = QVBoxLayout(left)
        column.setContentsMargins(4, 0, 12, 4)
        column.addWidget(self.form)
        column.addWidget(self.next_button)
        drop = self._tr(N_("A model file can also be dropped anywhere on the window."))
        column.addWidget(text_label(drop, name="page_text"))
        column.addStretch(1)
        area = QScrollArea()
        area.setObjectName("left")
        area.setWidget(left)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setMinimumWidth(_LEFT_WIDTH[0])
        area.setMaximumWidth(_LEFT_WIDTH[1])
        right = QSplitter(Qt.Orientation.Vertical)
        right.addWidget(self.cards)
        right.addWidget(self.layers_table)
        right.setChildrenCollapsible(False)
        right.setSizes([400, 300])
        self.cards.setMinimumHeight(120)
        self.layers_table.setMinimumHeight(120)
        beside = QVBoxLayout()
        beside.addWidget(self.text)
        beside.addWidget(right, 1)
        row = QHBoxLayout()
        row.addWidget(area)
        row.addLayout(beside, 1)
        page = QVBoxLayout(self)
        page.setContentsMargins(24, 20, 16, 12)
        page.setSpacing(10)
        page.addWidget(text_label(self._tr(N_("Your network and job")), name="page_title"))
        page.addLayout(row, 1)

    def show_state(self, state: WorkloadState) -> None:
        """Show a state of the page."""
        is_failed = state.stage is WorkloadStage.FAILED
        self.text.setText(breakable(state.message))
        self.text.setVisible(is_failed)
        self.text.setProperty("failed", is_failed)
        self.text.style().unpolish(self.text)
        self.text.style().polish(self.text)
        if state.workload is not None:
            self.cards.show_cards(workload_cards(state.workload, state.profile, self._tr))
            self._rows.show_rows(layer_rows(state.workload, self._tr))
        else:
            self.cards.show_cards(())
            self._rows.show_rows(())
