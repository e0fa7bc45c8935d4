"""Number fields that tell when they change what was typed: they take no more than their limits.

Signals of `LimitSpin` and `DecimalSpin`:
    limited: what was typed, as text, when it is outside the limits and is changed.
Leaves to others: the words (`ui.widgets.job_form`).
"""

from PySide6.QtCore import Signal
from PySide6.QtGui import QValidator
from PySide6.QtWidgets import QDoubleSpinBox, QSpinBox


def _typed(spin: QSpinBox | QDoubleSpinBox, text: str) -> float | None:
    """Return the number in the text of a field, None where there is none."""
    digits = text.removesuffix(spin.suffix()).strip()
    value, is_number = spin.locale().toDouble(digits)
    return value if is_number else None


def _is_beyond(spin: QSpinBox | QDoubleSpinBox, text: str) -> bool:
    value = _typed(spin, text)
    return value is not None and not spin.minimum() <= value <= spin.maximum()


class LimitSpin(QSpinBox):
    """Lets a number beyond its limits be typed; the nearest limit takes its place at the end."""

    limited = Signal(str)

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        """Let what is too large be typed on, where Qt would drop its last digit unseen."""
        if _is_beyond(self, text):
            return QValidator.State.Intermediate, text, position
        return super().validate(text, position)

    def fixup(self, text: str) -> str:
        """Return the nearest limit in place of what is beyond it, and tell."""
        value = _typed(self, text)
        if value is None or not _is_beyond(self, text):
            return str(super().fixup(text) or text)
        self.limited.emit(text)
        return self.textFromValue(self.minimum() if value < self.minimum() else self.maximum())


class DecimalSpin(QDoubleSpinBox):
    """The same for a number with decimals."""

    limited = Signal(str)

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        """Let what is too large be typed on, where Qt would drop its last digit unseen."""
        if _is_beyond(self, text):
            return QValidator.State.Intermediate, text, position
        return super().validate(text, position)

    def fixup(self, text: str) -> str:
        """Return the nearest limit in place of what is beyond it, and tell."""
        value = _typed(self, text)
        if value is None or not _is_beyond(self, text):
            return str(super().fixup(text) or text)
        self.limited.emit(text)
        nearest = self.minimum() if value < self.minimum() else self.maximum()
        return self.textFromValue(nearest) + self.suffix()
