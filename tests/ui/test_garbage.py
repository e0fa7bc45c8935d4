"""Cycles are freed, and never beside the window's thread."""

import gc
import threading
import weakref

import pytest
from PySide6.QtCore import QObject

from ui.garbage import GarbageSearch


class Knot(QObject):
    def __init__(self):
        super().__init__()
        self.itself = self


class Tie:
    """Notes the thread on which it is freed."""

    def __init__(self, freed):
        self.knot, self.itself, self.freed = Knot(), self, freed

    def __del__(self):
        self.freed.append(threading.current_thread())


@pytest.fixture(autouse=True)
def garbage_is_freed_by_the_window():
    """Let Python search as it does by itself."""


@pytest.fixture
def search(qapp):
    made = GarbageSearch()
    yield made
    made.stop()
    assert gc.isenabled()


def allocate_much():
    return [[number] for number in range(200_000)]


def beside(function):
    thread = threading.Thread(target=function)
    thread.start()
    thread.join()


def test_a_thread_that_allocates_frees_nothing_of_the_window(search):
    freed = []
    gc.collect()
    Tie(freed)
    beside(allocate_much)
    assert freed == []
    while not freed:
        allocated = allocate_much()
        assert search.search() is not None
        del allocated
    assert freed == [threading.main_thread()]


def test_without_it_the_other_thread_frees(qapp):
    freed = []
    gc.collect()
    Tie(freed)
    beside(allocate_much)
    assert freed
    assert freed != [threading.main_thread()]


def test_the_old_are_searched_more_rarely_than_the_young(search):
    gc.collect()
    searched = []
    for _ in range(30):
        kept = [[number] for number in range(6_000)]
        searched.append(search.search())
        del kept
    assert searched.count(0) > searched.count(1) > 0


def test_nothing_new_is_not_worth_a_search(search):
    gc.collect()
    assert search.search() is None


def test_what_is_loaded_is_left_alone(search):
    class Loaded:
        pass

    loaded = Loaded()
    loaded.itself = loaded
    seen = weakref.ref(loaded)
    search.keep_what_is_loaded()
    del loaded
    gc.collect()
    assert seen() is not None
    gc.unfreeze()
    gc.collect()
    assert seen() is None
    # The searches that follow the other tests stay short.
    gc.freeze()
