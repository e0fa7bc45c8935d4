"""The history page: what was advised and tried before; one to be read again, two compared.

Signals of `HistoryView`:
    shown: the page came to be seen, or shall read again.
    entries_chosen: ids of the chosen entries, in no order.
    open_requested, csv_requested, json_requested: a path as text.
    delete_requested: id of an entry; the user was asked.
    advice_requested: the `Recommendation` that the advice page shall show.
    page_requested: name of the page that the user wants to see next.
Leaves to others: reading (`ui.presenters.history`), the rows (`ui.models.history_rows`).
"""

from pathlib import Path

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFileDialog,
    QHBoxLayout,
    QMessageBox,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from advisor.i18n import N_, Translator
from advisor.model.machine import OsFamily
from advisor.model.own_step import OwnStep
from advisor.model.recommendation import Recommendation
from advisor.model.trial import TrialReport
from advisor.report.html import render_html
from advisor.report.trial_section import build_trial_report
from ui.models import history_rows as rows
from ui.models.history_diff import Diff
from ui.models.history_entries import HistoryEntry
from ui.models.rows import RowsModel
from ui.presenters.history import HistoryStage, HistoryState
from ui.theme import report_colours
from ui.widgets.answer_card import AnswerCard
from ui.widgets.labels import text_label
from ui.widgets.message_panel import MessagePanel
from ui.widgets.rows_table import RowsTable

# What was best is the longest text: it takes what the others leave.
_WIDTHS = {0: 140, 1: 110, 2: 150, 4: 90}
_FITTED = {1: 0.22, 2: 0.25}
_HINT = N_("Choose one to see its answer, or two to compare them.")


class HistoryView(QWidget):
    """Shows a `HistoryState`."""

    shown = Signal()
    entries_chosen = Signal(object)
    open_requested = Signal(str)
    csv_requested = Signal(str)
    json_requested = Signal(str)
    delete_requested = Signal(str)
    advice_requested = Signal(object)
    page_requested = Signal(str)

    def __init__(
        self, *, translator: Translator, system: OsFamily, parent: QWidget | None = None
    ) -> None:
        """Build the page without a history; `system` is that of this machine."""
        super().__init__(parent)
        self._tr, self._system = translator, system
        self._state = HistoryState()
        self._shown_entries: tuple[HistoryEntry, ...] = ()
        self.status = text_label(name="status")
        self._make_tables()
        self.card = AnswerCard(translator=translator)
        self.browser = QTextBrowser()
        self.browser.setOpenLinks(False)
        self.browser.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.browser.setAccessibleName(translator(N_("What was tried")))
        self.message, self.hint = MessagePanel(), text_label(name="message_text")
        self.diff_text = text_label(name="message_text")
        self.open_button = QPushButton(translator(N_("&Open a file…")))
        self.advice_button = QPushButton(translator(N_("Show as the &advice")))
        self.csv_button = QPushButton(translator(N_("Save the list as &CSV…")))
        self.json_button = QPushButton(translator(N_("Save as &JSON…")))
        self.delete_button = QPushButton(translator(N_("&Delete…")))
        self.start_button = QPushButton(translator(N_("&Go to the start")))
        self.message.add_button(self.start_button)
        self.again_button = QPushButton(translator(N_("&Try again")))
        self.message.add_button(self.again_button)
        # Lets a choice of two, made by dragging, settle.
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(0)
        self._lay_out()
        self._connect()
        self.show_state(HistoryState())

    def _make_tables(self) -> None:
        tr = self._tr
        self._rows = RowsModel(
            [tr(head) for head in rows.HISTORY_HEADS],
            explanations=[tr(tip) if tip else "" for tip in rows.HISTORY_TIPS],
            parent=self,
        )
        self.table = RowsTable(self._rows, widths=_WIDTHS, fitted=_FITTED, name=tr(N_("History")))
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self._diff = RowsModel(
            [tr(head) for head in rows.DIFF_HEADS],
            explanations=[tr(tip) if tip else "" for tip in rows.DIFF_TIPS],
            parent=self,
        )
        self.diff_table = RowsTable(
            self._diff, widths={1: 110, 2: 110, 3: 90, 4: 110}, name=tr(N_("Before and after"))
        )
        for table in (self.table, self.diff_table):
            table.give_two_lines(more_px=14)

    def _lay_out(self) -> None:
        comparison = QWidget()
        column = QVBoxLayout(comparison)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.diff_text)
        column.addWidget(self.diff_table, 1)
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._comparison = comparison
        self.answers = QStackedWidget()
        for widget in (self.hint, self.card, self.browser, comparison):
            self.answers.addWidget(widget)
        self.answers.setMinimumHeight(180)
        halves = QSplitter(Qt.Orientation.Vertical)
        halves.addWidget(self.table)
        halves.addWidget(self.answers)
        halves.setChildrenCollapsible(False)
        halves.setSizes([280, 320])
        self._halves = halves
        self._stack = QStackedWidget()
        self._stack.addWidget(self.message)
        self._stack.addWidget(halves)
        buttons = QHBoxLayout()
        buttons.addWidget(self.open_button)
        buttons.addStretch(1)
        for button in (self.delete_button, self.csv_button, self.json_button, self.advice_button):
            buttons.addWidget(button)
        page = QVBoxLayout(self)
        page.setContentsMargins(24, 20, 16, 12)
        page.setSpacing(10)
        page.addWidget(text_label(self._tr(N_("Advised and tried before")), name="page_title"))
        page.addWidget(self.status)
        page.addWidget(self._stack, 1)
        page.addLayout(buttons)

    def _connect(self) -> None:
        self.table.selectionModel().selectionChanged.connect(lambda *_ranges: self._settle.start())
        self._settle.timeout.connect(lambda: self.entries_chosen.emit(self._chosen()))
        self.open_button.clicked.connect(self._ask_for_input)
        self.csv_button.clicked.connect(lambda: self._ask_for_output("csv"))
        self.json_button.clicked.connect(lambda: self._ask_for_output("json"))
        self.delete_button.clicked.connect(self._ask_to_delete)
        self.advice_button.clicked.connect(lambda: self.advice_requested.emit(self._state.answer))
        self.again_button.clicked.connect(self.shown)
        self.start_button.clicked.connect(lambda: self.page_requested.emit("start"))

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Tell that the page is looked at."""
        super().showEvent(event)
        self.shown.emit()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Draw a trial again in the colours of another palette."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and isinstance(
            self._state.answer, TrialReport
        ):
            self._show_answer(self._state)

    def show_state(self, state: HistoryState) -> None:
        """Show a state of the page."""
        self._state = state
        if state.entries != self._shown_entries:
            self._shown_entries = state.entries
            self._rows.show_rows(rows.history_rows(state.entries, self._tr))
            self._select(state.chosen)
        elif set(state.chosen) != set(self._chosen()):
            self._select(state.chosen)
        self._show_stage(state)
        self._show_answer(state)
        entry = state.entry(state.chosen[0]) if len(state.chosen) == 1 else None
        self.csv_button.setEnabled(bool(state.entries))
        self.json_button.setEnabled(isinstance(state.answer, Recommendation | TrialReport))
        self.advice_button.setEnabled(isinstance(state.answer, Recommendation))
        self.delete_button.setEnabled(entry is not None and not entry.is_foreign)

    def _show_stage(self, state: HistoryState) -> None:
        tr = self._tr
        n = len(state.entries)
        texts = {
            HistoryStage.READING: tr(N_("Reading … {n} so far."), n=n),
            HistoryStage.READY: tr(N_("Kept, on this machine only: {n}"), n=n),
        }
        is_failed = state.stage is HistoryStage.FAILED
        text = state.message if is_failed else texts.get(state.stage, "")
        self.status.setText(text if n else "")
        self._stack.setCurrentWidget(self._halves if n else self.message)
        self.start_button.setVisible(state.stage is HistoryStage.EMPTY)
        self.again_button.setVisible(is_failed)
        if state.stage is HistoryStage.READING:
            self.message.show_message(tr(N_("Reading the history …")), "")
        elif is_failed:
            self.message.show_message(tr(N_("Not done")), state.message, is_failure=True)
        else:
            told = tr(
                N_("Every finished advice and every trial is kept here. Press Advise me first.")
            )
            self.message.show_message(tr(N_("Nothing was advised yet")), told)

    def _show_answer(self, state: HistoryState) -> None:
        answer = state.answer
        if isinstance(answer, Recommendation) and answer.ranked:
            self.card.show_option(answer, 0, is_provisional=answer.measurements is None)
            self.answers.setCurrentWidget(self.card)
        elif isinstance(answer, TrialReport):
            report = build_trial_report(answer, self._tr, system=self._system)
            self.browser.setHtml(render_html(report, report_colours(self)))
            self.answers.setCurrentWidget(self.browser)
        elif isinstance(answer, Diff):
            self.diff_text.setText(rows.diff_text(answer, self._tr))
            self._diff.show_rows(rows.diff_rows(answer, self._tr))
            self.answers.setCurrentWidget(self._comparison)
        elif isinstance(answer, OwnStep):
            self.hint.setText(rows.own_step_text(answer, self._tr))
            self.answers.setCurrentWidget(self.hint)
        else:
            waiting = self._tr(N_("Reading …")) if state.is_answering else self._tr(_HINT)
            self.hint.setText(state.problem or waiting)
            self.answers.setCurrentWidget(self.hint)

    def _chosen(self) -> tuple[str, ...]:
        proxy = self.table.proxy
        numbers = [
            proxy.mapToSource(index).row() for index in self.table.selectionModel().selectedRows()
        ]
        return tuple(self._shown_entries[number].id for number in sorted(numbers))

    def _select(self, names: tuple[str, ...]) -> None:
        model = self.table.selectionModel()
        flags = model.SelectionFlag.Select | model.SelectionFlag.Rows
        with QSignalBlocker(model):
            model.clearSelection()
            for number, entry in enumerate(self._shown_entries):
                if entry.id in names:
                    model.select(self.table.proxy.mapFromSource(self._rows.index(number, 0)), flags)
        self.table.viewport().update()

    def _ask_for_input(self) -> None:
        path, _filter = QFileDialog.getOpenFileName(
            self, self._tr(N_("Open a saved result")), str(Path.home()), "JSON (*.json)"
        )
        if path:
            self.open_requested.emit(path)

    def _ask_for_output(self, kind: str) -> None:
        caption = self._tr(N_("Save the list") if kind == "csv" else N_("Save as JSON"))
        name = "dl-advisor-history" if kind == "csv" else "dl-advisor-result"
        path, _filter = QFileDialog.getSaveFileName(
            self, caption, str(Path.home() / f"{name}.{kind}"), f"{kind.upper()} (*.{kind})"
        )
        if path:
            signal = self.csv_requested if kind == "csv" else self.json_requested
            signal.emit(path if path.lower().endswith(f".{kind}") else f"{path}.{kind}")

    def _ask_to_delete(self) -> None:
        tr = self._tr
        entry = self._state.entry(self._state.chosen[0])
        if entry is None:
            return
        what = f"{entry.date} {entry.network}".strip() or entry.id
        text = tr(N_("Delete this result for good? {what}"), what=what)
        yes, no = QMessageBox.StandardButton.Yes, QMessageBox.StandardButton.No
        # Nothing brings it back: the key that is pressed in passing keeps it.
        answer = QMessageBox.question(self, tr(N_("Delete")), text, yes | no, no)
        if answer == yes:
            self.delete_requested.emit(entry.id)
