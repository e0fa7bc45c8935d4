"""The table sorts by value, tells the chosen row by its number, and follows the end."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QStyledItemDelegate

from ui.models.rows import Cell, RowsModel
from ui.widgets.rows_table import RowsTable


def rows(values):
    return tuple(
        (Cell(text=f"option {v}", value=f"option {v}"), Cell(text=str(v), value=float(v)))
        for v in values
    )


@pytest.fixture
def model(qapp):
    return RowsModel(["Name", "Value"])


@pytest.fixture
def table(qtbot, model):
    widget = RowsTable(model, widths={1: 80}, name="Options")
    qtbot.addWidget(widget)
    widget.resize(400, 200)
    widget.show()
    return widget


def shown(table, column=0):
    model = table.model()
    return [model.index(n, column).data() for n in range(model.rowCount())]


def test_the_order_of_the_model_stands_until_somebody_sorts(table, model):
    model.show_rows(rows([3, 20, 1]))
    assert shown(table, 1) == ["3", "20", "1"]


def test_sorting_is_by_value_not_by_text(table, model):
    model.show_rows(rows([3, 20, 1]))
    table.sortByColumn(1, Qt.SortOrder.AscendingOrder)
    assert shown(table, 1) == ["1", "3", "20"]


def test_a_chosen_row_is_told_by_its_place_in_the_model(table, model, qtbot):
    model.show_rows(rows([3, 20, 1]))
    table.sortByColumn(1, Qt.SortOrder.AscendingOrder)
    with qtbot.waitSignal(table.row_chosen) as told:
        table.setCurrentIndex(table.model().index(0, 0))
    assert told.args == [2]
    with qtbot.waitSignal(table.row_chosen) as told:
        table.choose_row(1)
    assert told.args == [1]
    assert table.currentIndex().data() == "option 20"


def test_arrow_keys_choose(table, model, qtbot):
    model.show_rows(rows([3, 20, 1]))
    table.choose_row(0)
    with qtbot.waitSignal(table.row_chosen) as told:
        qtbot.keyClick(table, Qt.Key.Key_Down)
    assert told.args == [1]


def test_tab_leaves_the_table(table):
    assert not table.tabKeyNavigation()


def test_it_follows_the_end_unless_the_user_looks_elsewhere(table, model):
    model.show_rows(rows(range(50)))
    table.scrollToBottom()
    model.show_rows(rows(range(53)))
    table.follow_end()
    bar = table.verticalScrollBar()
    assert bar.value() == bar.maximum()
    table.scrollToTop()
    model.show_rows(rows(range(56)))
    table.follow_end()
    assert bar.value() == 0


def test_no_row_chosen_is_no_news(table, model, qtbot):
    model.show_rows(rows([1]))
    table.choose_row(0)
    with qtbot.assertNotEmitted(table.row_chosen):
        model.show_rows(())


def test_the_end_stays_in_sight_when_the_table_gets_lower(table, model, qtbot):
    model.show_rows(rows(range(50)))
    bar = table.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    table.resize(400, 150)
    assert bar.value() == 0
    table.scrollToBottom()
    table.resize(400, 120)
    qtbot.waitUntil(lambda: bar.value() == bar.maximum())


def cell(text, **more):
    return Cell(text=text, value=text, **more)


def layers(*names):
    return tuple((cell("dense_1"), cell(name)) for name in names)


@pytest.fixture
def fitted(qtbot, model):
    widget = RowsTable(model, widths={1: 80}, fitted={1: 0.5}, name="Layers")
    qtbot.addWidget(widget)
    widget.setWordWrap(False)
    widget.resize(900, 200)
    widget.show()
    return widget


LONG = "MultiHeadAttentionWithNormalization"


def test_a_fitted_column_shows_the_whole_of_its_longest_text(fitted, model):
    model.show_rows(layers("Add"))
    assert fitted.columnWidth(1) == 80, "never less than its width"
    model.show_rows(layers("Add", LONG))
    need = fitted.fontMetrics().horizontalAdvance(LONG)
    assert need < fitted.columnWidth(1) < need + 40
    assert fitted.columnWidth(0) + fitted.columnWidth(1) == fitted.viewport().width()


def test_a_fitted_column_takes_no_more_than_its_share(fitted, model):
    model.show_rows(layers(20 * LONG))
    assert fitted.columnWidth(1) == round(0.5 * fitted.viewport().width())
    fitted.resize(500, 200)
    assert fitted.columnWidth(1) == round(0.5 * fitted.viewport().width())
    assert fitted.horizontalScrollBar().maximum() == 0


def test_a_column_that_the_user_dragged_stays(fitted, model):
    model.show_rows(layers(LONG))
    fitted.horizontalHeader().resizeSection(1, 123)
    model.show_rows(layers(LONG, 2 * LONG))
    fitted.resize(700, 200)
    assert fitted.columnWidth(1) == 123


class CountingDelegate(QStyledItemDelegate):
    """Counts the cells whose size was asked."""

    n_asked = 0

    def sizeHint(self, option, index):
        self.n_asked += 1
        return super().sizeHint(option, index)


def test_a_long_table_asks_its_delegate_about_few_cells(fitted, model):
    # Each answer takes 0.2 ms: a network of a thousand layers kept the window still for 0.6 s.
    counting = CountingDelegate(fitted)
    fitted.setItemDelegate(counting)
    model.show_rows(layers(*["Add"] * 500, LONG, *["Dense"] * 500))
    assert fitted.columnWidth(1) > fitted.fontMetrics().horizontalAdvance(LONG)
    assert 0 < counting.n_asked < 100


def test_strong_letters_are_wider(fitted, model):
    strong = 10 * "w"
    model.show_rows((*layers(strong + "l"), (cell("a"), cell(strong, is_strong=True))))
    metrics = QFontMetrics(QFont())
    bold = QFont()
    bold.setBold(True)
    assert QFontMetrics(bold).horizontalAdvance(strong) > metrics.horizontalAdvance(strong + "l")
    assert fitted.columnWidth(1) > QFontMetrics(bold).horizontalAdvance(strong)


def test_the_widest_cell_is_found_in_any_order(fitted, model):
    fitted.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    model.show_rows(layers(LONG, "Zero"))
    assert shown(fitted, 1) == ["Zero", LONG]
    assert fitted.columnWidth(1) > fitted.fontMetrics().horizontalAdvance(LONG)


def test_a_second_line_counts_as_well(fitted, model):
    fitted.give_two_lines(more_px=14)
    model.show_rows(((cell("a"), cell("b", detail=LONG)),))
    assert fitted.columnWidth(1) > fitted.fontMetrics().horizontalAdvance(LONG)


def test_what_is_cut_is_told_in_whole_by_its_tool_tip(fitted, model):
    model.show_rows(layers(20 * LONG))
    assert 20 * LONG in fitted.model().index(0, 1).data(Qt.ItemDataRole.ToolTipRole)


@pytest.fixture
def large_letters(qapp):
    usual = qapp.font()
    font = QFont(usual)
    font.setPointSizeF(1.5 * usual.pointSizeF())
    qapp.setFont(font)
    yield
    qapp.setFont(usual)


def test_fixed_columns_are_wider_in_larger_letters(large_letters, qtbot, model):
    table = RowsTable(model, widths={1: 80}, name="Options")
    qtbot.addWidget(table)
    table.resize(900, 200)
    table.show()
    assert 110 < table.columnWidth(1) < 150
    table.setColumnWidth(1, 60)
    table.resize(950, 200)
    assert table.columnWidth(1) == 60, "the user's own"


def test_fixed_columns_leave_room_for_the_others_in_larger_letters(large_letters, qtbot, model):
    table = RowsTable(model, widths={1: 200}, name="Options")
    qtbot.addWidget(table)
    table.resize(320, 200)
    table.show()
    assert table.columnWidth(1) < 230
    assert table.columnWidth(0) > 80
