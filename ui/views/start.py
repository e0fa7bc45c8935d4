"""The main page: one button, live progress, the answer, the tables, and the exports.

Signals of `StartView`:
    advise_requested: a `JourneyRequest`; cancel_requested; pdf_requested and json_requested: a
    path as text.
Leaves to others: running the job (`ui.presenters.advise`), the texts (`advisor.report`).
"""

from pathlib import Path

from PySide6.QtCore import QSortFilterProxyModel, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFileDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QProgressBar,
    QPushButton,
    QSplitter,
    QTableView,
    QTabWidget,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from advisor.i18n import N_, Translator
from advisor.model.measurement import FailedMeasurement
from advisor.model.published import NetworkFacts
from advisor.model.recommendation import Recommendation
from advisor.report.build import build_report
from advisor.report.html import render_html
from advisor.report.names import request_name
from ui.models.advice_rows import (
    AVOID_HEADS,
    OPTION_HEADS,
    RESULT_HEADS,
    avoid_rows,
    option_rows,
    result_rows,
)
from ui.models.rows import RowsModel
from ui.presenters.advise import AdviseState, Stage
from ui.theme import report_colours
from ui.widgets.answer_card import AnswerCard
from ui.widgets.job_form import JobForm

_STAGE_TEXTS = {
    Stage.EMPTY: N_(
        "Press the button: this machine is looked at and measured for about a minute, then you"
        " get advice with its reasons. Nothing leaves this machine."
    ),
    Stage.PROBING: N_("Looking at this machine …"),
    Stage.CANCELLING: N_("Stopping; what was measured is kept …"),
    Stage.DONE: N_("Done."),
    Stage.CANCELLED: N_("Stopped. The advice rests on what was measured until then."),
}


class StartView(QWidget):
    """Shows an `AdviseState` and names the user's intent."""

    advise_requested = Signal(object)
    cancel_requested = Signal()
    pdf_requested = Signal(str)
    json_requested = Signal(str)

    def __init__(
        self,
        networks: tuple[NetworkFacts, ...],
        *,
        translator: Translator,
        parent: QWidget | None = None,
    ) -> None:
        """Build the page in its empty state."""
        super().__init__(parent)
        self._tr = translator
        self._shown_advice: Recommendation | None = None
        self.form = JobForm(networks, translator=translator)
        self.advise_button = QPushButton(translator(N_("Advise me")))
        self.advise_button.setObjectName("primary")
        self.cancel_button = QPushButton(translator(N_("Stop")))
        self.status = QLabel()
        self.status.setObjectName("status")
        self.status.setWordWrap(True)
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.card = AnswerCard(translator=translator)
        self.options = RowsModel([translator(head) for head in OPTION_HEADS], parent=self)
        self.avoid = RowsModel([translator(head) for head in AVOID_HEADS], parent=self)
        self.results = RowsModel([translator(head) for head in RESULT_HEADS], parent=self)
        self.report = QTextBrowser()
        self.report.setOpenLinks(False)
        self.pdf_button = QPushButton(translator(N_("Export PDF…")))
        self.json_button = QPushButton(translator(N_("Save as JSON…")))
        self._lay_out()
        self._connect()
        self.show_state(AdviseState())

    def _lay_out(self) -> None:
        left = QWidget()
        column = QVBoxLayout(left)
        heading = QLabel(self._tr(N_("What do you want to run?")))
        heading.setObjectName("heading")
        buttons = QHBoxLayout()
        buttons.addWidget(self.advise_button, 1)
        buttons.addWidget(self.cancel_button)
        exports = QHBoxLayout()
        exports.addWidget(self.pdf_button)
        exports.addWidget(self.json_button)
        for item in (heading, self.form, buttons, self.progress, self.status):
            if isinstance(item, QHBoxLayout):
                column.addLayout(item)
            else:
                column.addWidget(item)
        column.addStretch(1)
        column.addLayout(exports)
        self.tabs = QTabWidget()
        for title, table in (
            (N_("Options"), self._table(self.options, stretched=1)),
            (N_("Avoid"), self._table(self.avoid, stretched=2)),
            (N_("Measured"), self._table(self.results, stretched=0)),
            (N_("Full report"), self.report),
        ):
            self.tabs.addTab(table, self._tr(title))
        right = QWidget()
        stack = QVBoxLayout(right)
        stack.addWidget(self.card)
        stack.addWidget(self.tabs, 1)
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.addWidget(left)
        splitter.addWidget(right)
        splitter.setStretchFactor(1, 1)
        splitter.setChildrenCollapsible(False)
        QVBoxLayout(self).addWidget(splitter)

    def _table(self, model: RowsModel, *, stretched: int) -> QTableView:
        proxy = QSortFilterProxyModel(self)
        proxy.setSourceModel(model)
        proxy.setSortRole(Qt.ItemDataRole.UserRole)
        table = QTableView()
        table.setModel(proxy)
        table.setSortingEnabled(True)
        table.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        table.verticalHeader().hide()
        table.setShowGrid(False)
        table.setWordWrap(True)
        table.setAlternatingRowColors(True)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        header = table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(stretched, QHeaderView.ResizeMode.Stretch)
        return table

    def _connect(self) -> None:
        self.advise_button.clicked.connect(lambda: self.advise_requested.emit(self.form.request()))
        self.cancel_button.clicked.connect(self.cancel_requested)
        self.pdf_button.clicked.connect(lambda: self._ask_for_file("pdf"))
        self.json_button.clicked.connect(lambda: self._ask_for_file("json"))

    def _ask_for_file(self, kind: str) -> None:
        advice = self._shown_advice
        if advice is None:
            return
        name = f"dl-advisor-{advice.workload.network}-{advice.created_on}.{kind}"
        start = str(Path.home() / Path(name).name)
        caption = self._tr(N_("Export")) if kind == "pdf" else self._tr(N_("Save"))
        path, _filter = QFileDialog.getSaveFileName(
            self, caption, start, f"{kind.upper()} (*.{kind})"
        )
        if path:
            signal = self.pdf_requested if kind == "pdf" else self.json_requested
            signal.emit(path if path.lower().endswith(f".{kind}") else f"{path}.{kind}")

    def show_state(self, state: AdviseState) -> None:
        """Show a state of the main job."""
        self.advise_button.setEnabled(not state.is_busy)
        self.form.setEnabled(not state.is_busy)
        self.cancel_button.setEnabled(state.is_busy and state.stage is not Stage.CANCELLING)
        self.status.setText(self._status_text(state))
        self.status.setProperty("failed", state.stage is Stage.FAILED)
        self.status.style().unpolish(self.status)
        self.status.style().polish(self.status)
        # Never the endless animation of an unknown total: it would disturb what is measured.
        self.progress.setRange(0, max(1, state.n_total))
        self.progress.setValue(len(state.results))
        self.progress.setVisible(state.is_busy)
        if state.stage is Stage.PROBING and state.recommendation is None:
            self._clear()
        self.results.show_rows(result_rows(state.results, self._tr))
        if state.recommendation is not None:
            self._show_advice(state.recommendation, is_provisional=state.is_provisional)
        has_advice = self._shown_advice is not None
        self.card.setVisible(has_advice)
        self.tabs.setVisible(has_advice or state.is_busy)
        for button in (self.pdf_button, self.json_button):
            button.setEnabled(has_advice and not state.is_busy)

    def _clear(self) -> None:
        self._shown_advice = None
        for model in (self.options, self.avoid, self.results):
            model.show_rows(())
        self.report.clear()

    def _status_text(self, state: AdviseState) -> str:
        if state.stage is Stage.FAILED:
            return state.message
        if state.stage is Stage.MEASURING:
            count = f"{len(state.results)} / {state.n_total}"
            if state.running is None:
                return self._tr(N_("Measuring {count}"), count=count)
            name = request_name(state.running, self._tr)
            device = state.running.device_id
            return self._tr(
                N_("Measuring {count}: {name} ({device})"), count=count, name=name, device=device
            )
        text = self._tr(_STAGE_TEXTS[state.stage])
        failed = sum(isinstance(result, FailedMeasurement) for result in state.results)
        if failed and not state.is_busy:
            text += " " + self._tr(
                N_("{n} kernels gave no figure: see Measured for the reason."), n=failed
            )
        return text

    def _show_advice(self, advice: Recommendation, *, is_provisional: bool) -> None:
        if advice is self._shown_advice:
            return
        self._shown_advice = advice
        self.card.show_advice(advice, is_provisional=is_provisional)
        self.options.show_rows(option_rows(advice, self._tr))
        self.avoid.show_rows(avoid_rows(advice, self._tr))
        self.report.setHtml(render_html(build_report(advice, self._tr), report_colours(self)))
