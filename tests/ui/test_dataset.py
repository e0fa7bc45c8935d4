"""What is loaded once for all, whichever threads ask for it."""

import threading
import time

import pytest

from ui import dataset
from ui.settings import own_rows_folder


def test_many_threads_ask_and_one_answers():
    asked = []

    @dataset.Once
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

    @dataset.Once
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

    @dataset.Once
    def answer():
        if failures:
            raise failures.pop()
        return 7

    with pytest.raises(ValueError, match="first"):
        answer()
    assert answer() == 7


def test_the_names_of_networks_are_those_of_the_whole_dataset(fresh):
    assert dataset.known_networks() == dataset.bundled_knowledge().networks


def test_networks_of_the_user_are_among_them(fresh):
    columns = dataset.known_networks()[0]
    folder = own_rows_folder() / "networks"
    folder.mkdir(parents=True)
    (folder / "networks.csv").write_text("name\nbad\n", encoding="utf-8")
    assert dataset.known_networks() == dataset.bundled_knowledge().networks
    assert columns in dataset.known_networks()
    assert dataset.bundled_knowledge().skipped
