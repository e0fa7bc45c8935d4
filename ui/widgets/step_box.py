"""One thing to do: a caption and what to type, with a button that copies it.

Signals: none. Leaves to others: which steps there are (`advisor.recommend.steps`).
"""

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase, QGuiApplication, QResizeEvent, QTextOption
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from advisor.i18n import N_, Translator
from advisor.model.recommendation import Step
from advisor.report.said import said
from ui.widgets.labels import text_label

_MOST_LINES = 10
_PADDING = 12


class CodeBox(QPlainTextEdit):
    """Read-only code that is as high as its lines and wraps anywhere."""

    def __init__(self, code: str, *, parent: QWidget | None = None) -> None:
        """Show the code."""
        super().__init__(code, parent)
        self.setObjectName("code")
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabChangesFocus(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Keep the height that the lines need at the new width."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        wanted = max(1, round(self.document().size().height()))
        lines = min(_MOST_LINES, wanted)
        policies = Qt.ScrollBarPolicy
        is_all = lines == wanted
        self.setVerticalScrollBarPolicy(
            policies.ScrollBarAlwaysOff if is_all else policies.ScrollBarAsNeeded
        )
        self.setFixedHeight(lines * self.fontMetrics().lineSpacing() + _PADDING)


class StepBox(QWidget):
    """Shows a step."""

    def __init__(
        self, step: Step, *, translator: Translator, parent: QWidget | None = None
    ) -> None:
        """Show the step; what can be typed or opened gets a button to copy it."""
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        caption, content = said(step.caption, translator), said(step.content, translator)
        if caption:
            column.addWidget(text_label(caption, name="note"))
        row = QHBoxLayout()
        column.addLayout(row)
        if step.kind == "text":
            row.addWidget(text_label(content, name="step"), 1)
            return
        code = CodeBox(content)
        code.setAccessibleName(caption or content)
        row.addWidget(code, 1)
        self.copy_button = QPushButton(translator(N_("Copy")))
        what = caption or content
        self.copy_button.setAccessibleName(translator(N_("Copy: {what}"), what=what))
        self.copy_button.setToolTip(translator(N_("Copy to the clipboard")))
        self.copy_button.clicked.connect(lambda: QGuiApplication.clipboard().setText(content))
        row.addWidget(self.copy_button, 0, Qt.AlignmentFlag.AlignTop)
