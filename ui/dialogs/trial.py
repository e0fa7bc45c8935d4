"""The dialog that tries settings on the user's network: what will run, consent, runs, verdict.

Leaves to others: running (`ui.presenters.trial`), the rows (`ui.models.trial_rows`).
"""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from advisor.i18n import N_, Translator
from advisor.report.names import PHASES
from advisor.report.trial_section import setup_title
from ui.dialogs.calm import CalmDialog
from ui.models import trial_rows as rows
from ui.models.rows import RowsModel
from ui.presenters.trial import TrialPresenter, TrialStage, TrialState
from ui.try_arguments import DEFAULT_MINUTES
from ui.trying import TrialPlan
from ui.widgets.labels import text_label
from ui.widgets.rows_table import RowsTable

_SIZE = (760, 620)
_WIDTHS = {0: 36, 1: 120, 2: 80, 3: 80, 4: 80}
# The outcome has the rest: what went wrong is a sentence.
_FITTED = {1: 0.35, 2: 0.14, 3: 0.14, 4: 0.14}
_MOST_MINUTES = 240
_LEAST_LIST = 60
_STAGES = {
    TrialStage.PREPARING: N_("Looking at this machine …"),
    TrialStage.READY: N_("Nothing runs yet."),
    TrialStage.STOPPING: N_("Stopping; what was run is kept …"),
    TrialStage.DONE: N_("Done."),
    TrialStage.STOPPED: N_("Stopped."),
}


class TrialDialog(CalmDialog):
    """Shows a `TrialState`; the window waits meanwhile, for the figures' sake."""

    def __init__(
        self, presenter: TrialPresenter, *, translator: Translator, parent: QWidget | None = None
    ) -> None:
        """Show the state of a presenter, which outlives the dialog."""
        super().__init__(parent)
        self._tr = translator
        self._presenter = presenter
        self._plan: TrialPlan | None = None
        self.setWindowTitle(translator(N_("Try it on this machine")))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.resize(*_SIZE)
        self.note = text_label(name="status")
        self.setups = QListWidget()
        self.setups.setObjectName("setups")
        self.setups.setAccessibleName(translator(N_("What is tried")))
        self.minutes = QSpinBox()
        self.minutes.setRange(1, _MOST_MINUTES)
        self.minutes.setValue(int(DEFAULT_MINUTES))
        self.minutes.setSuffix(translator(N_(" min")))
        self.text = text_label(name="message_text")
        self.agree_box = QCheckBox(translator(N_("&Yes, run this now on this machine")))
        self.start_button = QPushButton(translator(N_("&Try it")))
        self.stop_button = QPushButton(translator(N_("S&top")))
        self._model = RowsModel([translator(head) for head in rows.RUN_HEADS], parent=self)
        self.table = RowsTable(
            self._model, widths=_WIDTHS, fitted=_FITTED, name=translator(N_("Runs"))
        )
        self.table.setWordWrap(False)
        self.verdict = text_label(name="message_text")
        self.status = text_label(name="status")
        self.close_button = QPushButton(translator(N_("&Close")))
        self._lay_out()
        self._connect()
        self.show_state(presenter.state)

    def _lay_out(self) -> None:
        how_long = QHBoxLayout()
        label = QLabel(self._tr(N_("At &most")))
        label.setObjectName("field")
        label.setBuddy(self.minutes)
        how_long.addWidget(label)
        how_long.addWidget(self.minutes)
        how_long.addStretch(1)
        consent = QHBoxLayout()
        consent.addWidget(self.agree_box)
        consent.addStretch(1)
        consent.addWidget(self.start_button)
        consent.addWidget(self.stop_button)
        bottom = QHBoxLayout()
        bottom.addWidget(self.status, 1)
        bottom.addWidget(self.close_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 12)
        column.setSpacing(8)
        column.addWidget(self.note)
        column.addWidget(self.setups, 2)
        column.addLayout(how_long)
        column.addWidget(self.text)
        column.addLayout(consent)
        column.addWidget(self.table, 3)
        column.addWidget(self.verdict)
        # Takes what the runs will take.
        column.addStretch(0)
        column.addLayout(bottom)

    def _connect(self) -> None:
        self.setups.itemChanged.connect(lambda _item: self._changed())
        self.minutes.valueChanged.connect(lambda _value: self._changed())
        self.agree_box.toggled.connect(lambda _is_on: self._enable())
        self.start_button.clicked.connect(self._start)
        self.stop_button.clicked.connect(self._presenter.stop)
        self.close_button.clicked.connect(self.close)
        # What runs is stopped however the dialog ends; the window is not kept waiting.
        self.finished.connect(lambda _code: self._presenter.stop())
        self._presenter.state_changed.connect(self.show_state)

    def show_state(self, state: TrialState) -> None:
        """Show a state."""
        if state.plan is not None and state.plan is not self._plan:
            self._plan = state.plan
            self._list_setups(state)
        if state.report is None:
            self._model.show_rows(rows.run_rows(state.runs, self._tr))
        else:
            self._model.show_rows(rows.result_rows(state.report, self._tr))
        self.table.setVisible(bool(state.runs) or state.is_running)
        self.table.follow_end()
        lines = () if state.report is None else rows.verdict_lines(state.report, self._tr)
        if state.is_advised:
            lines = (*lines, self._tr(N_("The advice was made anew with these figures.")))
        self.verdict.setText("\n".join(lines))
        self.verdict.setVisible(bool(lines))
        self._show_status(state)
        self._enable()

    def _list_setups(self, state: TrialState) -> None:
        assert state.plan is not None
        wanted = {setup.id for setup in state.plan.setups_of(state.option_id)}
        self.setups.clear()
        for setup in state.plan.setups[1:]:
            item = QListWidgetItem(setup_title(setup, self._tr))
            item.setData(Qt.ItemDataRole.UserRole, setup.id)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            is_wanted = setup.id in wanted
            item.setCheckState(Qt.CheckState.Checked if is_wanted else Qt.CheckState.Unchecked)
            self.setups.addItem(item)
        self._fit_setups()
        other = N_("The chosen option cannot be tried by itself. These can:")
        self.note.setText(self._tr(N_("What is tried:") if wanted else other))
        self._describe()

    def _fit_setups(self) -> None:
        """Let the list be as high as its entries at most: the runs need the room."""
        rows = sum(self.setups.sizeHintForRow(row) for row in range(self.setups.count()))
        self.setups.setMaximumHeight(max(_LEAST_LIST, rows + 2 * self.setups.frameWidth()))

    def _chosen(self) -> tuple[str, ...]:
        items = [self.setups.item(number) for number in range(self.setups.count())]
        return tuple(
            str(item.data(Qt.ItemDataRole.UserRole))
            for item in items
            if item.checkState() is Qt.CheckState.Checked
        )

    def _changed(self) -> None:
        # Consent was given to what was described then.
        self.agree_box.setChecked(False)
        self._describe()
        self._enable()

    def _describe(self) -> None:
        if self._plan is None:
            return
        source, tr = self._plan.source, self._tr
        self.text.setText(
            tr(
                N_(
                    "Chosen settings: {n}. They and the state now run in turn, each in a process"
                    " of its own: real steps of {title} ({phase}, batch {batch}) on made-up data."
                    " It takes up to {minutes} min and the whole processor; close other programs."
                    " Nothing is changed on this machine; the figures are kept in the history."
                ),
                n=len(self._chosen()),
                title=source.title,
                phase=tr(PHASES[source.phase]),
                batch=source.batch_size,
                minutes=self.minutes.value(),
            )
        )

    def _show_status(self, state: TrialState) -> None:
        tr = self._tr
        is_failed = state.stage is TrialStage.FAILED
        if is_failed:
            text = tr(N_("Not done: {message}"), message=state.message)
        elif state.stage is TrialStage.RUNNING:
            text = tr(N_("Running …"))
            if state.running is not None:
                name = setup_title(state.running, tr)
                text = tr(N_("Running: {name} …"), name=name)
        else:
            text = tr(_STAGES[state.stage])
        self.status.setText(text)
        self.status.setProperty("failed", is_failed)
        self.status.style().unpolish(self.status)
        self.status.style().polish(self.status)

    def _enable(self) -> None:
        state = self._presenter.state
        is_free = self._plan is not None and not state.is_running
        has_choice = is_free and bool(self._chosen())
        for widget in (self.setups, self.minutes):
            widget.setEnabled(is_free)
        self.agree_box.setEnabled(has_choice)
        self.start_button.setEnabled(has_choice and self.agree_box.isChecked())
        self.start_button.setVisible(not state.is_running)
        self.stop_button.setVisible(state.is_running)
        self.stop_button.setEnabled(state.stage is TrialStage.RUNNING)

    def _start(self) -> None:
        names, minutes = self._chosen(), self.minutes.value()
        self.agree_box.setChecked(False)
        self._presenter.start(names, minutes=float(minutes))
        # Where the button to start was: the next key that is wanted.
        self.stop_button.setFocus()
