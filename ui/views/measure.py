"""The measure page: curves and a roofline that grow while kernels are timed, and every verdict.

Signals of `MeasureView`:
    cancel_requested, last_requested: what they say.
    page_requested: name of the page that the user wants to see next.
Leaves to others: measuring (`ui.presenters.advise`), what is drawn (`ui.models.curves`).
"""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from advisor.i18n import N_, Translator
from advisor.model.measurement import Measurement
from ui.models import measure_rows as rows
from ui.models.curves import rate_series, roofline_series
from ui.models.rows import RowsModel
from ui.presenters.advise import AdviseState, Stage
from ui.widgets.chart import Chart
from ui.widgets.labels import text_label
from ui.widgets.rows_table import RowsTable

_NOTHING = N_("Nothing was measured yet. Press Advise me on the first page.")
_EARLIER = N_("Nothing was measured since this start. Earlier measurements are in History.")
_TEXTS = {
    Stage.EMPTY: _NOTHING,
    Stage.PROBING: N_("Looking at this machine …"),
    Stage.MEASURING: N_(
        "Measuring {n} of up to {total}: what weighs most first, until its time is used up."
    ),
    Stage.CANCELLING: N_("Stopping; what was measured is kept …"),
    Stage.DONE: N_("{n} kernels. Point at a row or a mark to see what it measures."),
    Stage.CANCELLED: N_("Stopped after {n} kernels."),
    Stage.FAILED: N_("Not done: {message}"),
    Stage.LAST: N_("{n} kernels of the last run."),
}


class MeasureView(QWidget):
    """Shows the measurements of an `AdviseState`."""

    cancel_requested = Signal()
    last_requested = Signal()
    page_requested = Signal(str)

    def __init__(self, *, translator: Translator, parent: QWidget | None = None) -> None:
        """Build the page in its empty state."""
        super().__init__(parent)
        self._tr = translator
        self._state = AdviseState()
        self._shown: AdviseState | None = None
        self._made = rows.ResultRows()
        self.text = text_label(name="status")
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(translator(N_("Measured kernels")))
        self.rates = Chart(
            x_axis=translator(N_("operations of one execution")),
            y_axis="FLOP/s",
            name=translator(N_("Arithmetic rate by size of the kernel")),
        )
        self.roofline = Chart(
            x_axis=translator(N_("operations per byte")),
            y_axis="FLOP/s",
            name=translator(N_("Roofline: what memory and arithmetic allow")),
        )
        self._rows = RowsModel(
            [translator(head) for head in rows.RESULT_HEADS],
            explanations=[translator(tip) if tip else "" for tip in rows.RESULT_TIPS],
            parent=self,
        )
        self.table = RowsTable(
            self._rows,
            widths={1: 200, 2: 104, 3: 92, 4: 120},
            fitted={1: 0.27, 4: 0.2},
            name=translator(N_("Measured")),
        )
        self.table.setWordWrap(False)
        self.cancel_button = QPushButton(translator(N_("S&top measuring")))
        self.next_button = QPushButton(translator(N_("See the &advice")))
        self.start_button = QPushButton(translator(N_("&Go to the start")))
        self._has_last = False
        self.last_button = QPushButton(translator(N_("Show the &last advice")))
        self._lay_out()
        self.charts.currentChanged.connect(self._draw)
        self.cancel_button.clicked.connect(self.cancel_requested)
        self.next_button.clicked.connect(lambda: self.page_requested.emit("advice"))
        self.last_button.clicked.connect(self.last_requested)
        self.start_button.clicked.connect(lambda: self.page_requested.emit("start"))
        self.show_state(self._state)

    def _lay_out(self) -> None:
        tr = self._tr
        charts = self.charts = QTabWidget()
        charts.setDocumentMode(True)
        charts.addTab(self.rates, tr(N_("&Rate by size")))
        charts.addTab(self.roofline, tr(N_("R&oofline")))
        halves = QSplitter(Qt.Orientation.Vertical)
        halves.addWidget(charts)
        halves.addWidget(self.table)
        halves.setChildrenCollapsible(False)
        halves.setSizes([330, 300])
        charts.setMinimumHeight(180)
        self.table.setMinimumHeight(120)
        buttons = QHBoxLayout()
        buttons.addWidget(self.start_button)
        buttons.addWidget(self.last_button)
        buttons.addWidget(self.next_button)
        buttons.addWidget(self.cancel_button)
        buttons.addStretch(1)
        page = QVBoxLayout(self)
        page.setContentsMargins(24, 20, 16, 12)
        page.setSpacing(10)
        page.addWidget(text_label(tr(N_("Measured here")), name="page_title"))
        page.addWidget(self.text)
        page.addWidget(self.progress)
        # Axes without a figure would show made-up numbers.
        self._stack = QStackedWidget()
        self._stack.addWidget(QWidget())
        self._stack.addWidget(halves)
        page.addWidget(self._stack, 1)
        page.addLayout(buttons)

    def offer_last(self, *, has_last: bool) -> None:
        """Say where earlier measurements are while there are no others, where there are some."""
        self._has_last = has_last
        self._shown = None
        self._show_now()

    def show_state(self, state: AdviseState) -> None:
        """Show a state, now if the page is seen, else when it is."""
        self._state = state
        if self.isVisible() or self._shown is None:
            self._show_now()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Catch up with what happened while another page was seen."""
        super().showEvent(event)
        self._show_now()

    def _show_now(self) -> None:
        state = self._state
        if state is self._shown:
            return
        self._shown = state
        # While it measures, what was skipped counts as done; afterwards only what has a figure.
        answered = state.results
        if not state.is_busy:
            answered = tuple(result for result in answered if isinstance(result, Measurement))
        is_earlier = self._has_last and state.stage is Stage.EMPTY
        text = _EARLIER if is_earlier else _TEXTS[state.stage]
        self.text.setText(
            self._tr(text, n=len(answered), total=state.n_total, message=state.message)
        )
        self.text.setProperty("failed", state.stage is Stage.FAILED)
        self.text.style().unpolish(self.text)
        self.text.style().polish(self.text)
        self.start_button.setVisible(not state.is_busy and state.recommendation is None)
        self.last_button.setVisible(is_earlier)
        self.cancel_button.setVisible(state.is_busy)
        self.cancel_button.setEnabled(state.stage is not Stage.CANCELLING)
        self.next_button.setVisible(state.recommendation is not None)
        self.progress.setRange(0, max(1, state.n_total))
        self.progress.setValue(len(state.results))
        self.progress.setVisible(state.is_busy)
        self._stack.setCurrentIndex(int(bool(state.results)))
        self._draw()
        self._rows.show_rows(self._made.rows(state.results, state.profile, self._tr))
        self.table.follow_end()

    def _draw(self) -> None:
        """Draw the chart that is seen; the other one is drawn when it is."""
        results, profile = self._state.results, self._state.profile
        if self.charts.currentWidget() is self.roofline:
            self.roofline.show_series(roofline_series(results, profile, self._tr))
        else:
            self.rates.show_series(rate_series(results, profile, self._tr))
