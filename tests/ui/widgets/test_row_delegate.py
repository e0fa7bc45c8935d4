"""Cells with a second line and a bar are drawn, light and dark, chosen or not."""

import pytest
from PySide6.QtGui import QColor, QPalette

from ui.models.rows import Cell, RowsModel, Span
from ui.theme import report_colours
from ui.widgets.row_delegate import RowDelegate
from ui.widgets.rows_table import RowsTable

LIGHT = QPalette(QColor("#f0f0f0"), QColor("#ffffff"))
DARK = QPalette(QColor("#30353a"), QColor("#202428"))


@pytest.fixture
def table(qtbot):
    model = RowsModel(["Time"])
    span = Span(low=0.2, mid=0.5, high=0.8)
    model.show_rows(((Cell(text="72 min", value=1.0, detail="48 – 108 min", bar=span),),))
    widget = RowsTable(model, widths={}, name="Options")
    widget.setItemDelegate(RowDelegate(widget))
    qtbot.addWidget(widget)
    widget.resize(300, 120)
    widget.resizeRowsToContents()
    widget.show()
    return widget


def colours_of(widget):
    image = widget.viewport().grab().toImage()
    return {
        image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())
    }


@pytest.mark.parametrize("palette", [LIGHT, DARK])
@pytest.mark.parametrize("is_chosen", [False, True])
def test_the_bar_is_drawn_in_the_colours_of_the_theme(table, palette, is_chosen):
    table.setPalette(palette)
    if is_chosen:
        table.choose_row(0)
    found = colours_of(table)
    colours = report_colours(table)
    assert {colours.now, colours.none} <= found


def test_there_is_room_for_two_lines_and_the_bar(table):
    assert table.rowHeight(0) >= 2 * table.fontMetrics().height() + 8


def test_a_cell_without_bar_has_none(table, qtbot):
    table.model().sourceModel().show_rows(((Cell(text="–", value=1.0),),))
    assert report_colours(table).now not in colours_of(table)
