"""The table of what was measured, beside what `test_pages` asks of every page."""

import pytest

from tests.ui.advice_values import results
from ui.models.rows import Cell
from ui.presenters.advise import AdviseState, Stage
from ui.views.measure import MeasureView


@pytest.fixture
def measure(qtbot, tr):
    page = MeasureView(translator=tr)
    qtbot.addWidget(page)
    page.resize(884, 650)
    page.show()
    return page


def test_devices_that_differ_at_the_end_of_their_names_are_told_apart(measure, qapp):
    measure.show_state(AdviseState(stage=Stage.MEASURING, results=results(4), n_total=12))
    qapp.processEvents()
    name = "AMD EPYC (OpenCL, PoCL 3.0-rc2)"
    measure.resize(1000, 600)
    row = tuple(Cell(text=text, value=text) for text in ("GEMM", name, "1", "2", "done"))
    measure.table.proxy.sourceModel().show_rows([row])
    letters = measure.table.fontMetrics().horizontalAdvance(name)
    assert letters <= measure.table.columnWidth(1) < letters + 60
