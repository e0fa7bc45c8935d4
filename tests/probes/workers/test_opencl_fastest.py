"""The fastest of several ways, and that a wrong one is not it."""

import types

import opencl_choices
import opencl_fastest
import pyopencl as cl
import pytest
from worker_errors import UnsupportedKernel, WrongResult

pytestmark = pytest.mark.alone

KEY = ("test",)


class Work:
    """Takes a number of seconds, gives a right result or not, notes what happens to it."""

    def __init__(self, seconds, log, name, is_right=True):
        self._seconds, self._log, self._name, self._is_right = seconds, log, name, is_right

    def settle(self):
        self._log.append("settle " + self._name)

    def run(self, loops):
        return self._seconds * loops

    def check(self):
        self._log.append("check " + self._name)
        if not self._is_right:
            raise WrongResult(self._name + " is off by 1")
        return self._name

    def close(self):
        self._log.append("close " + self._name)


@pytest.fixture
def device():
    return types.SimpleNamespace(
        cl=cl, choices=opencl_choices.Choices(), patience=opencl_fastest.Patience()
    )


def ways(*seconds, log=None, wrong=()):
    log = [] if log is None else log
    return [
        lambda index=index, value=value: Work(value, log, "abcdef"[index], index not in wrong)
        for index, value in enumerate(seconds)
    ]


def unbuildable():
    raise UnsupportedKernel("too large")


class Drifting(Work):
    """Faster each time it is built: what is tried once may have met a bad moment."""

    def __init__(self, seconds, log, name):
        super().__init__(seconds.pop(0), log, name)


def drifting(*times):
    log = []
    return log, [
        lambda name=name, seconds=seconds: Drifting(seconds, log, name)
        for name, seconds in zip("abcdef", [list(each) for each in times], strict=False)
    ]


def test_ways_of_nearly_equal_speed_are_tried_again_the_last_first(device):
    # The second one met a bad moment; the third is too slow to matter.
    log, candidates = drifting((0.30, 0.30), (0.32, 0.27), (0.50,))
    tried = opencl_fastest.try_all(device, candidates)
    assert tried.ranking == [
        (1, pytest.approx(0.27)), (0, pytest.approx(0.30)), (2, pytest.approx(0.50)),
    ]  # fmt: skip
    assert [line for line in log if line.startswith("settle")][3:] == ["settle b", "settle a"]


def test_only_some_are_tried_again(device):
    log, candidates = drifting(*([0.3, 0.3] for _ in range(5)))
    opencl_fastest.try_all(device, candidates)
    assert len([line for line in log if line.startswith("settle")]) == 5 + 3


def test_a_way_that_fails_when_it_is_tried_again_keeps_its_time(device):
    _, candidates = drifting((0.30, 0.30), (0.31, 0.31))
    tries = []

    def once():
        tries.append(1)
        if len(tries) > 1:
            raise UnsupportedKernel("no more")
        return candidates[1]()

    ranking = opencl_fastest.try_all(device, [candidates[0], once]).ranking
    assert ranking == [(0, pytest.approx(0.30)), (1, pytest.approx(0.31))]


def test_the_lesser_time_of_two_ways_counts_and_both_are_checked():
    log = []
    made = [
        opencl_fastest.Faster(Work(a, log, "a"), Work(b, log, "b")) for a, b in ((1, 2), (3, 1))
    ]
    assert [pair.run(2) for pair in made] == [2, 2]
    made[0].settle()
    assert made[0].check() == "a"
    made[0].close()
    assert log == ["settle a", "settle b", "check a", "check b", "close a", "close b"]


def test_all_are_ranked_and_closed(device):
    log = []
    tried = opencl_fastest.try_all(device, ways(0.3, 0.1, 0.2, log=log), 8)
    assert [index for index, _ in tried.ranking] == [1, 2, 0]
    assert tried.ranking[0][1] == pytest.approx(0.1)
    assert (tried.trial, tried.is_complete) == (8, True)
    assert log == ["settle a", "close a", "settle b", "close b", "settle c", "close c"]


def test_what_cannot_be_built_or_run_is_passed_over(device):
    log = []

    class Failing(Work):
        def run(self, _loops):
            raise cl.LogicError("out of resources")

    candidates = [unbuildable, lambda: Failing(0.0, log, "a"), lambda: Work(9.0, log, "b")]
    assert opencl_fastest.try_all(device, candidates).ranking == [(2, 9.0)]
    assert "close a" in log


def test_when_nothing_can_be_built_the_reason_is_given(device):
    with pytest.raises(UnsupportedKernel, match="too large"):
        opencl_fastest.try_all(device, [unbuildable, unbuildable])


def test_the_choice_is_made_once_for_a_key_and_told_when_it_is_right(device):
    log = []
    for _ in range(2):
        chosen = opencl_fastest.Chosen(device, KEY, ways(0.2, 0.1, log=log))
        assert chosen.index == 1
    assert log == ["settle a", "close a", "settle b", "close b"]
    assert device.choices.learned == {}
    assert chosen.check() == "b"
    assert device.choices.learned["test"]["index"] == 1


def test_a_fast_way_that_is_wrong_is_not_taken_nor_kept(device):
    log = []
    chosen = opencl_fastest.Chosen(device, KEY, ways(0.3, 0.1, 0.2, log=log, wrong={1}))
    assert chosen.check() == "c"
    assert chosen.run(2) == pytest.approx(0.4)
    assert device.choices.learned["test"]["index"] == 2
    assert log.count("close b") == 2
    assert opencl_fastest.Chosen(device, KEY, ways(0.3, 0.1, 0.2, wrong={1})).index == 2


def test_a_kept_way_that_turns_out_wrong_is_forgotten(device):
    kept = {"test": {"index": 1, "count": 2, "seconds": 0.1, "trial": 1}}
    device.choices = opencl_choices.Choices(kept)
    chosen = opencl_fastest.Chosen(device, KEY, ways(0.2, 0.1, wrong={1}))
    assert chosen.index == 1
    assert chosen.check() == "a"
    assert device.choices.learned["test"]["index"] == 0


def test_when_all_are_wrong_the_first_reason_is_given_and_nothing_is_kept(device):
    kept = {"test": {"index": 1, "count": 2, "seconds": 0.1, "trial": 1}}
    device.choices = opencl_choices.Choices(kept)
    chosen = opencl_fastest.Chosen(device, KEY, ways(0.2, 0.1, wrong={0, 1}))
    with pytest.raises(WrongResult, match="is off by 1"):
        chosen.check()
    assert device.choices.learned == {"test": None}


def test_many_wrong_ways_are_not_all_tried(device):
    log = []
    builders = ways(0.1, 0.2, 0.3, 0.4, 0.5, log=log, wrong=range(5))
    chosen = opencl_fastest.Chosen(device, KEY, builders)
    with pytest.raises(WrongResult):
        chosen.check()
    assert [line for line in log if line.startswith("check")] == ["check a", "check b", "check c"]


def test_a_single_way_is_not_tried_and_its_wrong_result_is_told(device):
    log = []
    chosen = opencl_fastest.Chosen(device, KEY, ways(0.1, log=log, wrong={0}))
    assert log == []
    with pytest.raises(WrongResult):
        chosen.check()
    assert device.choices.learned == {}


def test_a_way_that_does_not_fit_at_full_size_gives_way_to_the_next(device):
    small = ways(0.1, 0.2)
    chosen = opencl_fastest.Chosen(
        device, KEY, [unbuildable, ways(0.1, 0.2)[1]],
        time_all=lambda: opencl_fastest.try_all(device, small),
    )  # fmt: skip
    assert chosen.index == 1
    assert chosen.check() == "b"
    assert device.choices.learned == {}  # the fastest is still the first, where it fits


def test_a_way_that_is_known_to_be_wrong_is_no_substitute(device):
    device.choices.reject(KEY, 1)
    with pytest.raises(UnsupportedKernel):
        opencl_fastest.Chosen(
            device, KEY, [unbuildable, ways(0.1, 0.2)[1]],
            time_all=lambda: opencl_choices.Tried([(0, 0.1)], 1, True),
        )  # fmt: skip


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def test_trying_ends_with_its_share_of_the_time_and_is_not_kept(device):
    clock = Clock()
    device.patience = opencl_fastest.Patience(clock)
    device.patience.ends_at = 125.0

    def slow(build):
        clock.now += 2.0
        return build()

    log = []
    builders = [lambda build=build: slow(build) for build in ways(0.4, 0.3, 0.2, 0.1, log=log)]
    device.patience.begin()
    chosen = opencl_fastest.Chosen(device, KEY, builders)
    # 3 s of 25 s: the second way ends after 4 s.
    assert chosen.index == 1
    assert chosen.check() == "b"
    assert device.choices.learned == {}


def test_without_a_deadline_there_is_all_the_time():
    patience = opencl_fastest.Patience(Clock())
    patience.begin()
    assert not patience.is_over()


def test_when_the_time_is_used_up_one_way_is_still_tried(device):
    device.patience = opencl_fastest.Patience(Clock())
    device.patience.ends_at = 50.0
    device.patience.begin()
    assert len(opencl_fastest.try_all(device, ways(0.2, 0.1)).ranking) == 1
