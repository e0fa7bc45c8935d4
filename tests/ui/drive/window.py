"""Opens the real window, and keeps a JSON file of where each button stands on the screen.

Arguments: the file. Run by `test_window.py`, so that it can click without knowing the layout.
"""

import json
import sys
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QAbstractButton, QApplication

from ui import app

PERIOD_MS = 200


def buttons():
    for top in QApplication.topLevelWidgets():
        for button in top.findChildren(QAbstractButton):
            if top.isVisible() and button.isVisible() and button.text():
                middle = button.mapToGlobal(button.rect().center())
                yield {
                    "text": button.text().replace("&", ""),
                    "is_enabled": button.isEnabled(),
                    "x": middle.x(),
                    "y": middle.y(),
                }


def write(target):
    partial = target.with_suffix(".part")
    partial.write_text(json.dumps(list(buttons())), encoding="utf-8")
    partial.replace(target)


def watch(window):
    timer = QTimer(window)
    timer.timeout.connect(lambda: write(Path(sys.argv[1])))
    timer.start(PERIOD_MS)


if __name__ == "__main__":
    sys.exit(app.run(on_window=watch))
