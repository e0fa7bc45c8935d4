"""The machine page's state: probing, the user's own values, what cannot be taken."""

import threading

import pytest

from advisor.errors import InputError
from tests.advisor.recommend.builders import a_profile
from ui.presenters.machine import MachinePresenter, MachineStage


@pytest.fixture
def make(qapp):
    made = []

    def build(probe=a_profile, own=None):
        kept = dict(own or {})

        def keep(values):
            kept.clear()
            kept.update(values)

        presenter = MachinePresenter(probe=probe, read=lambda: kept, keep=keep)
        made.append(presenter)
        return presenter, kept

    yield build
    for presenter in made:
        assert presenter.wait(5.0)


def ready(qtbot, presenter):
    presenter.probe()
    qtbot.waitUntil(lambda: presenter.state.stage is MachineStage.READY)


def test_probing_runs_beside_the_window(make, qtbot):
    threads = []

    def probe():
        threads.append(threading.current_thread())
        return a_profile()

    presenter, _kept = make(probe)
    ready(qtbot, presenter)
    assert presenter.state.profile == a_profile()
    assert threads != [threading.main_thread()]


def test_an_own_value_stands_and_is_kept_and_can_be_taken_back(make, qtbot):
    presenter, kept = make()
    ready(qtbot, presenter)
    presenter.change("cpu.n_physical_cores", "6")
    assert presenter.state.profile.cpu.n_physical_cores == 6
    assert presenter.state.profile.overrides == ("cpu.n_physical_cores",)
    assert kept == {"cpu.n_physical_cores": "6"}
    presenter.reset("cpu.n_physical_cores")
    assert presenter.state.profile == a_profile()
    assert kept == {}


def test_a_value_that_makes_no_sense_is_refused(make, qtbot):
    presenter, kept = make()
    ready(qtbot, presenter)
    with qtbot.waitSignal(presenter.refused) as told:
        presenter.change("cpu.n_physical_cores", "many")
    assert "cpu.n_physical_cores" in told.args[0]
    assert presenter.state.profile == a_profile()
    assert kept == {}


def test_the_reason_can_be_asked_for_before_a_value_is_given(make, qtbot):
    presenter, _kept = make()
    assert presenter.refusal("cpu.n_physical_cores", "many") == ""
    ready(qtbot, presenter)
    reason = presenter.refusal("cpu.n_physical_cores", "many")
    assert reason == "'many' is not a whole number from 1 up"
    assert presenter.refusal("cpu.n_physical_cores", "6") == ""
    assert presenter.state.profile == a_profile()


def test_kept_values_that_need_each_other_stand_after_the_next_start(make, qtbot):
    own = {"cpu.n_packages": "8", "cpu.n_logical_cpus": "16"}
    presenter, kept = make(own=own)
    ready(qtbot, presenter)
    assert presenter.state.profile.cpu.n_packages == 8
    assert kept == own


def test_kept_values_stand_after_the_next_start(make, qtbot):
    presenter, _kept = make(own={"memory.total_bytes": "8 GiB", "graphics.gpu7.compute_units": "3"})
    ready(qtbot, presenter)
    assert presenter.state.profile.memory.total_bytes == 8 * 1024**3
    assert presenter.state.profile.overrides == ("memory.total_bytes",)


def test_a_probe_that_fails_says_why(make, qtbot):
    def probe():
        raise InputError("nothing can be read here")

    presenter, _kept = make(probe)
    presenter.probe()
    qtbot.waitUntil(lambda: presenter.state.stage is MachineStage.FAILED)
    assert presenter.state.message == "nothing can be read here"


def test_a_fault_of_the_app_is_told_apart(make, qtbot):
    def probe():
        raise KeyError("oops")

    presenter, _kept = make(probe)
    with qtbot.waitSignal(presenter.unexpected):
        presenter.probe()
    assert presenter.state.stage is MachineStage.FAILED


def test_the_profile_of_the_main_job_saves_a_probe(make, qtbot):
    calls = []

    def probe():
        calls.append(1)
        return a_profile()

    presenter, _kept = make(probe)
    presenter.take_profile(None)
    presenter.take_profile(a_profile())
    presenter.probe_once()
    assert calls == []
    assert presenter.state.stage is MachineStage.READY
