"""Kernels timed in turn between two looks at a reference."""

import itertools

import pytest
import worker_bouts
import worker_kernels
from worker_errors import UnsupportedKernel
from worker_protocol import Cancelled


class Clock:
    """A clock that goes on only when somebody computes."""

    now = 0.0

    def __call__(self):
        return self.now


class Channel:
    def __init__(self, cancel_at=None):
        self.messages = []
        self.cancel_at = cancel_at

    def send(self, kind, **fields):
        self.messages.append((kind, fields))

    def rest(self):
        self.messages.append(("rest", {}))

    def check_cancelled(self):
        if self.cancel_at is not None and len(self.messages) >= self.cancel_at:
            raise Cancelled

    def of(self, kind):
        return [fields for name, fields in self.messages if name == kind]

    def values(self, name):
        return [fields["values_s"] for fields in self.of("value") if fields["id"] == name]


class Prepared:
    def __init__(self, runner, name):
        self.runner, self.name = runner, name

    def check(self):
        return "checked " + self.name

    def run(self, loops):
        self.runner.order.append(self.name)
        seconds = loops * self.runner.seconds(self.name)
        self.runner.clock.now += abs(seconds)
        return seconds

    def close(self):
        self.runner.closed.append(self.name)


class Runner:
    """Its kernels take what `seconds` says."""

    def __init__(self, clock, seconds=lambda _name: 0.01, refused=()):
        self.clock, self.seconds, self.refused = clock, seconds, refused
        self.order, self.closed = [], []

    def prepare(self, kernel):
        if kernel["id"] in self.refused:
            raise UnsupportedKernel("not here")
        return Prepared(self, kernel["id"])


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """Let the timing read the clock of the kernels."""
    clock = Clock()
    monkeypatch.setattr(worker_bouts.worker_timing.warm_up, "__defaults__", (1, clock, None))
    return clock


def kernel(name, **fields):
    return {"id": name, "min_value_s": 1e-6, "n_values": 3, **fields}


def spread(name, looks, at_once=1):
    return kernel(name, min_value_s=0.009, n_values=looks * at_once, looks=looks)


def run(runner, *kernels, bout=2, channel=None, budget_s=None, **more):
    channel = channel or Channel()
    request = {"kernels": list(kernels), "bout": bout, "budget_s": budget_s, **more}
    worker_kernels.run_kernels(runner, request, channel, clock=runner.clock)
    return channel


REFERENCE = kernel("ref", is_reference=True)


def timed(runner, *names):
    """Return the order of the runs of some kernels, without those that warm up."""
    return [name for name in runner.order if name in names]


def test_kernels_of_a_bout_take_turns(clock):
    runner = Runner(clock)
    channel = run(runner, kernel("a"), kernel("b"), kernel("c"))
    # Two runs warm each of them up, then they take turns.
    assert runner.order == list("aabbabababccccc")
    assert [fields["id"] for fields in channel.of("value")] == ["a", "b", "c"]
    assert channel.values("a") == [pytest.approx([0.01] * 3)]
    assert channel.of("value")[0]["check"] == "checked a"
    assert channel.of("value")[0]["moved"] is None
    assert runner.closed == ["a", "b", "c"]


def test_the_reference_is_timed_around_each_bout_and_told_with_all_its_values(clock):
    runner = Runner(clock)
    channel = run(runner, kernel("a"), kernel("b"), kernel("c"), REFERENCE)
    assert "".join(name[0] for name in timed(runner, "ref", "a", "c")) == (
        "rraarrraaarrrccrrrcccrrr"
    )
    assert channel.values("ref") == [pytest.approx([0.01] * 12)]
    assert [fields["moved"] for fields in channel.of("value")][:3] == pytest.approx([0.0] * 3)


class Slowing:
    """A machine on which everything takes longer from a moment on."""

    def __init__(self, clock, *moments, factor=1.2):
        self.clock, self.moments, self.factor = clock, moments, factor

    def __call__(self, _name):
        return 0.01 * self.factor ** sum(self.clock.now >= moment for moment in self.moments)


def test_a_bout_between_references_that_moved_is_timed_again(clock):
    runner = Runner(clock, Slowing(clock, 0.085))
    channel = run(runner, kernel("a"), REFERENCE, bout=8)
    assert runner.order.count("a") == 2 + 3 + 3
    (value,) = [fields for fields in channel.of("value") if fields["id"] == "a"]
    # The values before it moved are kept: the figure is one of the shorter ones of all.
    assert value["values_s"][-4:] == pytest.approx([0.012] * 4)
    assert len(value["values_s"]) == 6
    assert value["moved"] == pytest.approx(0.0)


def test_what_moves_again_is_told_with_the_distance(clock):
    runner = Runner(clock, Slowing(clock, 0.085, 0.15))
    channel = run(runner, kernel("a"), REFERENCE, bout=8)
    (value,) = [fields for fields in channel.of("value") if fields["id"] == "a"]
    assert len(value["values_s"]) == 6
    assert value["moved"] == pytest.approx(0.2)


def test_what_is_spread_is_not_timed_again_with_its_bout(clock):
    runner = Runner(clock, Slowing(clock, 0.085))
    channel = run(runner, kernel("a"), spread("s", 6), REFERENCE, bout=8)
    assert [len(values) for values in channel.values("a")] == [6]
    assert [len(values) for values in channel.values("s")] == [3, 6]


def test_without_time_nothing_is_timed_again(clock):
    runner = Runner(clock, Slowing(clock, 0.085))
    channel = run(runner, kernel("a"), REFERENCE, bout=8, budget_s=0.15)
    (value,) = [fields for fields in channel.of("value") if fields["id"] == "a"]
    assert runner.order.count("a") == 5
    assert value["moved"] == pytest.approx(0.2)


@pytest.mark.parametrize(("budget_s", "repeated"), [(None, 4), (80.0, 4), (2.2, 1), (0.5, 0)])
def test_no_more_than_a_twentieth_of_the_time_goes_into_timing_again(clock, budget_s, repeated):
    # Everything gets slower and slower: each look at the reference finds that it moved.
    runner = Runner(clock, lambda _name: 0.01 * (1.0 + clock.now))
    run(runner, *map(kernel, "abcdefgh"), REFERENCE, budget_s=budget_s)
    n_again = sum(runner.order.count(name) == 2 + 3 + 3 for name in "abcdefgh")
    assert n_again == 2 * repeated


def test_a_kernel_that_is_spread_is_told_soon_and_again_with_all_values(clock):
    runner = Runner(clock)
    channel = run(runner, spread("s", 6), kernel("a"), kernel("b"), kernel("c"))
    assert [len(values) for values in channel.values("s")] == [3, 6]
    # All else takes less than two seconds: the others come at the end.
    assert "".join(timed(runner, "s", "c")) == "sssssccccc" + "sss"
    assert runner.closed.count("s") == 1


def test_a_look_takes_several_values_of_a_kernel_that_is_short_enough(clock):
    runner = Runner(clock, lambda name: 0.01 if name == "s" else 0.04)
    long = kernel("l", min_value_s=0.009, n_values=18, looks=6)
    channel = run(runner, spread("s", 6, at_once=3), long, kernel("a"))
    assert [len(values) for values in channel.values("s")] == [3, 18]
    assert [len(values) for values in channel.values("l")] == [3, 6]
    assert "".join(timed(runner, "s", "l")).endswith("slslsl" + "sssl" * 3 + "sss" * 2)


def test_the_looks_at_a_kernel_that_is_spread_lie_seconds_apart(clock):
    runner, moments = Runner(clock), []

    def seconds(name):
        if name == "s":
            moments.append(clock.now)
        return 0.01 if name == "s" else 0.3

    runner.seconds = seconds
    run(runner, spread("s", 12), *map(kernel, "abcdefghijklmnop"))
    further = [later - earlier for earlier, later in itertools.pairwise(moments[4:])]
    assert len(further) == 9
    # No more than the kernel that is being warmed up, or a round of two, lies between; the last
    # came when all else was done.
    apart_s = worker_bouts.SPREAD_EVERY_S
    assert [gap for gap in further[1:-1] if not apart_s <= gap <= apart_s + 0.6 + 0.02] == []


def test_a_child_that_rests_does_so_before_each_further_round_and_tells_it(clock):
    runner = Runner(clock)
    channel = run(runner, spread("s", 5), spread("t", 5), kernel("a"), bout=3, rests=True)
    kinds = [kind for kind, _ in channel.messages if kind in ("rest", "value")]
    assert kinds == ["value"] * 3 + ["rest", "value", "value"] * 2
    assert [len(values) for values in channel.values("s")] == [3, 4, 5]


def test_after_a_rest_there_is_the_time_that_the_parent_says(clock):
    runner = Runner(clock)
    channel = Channel()

    def rest():
        clock.now += 100.0
        channel.on_resume(0.025)

    channel.rest = rest
    run(runner, spread("s", 50), budget_s=1.0, rests=True, channel=channel)
    assert clock.now > 100.0
    assert len(channel.values("s")[-1]) > 3


def test_a_kernel_that_is_spread_stops_with_the_time(clock):
    runner = Runner(clock)
    channel = run(runner, spread("s", 50), budget_s=0.2)
    assert len(channel.values("s")[0]) == 3
    assert len(channel.values("s")[-1]) < 20
    assert clock.now <= 0.2


def test_what_does_not_fit_is_skipped_and_the_reference_is_told_all_the_same(clock):
    runner = Runner(clock)
    channel = run(runner, *map(kernel, "abcdef"), REFERENCE, budget_s=0.3)
    failed = {fields["id"]: fields["outcome"] for fields in channel.of("kernel_failed")}
    assert set(failed.values()) == {"skipped"}
    assert "f" in failed
    assert len(channel.values("ref")) == 1
    told = {fields["id"] for fields in channel.of("value")}
    assert told | set(failed) == {"a", "b", "c", "d", "e", "f", "ref"}
    assert not told & set(failed)


def test_a_bout_that_outlasts_the_time_reports_what_it_has(clock):
    # Warming up and a round of both take 0.6 s each: without a look at the clock, 2.4 s in all.
    runner = Runner(clock, lambda _name: 0.15)
    channel = run(runner, kernel("a", n_values=5), kernel("b", n_values=5), budget_s=1.0)
    assert [fields["id"] for fields in channel.of("value")] == ["a", "b"]
    assert 1 <= len(channel.values("a")[0]) < 5
    assert clock.now < 1.3


def test_what_there_is_no_time_to_prepare_is_skipped_and_the_rest_told(clock):
    runner = Runner(clock, lambda _name: 0.3)
    channel = run(runner, *map(kernel, "abcd"), bout=4, budget_s=1.6)
    assert [fields["id"] for fields in channel.of("value")] == ["a", "b"]
    assert {fields["id"]: fields["outcome"] for fields in channel.of("kernel_failed")} == (
        dict.fromkeys("cd", "skipped")
    )
    assert runner.closed == ["a", "b"]


def test_a_short_kernel_is_timed_where_there_is_no_time_for_one_like_the_slowest(clock):
    runner = Runner(clock, lambda name: 0.3 if name in "ac" else 0.01)
    long, short = {"shape": {"type": "LSTM"}}, {"shape": {"type": "ReLU"}}
    wanted = [kernel("a", **long), kernel("b", **short), kernel("c", **long), kernel("d", **short)]
    channel = run(runner, *wanted, bout=4, budget_s=1.4)
    assert [fields["id"] for fields in channel.of("value")] == ["a", "b", "d"]
    assert [fields["id"] for fields in channel.of("kernel_failed")] == ["c"]


def test_differences_that_came_out_negative_are_counted(clock):
    seconds = iter([0.01, 0.01, 0.01, -0.01, 0.01, -0.01, 0.01, 0.01])
    channel = run(Runner(clock, lambda _name: next(seconds)), kernel("a"))
    assert channel.of("value")[0]["n_dropped"] == 2
    assert channel.of("value")[0]["is_difference"] is False


def test_no_time_at_all(clock):
    channel = run(Runner(clock), kernel("a"), REFERENCE, budget_s=0.0)
    assert {fields["id"] for fields in channel.of("kernel_failed")} == {"a", "ref"}


def test_a_kernel_that_fails_leaves_the_others_alone(clock):
    lost = {"n": 0}

    def seconds(name):
        if name != "b":
            return 0.01
        lost["n"] += 1
        return 0.01 if lost["n"] < 4 else -1.0

    channel = run(Runner(clock, seconds, refused="a"), *map(kernel, "abc"), bout=3)
    failed = {fields["id"]: fields["outcome"] for fields in channel.of("kernel_failed")}
    assert failed == {"a": "unsupported", "b": "failed"}
    assert channel.values("c") == [pytest.approx([0.01] * 3)]


def test_without_its_reference_the_rest_is_timed(clock):
    channel = run(Runner(clock, refused=["ref"]), kernel("a"), REFERENCE)
    assert [fields["id"] for fields in channel.of("kernel_failed")] == ["ref"]
    assert channel.of("value")[0]["moved"] is None


def test_a_stop_is_obeyed_between_two_values(clock):
    runner = Runner(clock)
    with pytest.raises(Cancelled):
        run(runner, kernel("a"), kernel("b"), channel=Channel(cancel_at=6))
    assert timed(runner, "a", "b") == list("aabbab")
