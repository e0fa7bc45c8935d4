"""Which way is the fastest, and what is known of it from an earlier run."""

import math

import pytest
from opencl_choices import Choices, Tried, magnitude
from worker_errors import WrongResult

KEY = ("gemm", "float32", (False, True), None)
NAME = "gemm/float32/(False, True)/None"


class Ways:
    """Ways of a computation, and what was timed."""

    def __init__(self, *seconds):
        self.seconds, self.log, self.is_complete = list(seconds), [], True
        self.n_tried = len(seconds)

    def one(self, index, trial):
        self.log.append(("one", index, trial))
        return self.seconds[index]

    def all(self):
        self.log.append("all")
        tried = enumerate(self.seconds[: self.n_tried])
        usable = [(index, s) for index, s in tried if s is not None]
        return Tried(sorted(usable, key=lambda pair: pair[1]), 8.0, self.is_complete)

    def pick(self, choices, key=KEY):
        index = choices.pick(key, len(self.seconds), self.one, self.all)[0]
        choices.accept(key, index)
        return index


def kept(**changes):
    return {NAME: {"index": 1, "count": 3, "seconds": 0.1, "trial": 8.0, **changes}}


def test_the_fastest_is_found_once_and_told():
    choices, ways = Choices(), Ways(0.3, 0.1, 0.2)
    assert [ways.pick(choices), ways.pick(choices)] == [1, 1]
    assert ways.log == ["all"]
    assert choices.learned == kept()
    assert choices.n_confirmed == 0


def test_a_kept_way_is_timed_alone_with_the_trial_of_then():
    choices, ways = Choices(kept()), Ways(0.3, 0.105, 0.2)
    assert [ways.pick(choices), ways.pick(choices)] == [1, 1]
    assert ways.log == [("one", 1, 8.0)]
    assert choices.learned == {}
    assert choices.n_confirmed == 1


def test_a_kept_way_that_became_slower_is_tried_against_the_others():
    choices, ways = Choices(kept()), Ways(0.3, 0.12, 0.09)
    assert ways.pick(choices) == 2
    assert ways.log == [("one", 1, 8.0), ("one", 1, 8.0), "all"]
    assert choices.learned[NAME]["index"] == 2
    assert choices.n_confirmed == 0


def test_a_kept_way_stands_beside_those_that_there_is_time_to_try():
    choices, ways = Choices(kept(index=2)), Ways(0.3, 0.25, 0.12)
    ways.n_tried, ways.is_complete = 2, False
    assert ways.pick(choices) == 2, "slower than before, and still the fastest"
    assert ways.log == [("one", 2, 8.0), ("one", 2, 8.0), "all", ("one", 2, 8.0)]
    assert choices.learned == {}
    choices, ways = Choices(kept(index=2)), Ways(0.3, 0.11, 0.12)
    ways.n_tried, ways.is_complete = 2, False
    assert ways.pick(choices) == 1


def test_a_kept_way_that_cannot_be_run_does_not_stand_beside_the_others():
    choices, ways = Choices(kept(index=2)), Ways(0.3, 0.2, None)
    ways.n_tried, ways.is_complete = 2, False
    assert ways.pick(choices) == 1
    choices, ways = Choices(kept(index=2)), Ways(0.3, 0.2, 0.15)
    ways.n_tried, ways.is_complete = 2, False
    choices.reject(KEY, 2)
    assert ways.pick(choices) == 1, "its result was wrong"


def test_one_busy_moment_is_forgiven():
    choices, ways = Choices(kept()), Ways(0.3, 0.1, 0.2)
    values = iter([0.5, 0.1])
    assert choices.pick(KEY, 3, lambda *_: next(values), ways.all) == [1]
    assert ways.log == []


def test_a_kept_way_that_cannot_be_run_any_more_is_replaced():
    choices, ways = Choices(kept()), Ways(0.3, None, 0.2)
    assert ways.pick(choices) == 2


@pytest.mark.parametrize(
    "known",
    [
        None, [], "x", {NAME: None}, {NAME: {}}, kept(index=-1), kept(index=3), kept(count="3"),
        kept(index=True), kept(seconds=0.0), kept(seconds=math.nan), kept(seconds="fast"),
        kept(trial=math.inf), kept(trial=None), kept(count=4), {"other": kept()[NAME]},
    ],
)  # fmt: skip
def test_what_makes_no_sense_or_is_of_something_else_is_ignored(known):
    choices, ways = Choices(known), Ways(0.3, 0.1, 0.2)
    assert ways.pick(choices) == 1
    assert ways.log == ["all"]


def test_a_kept_way_that_became_faster_was_timed_on_a_busy_machine_and_is_tried_again():
    choices, ways = Choices(kept()), Ways(0.05, 0.08, 0.2)
    assert ways.pick(choices) == 0
    assert ways.log == [("one", 1, 8.0), "all"]
    assert choices.learned[NAME] == {"index": 0, "count": 3, "seconds": 0.05, "trial": 8.0}


def test_what_was_not_checked_or_not_tried_in_full_is_not_told():
    choices, ways = Choices(), Ways(0.3, 0.1, 0.2)
    choices.pick(KEY, 3, ways.one, ways.all)
    assert choices.learned == {}
    ways.is_complete = False
    assert ways.pick(Choices()) == 1
    choices = Choices()
    ways.pick(choices)
    assert choices.learned == {}


def test_a_wrong_way_gives_way_to_the_next_and_is_forgotten_when_it_was_kept():
    choices, ways = Choices(kept()), Ways(0.3, 0.1, 0.2)
    assert choices.pick(KEY, 3, ways.one, ways.all) == [1]
    choices.reject(KEY, 1)
    assert choices.learned == {NAME: None}
    assert ways.pick(choices) == 2
    assert choices.learned[NAME]["index"] == 2
    assert choices.wrong(KEY) == {1}
    assert choices.wrong(("other",)) == set()


def test_when_every_way_is_wrong_none_is_picked():
    choices, ways = Choices(), Ways(0.3, 0.1)
    for index in (0, 1):
        choices.reject(KEY, index)
    with pytest.raises(WrongResult, match="each way"):
        ways.pick(choices)


@pytest.mark.parametrize(
    ("value", "most", "digits"), [(1, None, 1), (255, None, 8), (256, None, 9), (4096, 10, 10)]
)
def test_sizes_of_as_many_binary_digits_share_a_choice(value, most, digits):
    assert magnitude(value, most) == digits
