"""The prices dialog: how old each vendor's prices are, and fetching newer ones when told to.

Leaves to others: fetching (`ui.presenters.prices`).
"""

from PySide6.QtWidgets import (
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from advisor.format import format_bytes, format_count
from advisor.i18n import N_, Translator
from advisor.knowledge.refresh.run import TableOutcome, Verdict
from advisor.knowledge.refresh.sources import Endpoints
from advisor.knowledge.refresh.status import OLD_DAYS, PriceStatus, VendorPrices
from advisor.report.said import said_line
from ui.dialogs.calm import CalmDialog
from ui.models.rows import Cell, RowsModel
from ui.presenters.prices import PricesPresenter, PricesStage, PricesState
from ui.widgets.labels import text_label
from ui.widgets.rows_table import RowsTable

_SIZE = (720, 560)
_OUTCOME_LINES = 7
_HEADS = (N_("Vendor"), N_("Offers"), N_("Prices of"), N_("Age"), N_("List"))
_STAGES = {
    PricesStage.READING: N_("Reading the prices …"),
    PricesStage.READY: N_("Nothing is fetched until you press the button."),
    PricesStage.FETCHING: N_("Fetching. The old prices stay in use until a list was checked."),
    PricesStage.STOPPING: N_("Stopping …"),
    PricesStage.DONE: N_("Done. Press Advise me again to use the new prices."),
}


class PricesDialog(CalmDialog):
    """Shows a `PricesState`; it does not block the window."""

    def __init__(
        self, presenter: PricesPresenter, *, translator: Translator, parent: QWidget | None = None
    ) -> None:
        """Show the state of a presenter, which belongs to the dialog from now on."""
        super().__init__(parent)
        self._tr = translator
        self._presenter = presenter
        presenter.setParent(self)
        self.setWindowTitle(translator(N_("Cloud prices")))
        self.resize(*_SIZE)
        hosts = ", ".join(_hosts())
        self.text = text_label(
            translator(
                N_(
                    "The app comes with dated prices. Newer ones are asked of these servers:"
                    " {hosts}. They learn your network address and the name of this app,"
                    " nothing else."
                ),
                hosts=hosts,
            ),
            name="message_text",
        )
        self._rows = RowsModel([translator(head) for head in _HEADS], parent=self)
        self.table = RowsTable(
            self._rows, widths={1: 92, 2: 190, 3: 90, 4: 170}, name=translator(N_("Vendors"))
        )
        self.table.setWordWrap(False)
        self.outcomes = QPlainTextEdit()
        self.outcomes.setReadOnly(True)
        self.outcomes.setAccessibleName(translator(N_("What came of it")))
        self.outcomes.setMaximumHeight(self.fontMetrics().lineSpacing() * _OUTCOME_LINES)
        self.status = text_label(name="status")
        self.fetch_button = QPushButton(translator(N_("&Fetch newer prices")))
        self.stop_button = QPushButton(translator(N_("&Stop")))
        self.close_button = QPushButton(translator(N_("&Close")))
        self._lay_out()
        self.fetch_button.clicked.connect(presenter.fetch)
        self.stop_button.clicked.connect(presenter.stop)
        self.close_button.clicked.connect(self.close)
        # The window is not kept waiting.
        self.finished.connect(lambda _code: presenter.stop())
        presenter.state_changed.connect(self.show_state)
        self.show_state(presenter.state)
        presenter.read()

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.addWidget(self.fetch_button)
        buttons.addWidget(self.stop_button)
        buttons.addStretch(1)
        buttons.addWidget(self.close_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 12)
        column.setSpacing(10)
        column.addWidget(self.text)
        column.addWidget(self.table, 1)
        column.addWidget(self.outcomes)
        column.addWidget(self.status)
        column.addLayout(buttons)

    def show_state(self, state: PricesState) -> None:
        """Show a state."""
        if state.status is not None:
            self._rows.show_rows(_vendor_rows(state.status, self._tr))
        lines = [outcome_line(outcome, self._tr) for outcome in state.outcomes]
        if self.outcomes.toPlainText() != "\n".join(lines):
            self.outcomes.setPlainText("\n".join(lines))
            bar = self.outcomes.verticalScrollBar()
            bar.setValue(bar.maximum())
        self.outcomes.setVisible(bool(lines))
        self.status.setText(self._status(state))
        self.fetch_button.setEnabled(not state.is_busy and state.stage is not PricesStage.READING)
        self.stop_button.setVisible(state.is_busy)
        self.stop_button.setEnabled(state.stage is PricesStage.FETCHING)

    def _status(self, state: PricesState) -> str:
        tr = self._tr
        if state.stage is PricesStage.FAILED:
            return tr(N_("Not done: {message}"), message=state.message)
        text = tr(_STAGES[state.stage])
        if state.progress is not None:
            size = format_bytes(state.progress.n_bytes)
            text += "\n" + tr(N_("{name}: {size} from {host}"), name=state.progress.name,
                              size=size, host=state.progress.host)  # fmt: skip
        return text


def _hosts() -> tuple[str, ...]:
    usual = Endpoints()
    addresses = (*usual.catalogs, usual.azure, usual.spot_advisor)
    return tuple(dict.fromkeys(address.split("/")[2] for address in addresses))


def outcome_line(outcome: TableOutcome, tr: Translator) -> str:
    """Return the end of one table as a line."""
    rows = format_count(outcome.n_rows)
    if outcome.verdict is Verdict.REFRESHED:
        return tr(N_("{name}: {rows} rows, of today"), name=outcome.name, rows=rows)
    if outcome.verdict is Verdict.UNCHANGED:
        return tr(N_("{name}: {rows} rows, unchanged until today"), name=outcome.name, rows=rows)
    return tr(
        N_("{name}: the old prices stay in use: {message}"),
        name=outcome.name, message=said_line(outcome.message, tr),
    )  # fmt: skip


def _vendor_rows(status: PriceStatus, tr: Translator) -> tuple[tuple[Cell, ...], ...]:
    return tuple(_vendor_row(vendor, tr) for vendor in status.vendors)


def _vendor_row(vendor: VendorPrices, tr: Translator) -> tuple[Cell, ...]:
    dates = (
        vendor.oldest if vendor.oldest == vendor.newest else f"{vendor.oldest} – {vendor.newest}"
    )
    age = tr(N_("{n} days"), n=vendor.age_days)
    is_old = vendor.age_days > OLD_DAYS
    can = tr(N_("can be fetched")) if vendor.is_refreshable else tr(N_("comes with the app only"))
    return (
        Cell(text=vendor.vendor, value=vendor.vendor),
        Cell(text=format_count(vendor.n_offers), value=float(vendor.n_offers), is_number=True),
        Cell(text=dates, value=vendor.oldest),
        Cell(text=age, value=float(vendor.age_days), is_number=True, is_strong=is_old),
        Cell(text=can, value=can),
    )
