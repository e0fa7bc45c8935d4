"""The workload page's state: only the newest job counts, a bad one says why."""

import threading

import pytest

from advisor.errors import InputError
from tests.advisor.recommend.builders import a_profile, a_workload
from ui.journey import JourneyRequest
from ui.presenters.workload import WorkloadPresenter, WorkloadStage, read_job


@pytest.fixture
def make(qapp):
    made = []

    def build(read):
        presenter = WorkloadPresenter(read=read)
        made.append(presenter)
        return presenter

    yield build
    for presenter in made:
        assert presenter.wait(5.0)


def a_job(name):
    return JourneyRequest(network=name)


def test_a_job_is_read_beside_the_window(make, qtbot):
    threads = []

    def read(request):
        threads.append(threading.current_thread())
        return a_workload(title=request.network)

    presenter = make(read)
    presenter.show_request(a_job("one"))
    qtbot.waitUntil(lambda: presenter.state.stage is WorkloadStage.READY)
    assert presenter.state.workload.title == "one"
    assert threads != [threading.main_thread()]


def test_only_the_last_of_many_changes_is_read(make, qtbot):
    names = []

    def read(request):
        names.append(request.network)
        return a_workload()

    presenter = make(read)
    for name in ("one", "two", "three"):
        presenter.show_request(a_job(name))
    qtbot.waitUntil(lambda: presenter.state.stage is WorkloadStage.READY)
    assert names == ["three"]


def test_a_change_while_reading_is_read_next(make, qtbot):
    gate = threading.Event()

    def read(request):
        assert gate.wait(5.0)
        return a_workload(title=request.network)

    presenter = make(read)
    presenter.show_request(a_job("one"))
    qtbot.wait(400)
    presenter.show_request(a_job("two"))
    qtbot.wait(400)
    gate.set()
    qtbot.waitUntil(lambda: presenter.state.request == a_job("two"))
    assert presenter.state.workload.title == "two"


def test_a_bad_file_says_why_and_shows_no_network(make, qtbot):
    def read(_request):
        raise InputError("x.keras: not a model")

    presenter = make(read)
    presenter.show_request(a_job("x"))
    qtbot.waitUntil(lambda: presenter.state.stage is WorkloadStage.FAILED)
    assert (presenter.state.message, presenter.state.workload) == ("x.keras: not a model", None)


def test_a_fault_of_the_app_is_told_apart(make, qtbot):
    def read(_request):
        raise KeyError("oops")

    presenter = make(read)
    with qtbot.waitSignal(presenter.unexpected):
        presenter.show_request(a_job("x"))


def test_the_machine_stands_beside_it(make):
    presenter = make(read_job)
    presenter.show_profile(None)
    assert presenter.state.profile is None
    presenter.show_profile(a_profile())
    assert presenter.state.profile == a_profile()


def test_bundled_networks_can_be_read():
    assert read_job(a_job("mnist-mlp")).title
