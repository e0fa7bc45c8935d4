"""The pages beside the first: each state says what it is, and values are shown as they are."""

import dataclasses
import itertools

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QInputDialog, QLabel, QPushButton, QToolButton

from advisor.model.kernel import StreamShape
from advisor.model.machine import MissingFact
from tests.advisor.recommend.builders import a_profile, a_workload, an_opencl
from tests.ui.advice_values import an_advice, results
from tests.ui.widgets.networks import NETWORKS
from ui.journey import JourneyRequest, WhatIf
from ui.models.rows import Cell
from ui.presenters.advise import AdviseState, Stage
from ui.presenters.machine import MachineStage, MachineState
from ui.presenters.workload import WorkloadStage, WorkloadState
from ui.views.advice_page import AdvicePage
from ui.views.machine import MachineView
from ui.views.measure import MeasureView
from ui.views.workload import WorkloadView
from ui.widgets.job_form import JobForm


def shown(qtbot, page):
    qtbot.addWidget(page)
    page.resize(884, 650)
    page.show()
    return page


def texts(widget):
    return [label.text() for label in widget.findChildren(QLabel) if label.isVisible()]


@pytest.fixture
def machine(qtbot, tr):
    return shown(qtbot, MachineView(translator=tr))


def ready(**changes):
    profile = a_profile(opencl=(an_opencl(),), **changes)
    return MachineState(stage=MachineStage.READY, profile=profile, probed=profile)


def test_the_machine_has_a_card_for_each_part(machine):
    machine.show_state(ready())
    titles = [card.accessibleName() for card in machine.cards.widgets]
    assert titles[0] == "Processor"
    assert {"Memory", "Graphics", "OpenCL", "System"} <= set(titles)
    assert a_profile().cpu.brand in texts(machine)


def test_what_is_missing_comes_first_with_its_remedy(machine):
    fact = MissingFact(fact="OpenCL", reason="no driver", remedy="apt install mesa-opencl-icd")
    machine.show_state(ready(missing=(fact,)))
    first = machine.cards.widgets[0]
    assert "OpenCL: no driver." in texts(first)
    (button,) = first.findChildren(QPushButton)
    button.click()
    assert QApplication.clipboard().text() == "apt install mesa-opencl-icd"


def test_a_value_can_be_changed_and_taken_back(machine, qtbot, monkeypatch):
    machine.show_state(ready())
    asked = []

    def answer(_parent, _title, label, _mode, text):
        asked.append((label, text))
        return " 8 GiB ", True

    monkeypatch.setattr(QInputDialog, "getText", answer)
    memory = next(c for c in machine.cards.widgets if c.accessibleName() == "Memory")
    change = memory.findChildren(QToolButton)[0]
    with qtbot.waitSignal(machine.change_requested) as told:
        qtbot.mouseClick(change, Qt.MouseButton.LeftButton)
    assert told.args == ["memory.total_bytes", "8 GiB"]
    ((label, text),) = asked
    assert "with its unit" in label
    assert "memory." not in label
    assert text == "16.0 GiB"
    machine.show_state(ready(overrides=("memory.total_bytes",)))
    memory = next(c for c in machine.cards.widgets if c.accessibleName() == "Memory")
    assert any(label.objectName() == "own" for label in memory.findChildren(QLabel))
    with qtbot.waitSignal(machine.reset_requested) as told:
        qtbot.mouseClick(memory.findChildren(QToolButton)[0], Qt.MouseButton.LeftButton)
    assert told.args == ["memory.total_bytes"]


def test_a_dialog_that_is_closed_changes_nothing(machine, qtbot, monkeypatch):
    machine.show_state(ready())
    monkeypatch.setattr(QInputDialog, "getText", lambda *_words: ("8 GiB", False))
    with qtbot.assertNotEmitted(machine.change_requested):
        machine.cards.widgets[0].findChildren(QToolButton)[0].click()


def test_the_same_value_again_changes_nothing(machine, qtbot, monkeypatch):
    machine.show_state(ready())
    monkeypatch.setattr(QInputDialog, "getText", lambda *words: (words[-1], True))
    memory = next(c for c in machine.cards.widgets if c.accessibleName() == "Memory")
    with qtbot.assertNotEmitted(machine.change_requested):
        memory.findChildren(QToolButton)[0].click()


def test_a_value_that_cannot_be_is_asked_for_again_with_the_reason(qtbot, tr, monkeypatch):
    view = MachineView(
        translator=tr,
        refusal=lambda _path, text: "" if text == "8" else f"'{text}' is not a whole number",
    )
    qtbot.addWidget(view)
    view.show_state(ready())
    asked, answers = [], iter(["eight", "8"])

    def answer(_parent, _title, label, _mode, text):
        asked.append((label, text))
        return next(answers), True

    monkeypatch.setattr(QInputDialog, "getText", answer)
    with qtbot.waitSignal(view.change_requested) as told:
        view.cards.change_requested.emit("cpu.n_physical_cores", "Cores")
    assert told.args == ["cpu.n_physical_cores", "8"]
    (_first, now), (second, kept) = asked
    assert now != kept == "eight"
    assert second.startswith("'eight' is not a whole number")


def test_what_has_few_answers_is_chosen(machine, qtbot, monkeypatch):
    machine.show_state(ready())
    offered = []

    def answer(_parent, _title, _label, items, now, *, editable):
        offered.append((items, now, editable))
        return "yes", True

    monkeypatch.setattr(QInputDialog, "getItem", answer)
    with qtbot.waitSignal(machine.change_requested) as told:
        machine.cards.change_requested.emit("power.on_battery", "On battery")
    assert told.args == ["power.on_battery", "yes"]
    assert offered == [(["yes", "no", "not known"], 1, False)]


def test_the_machine_page_says_what_it_does(machine):
    machine.show_state(MachineState(stage=MachineStage.PROBING))
    assert machine.text.text() == "Looking at this machine …"
    assert not machine.probe_button.isEnabled()
    machine.show_state(MachineState(stage=MachineStage.FAILED, message="cannot be read"))
    assert machine.text.text() == "cannot be read"
    assert machine.probe_button.isEnabled()


def test_narrow_pages_have_one_column_and_wide_ones_two(machine):
    machine.show_state(ready())
    machine.resize(700, 600)
    QApplication.processEvents()
    lefts = {card.mapTo(machine, card.rect().topLeft()).x() for card in machine.cards.widgets}
    assert len(lefts) == 1
    machine.resize(1300, 600)
    QApplication.processEvents()
    lefts = {card.mapTo(machine, card.rect().topLeft()).x() for card in machine.cards.widgets}
    assert len(lefts) == 2


@pytest.fixture
def workload(qtbot, tr):
    return shown(qtbot, WorkloadView(JobForm(NETWORKS, translator=tr), translator=tr))


def test_the_layers_of_the_network_are_listed(workload):
    job = a_workload()
    workload.show_state(
        WorkloadState(stage=WorkloadStage.READY, request=JourneyRequest(), workload=job)
    )
    n_layers = len({operator.layer for operator in job.operators})
    assert workload.layers_table.model().rowCount() == n_layers
    assert "Memory at this batch size" in texts(workload)
    # In a narrow window: the ends of the names tell the layers apart.
    row = ("conv_pw_1_bn", "DepthwiseConv2DTranspose", "1 %", "1", "1")
    workload._rows.show_rows((tuple(Cell(text=text, value=text) for text in row),))
    workload.layers_table.resize(540, 300)
    assert workload.layers_table.columnWidth(1) <= 0.25 * 540


def test_all_that_is_said_of_a_network_is_seen_at_the_usual_size(workload):
    workload.resize(1100, 768)
    job = a_workload()
    workload.show_state(WorkloadState(stage=WorkloadStage.READY, workload=job, profile=a_profile()))
    QApplication.processEvents()
    bottom = workload.cards.widgets[-1].mapTo(workload, QPoint(0, 0)).y()
    bottom += workload.cards.widgets[-1].height()
    assert bottom <= workload.layers_table.mapTo(workload, QPoint(0, 0)).y()


def test_a_network_that_does_not_fit_is_marked(workload):
    job = dataclasses.replace(a_workload(), memory_training_bytes=1 << 40)
    workload.show_state(WorkloadState(stage=WorkloadStage.READY, workload=job, profile=a_profile()))
    (bad,) = [label for label in workload.findChildren(QLabel) if label.objectName() == "warning"]
    assert bad.text().endswith("does not fit")


def test_a_file_that_cannot_be_read_says_why(workload):
    workload.show_state(WorkloadState(stage=WorkloadStage.FAILED, message="x.onnx: no such file"))
    assert workload.text.text() == "x.onnx: no such file"
    assert workload.text.isVisible()
    assert workload.layers_table.model().rowCount() == 0


@pytest.fixture
def measure(qtbot, tr):
    return shown(qtbot, MeasureView(translator=tr))


def test_curves_grow_with_the_results(measure):
    profile = an_advice().profile
    for count in (3, 9):
        state = AdviseState(
            stage=Stage.MEASURING, profile=profile, results=results(count), n_total=12
        )
        measure.show_state(state)
        assert measure.table.model().rowCount() == count
        drawn = sum(len(series.points) for series in measure.rates.series)
        products = [r for r in results(count) if not isinstance(r.request.shape, StreamShape)]
        assert drawn == len(products)
    assert measure.progress.value() == 9
    assert "9 of up to 12" in measure.text.text()


@pytest.mark.parametrize(
    ("stage", "said"),
    [
        (Stage.DONE, "8 kernels."),
        (Stage.CANCELLED, "after 8 kernels"),
        (Stage.LAST, "8 kernels of"),
    ],
)
def test_what_has_no_figure_is_no_measured_kernel(measure, stage, said):
    measure.show_state(AdviseState(stage=stage, results=results(9), n_total=12))
    assert said in measure.text.text()


def test_a_page_that_is_not_seen_does_no_work(measure):
    measure.hide()
    measure.show_state(AdviseState(stage=Stage.MEASURING, results=results(4), n_total=12))
    assert measure.table.model().rowCount() == 0
    measure.show()
    assert measure.table.model().rowCount() == 4


@pytest.mark.parametrize("name", ["empty", "probing", "cancelling", "done", "failed", "last"])
def test_the_measure_page_has_words_for_each_stage(measure, states, name):
    measure.show_state(states[name])
    assert measure.text.text()
    assert "{" not in measure.text.text()
    assert measure.cancel_button.isVisible() is states[name].is_busy
    has_next = states[name].is_busy or states[name].recommendation is not None
    assert measure.start_button.isVisible() is not has_next
    assert measure.text.property("failed") is (name == "failed")


def test_an_empty_page_has_no_chart_and_says_where_earlier_figures_are(measure, states, qtbot):
    assert not measure.charts.isVisible()
    assert not measure.table.isVisible()
    assert measure.text.text().startswith("Nothing was measured yet.")
    assert not measure.last_button.isVisible()
    measure.offer_last(has_last=True)
    assert measure.text.text().endswith("Earlier measurements are in History.")
    with qtbot.waitSignal(measure.last_requested):
        measure.last_button.click()
    measure.show_state(states["probing"])
    assert not measure.charts.isVisible()
    assert not measure.last_button.isVisible()
    measure.show_state(states["done"])
    assert measure.charts.isVisible()
    assert measure.table.isVisible()
    assert not measure.last_button.isVisible()


def test_nothing_measured_leads_to_the_start(measure, qtbot):
    with qtbot.waitSignal(measure.page_requested) as told:
        measure.start_button.click()
    assert told.args == ["start"]


def test_no_advice_yet_leads_to_the_start(qtbot, tr):
    page = shown(qtbot, AdvicePage(translator=tr))
    assert page.message.title.text() == "No advice yet"
    with qtbot.waitSignal(page.page_requested) as told:
        page.start_button.click()
    assert told.args == ["start"]


@pytest.mark.parametrize("has_last", [False, True])
def test_the_last_advice_is_offered_where_there_is_none_yet(qtbot, tr, states, has_last):
    page = AdvicePage(translator=tr)
    page.offer_last(has_last=has_last)
    shown(qtbot, page)
    assert page.last_button.isVisible() is has_last
    page.show_state(states["probing"])
    assert not page.last_button.isVisible()
    page.show_state(states["failed"])
    assert page.last_button.isVisible() is has_last
    if has_last:
        with qtbot.waitSignal(page.last_requested):
            page.last_button.click()


@pytest.mark.parametrize(
    ("name", "title", "text"),
    [
        ("probing", "Looking at this machine …", "The first answer comes in a moment."),
        ("failed", "This job cannot be advised", "too large: take a smaller batch"),
    ],
)
def test_without_an_advice_the_page_says_what_comes_next(qtbot, tr, states, name, title, text):
    page = shown(qtbot, AdvicePage(translator=tr))
    page.show_state(states[name])
    assert page.message.title.text() == title
    assert page.message.text.text() == text
    assert page.message.closing_text.isVisible() is (name == "failed")


def test_an_advice_without_options_opens_with_the_reasons(qtbot, tr, states):
    page = shown(qtbot, AdvicePage(translator=tr))
    nothing = dataclasses.replace(states["done"], recommendation=an_advice(ranked=()))
    page.show_state(nothing)
    assert page.advice.tabs.currentWidget() is page.advice.report
    assert page.advice.report.toPlainText()
    page.show_state(states["done"])
    assert page.advice.options_table.model().rowCount() > 0


def test_the_advice_says_for_which_job_it_is(qtbot, tr, states):
    page = shown(qtbot, AdvicePage(translator=tr))
    page.show_state(states["done"])
    advised = states["done"].recommendation
    longer = dataclasses.replace(advised, workload=dataclasses.replace(advised.workload, epochs=77))
    assert advised.workload.title in page.job.text()
    assert "77" not in page.job.text()
    page.show_state(dataclasses.replace(states["done"], recommendation=longer))
    assert "× 77 epochs" in page.job.text()


def test_what_was_asked_comes_back_by_its_button(qtbot, tr, states):
    page = shown(qtbot, AdvicePage(translator=tr))
    page.show_state(states["done"])
    advised = states["done"].recommendation
    asked_for = page.what_if.texts[0].text()
    for epochs in (77, 309):
        page.what_if.epochs.setValue(page.what_if.epochs.value() + 20)
        moved_to = page.what_if.epochs.value()
        longer = dataclasses.replace(advised.workload, epochs=epochs)
        found = dataclasses.replace(advised, workload=longer)
        page.show_state(dataclasses.replace(states["done"], what_if=found))
        assert page.what_if.epochs.value() == moved_to
        assert page.job.text().startswith("What if: ")
        assert f"× {epochs} epochs" in page.job.text()
    with qtbot.waitSignal(page.what_if_changed) as told:
        page.what_if.reset_button.click()
    assert told.args[0] == WhatIf.of(advised)
    assert page.what_if.texts[0].text() == asked_for


def test_another_language_finds_the_sliders_where_they_were(qtbot, tr, states):
    advised = states["done"].recommendation
    longer = dataclasses.replace(advised, workload=dataclasses.replace(advised.workload, epochs=77))
    page = shown(qtbot, AdvicePage(translator=tr))
    page.show_state(dataclasses.replace(states["done"], what_if=longer))
    assert page.what_if.texts[0].text() == "77"


def test_to_try_comes_before_the_exports_for_the_eye_and_for_the_keyboard(qtbot, tr, states):
    page = shown(qtbot, AdvicePage(translator=tr))
    page.show_state(states["done"])
    view = page.advice
    buttons = (page.try_button, view.copy_button, view.json_button, view.pdf_button)
    assert len({button.mapTo(page, button.rect().center()).y() for button in buttons}) == 1
    page.activateWindow()
    qtbot.waitUntil(page.isActiveWindow, timeout=3000)
    for before, after in itertools.pairwise(buttons):
        before.setFocus()
        QTest.keyClick(before, Qt.Key.Key_Tab)
        assert QApplication.focusWidget() is after
        assert before.x() < after.x()


def test_the_advice_comes_when_the_page_is_seen(qtbot, tr, states):
    page = shown(qtbot, AdvicePage(translator=tr))
    page.hide()
    page.show_state(states["done"])
    assert not page.advice.has_advice
    page.show()
    assert page.advice.has_advice
    assert page.advice.pdf_button.isEnabled()
    page.show_state(states["measuring"])
    assert not page.advice.pdf_button.isEnabled()
