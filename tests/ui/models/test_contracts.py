"""Every class that gives rows to Qt keeps Qt's contract; a new one without such a test fails."""

import importlib
import pkgutil
import random

import pytest
from PySide6.QtCore import QAbstractItemModel, QSortFilterProxyModel, Qt

import ui
from tests.ui.advice_values import an_advice, results
from ui.models import advice_rows, measure_rows
from ui.models.rows import RowsModel
from ui.widgets.rows_table import RowsTable

TESTED = {RowsModel}


def test_no_class_of_rows_is_without_such_a_test():
    for found in pkgutil.walk_packages(ui.__path__, "ui."):
        if not found.name.endswith("__main__"):
            importlib.import_module(found.name)
    waiting, seen = [QAbstractItemModel], set()
    while waiting:
        for cls in waiting.pop().__subclasses__():
            waiting.append(cls)
            if cls.__module__.startswith("ui."):
                seen.add(cls)
    assert seen == TESTED


def filled(tr):
    advice = an_advice()
    yield "options", advice_rows.OPTION_HEADS, advice_rows.option_rows(advice, tr)
    yield "avoid", advice_rows.AVOID_HEADS, advice_rows.avoid_rows(advice, tr)
    yield "hints", advice_rows.HINT_HEADS, advice_rows.hint_rows(advice, tr)
    found = measure_rows.result_rows(results(40), advice.profile, tr)
    yield "results", measure_rows.RESULT_HEADS, found


@pytest.mark.parametrize("name", ["options", "avoid", "hints", "results"])
def test_real_rows_keep_the_contract(qapp, tr, qtmodeltester, name):
    heads, rows = next(entry[1:] for entry in filled(tr) if entry[0] == name)
    model = RowsModel(list(heads), explanations=["" for _ in heads])
    qtmodeltester.check(model, force_py=True)
    model.show_rows(rows)
    assert model.rowCount() == len(rows) > 0


@pytest.fixture
def table(qapp):
    heads = measure_rows.RESULT_HEADS
    model = RowsModel(list(heads), explanations=["" for _ in heads])
    made = RowsTable(model, widths={}, name="x")
    yield made
    made.deleteLater()


def test_the_sorted_copy_of_a_table_keeps_the_contract(table, tr, qtmodeltester):
    rows = measure_rows.result_rows(results(40), an_advice().profile, tr)
    model, n_columns = table.proxy.sourceModel(), len(measure_rows.RESULT_HEADS)
    assert isinstance(table.proxy, QSortFilterProxyModel)
    qtmodeltester.check(table.proxy, force_py=True)
    shuffled = random.Random(5)
    for _ in range(20):
        model.show_rows(rows[: shuffled.randrange(len(rows))])
        table.sortByColumn(shuffled.randrange(n_columns), shuffled.choice(list(Qt.SortOrder)))
    assert table.proxy.rowCount() == model.rowCount()
