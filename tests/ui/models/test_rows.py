"""The table model keeps Qt's contract and inserts only what is new."""

import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt

from ui.models.rows import Cell, CellRole, RowsModel, Span

DISPLAY, USER = Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.UserRole


def rows(count):
    return tuple(
        (
            Cell(text=f"row {n}", value=f"row {n}", detail="more", is_strong=n == 0),
            Cell(text=str(n), value=float(n), is_number=True, explanation="why"),
        )
        for n in range(count)
    )


@pytest.fixture
def model(qapp):
    return RowsModel(["Name", "Value"], explanations=["", "what it is"])


def test_the_contract_of_models(model, qtmodeltester):
    model.show_rows(rows(5))
    qtmodeltester.check(model, force_py=True)
    model.show_rows(rows(3))
    model.show_rows(rows(8))


def test_real_values_are_there_for_sorting(model):
    model.show_rows(rows(11))
    assert model.index(10, 1).data(DISPLAY) == "10"
    assert model.index(10, 1).data(USER) == 10.0


def test_new_rows_are_inserted_without_a_reset(model, qtbot):
    model.show_rows(rows(3))
    with qtbot.assertNotEmitted(model.modelReset), qtbot.waitSignal(model.rowsInserted) as told:
        model.show_rows(rows(5))
    assert told.args[1:] == [3, 4]
    assert model.rowCount() == 5


def test_a_last_row_that_changes_does_not_disturb_the_others(model, qtbot):
    summary = (Cell(text="2 more", value=""), Cell(text="", value=-1.0))
    model.show_rows((*rows(3), summary))
    chosen = QPersistentModelIndex(model.index(1, 0))
    with qtbot.assertNotEmitted(model.modelReset):
        model.show_rows((*rows(5), summary))
    assert model.rowCount() == 6
    assert model.index(5, 0).data() == "2 more"
    assert chosen.row() == 1


def test_rows_can_go_from_the_end(model, qtbot):
    model.show_rows(rows(5))
    with qtbot.waitSignal(model.rowsRemoved) as told:
        model.show_rows(rows(2))
    assert told.args[1:] == [2, 4]
    assert model.rowCount() == 2


def test_the_same_rows_are_no_news(model, qtbot):
    model.show_rows(rows(3))
    with qtbot.assertNotEmitted(model.modelReset), qtbot.assertNotEmitted(model.rowsInserted):
        model.show_rows(rows(3))


def test_other_rows_are_a_reset(model, qtbot):
    model.show_rows(rows(3))
    with qtbot.waitSignal(model.modelReset):
        model.show_rows(rows(5)[1:])
    assert model.rowCount() == 4


def test_emptying_an_empty_model_is_no_news(model, qtbot):
    with qtbot.assertNotEmitted(model.modelReset):
        model.show_rows(())


def test_roles_of_a_cell(model):
    model.show_rows(((Cell(text="a", value=1.0, bar=Span(low=0.1, mid=0.5, high=0.9)),) * 2,))
    index = model.index(0, 0)
    assert index.data(CellRole.BAR).mid == 0.5
    assert index.data(CellRole.DETAIL) == ""
    assert index.data(Qt.ItemDataRole.ToolTipRole) == "a"
    assert index.data(Qt.ItemDataRole.DecorationRole) is None


def test_numbers_stand_right_and_so_do_their_heads(model):
    model.show_rows(rows(2))
    role, right = Qt.ItemDataRole.TextAlignmentRole, Qt.AlignmentFlag.AlignRight
    assert model.index(0, 1).data(role) & right
    assert not model.index(0, 0).data(role) & right
    assert model.headerData(1, Qt.Orientation.Horizontal, role) & right


def test_pointer_and_reader_get_the_whole_text(model):
    model.show_rows(rows(1))
    assert model.index(0, 1).data(Qt.ItemDataRole.ToolTipRole) == "0\nwhy"
    assert model.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole) == "row 0, more"
    assert model.index(0, 0).data(Qt.ItemDataRole.FontRole).bold()


def test_heads_and_their_explanations(model):
    across = Qt.Orientation.Horizontal
    assert model.headerData(1, across) == "Value"
    assert model.headerData(1, across, Qt.ItemDataRole.ToolTipRole) == "what it is"
    assert model.headerData(0, across, Qt.ItemDataRole.ToolTipRole) is None
    assert model.headerData(7, across) is None
    assert model.headerData(0, Qt.Orientation.Vertical) is None


def test_outside_there_is_nothing(model):
    model.show_rows(rows(1))
    assert model.data(model.index(9, 9)) is None
    assert model.rowCount(model.index(0, 0)) == 0
    assert model.columnCount(model.index(0, 0)) == 0
