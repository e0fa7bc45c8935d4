"""What is loaded once for all, whichever threads ask for it, and what comes before it."""

import threading
import time

import pytest

from advisor.errors import InputError
from advisor.i18n import translator_for
from advisor.report.build import build_summary
from advisor.report.text import render_text
from probes.bench.process import CancelToken
from ui import journey
from ui.models.history_diff import diff_advices
from ui.settings import own_rows_folder
from ui.sharing import upload_of


def test_many_threads_ask_and_one_answers():
    asked = []

    @journey.Once
    def answer():
        asked.append(threading.current_thread())
        time.sleep(0.05)
        return object()

    got = []
    threads = [threading.Thread(target=lambda: got.append(answer())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(asked) == 1
    assert len(got) == 8
    assert len({id(value) for value in got}) == 1


def test_an_answer_that_was_forgotten_while_it_was_made_is_made_anew():
    begun, may_end = threading.Event(), threading.Event()
    numbers = iter(range(9))

    @journey.Once
    def answer():
        number = next(numbers)
        begun.set()
        may_end.wait(5.0)
        return number

    got = []
    thread = threading.Thread(target=lambda: got.append(answer()))
    thread.start()
    assert begun.wait(5.0)
    answer.cache_clear()
    may_end.set()
    thread.join()
    assert got == [0]
    assert answer() == 1
    assert answer() == 1


def test_a_failure_is_no_answer():
    failures = [ValueError("first")]

    @journey.Once
    def answer():
        if failures:
            raise failures.pop()
        return 7

    with pytest.raises(ValueError, match="first"):
        answer()
    assert answer() == 7


@pytest.fixture
def fresh():
    journey.bundled_knowledge.cache_clear()
    journey.bundled_index.cache_clear()
    yield
    journey.bundled_knowledge.cache_clear()
    journey.bundled_index.cache_clear()


def test_the_names_of_networks_are_those_of_the_whole_dataset(fresh):
    assert journey.known_networks() == journey.bundled_knowledge().networks


def test_networks_of_the_user_are_among_them(fresh):
    columns = journey.known_networks()[0]
    folder = own_rows_folder() / "networks"
    folder.mkdir(parents=True)
    (folder / "networks.csv").write_text("name\nbad\n", encoding="utf-8")
    assert journey.known_networks() == journey.bundled_knowledge().networks
    assert columns in journey.known_networks()
    assert journey.bundled_knowledge().skipped


def test_the_version_is_that_of_the_sources():
    assert journey.app_version().count(".") >= 1


def test_a_warm_start_loads_what_a_run_needs(fresh):
    journey.warm_up()
    began = time.process_time()
    journey.bundled_index()
    assert time.process_time() - began < 0.01


def test_a_run_cancelled_before_its_first_figure_says_so(fresh):
    cancel = CancelToken()
    cancel.cancel()
    request = journey.JourneyRequest(network="mnist-mlp")
    advice = journey.walk(request, on_event=lambda _event: None, cancel=cancel)
    assert advice.measurements is not None
    assert advice.measurements.is_cancelled
    assert not advice.measurements.measured
    assert {"run_cancelled", "not_measured"} <= {each.code for each in advice.caveats}
    lines = render_text(build_summary(advice, translator_for("en"))).splitlines()
    assert lines[0].startswith("Cancelled run: ")
    assert any("The run was cancelled: 0 of " in line for line in lines)
    with pytest.raises(InputError, match="nothing was measured"):
        upload_of(advice)
    diff = diff_advices(advice, advice, names=("a", "b"))
    assert any("rests on no measurement" in note for note in diff.notes)
