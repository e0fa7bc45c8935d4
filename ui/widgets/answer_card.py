"""One option in a card: what it is, how long, how sure, why, how to do it, what it rests on.

Signals: none. Leaves to others: choosing the option (`advisor.recommend`, the options table).
"""

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget

from advisor.format import format_duration_interval, format_factor
from advisor.i18n import N_, Translator
from advisor.model.option import OptionKind
from advisor.model.prediction import Evidence
from advisor.model.recommendation import RankedOption, Recommendation
from advisor.report.money import money_text
from advisor.report.names import BASES
from advisor.report.reasons import cancelled_text, grave_text, reason_text, trial_text
from advisor.report.said import said, said_deed, source_text
from advisor.report.steps import told_once
from ui.models.advice_rows import money_lines
from ui.models.explanations import BASIS_TIPS, INTERVAL
from ui.widgets.labels import text_label
from ui.widgets.step_box import StepBox
from ui.widgets.tab_order import lead_into


class AnswerCard(QFrame):
    """Shows an option of a recommendation; its body scrolls when the steps are many."""

    def __init__(self, *, translator: Translator, parent: QWidget | None = None) -> None:
        """Start empty."""
        super().__init__(parent)
        self.setObjectName("answer_card")
        self._tr = translator
        self._shown: tuple[Recommendation, int, bool] | None = None
        self.badge = text_label(name="badge")
        self.title = text_label(name="answer_title")
        self.numbers = text_label(name="answer_numbers", tip=translator(INTERVAL))
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setAccessibleName(translator(N_("Reasons and steps")))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 8, 8)
        layout.setSpacing(4)
        for label in (self.badge, self.title, self.numbers):
            layout.addWidget(label)
        layout.addWidget(self._scroll, 1)

    def show_option(
        self, advice: Recommendation, number: int, *, is_provisional: bool = False
    ) -> None:
        """Replace what the card shows by the option at a place in the ranking, 0 for the first.

        What is shown already stays as it is.
        """
        shown = self._shown
        if shown is not None and shown[0] is advice and shown[1:] == (number, is_provisional):
            return
        self._shown = (advice, number, is_provisional)
        row = advice.ranked[number]
        self.badge.setText(self._badge(advice, number, is_provisional=is_provisional))
        self.badge.setToolTip(self._tr(BASIS_TIPS[row.prediction.basis]))
        self.title.setText(said_deed(row.option, self._tr))
        self.numbers.setText(self._numbers(row))
        self.setProperty("first", number == 0)
        self.style().unpolish(self)
        self.style().polish(self)
        body = QWidget()
        body.setObjectName("card_body")
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 6, 8, 4)
        column.setSpacing(6)
        for widget in self._body(advice, row):
            column.addWidget(widget)
        column.addStretch(1)
        # The area deletes the widget that it held before.
        self._scroll.setWidget(body)
        lead_into(self._scroll)

    def _badge(self, advice: Recommendation, number: int, *, is_provisional: bool) -> str:
        tr = self._tr
        basis = tr(BASES[advice.ranked[number].prediction.basis])
        earlier = advice.measurements
        if is_provisional and number == 0 and earlier is not None:
            text = N_("First guess, by what was measured on {date} · {basis}")
            return tr(text, date=earlier.measured_on, basis=basis)
        if is_provisional and number == 0:
            return tr(N_("First guess, nothing measured yet · {basis}"), basis=basis)
        if number == 0 and advice.measurements is not None and advice.measurements.is_cancelled:
            return tr(N_("Cancelled run: best so far · {basis}"), basis=basis)
        if number == 0:
            return tr(N_("Best for you · {basis}"), basis=basis)
        count = len(advice.ranked)
        return tr(N_("Option {n} of {count} · {basis}"), n=number + 1, count=count, basis=basis)

    def _numbers(self, row: RankedOption) -> str:
        time = format_duration_interval(row.prediction.total_s, self._tr)
        money = money_text(row.cost, self._tr)
        text = self._tr(N_("{time} for the whole job · {money}"), time=time, money=money)
        if row.option.kind is OptionKind.STAY:
            return text
        speedup = format_factor(row.speedup.mid)
        return text + self._tr(N_(" · {factor} the speed of now"), factor=speedup)

    def _body(self, advice: Recommendation, row: RankedOption) -> Iterator[QWidget]:
        tr = self._tr
        grave = grave_text(advice, tr)
        if grave:
            yield text_label(grave, name="warning")
        for text in (cancelled_text(advice.measurements, tr), trial_text(advice, tr)):
            if text:
                yield text_label(text, name="why")
        reasons = [tr(N_("• {text}."), text=reason_text(each, tr)) for each in row.reasons]
        if row.prediction.is_warned:
            reasons.append(
                tr(N_("• The time may be off by more than 3 times: about 1 in 20 such times was, in"
                      " tests against published results."))
            )  # fmt: skip
        if reasons:
            yield text_label("\n".join(reasons), name="why")
        if row.steps:
            yield self._heading(N_("How to do it"))
        for step in told_once(row.steps, title=row.option.title):
            yield StepBox(step, translator=tr)
        notes = [_evidence_text(each, tr) for each in row.prediction.evidence]
        notes += [said(each, tr) for each in row.prediction.assumptions]
        if notes:
            yield self._heading(N_("What the time rests on"))
            yield text_label("\n".join(notes), name="note")
        yield from self._money(row)

    def _money(self, row: RankedOption) -> Iterator[QWidget]:
        lines = money_lines(row, self._tr)
        if lines:
            yield self._heading(N_("What the money is for"))
            yield text_label("\n".join(lines), name="note")

    def _heading(self, text: str) -> QLabel:
        return text_label(self._tr(text), name="card_heading")


def _evidence_text(evidence: Evidence, tr: Translator) -> str:
    return f"{said(evidence.statement, tr)} [{source_text(evidence.source, tr)}]"
