"""An entry of a list is as high as its text, however often it wraps."""

from PySide6.QtWidgets import QListWidget

from ui.widgets.text_delegate import TextDelegate


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
