"""The form says what was chosen, typed."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

from advisor.knowledge.regions import Continent
from advisor.model.quantity import Phase, Precision
from advisor.model.recommendation import Objective, Preferences
from advisor.model.workload import MAX_BATCH_SIZE
from probes.bench.plan import Budget
from tests.ui.widgets.networks import NETWORKS
from ui.journey import DEFAULT_NETWORK
from ui.widgets.job_form import JobForm


@pytest.fixture
def form(qtbot, tr):
    widget = JobForm(NETWORKS, translator=tr)
    qtbot.addWidget(widget)
    widget.show()
    return widget


def choose(combo, value):
    combo.setCurrentIndex(combo.findData(value))


def test_it_begins_with_the_usual_job_of_the_default_network(form):
    request = form.request()
    assert request.network == DEFAULT_NETWORK
    assert request.model_file is None
    assert request.job.phase is Phase.TRAINING
    assert (request.job.batch_size, request.job.samples, request.job.epochs) == (32, 50_000, 20)
    assert request.budget is Budget.QUICK
    assert request.preferences.objective is Objective.BALANCED
    assert request.preferences.max_usd is None
    assert request.preferences == Preferences()
    assert request.preferences.allows_cloud
    assert request.preferences.allows_buying


def test_choosing_a_network_fills_in_its_usual_job(form, qtbot):
    choose(form.network, "small")
    with qtbot.waitSignal(form.changed):
        form.network.activated.emit(form.network.currentIndex())
    assert form.request().network == "small"
    assert form.batch_size.value() == 64
    assert form.samples.value() == 60_000


def test_inference_has_no_epochs(form):
    choose(form.phase, Phase.INFERENCE.value)
    assert not form.epochs.isEnabled()
    assert form.request().job.epochs == 1
    choose(form.phase, Phase.TRAINING.value)
    assert form.epochs.isEnabled()
    assert form.request().job.epochs == 20


def test_more_settings_are_hidden_until_asked_for(form):
    assert not form.more.isVisible()
    form.more_button.click()
    assert form.more.isVisible()


def test_every_setting_reaches_the_request(form):
    choose(form.precision, Precision.BFLOAT16.value)
    choose(form.budget, Budget.THOROUGH.value)
    choose(form.objective, Objective.FASTEST.value)
    form.max_usd.setValue(30.0)
    form.deadline_h.setValue(5.0)
    choose(form.where, Continent.EUROPE.value)
    form.electricity.setValue(0.3)
    form.use_h.setValue(12.0)
    form.data_gb.setValue(1.5)
    form.allows_cloud.setChecked(False)
    form.allows_buying.setChecked(False)
    request = form.request()
    assert request.job.precision is Precision.BFLOAT16
    assert request.budget is Budget.THOROUGH
    preferences = request.preferences
    assert preferences.objective is Objective.FASTEST
    assert (preferences.max_usd, preferences.deadline_h) == (30.0, 5.0)
    assert preferences.regions == ("europe",)
    assert (preferences.electricity_usd_per_kwh, preferences.use_h_per_week) == (0.3, 12.0)
    assert preferences.data_bytes == 1_500_000_000
    assert not preferences.allows_cloud
    assert not preferences.allows_buying


def test_what_is_about_renting_waits_until_renting_is_possible(form):
    form.allows_cloud.setChecked(False)
    assert not form.where.isEnabled()
    assert not form.data_gb.isEnabled()
    form.allows_cloud.setChecked(True)
    assert form.where.isEnabled()


def test_a_model_file_takes_the_place_of_the_network(form, monkeypatch):
    monkeypatch.setattr(
        QFileDialog, "getOpenFileName", lambda *_words, **_more: ("/models/mine.keras", "")
    )
    form.open_model.click()
    form.open_model.click()
    request = form.request()
    assert request.model_file == Path("/models/mine.keras")
    assert request.network is None
    assert form.network.currentText() == "mine.keras"
    assert form.network.count() == len(NETWORKS) + 1


def test_a_cancelled_dialog_changes_nothing(form, monkeypatch):
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_words, **_more: ("", ""))
    form.open_model.click()
    assert form.request().network == DEFAULT_NETWORK


def test_every_field_has_a_name_for_those_who_cannot_see_it(form):
    names = (
        "network phase batch_size samples epochs objective precision budget max_usd deadline_h"
        " where electricity use_h data_gb"
    )
    fields = [getattr(form, name) for name in names.split()]
    spoken = [field.accessibleName() for field in fields]
    assert all(spoken)
    assert len(set(spoken)) == len(spoken)


def test_no_limit_is_wider_than_that_of_money(form):
    """A wider one makes the column wider than the page has room for it."""
    widths = {
        name: getattr(form, name).sizeHint().width()
        for name in ("max_usd", "deadline_h", "electricity", "use_h", "data_gb")
    }
    assert max(widths.values()) == widths["max_usd"]


def activate(form, name):
    """Choose a network as a user does."""
    choose(form.network, name)
    form.network.activated.emit(form.network.currentIndex())


def sizes(form):
    return form.batch_size.value(), form.samples.value(), form.epochs.value()


def test_what_was_typed_stays_when_another_network_is_chosen(form):
    assert sizes(form) == (32, 50_000, 20)
    form.epochs.setValue(300)
    activate(form, "small")
    assert sizes(form)[0] == 64
    assert form.epochs.value() == 300
    assert form.note.isVisible()
    assert form.note.text().startswith("Set to the usual values of ")
    assert "Batch size" in form.note.text()
    assert "Epochs" not in form.note.text()


def test_the_values_of_a_network_do_not_stay_for_the_next_file(form):
    activate(form, "small")
    usual = sizes(form)
    form.take_model("/models/mine.keras")
    assert sizes(form) == (32, 50_000, 10) != usual
    assert form.note.text().startswith("Set to values to begin with")
    form.batch_size.setValue(99)
    form.take_model("/models/other.keras")
    assert sizes(form) == (99, 50_000, 10)
    assert not form.note.isVisible()


def test_values_that_come_back_count_as_typed_where_they_are_not_the_usual_ones(form, tr, qtbot):
    activate(form, "small")
    form.epochs.setValue(300)
    later = JobForm(NETWORKS, translator=tr)
    qtbot.addWidget(later)
    later.show_answers(form.answers())
    assert sizes(later) == sizes(form)
    activate(later, DEFAULT_NETWORK)
    assert sizes(later) == (32, 50_000, 300)


def test_a_number_beyond_the_limit_is_told(form):
    form.batch_size.selectAll()
    QTest.keyClicks(form.batch_size, "100000")
    QTest.keyClick(form.batch_size, Qt.Key.Key_Return)
    assert form.batch_size.value() == MAX_BATCH_SIZE
    assert form.note.isVisible()
    limits = f"from 1 to {MAX_BATCH_SIZE:,}"
    assert form.note.text() == f"Batch size goes {limits}: 100000 was changed."
    form.batch_size.selectAll()
    QTest.keyClicks(form.batch_size, "64")
    assert not form.note.isVisible()
    form.electricity.selectAll()
    QTest.keyClicks(form.electricity, "20")
    QTest.keyClick(form.electricity, Qt.Key.Key_Return)
    assert "from 0 to 10: 20" in form.note.text()


def test_a_refused_file_cannot_be_chosen_until_it_is_opened_anew(form, tr, qtbot):
    path = Path("/models/wrong.json")
    form.take_model(str(path))
    index = form.network.currentIndex()
    form.mark_model(path, is_refused=True)
    entry = form.network.model().item(index)
    assert not entry.isEnabled()
    assert form.network.currentText() == "wrong.json (refused)"
    assert form.answers()["network"] == ""
    activate(form, "small")
    form.network.setFocus()
    form.take_model(str(path))
    assert entry.isEnabled()
    assert form.network.currentText() == "wrong.json"
    assert form.request().model_file == path
    form.mark_model(Path("/models/never.json"), is_refused=True)
    assert form.answers()["network"] == str(path)


def test_the_dialog_begins_where_the_last_file_was_and_at_home_before(form, monkeypatch, tmp_path):
    folders = []

    def answer(_parent, _caption, folder, _kinds):
        folders.append(folder)
        return str(tmp_path / "mine.keras"), ""

    monkeypatch.setattr(QFileDialog, "getOpenFileName", answer)
    form.open_model.click()
    form.open_model.click()
    form.show_answers(form.answers())
    form.open_model.click()
    form.show_answers({**form.answers(), "folder": "/nowhere/at/all"})
    form.open_model.click()
    home, there = str(Path.home()), str(tmp_path)
    assert folders == [home, there, there, home]
