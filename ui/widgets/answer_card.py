"""The answer in one card: the first option, how sure it is, why, and what to type.

Signals: none. Leaves to others: choosing the answer (`advisor.recommend`).
"""

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from advisor.format import format_duration_interval, format_usd_interval
from advisor.i18n import N_, Translator
from advisor.model.recommendation import RankedOption, Recommendation, Step
from advisor.report.names import BASES
from advisor.report.reasons import reason_text

_SHOWN_REASONS = 3


def _label(text: str, *, name: str) -> QLabel:
    label = QLabel(text)
    label.setObjectName(name)
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(
        Qt.TextInteractionFlag.TextSelectableByMouse
        | Qt.TextInteractionFlag.TextSelectableByKeyboard
    )
    return label


class AnswerCard(QFrame):
    """Shows the first option of a recommendation."""

    def __init__(self, *, translator: Translator, parent: QWidget | None = None) -> None:
        """Start empty."""
        super().__init__(parent)
        self.setObjectName("answer_card")
        self._tr = translator
        self._layout = QVBoxLayout(self)

    def show_advice(self, advice: Recommendation, *, is_provisional: bool) -> None:
        """Replace what the card shows."""
        while (item := self._layout.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        first = advice.ranked[0]
        badge = (
            self._tr(N_("First guess from published figures; measuring will sharpen it"))
            if is_provisional
            else self._tr(BASES[first.prediction.basis])
        )
        self._layout.addWidget(_label(badge, name="badge"))
        self._layout.addWidget(_label(first.option.title, name="answer_title"))
        self._layout.addWidget(_label(self._numbers(first), name="answer_numbers"))
        reasons = [reason_text(reason, self._tr) for reason in first.reasons[:_SHOWN_REASONS]]
        self._layout.addWidget(_label("\n".join(f"{reason}." for reason in reasons), name="why"))
        for step in first.steps:
            self._layout.addWidget(self._step(step))

    def _numbers(self, row: RankedOption) -> str:
        time = format_duration_interval(row.prediction.total_s)
        if row.cost.total_usd is None:
            money = self._tr(N_("cost unknown"))
        elif row.cost.total_usd.high == 0:
            money = self._tr(N_("no cost"))
        else:
            money = format_usd_interval(row.cost.total_usd)
        return self._tr(N_("{time} for the whole job · {money}"), time=time, money=money)

    def _step(self, step: Step) -> QWidget:
        box = QWidget()
        layout = QHBoxLayout(box)
        layout.setContentsMargins(0, 0, 0, 0)
        text = f"{step.caption}\n{step.content}" if step.caption else step.content
        label = _label(text, name="step")
        if step.kind != "text":
            label.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        layout.addWidget(label, 1)
        copy = QPushButton(self._tr(N_("Copy")))
        copy.setAccessibleName(self._tr(N_("Copy: {what}"), what=step.caption or step.content))
        copy.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(step.content))
        layout.addWidget(copy, 0, Qt.AlignmentFlag.AlignTop)
        return box
