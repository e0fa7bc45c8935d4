"""Labels for text that may be long: it wraps, and it can be selected by mouse and keyboard.

Leaves to others: what stands on them.
"""

import re

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

_LONG_WORD = re.compile(r"\S{30,}")
_JOINT = re.compile(r"(?<=[-_./\\])(?=\w)|(?<=\w{20})(?=\w)")
_BREAK = "\N{ZERO WIDTH SPACE}"


def text_label(text: str = "", *, name: str, tip: str = "") -> QLabel:
    """Return a label of plain text that wraps; `name` is what the style sheet knows it by."""
    label = QLabel(text)
    label.setObjectName(name)
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.setToolTip(tip)
    return label


def breakable(text: str) -> str:
    """Return a text whose long words (names of files) can be broken.

    Qt breaks only between words: a label with a longer one is too low, and its last line is cut.
    """
    return _LONG_WORD.sub(lambda found: _JOINT.sub(_BREAK, found[0]), text)


def spoken(label: str) -> str:
    """Return a label as it is read aloud: without its key, "N&etwork" or "网络(&N)"."""
    return re.sub(r"\s*\(&\w\)", "", label).replace("&", "")
