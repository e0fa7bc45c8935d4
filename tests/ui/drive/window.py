"""Opens the real window, and keeps a JSON file of what stands where on the screen.

Arguments: the file; a saved advice to open, if any. Run by the tests beside it, so that they can
click without knowing the layout.
"""

import json
import sys
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QLabel,
    QSlider,
    QTabBar,
    QTableView,
    QTextEdit,
)

from ui import app

PERIOD_MS = 200


def shown(kind):
    for top in QApplication.topLevelWidgets():
        for widget in top.findChildren(kind):
            if top.isVisible() and widget.isVisible():
                yield widget


def place(widget, middle, text):
    there = widget.mapToGlobal(middle)
    return {"text": text.replace("&", ""), "x": there.x(), "y": there.y()}


def buttons():
    for button in shown(QAbstractButton):
        if button.text():
            known = place(button, button.rect().center(), button.text())
            yield {**known, "is_enabled": button.isEnabled()}
    for tabs in shown(QTabBar):
        for number in range(tabs.count()):
            known = place(tabs, tabs.tabRect(number).center(), tabs.tabText(number))
            yield {**known, "is_enabled": True}


def texts():
    for label in shown(QLabel):
        yield label.text()
    for view in shown(QTextEdit):
        yield view.toPlainText()
    for view in shown(QTableView):
        model = view.model()
        for row in range(model.rowCount()):
            cells = (model.index(row, column).data() for column in range(model.columnCount()))
            yield " | ".join(str(cell) for cell in cells)


def name_of_focus():
    widget = QApplication.focusWidget()
    if widget is None:
        return ""
    text = widget.text() if isinstance(widget, QAbstractButton) else ""
    return (widget.accessibleName() or text).replace("&", "")


def seen(window):
    sliders = [
        {**place(slider, slider.rect().center(), slider.accessibleName()), "at": slider.value()}
        for slider in shown(QSlider)
    ]
    return {
        "page": window.page_name,
        "focus": name_of_focus(),
        "buttons": list(buttons()),
        "texts": list(texts()),
        "sliders": sliders,
    }


def write(target, window):
    partial = target.with_suffix(".part")
    partial.write_text(json.dumps(seen(window)), encoding="utf-8")
    partial.replace(target)


def watch(window):
    timer = QTimer(window)
    timer.timeout.connect(lambda: write(Path(sys.argv[1]), window))
    timer.start(PERIOD_MS)


if __name__ == "__main__":
    saved = sys.argv[2] if len(sys.argv) > 2 else None
    sys.exit(app.run(saved=saved, on_window=watch))
