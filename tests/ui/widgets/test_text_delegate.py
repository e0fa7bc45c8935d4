"""An entry of a list is as high as its text, however often it wraps."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListWidget

from ui.theme import style_sheet
from ui.widgets.text_delegate import TextDelegate

# What the style sheet and Qt leave free beside and above the text of an entry.
PADDING_PX, ABOVE_PX = 18, 5


def test_a_narrow_list_has_higher_entries(qtbot):
    view = QListWidget()
    qtbot.addWidget(view)
    view.setWordWrap(True)
    view.setItemDelegate(TextDelegate(view))
    view.addItems(
        ["short", "a text of many words that wraps\nand has a second line", "乘加峰值\nCPU"]
    )
    view.resize(400, 300)
    view.show()
    short, long, chinese = (view.sizeHintForRow(row) for row in range(3))
    assert short < chinese
    assert long >= chinese - view.fontMetrics().height()
    view.resize(120, 300)
    assert view.sizeHintForRow(1) > long


def test_no_line_is_left_out_at_any_width(qtbot, qapp):
    view = QListWidget()
    view.setObjectName("groups")
    view.setStyleSheet(style_sheet(qapp))
    qtbot.addWidget(view)
    view.setWordWrap(True)
    view.setItemDelegate(TextDelegate(view))
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.addItem("convolution 3×3, 128→128, 28×28, batch 8, input gradient")
    view.show()
    for width in range(120, 420, 3):
        view.resize(width, 300)
        drawn = view.viewport().width() - PADDING_PX
        flags = Qt.TextFlag.TextWordWrap
        need = view.fontMetrics().boundingRect(0, 0, drawn, 9999, flags, view.item(0).text())
        assert view.sizeHintForRow(0) >= need.height() + 2 * ABOVE_PX, width
