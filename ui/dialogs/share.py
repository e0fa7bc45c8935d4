"""The share dialog: what would be sent, to the byte; where to; sent only after agreeing.

Leaves to others: sharing (`ui.presenters.share`), the rows (`ui.models.share_rows`).
"""

from pathlib import Path

from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from advisor.i18n import N_, Translator
from advisor.report.said import said_line
from advisor.share.outbox import KeptState
from ui.dialogs.calm import CalmDialog
from ui.models import share_rows as rows
from ui.models.rows import RowsModel
from ui.presenters.share import ShareEvent, SharePresenter, ShareStage, ShareState
from ui.widgets.labels import text_label
from ui.widgets.rows_table import RowsTable

_SIZE = (780, 680)
_WIDTHS = {0: 90, 1: 130, 2: 90, 3: 190}
_STAGES = {
    ShareStage.READING: N_("Reading …"),
    ShareStage.SENDING: N_("Sending …"),
    ShareStage.DELETING: N_("Asking the server to delete it …"),
}
_EVENTS = {
    ShareEvent.SENT: N_("Sent: {detail}"),
    ShareEvent.NOT_SENT: N_("Not sent, it is kept and can be sent again: {detail}"),
    ShareEvent.DELETED: N_("Deleted: {detail}"),
    ShareEvent.NOT_DELETED: N_("Not deleted: {detail}"),
    ShareEvent.SERVER_KEPT: N_("The address is kept. Nothing was sent."),
    ShareEvent.FAILED: N_("Not done: {detail}"),
}
_FAILURES = (ShareEvent.NOT_SENT, ShareEvent.NOT_DELETED, ShareEvent.FAILED)


class ShareDialog(CalmDialog):
    """Shows a `ShareState`; it does not block the window."""

    def __init__(
        self, presenter: SharePresenter, *, translator: Translator, parent: QWidget | None = None
    ) -> None:
        """Show the state of a presenter, which outlives the dialog."""
        super().__init__(parent)
        self._tr = translator
        self._presenter = presenter
        self._shown_body = ""
        self.setWindowTitle(translator(N_("Share results")))
        self.resize(*_SIZE)
        self.text = text_label(name="message_text")
        self.preview = QPlainTextEdit()
        self.preview.setReadOnly(True)
        self.preview.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.preview.setAccessibleName(translator(N_("What would be sent")))
        self.lines_box = QCheckBox(translator(N_("With &line breaks (they are not sent)")))
        self.save_button = QPushButton(translator(N_("Sa&ve to a file…")))
        self.server = QLineEdit()
        self.server.setPlaceholderText(translator(N_("none: nothing can be sent")))
        self.server_button = QPushButton(translator(N_("&Keep the address")))
        self.agree_box = QCheckBox(translator(N_("I &agree to send exactly what is shown above")))
        self.send_button = QPushButton(translator(N_("&Send")))
        self._model = RowsModel([translator(head) for head in rows.UPLOAD_HEADS], parent=self)
        self.table = RowsTable(
            self._model, widths=_WIDTHS, name=translator(N_("What was sent or waits"))
        )
        self.table.setWordWrap(False)
        self.delete_button = QPushButton(translator(N_("&Delete the chosen one")))
        self.waiting_button = QPushButton(translator(N_("Send what &waits")))
        self.status = text_label(name="status")
        self.close_button = QPushButton(translator(N_("&Close")))
        self._lay_out()
        self._connect()
        self.show_state(presenter.state)
        presenter.read()

    def _lay_out(self) -> None:
        tr = self._tr
        below = QHBoxLayout()
        below.addWidget(self.lines_box)
        below.addStretch(1)
        below.addWidget(self.save_button)
        address = QHBoxLayout()
        label = QLabel(tr(N_("Ser&ver")))
        label.setObjectName("field")
        label.setBuddy(self.server)
        for widget in (label, self.server, self.server_button):
            address.addWidget(widget)
        sending = QHBoxLayout()
        sending.addWidget(self.agree_box)
        sending.addStretch(1)
        sending.addWidget(self.send_button)
        buttons = QHBoxLayout()
        for button in (self.delete_button, self.waiting_button):
            buttons.addWidget(button)
        buttons.addStretch(1)
        buttons.addWidget(self.close_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 12)
        column.setSpacing(8)
        column.addWidget(self.text)
        column.addWidget(self.preview, 3)
        column.addLayout(below)
        column.addLayout(address)
        column.addLayout(sending)
        column.addWidget(self.status)
        column.addWidget(self.table, 2)
        column.addLayout(buttons)

    def _connect(self) -> None:
        presenter = self._presenter
        self.lines_box.toggled.connect(lambda _is_on: self._show_body())
        self.save_button.clicked.connect(self._ask_for_file)
        self.server_button.clicked.connect(lambda: presenter.set_server(self.server.text()))
        self.server.returnPressed.connect(self.server_button.click)
        self.server.textEdited.connect(lambda _text: self._enable())
        self.agree_box.toggled.connect(lambda _is_on: self._enable())
        self.send_button.clicked.connect(self._send)
        self.table.selectionModel().selectionChanged.connect(lambda *_ranges: self._enable())
        self.delete_button.clicked.connect(self._delete)
        self.waiting_button.clicked.connect(presenter.send_waiting)
        self.close_button.clicked.connect(self.close)
        presenter.state_changed.connect(self.show_state)

    def show_state(self, state: ShareState) -> None:
        """Show a state."""
        tr = self._tr
        if state.upload is not None:
            self.text.setText(rows.content_text(state.upload, tr))
        else:
            told = tr(N_("There is nothing to share: {problem}"), problem=state.problem)
            self.text.setText(told if state.problem else "")
        if state.body != self._shown_body:
            self._shown_body = state.body
            self.agree_box.setChecked(False)
            self._show_body()
        is_kept = state.event is ShareEvent.SERVER_KEPT
        if not state.is_busy and (is_kept or not self.server.isModified()):
            self.server.setText(state.server or "")
        self._show_uploads(state)
        self._show_status(state)
        self._enable()

    def _show_body(self) -> None:
        body = self._shown_body
        text = rows.readable(body) if body and self.lines_box.isChecked() else body
        self.preview.setPlainText(text)

    def _show_uploads(self, state: ShareState) -> None:
        number = self.table.chosen_row
        self._model.show_rows(rows.upload_rows(state.uploads, self._tr))
        if 0 <= number < len(state.uploads):
            self.table.choose_row(number)
        self.table.setVisible(bool(state.uploads))

    def _show_status(self, state: ShareState) -> None:
        tr = self._tr
        is_failed = state.event in _FAILURES
        if state.is_busy:
            text = tr(_STAGES[state.stage])
        elif state.event in _EVENTS:
            text = tr(_EVENTS[state.event], detail=said_line(state.detail, tr))
        elif state.server is None:
            text = tr(N_("No server is set. Nothing leaves this machine."))
        else:
            text = tr(
                N_("{n} bytes would be sent to {server}. Nothing was sent."),
                n=len(state.body), server=state.server,
            )  # fmt: skip
        self.status.setText(text)
        self.status.setProperty("failed", is_failed)
        self.status.style().unpolish(self.status)
        self.status.style().polish(self.status)

    def _enable(self) -> None:
        state = self._presenter.state
        is_free = not state.is_busy
        is_kept = self.server.text().strip() == (state.server or "")
        has_target = bool(state.body) and state.server is not None and is_kept
        self.lines_box.setEnabled(bool(state.body))
        self.save_button.setEnabled(is_free and bool(state.body))
        self.server_button.setEnabled(is_free and not is_kept)
        self.agree_box.setEnabled(is_free and has_target)
        if not has_target:
            self.agree_box.setChecked(False)
        self.send_button.setEnabled(is_free and has_target and self.agree_box.isChecked())
        self.delete_button.setEnabled(is_free and self._chosen() is not None)
        self.delete_button.setVisible(bool(state.uploads))
        self.waiting_button.setVisible(state.waiting > 0)
        self.waiting_button.setEnabled(is_free)

    def _chosen(self) -> str | None:
        """Return the id of the chosen upload, None when it is deleted already."""
        uploads = self._presenter.state.uploads
        number = self.table.chosen_row
        if not 0 <= number < len(uploads) or uploads[number].state is KeptState.DELETED:
            return None
        return uploads[number].id

    def _send(self) -> None:
        self._presenter.send()
        # The next one needs a consent of its own.
        self.agree_box.setChecked(False)

    def _delete(self) -> None:
        name = self._chosen()
        if name is not None:
            self._presenter.delete(name)

    def _ask_for_file(self) -> None:
        path, _filter = QFileDialog.getSaveFileName(
            self,
            self._tr(N_("Save what would be sent")),
            str(Path.home() / "dl-advisor-share.json"),
            "JSON (*.json)",
        )
        if path:
            self._presenter.save_to(path if path.lower().endswith(".json") else f"{path}.json")
