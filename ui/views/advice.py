"""The right side of the main page: the chosen option, the tables, the report, the exports.

Signals of `AdviceView`:
    pdf_requested, json_requested: a path as text; copied: the advice is on the clipboard.
Leaves to others: when what is shown (`ui.views.start`), the texts (`advisor.report`).
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QPushButton,
    QSplitter,
    QTabWidget,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from advisor.format import format_duration
from advisor.i18n import N_, Translator
from advisor.model.recommendation import Recommendation
from advisor.report.advice_sections import MAY_BE_FAR_OFF, nothing_fits_text
from advisor.report.build import build_report
from advisor.report.html import render_html
from advisor.report.text import render_text
from ui.models import advice_rows as rows
from ui.models.pareto import pareto_series
from ui.models.rows import RowsModel
from ui.settings import SAVED_ENDING
from ui.theme import report_colours
from ui.widgets.answer_card import AnswerCard
from ui.widgets.labels import text_label
from ui.widgets.rows_table import RowsTable

if TYPE_CHECKING:
    from ui.widgets.chart import Chart

# The column of titles takes what they need, and leaves most of the room to the reasons.
_TITLE = {0: 0.35}


class AdviceView(QWidget):
    """Shows a recommendation, and the measurements as they come."""

    pdf_requested = Signal(str)
    json_requested = Signal(str)
    copied = Signal()

    def __init__(self, *, translator: Translator, parent: QWidget | None = None) -> None:
        """Build the page without an advice."""
        super().__init__(parent)
        self._tr = translator
        self._advice: Recommendation | None = None
        self._is_provisional = False
        self._is_report_old = False
        self._has_chosen_tab = False
        self.chart: Chart | None = None
        self.card = AnswerCard(translator=translator)
        self._options = self._model(rows.OPTION_HEADS, rows.OPTION_TIPS)
        self._avoid = self._model(rows.AVOID_HEADS, rows.AVOID_TIPS)
        self._hints = self._model(rows.HINT_HEADS, ())
        self.report = QTextBrowser()
        self.report.setOpenLinks(False)
        # Its lines and cells wrap; rounding may still ask for a pixel.
        self.report.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.report.document().setDocumentMargin(12)
        self.report.setAccessibleName(translator(N_("Full report")))
        self.copy_button = QPushButton(translator(N_("&Copy as text")))
        self.json_button = QPushButton(translator(N_("Save as &JSON…")))
        self.pdf_button = QPushButton(translator(N_("Export &PDF…")))
        self._make_tables()
        self._lay_out()
        self._connect()

    def _model(self, heads: tuple[str, ...], tips: tuple[str, ...]) -> RowsModel:
        return RowsModel(
            [self._tr(head) for head in heads],
            explanations=[self._tr(tip) for tip in tips],
            parent=self,
        )

    def _make_tables(self) -> None:
        tr = self._tr
        self.options_table = RowsTable(
            self._options,
            widths={0: 30, 2: 150, 3: 112, 4: 98, 5: 76},
            fitted={2: 0.25},
            name=tr(N_("Options")),
        )
        self.options_table.give_two_lines(more_px=22)
        # What the mark means that a row may have.
        self.warning_note = text_label(tr(MAY_BE_FAR_OFF), name="note")
        self.warning_note.setContentsMargins(8, 4, 8, 0)
        self.warning_note.hide()
        # In place of the answer where nothing is within the limits.
        self.nothing = text_label(name="message_text")
        self.nothing.hide()
        self.avoid_table = RowsTable(
            self._avoid, widths={0: 190, 1: 70}, fitted=_TITLE, name=tr(N_("Avoid"))
        )
        self.hints_table = RowsTable(
            self._hints, widths={0: 190}, fitted=_TITLE, name=tr(N_("Worth trying"))
        )
        for table in (self.avoid_table, self.hints_table):
            table.fit_rows()

    def _lay_out(self) -> None:
        self._chart_place = QWidget()
        QVBoxLayout(self._chart_place).setContentsMargins(0, 0, 0, 0)
        options = QWidget()
        under = QVBoxLayout(options)
        under.setContentsMargins(0, 0, 0, 0)
        under.addWidget(self.options_table, 1)
        under.addWidget(self.warning_note)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        for title, widget in (
            (N_("&Options"), options),
            (N_("Ti&me and money"), self._chart_place),
            (N_("A&void"), self.avoid_table),
            (N_("Worth tr&ying"), self.hints_table),
            (N_("Full &report"), self.report),
        ):
            self.tabs.addTab(widget, self._tr(title))
        self._splitter = QSplitter(Qt.Orientation.Vertical)
        self._splitter.addWidget(self.card)
        self._splitter.addWidget(self.tabs)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.setSizes([260, 400])
        self._splitter.setStretchFactor(1, 1)
        self.card.setMinimumHeight(150)
        self.tabs.setMinimumHeight(140)
        exports = self._buttons = QHBoxLayout()
        exports.addStretch(1)
        for button in (self.copy_button, self.json_button, self.pdf_button):
            exports.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.nothing)
        column.addWidget(self._splitter, 1)
        column.addLayout(exports)

    def _connect(self) -> None:
        self.options_table.row_chosen.connect(self._show_option)
        self.tabs.tabBarClicked.connect(self._tab_chosen)
        self.tabs.currentChanged.connect(self._show_report)
        self.tabs.currentChanged.connect(self._show_chart)
        self.copy_button.clicked.connect(self._copy)
        self.pdf_button.clicked.connect(lambda: self._ask_for_file("pdf"))
        self.json_button.clicked.connect(lambda: self._ask_for_file("json"))

    @property
    def has_advice(self) -> bool:
        """Whether an advice is shown."""
        return self._advice is not None

    def clear(self) -> None:
        """Forget the advice and the results of an earlier run."""
        self._advice = None
        self._has_chosen_tab = False
        for model in (self._options, self._avoid, self._hints):
            model.show_rows(())
        self.warning_note.hide()
        self.nothing.hide()
        self.report.clear()

    def show_advice(self, advice: Recommendation, *, is_provisional: bool) -> None:
        """Show a recommendation; its first option is chosen, or the one that the user chose."""
        if advice is self._advice and is_provisional == self._is_provisional:
            return
        number = self._place_of_chosen(advice)
        self._advice = advice
        self._is_provisional = is_provisional
        self._is_report_old = True
        self._options.show_rows(rows.option_rows(advice, self._tr))
        self.warning_note.setVisible(any(row.prediction.is_warned for row in advice.ranked))
        self._avoid.show_rows(rows.avoid_rows(advice, self._tr))
        self._hints.show_rows(rows.hint_rows(advice, self._tr))
        if advice.ranked:
            self.card.show_option(advice, number, is_provisional=is_provisional)
            with QSignalBlocker(self.options_table):
                self.options_table.choose_row(number)
        self.card.setVisible(bool(advice.ranked))
        self.nothing.setText("" if advice.ranked else nothing_fits_text(advice, self._tr))
        self.nothing.setVisible(not advice.ranked)
        self._show_report()
        self._show_chart()

    def chosen_id(self) -> str:
        """Return the id of the option whose row is chosen, "" without one."""
        number = self.options_table.chosen_row
        ranked = () if self._advice is None else self._advice.ranked
        return ranked[number].option.id if 0 <= number < len(ranked) else ""

    def _place_of_chosen(self, advice: Recommendation) -> int:
        """Return where the chosen option stands in another advice.

        0 where it was the first, or of a first guess.
        """
        chosen = self.chosen_id()
        is_first = self._advice is None or not chosen or chosen == self._advice.ranked[0].option.id
        if is_first or self._is_provisional:
            return 0
        return next((at for at, row in enumerate(advice.ranked) if row.option.id == chosen), 0)

    def add_button(self, button: QPushButton) -> None:
        """Put a button before the exports, for the eye and for the keyboard."""
        self._buttons.insertWidget(0, button)
        buttons = (button, self.copy_button, self.json_button, self.pdf_button)
        self.setTabOrder(self.report, button)
        for before, after in itertools.pairwise(buttons):
            self.setTabOrder(before, after)

    def show_exports(self, *, is_enabled: bool) -> None:
        """Offer the exports, or not while the advice may still change."""
        for button in (self.copy_button, self.json_button, self.pdf_button):
            button.setEnabled(is_enabled)

    def lead_to(self, table: QWidget) -> None:
        """Bring a tab to the front, unless the user has chosen one."""
        if not self._has_chosen_tab:
            self.tabs.setCurrentWidget(table)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Draw the report again in the colours of another palette."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._is_report_old = self._advice is not None
            self._show_report()

    def _tab_chosen(self, _number: int) -> None:
        self._has_chosen_tab = True

    def _show_option(self, number: int) -> None:
        if self._advice is not None and number < len(self._advice.ranked):
            self.card.show_option(self._advice, number, is_provisional=self._is_provisional)

    def _show_report(self) -> None:
        """Render the report when it is looked at, not before."""
        is_seen = self.tabs.currentWidget() is self.report
        if self._advice is None or not self._is_report_old or not is_seen:
            return
        self._is_report_old = False
        report = build_report(self._advice, self._tr)
        self.report.setHtml(render_html(report, report_colours(self)))

    def _show_chart(self) -> None:
        """Draw time against money when it is looked at, not before."""
        if self._advice is None or self.tabs.currentWidget() is not self._chart_place:
            return
        if self.chart is None:
            # Only this tab needs the plotting library.
            from ui.widgets.chart import Chart

            self.chart = Chart(
                x_axis=self._tr(N_("time until the job is done, with your own work")),
                y_axis="USD",
                x_text=format_duration,
                name=self._tr(N_("Time against money of every option with a price")),
                unit="",
                is_log_y=False,
            )
            layout = self._chart_place.layout()
            assert layout is not None
            layout.addWidget(self.chart)
        self.chart.show_series(pareto_series(self._advice, self._tr))

    def _copy(self) -> None:
        if self._advice is not None:
            text = render_text(build_report(self._advice, self._tr))
            QGuiApplication.clipboard().setText(text)
            self.copied.emit()

    def _ask_for_file(self, kind: str) -> None:
        advice = self._advice
        if advice is None:
            return
        ending = kind if kind == "pdf" else SAVED_ENDING
        brand = "dl-advisor-" if kind == "pdf" else ""
        name = f"{brand}{Path(advice.workload.network).name}-{advice.created_on}.{ending}"
        caption = self._tr(N_("Export PDF")) if kind == "pdf" else self._tr(N_("Save as JSON"))
        path, _filter = QFileDialog.getSaveFileName(
            self, caption, str(Path.home() / name), f"{kind.upper()} (*.{kind})"
        )
        if path:
            signal = self.pdf_requested if kind == "pdf" else self.json_requested
            signal.emit(path if path.lower().endswith(f".{kind}") else f"{path}.{ending}")
