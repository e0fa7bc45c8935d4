"""The compare page: this machine among others on one axis, filtered, each with its source."""

import pytest
from PySide6.QtWidgets import QApplication

from advisor.model.comparison import (
    ComparedResult,
    Comparison,
    ComparisonGroup,
    NoResult,
    OwnBasis,
    Subject,
)
from advisor.model.kernel import Direction, GemmShape
from advisor.model.machine import DeviceKind
from advisor.model.quantity import Interval, Source
from ui.models.compare_rows import compare_rows, filtered
from ui.presenters.compare import CompareStage, CompareState
from ui.views.compare import CompareView

SHAPE = GemmShape(m=1024, n=1024, k=1024)


def a_result(device, gflop_per_s, *, kind=DeviceKind.CPU, year=2024, note=None):
    return ComparedResult(
        device=device, kind=kind, year=year, value=gflop_per_s * 1e9, unit="flop/s",
        ratio=gflop_per_s / 100, software="OpenBLAS 0.3", workload="gemm 1024", batch_size=None,
        is_certain=True, source=Source(title="A study", reference="example.org/a", date=str(year)),
        note=note,
    )  # fmt: skip


RESULTS = (
    a_result("Slow", 10, year=2016),
    a_result("Graphics", 1000, kind=DeviceKind.DGPU, note="at 250 W"),
    a_result("Alike", 120),
)


def a_group(results=RESULTS, **changes):
    values = {
        "subject": Subject.KERNEL, "device_id": "cpu", "device": "My CPU", "kind": DeviceKind.CPU,
        "unit": "flop/s", "own": Interval(low=90e9, mid=100e9, high=110e9),
        "own_basis": OwnBasis.MEASURED, "own_software": "NumPy 2", "results": results,
        "shape": SHAPE, "direction": Direction.FORWARD, "slower": "Slow", "faster": "Alike",
    }  # fmt: skip
    return ComparisonGroup(**{**values, **changes})


@pytest.fixture
def view(qtbot, tr):
    page = CompareView(translator=tr)
    qtbot.addWidget(page)
    page.resize(1000, 650)
    page.show()
    return page


def state(*groups):
    comparison = Comparison(
        machine="mine", collected_on="2026-11-21", measured_on=None, groups=groups
    )
    return CompareState(stage=CompareStage.READY, comparison=comparison)


def test_rows_are_ordered_and_share_one_logarithmic_axis(tr):
    rows, behind = compare_rows(a_group(), RESULTS, tr)
    assert [row[0].text for row in rows] == [
        "Graphics", "Alike", "this machine: My CPU", "Slow",
    ]  # fmt: skip
    assert [result is None for result in behind] == [False, False, True, False]
    mids = [row[1].bar.mid for row in rows]
    assert (mids[0], mids[-1]) == (1.0, 0.0)
    assert mids[2] == pytest.approx(0.5)
    assert mids == sorted(mids, reverse=True)


def test_filters_take_kind_and_year():
    assert [r.device for r in filtered(a_group(), kind=DeviceKind.DGPU)] == ["Graphics"]
    assert [r.device for r in filtered(a_group(), since=2020)] == ["Graphics", "Alike"]
    assert filtered(a_group()) == RESULTS


def test_the_own_row_is_chosen_and_a_device_tells_its_source(view):
    view.show_state(state(a_group()))
    assert "Choose a device" in view.source.text()
    assert not view.copy_button.isVisible()
    view.table.choose_row(0)
    assert "A study, 2024: example.org/a" in view.source.text()
    assert "at 250 W" in view.source.text()
    view.copy_button.click()
    assert QApplication.clipboard().text() == view.source.text()


def test_the_list_names_what_is_compared_and_filters_follow_it(view):
    gradient = a_group(direction=Direction.WEIGHT_GRADIENT, results=RESULTS[:1])
    view.show_state(state(a_group(), gradient))
    assert view.groups.item(0).text() == "GEMM 1024×1024×1024\nMy CPU"
    assert "weight gradient" in view.groups.item(1).text()
    assert view.kind.count() == 3
    view.kind.setCurrentIndex(view.kind.findData("dgpu"))
    view.kind.activated.emit(1)
    assert view.table.model().rowCount() == 2
    view.groups.setCurrentRow(1)
    assert view.kind.count() == 2
    assert view.table.model().rowCount() == 2


def test_no_comparable_result_is_said(view):
    view.show_state(state(a_group(results=(), no_result=NoResult.NOTHING_PUBLISHED)))
    assert "No comparable result" in view.text.text()
    assert view.table.model().rowCount() == 1


def test_a_figure_that_is_not_known_has_no_row(view):
    view.show_state(state(a_group(own=None, no_result=NoResult.OWN_FIGURE_UNKNOWN)))
    assert view.table.model().rowCount() == len(RESULTS)


@pytest.mark.parametrize(
    ("given", "title"),
    [
        (CompareState(), "Nothing to compare yet"),
        (CompareState(stage=CompareStage.WORKING), "Looking through the published results …"),
        (CompareState(stage=CompareStage.FAILED, message="bad row"), "Not done"),
    ],
)
def test_until_there_is_a_comparison_the_page_says_why(view, given, title):
    view.show_state(given)
    assert view.message.title.text() == title
    assert view.message.isVisible()
    assert view.start_button.isVisible() is (given.stage is CompareStage.EMPTY)
    assert view.again_button.isVisible() is (given.stage is CompareStage.FAILED)


def test_what_failed_can_be_tried_again(view, qtbot):
    view.show_state(CompareState(stage=CompareStage.FAILED, message="bad row"))
    with qtbot.waitSignal(view.shown):
        view.again_button.click()


def test_it_tells_when_it_is_looked_at(view, qtbot):
    view.hide()
    with qtbot.waitSignal(view.shown):
        view.show()
