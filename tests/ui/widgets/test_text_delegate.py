"""An entry of a list is as high as its text, however often it wraps."""

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QTextLayout
from PySide6.QtWidgets import (
    QListWidget,
    QStyle,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
)

from ui.theme import style_sheet
from ui.widgets.text_delegate import TextDelegate, WrappedDelegate, breakable

# What the style sheet and Qt leave free beside and above the text of an entry.
PADDING_PX, ABOVE_PX = 18, 5
CELL_ABOVE_PX = 4


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


@pytest.mark.parametrize(
    "text",
    [
        "ds.map(f,num_parallel_calls=tf.data.AUTOTUNE).cache().shuffle(N).batch(B)",
        "https://github.com/someone/releases/tag/v1.2.3-of-a-long-name",
        "LD_PRELOAD=/usr/lib/x86_64-linux-gnu/libtcmalloc_minimal.so.4",
    ],
)
def test_a_long_word_goes_on_in_the_next_line(qtbot, text):
    view = QTableWidget(1, 1)
    qtbot.addWidget(view)
    delegate = WrappedDelegate(view)
    drawn = delegate.displayText(text, view.locale())
    assert drawn.replace("\N{ZERO WIDTH SPACE}", "") == text
    longest = max(map(view.fontMetrics().horizontalAdvance, drawn.split("\N{ZERO WIDTH SPACE}")))
    assert longest < view.fontMetrics().horizontalAdvance(text) / 3


@pytest.mark.parametrize(
    "text",
    [
        "ds.map(f,num_parallel_calls=tf.data.AUTOTUNE).cache().shuffle(N)\nand https://a.example",
        "RTX 2060 12GB / 3060 12GB 及以上\nhttps://a.example/releases",
    ],
)
def test_no_line_of_a_cell_is_left_out_at_any_width(qtbot, qapp, text):
    view = QTableWidget(1, 1)
    view.setStyleSheet(style_sheet(qapp))
    view.setShowGrid(False)
    qtbot.addWidget(view)
    view.show()
    delegate = WrappedDelegate(view)
    view.setItemDelegate(delegate)
    view.setItem(0, 0, QTableWidgetItem(text))
    index, option = view.model().index(0, 0), QStyleOptionViewItem()
    for width in range(200, 700, 7):
        view.setColumnWidth(0, width)
        option.initFrom(view)
        option.rect = QRect(0, 0, width, 20)
        high = delegate.sizeHint(option, index).height()
        delegate.initStyleOption(option, index)
        part, style = QStyle.SubElement.SE_ItemViewItemText, view.style()
        margin = style.pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin, option, view) + 1
        drawn = style.subElementRect(part, option, view).width() - 2 * margin
        layout = QTextLayout(option.text, view.font())
        layout.beginLayout()
        heights = []
        while (line := layout.createLine()).isValid():
            line.setLineWidth(drawn)
            heights.append(line.height())
        layout.endLayout()
        # So much Qt asks for, or it ends the text before its last line.
        assert high >= len(heights) * max(heights) + 2 * CELL_ABOVE_PX, width


@pytest.mark.parametrize("text", ["Measured elsewhere: 1.9× the speed.", "run_eagerly=True", "64"])
def test_short_words_stay_whole(text):
    assert breakable(text) == text
