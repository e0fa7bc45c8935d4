"""Size and job come back at the next start; what makes no sense any more is left out."""

import pytest
from PySide6.QtWidgets import QWidget

from advisor.model.quantity import Phase
from advisor.model.recommendation import Objective
from tests.ui.widgets.networks import NETWORKS
from ui.widgets.job_form import JobForm
from ui.window_memory import WindowMemory, config_file


@pytest.fixture
def make(qtbot, tr):
    def build():
        window, form = QWidget(), JobForm(NETWORKS, translator=tr)
        qtbot.addWidget(window)
        qtbot.addWidget(form)
        return window, form

    return build


def test_size_and_job_come_back(make, tmp_path):
    window, form = make()
    window.resize(640, 480)
    form.network.setCurrentIndex(form.network.findData("small"))
    form.phase.setCurrentIndex(form.phase.findData(Phase.INFERENCE.value))
    form.objective.setCurrentIndex(form.objective.findData(Objective.CHEAPEST.value))
    form.samples.setValue(1_500_000_000)
    form.max_usd.setValue(12.5)
    form.allows_buying.setChecked(False)
    WindowMemory(tmp_path / "w.ini").keep(window, form)
    other_window, other_form = make()
    WindowMemory(tmp_path / "w.ini").restore(other_window, other_form)
    assert other_form.request() == form.request()
    assert other_window.size() == window.size()


def test_a_first_start_changes_nothing(make, tmp_path):
    window, form = make()
    before = form.request()
    WindowMemory(tmp_path / "w.ini").restore(window, form)
    assert form.request() == before


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("network", "gone"),
        ("network", "/nowhere/gone.keras"),
        ("batch_size", "many"),
        ("batch_size", "-4"),
        ("samples", "9" * 40),
        ("phase", "sleeping"),
    ],
)
def test_a_word_that_makes_no_sense_is_left_out(make, tmp_path, name, value):
    (tmp_path / "w.ini").write_text(f"[job]\n{name}={value}\n")
    window, form = make()
    WindowMemory(tmp_path / "w.ini").restore(window, form)
    job = form.request().job
    assert form.request().network is not None
    assert job.phase is Phase.TRAINING
    assert job.batch_size is not None
    assert job.batch_size >= 1


def test_a_model_file_comes_back_while_it_is_there(make, tmp_path):
    model = tmp_path / "mine.keras"
    model.write_bytes(b"")
    window, form = make()
    form.show_model(model)
    WindowMemory(tmp_path / "w.ini").keep(window, form)
    _window, other = make()
    WindowMemory(tmp_path / "w.ini").restore(_window, other)
    assert other.request().model_file == model


def test_the_file_is_in_the_users_own_folder(tmp_path):
    assert str(config_file()).startswith(str(tmp_path))
