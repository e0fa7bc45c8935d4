"""Three sliders: what if the job had other epochs, or there were a limit of money or time?

A slider stops at round values and at the exact value of the job, which it keeps until it is moved.

Signals of `WhatIfBar`:
    changed: the new `WhatIf`.
Leaves to others: ranking anew (`ui.presenters.advise`).
"""

from collections.abc import Callable, Iterable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QSlider, QWidget

from advisor.format import format_count, format_duration, format_usd
from advisor.i18n import N_, Translator
from advisor.model.recommendation import Recommendation
from ui.journey import WhatIf

# What people call round, from one power of ten to the next; no step is over a quarter.
_ROUND = (10, 12, 14, 16, 18, 20, 25, 30, 35, 40, 45, 50, 60, 70, 80, 90)
_MOST_EPOCHS = 1000
_LEAST_CENTS, _MOST_CENTS = 5, 500_000
_MINUTES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50)
_HOURS = (1, 1.5, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18, 20)
_DAYS = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 10, 14, 21, 30, 45, 60, 90)
_HOUR_S = 3600.0
_PAGE_STEPS = 4


def _rounds(least: int, most: int) -> list[int]:
    """Return the round whole numbers between two."""
    numbers, power = list(range(1, 10)), 1
    while power <= most:
        numbers += [n * power for n in _ROUND]
        power *= 10
    return [n for n in numbers if least <= n <= most]


def _epochs(asked: Iterable[float | None]) -> list[float]:
    """Return the stops for epochs: up to the power of ten that holds those of the job."""
    most = _MOST_EPOCHS
    while most < max(value or 1 for value in asked):
        most *= 10
    return [float(n) for n in _rounds(1, most)]


def _usd(_asked: Iterable[float | None]) -> list[float]:
    return [cents / 100 for cents in _rounds(_LEAST_CENTS, _MOST_CENTS)]


def _hours(_asked: Iterable[float | None]) -> list[float]:
    return [n / 60 for n in _MINUTES] + [float(n) for n in _HOURS] + [n * 24.0 for n in _DAYS]


class _StopSlider(QSlider):
    """Stands at one of its stops; None, where it has that, is its right end."""

    def __init__(
        self, stops: Callable[[Iterable[float | None]], list[float]], *, has_none: bool
    ) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._round = stops
        self._has_none = has_none
        self.stops: tuple[float | None, ...] = ()
        self.setPageStep(_PAGE_STEPS)
        self.stand_at(None if has_none else 1.0)

    def stand_at(self, value: float | None, *, among: Iterable[float | None] = ()) -> None:
        """Stand exactly at a value, with others that it can come back to among the stops."""
        asked = (value, *among)
        numbers = {*self._round(asked), *(each for each in asked if each is not None)}
        self.stops = (*sorted(numbers), *((None,) if self._has_none else ()))
        self.setRange(0, len(self.stops) - 1)
        self.setValue(self.stops.index(value))

    def stop(self) -> float | None:
        """Return where it stands."""
        return self.stops[self.value()]


class WhatIfBar(QWidget):
    """Shows the sliders; at its right end a limit slider means no limit."""

    changed = Signal(object)

    def __init__(self, *, translator: Translator, parent: QWidget | None = None) -> None:
        """Start with one epoch and no limits."""
        super().__init__(parent)
        self._tr = translator
        self._is_filling = False
        self.epochs = _StopSlider(_epochs, has_none=False)
        self.usd = _StopSlider(_usd, has_none=True)
        self.hours = _StopSlider(_hours, has_none=True)
        self.texts = tuple(QLabel() for _ in range(3))
        self.reset_button = QPushButton(translator(N_("As &asked")))
        self._asked: WhatIf | None = None
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        for column, (name, slider, text) in enumerate(
            zip(
                (N_("Epochs"), N_("Spend at most"), N_("Ready within")),
                self._sliders(),
                self.texts,
                strict=True,
            )
        ):
            head = QLabel(translator(name))
            head.setObjectName("field")
            slider.setAccessibleName(translator(name))
            text.setAlignment(Qt.AlignmentFlag.AlignRight)
            grid.addWidget(head, 0, 2 * column)
            grid.addWidget(text, 0, 2 * column + 1)
            grid.addWidget(slider, 1, 2 * column, 1, 2)
            grid.setColumnStretch(2 * column, 1)
            slider.valueChanged.connect(self._moved)
        grid.setHorizontalSpacing(12)
        grid.addWidget(self.reset_button, 1, 6)
        self.reset_button.clicked.connect(self._reset)

    def _sliders(self) -> tuple[_StopSlider, _StopSlider, _StopSlider]:
        return (self.epochs, self.usd, self.hours)

    def value(self) -> WhatIf:
        """Return what the sliders say."""
        return WhatIf(
            epochs=round(self.epochs.stop() or 1),
            max_usd=self.usd.stop(),
            deadline_h=self.hours.stop(),
        )

    def show_asked(self, advice: Recommendation) -> None:
        """Stand where the job and the limits of a new advice are."""
        self._asked = WhatIf.of(advice)
        self._fill(self._asked)

    def show_what_if(self, advice: Recommendation) -> None:
        """Stand where another answer is; what was asked stays what the button goes back to."""
        self._fill(WhatIf.of(advice))

    def _fill(self, shown: WhatIf) -> None:
        asked = self._asked or shown
        self._is_filling = True
        self.epochs.stand_at(float(shown.epochs), among=[float(asked.epochs)])
        self.usd.stand_at(shown.max_usd, among=[asked.max_usd])
        self.hours.stand_at(shown.deadline_h, among=[asked.deadline_h])
        self._is_filling = False
        self._keep_widths()
        self._show_texts()

    def _keep_widths(self) -> None:
        """Give each text the room of its longest one: a slider must not change under the mouse."""
        for number, (label, slider) in enumerate(zip(self.texts, self._sliders(), strict=True)):
            label.ensurePolished()
            metrics = label.fontMetrics()
            texts = (self._text(number, stop) for stop in slider.stops)
            label.setMinimumWidth(max(metrics.horizontalAdvance(text) for text in texts) + 1)

    def _moved(self) -> None:
        if not self._is_filling:
            self._show_texts()
            self.changed.emit(self.value())

    def _reset(self) -> None:
        if self._asked is not None:
            self._fill(self._asked)
            self.changed.emit(self._asked)

    def _show_texts(self) -> None:
        for number, (label, slider) in enumerate(zip(self.texts, self._sliders(), strict=True)):
            label.setText(self._text(number, slider.stop()))

    def _text(self, number: int, stop: float | None) -> str:
        """Return the words for a stop of the first, second or third slider."""
        if stop is None:
            return self._tr(N_("no limit"))
        if number == 0:
            return format_count(round(stop))
        return format_usd(stop) if number == 1 else format_duration(stop * _HOUR_S, self._tr)
