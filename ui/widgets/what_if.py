"""Three sliders: what if the job had other epochs, or there were a limit of money or time?

Signals of `WhatIfBar`:
    changed: the new `WhatIf`.
Leaves to others: ranking anew (`ui.presenters.advise`).
"""

import math

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QSlider, QWidget

from advisor.format import format_count, format_duration, format_usd
from advisor.i18n import N_, Translator
from advisor.model.recommendation import Recommendation
from ui.journey import WhatIf

_STEPS = 200
_LEAST_USD, _MOST_USD = 0.05, 5000.0
_LEAST_H, _MOST_H = 0.02, 2000.0
_MOST_EPOCHS = 1000


def _value(position: int, low: float, high: float) -> float:
    """Return the value at a place of a slider whose scale is logarithmic."""
    return float(low * (high / low) ** (position / _STEPS))


def _position(value: float, low: float, high: float) -> int:
    share = math.log(min(max(value, low), high) / low) / math.log(high / low)
    return round(share * _STEPS)


class WhatIfBar(QWidget):
    """Shows the sliders; at its right end a limit slider means no limit."""

    changed = Signal(object)

    def __init__(self, *, translator: Translator, parent: QWidget | None = None) -> None:
        """Start with one epoch and no limits."""
        super().__init__(parent)
        self._tr = translator
        self._is_filling = False
        self.epochs, self.usd, self.hours = (self._slider() for _ in range(3))
        self.texts = tuple(QLabel() for _ in range(3))
        self.reset_button = QPushButton(translator(N_("As &asked")))
        self._asked: WhatIf | None = None
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        for column, (name, slider, text) in enumerate(
            zip(
                (N_("Epochs"), N_("Spend at most"), N_("Ready within")),
                (self.epochs, self.usd, self.hours),
                self.texts,
                strict=True,
            )
        ):
            head = QLabel(translator(name))
            head.setObjectName("field")
            slider.setAccessibleName(translator(name))
            grid.addWidget(head, 0, 2 * column)
            grid.addWidget(text, 0, 2 * column + 1, Qt.AlignmentFlag.AlignRight)
            grid.addWidget(slider, 1, 2 * column, 1, 2)
            grid.setColumnStretch(2 * column, 1)
            slider.valueChanged.connect(self._moved)
        grid.setHorizontalSpacing(12)
        grid.addWidget(self.reset_button, 1, 6)
        self.reset_button.clicked.connect(self._reset)

    def _slider(self) -> QSlider:
        slider = QSlider(Qt.Orientation.Horizontal)
        slider.setRange(0, _STEPS)
        slider.setValue(_STEPS)
        return slider

    def value(self) -> WhatIf:
        """Return what the sliders say."""
        usd, hours = self.usd.value(), self.hours.value()
        return WhatIf(
            epochs=max(1, round(_value(self.epochs.value(), 1, _MOST_EPOCHS))),
            max_usd=None if usd == _STEPS else _value(usd, _LEAST_USD, _MOST_USD),
            deadline_h=None if hours == _STEPS else _value(hours, _LEAST_H, _MOST_H),
        )

    def show_asked(self, advice: Recommendation) -> None:
        """Stand where the job and the limits of a new advice are."""
        self._asked = WhatIf.of(advice)
        self._fill(self._asked)

    def show_what_if(self, advice: Recommendation) -> None:
        """Stand where another answer is; what was asked stays what the button goes back to."""
        self._fill(WhatIf.of(advice))

    def _fill(self, asked: WhatIf) -> None:
        self._is_filling = True
        self.epochs.setValue(_position(asked.epochs, 1, _MOST_EPOCHS))
        usd, hours = asked.max_usd, asked.deadline_h
        self.usd.setValue(_STEPS if usd is None else _position(usd, _LEAST_USD, _MOST_USD))
        self.hours.setValue(_STEPS if hours is None else _position(hours, _LEAST_H, _MOST_H))
        self._is_filling = False
        self._show_texts(asked)

    def _moved(self) -> None:
        if not self._is_filling:
            self._show_texts(self.value())
            self.changed.emit(self.value())

    def _reset(self) -> None:
        if self._asked is not None:
            self._fill(self._asked)
            self.changed.emit(self._asked)

    def _show_texts(self, value: WhatIf) -> None:
        none = self._tr(N_("no limit"))
        texts = (
            format_count(value.epochs),
            none if value.max_usd is None else format_usd(value.max_usd),
            none
            if value.deadline_h is None
            else format_duration(value.deadline_h * 3600.0, self._tr),
        )
        for label, text in zip(self.texts, texts, strict=True):
            label.setText(text)
