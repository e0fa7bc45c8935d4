"""Several visits of each kernel, apart in time."""

import types

import opencl_visits
import pytest
import worker_protocol
from worker_errors import UnsupportedKernel, WrongResult

from tests.helpers.opencl import gemm, request, shared_runner


class Clock:
    """Time goes on only where something takes time."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


class Prepared:
    def __init__(self, world, name):
        self.world, self.name = world, name

    def settle(self):
        self.world.log.append("settle " + self.name)

    def check(self):
        self.world.log.append("check " + self.name)
        if self.name.startswith("wrong"):
            raise WrongResult("off")
        return "right"

    def run(self, loops):
        self.world.clock.now += self.world.run_s
        return next(self.world.seconds) * loops

    def close(self):
        self.world.n_open -= 1


class World:
    """A runner and a channel."""

    def __init__(self, run_s=0.1, seconds=None):
        self.log, self.sent, self.n_open, self.most_open = [], [], 0, 0
        self.clock, self.run_s = Clock(), run_s
        self.seconds = iter(lambda: 1.0, None) if seconds is None else iter(seconds)
        self.is_broken = False
        self.choices = {}

    def prepare(self, kernel):
        if kernel["id"].startswith("no") or self.is_broken:
            raise UnsupportedKernel("not here")
        self.n_open += 1
        self.most_open = max(self.most_open, self.n_open)
        return Prepared(self, kernel["id"])

    def learned(self):
        return self.choices

    def send(self, kind, **fields):
        self.sent.append({"type": kind, **fields})

    def check_cancelled(self):
        pass

    def rest(self):
        self.sent.append({"type": "rest"})

    def run(self, *names, budget_s=None, n_values=5, more=None, **fields):
        counts = {**dict.fromkeys(names, n_values), **(more or {})}
        kernels = [{"id": name, "min_value_s": 1e-9, "n_values": counts[name]} for name in names]
        asked = {"kernels": kernels, "budget_s": budget_s, **fields}
        opencl_visits.run_in_visits(self, asked, self, 0.0, self.clock)

    def told(self, kind):
        return [message for message in self.sent if message["type"] == kind]


def test_each_kernel_is_visited_three_times_and_nothing_is_held_between():
    world = World()
    world.run("a", "b")
    found = [(message["id"], len(message["values_s"])) for message in world.told("value")]
    assert found[:2] == [("a", 2), ("b", 2)]
    # Both cost the same: who is first is not said.
    assert [set(found[2:4]), set(found[4:])] == [{("a", 4), ("b", 4)}, {("a", 5), ("b", 5)}]
    assert world.log[:2] == ["check a", "check b"]
    assert sorted(world.log[2:]) == sorted(["settle a", "settle b"] * 2)
    assert (world.n_open, world.most_open) == (0, 1)


def test_a_child_that_rests_does_so_before_each_further_visit():
    world = World()
    world.run("a", "b", n_values=4, rests=True, visits=4)
    kinds = [m["type"] for m in world.sent if m["type"] in ("rest", "value")]
    assert kinds == ["value", "value", *["rest", "value", "value"] * 3]
    assert len(world.told("value")[-1]["values_s"]) == 4
    assert world.most_open == 1


def test_every_kernel_is_answered_before_any_is_visited_again():
    world = World(run_s=1.0)
    world.run("a", "b", "c", budget_s=9.0)
    # Each first visit lasts 4 s: warm-up, its value, two values.
    assert [message["id"] for message in world.told("value")] == ["a", "b", "c"]
    world = World(run_s=1.0)
    world.run("a", "b", "c", budget_s=8.0)
    assert [message["id"] for message in world.told("value")] == ["a", "b"]
    (skipped,) = world.told("kernel_failed")
    assert (skipped["id"], skipped["outcome"]) == ("c", "skipped")
    assert "8 s" in skipped["message"]


def test_a_further_visit_is_made_only_when_it_fits():
    world = World(run_s=1.0)
    world.run("a", "b", budget_s=15.0)
    # 8 s for the first visits, 3 s for the next of a; that of b is taken to last 4 s: until 15 s.
    # The third of a lasts 2 s.
    assert [message["id"] for message in world.told("value")] == ["a", "b", "a", "a"]


def test_what_is_shown_is_visited_again_first():
    world = World()
    world.run("fitted", "shown", n_values=3, more={"shown": 9})
    assert [message["id"] for message in world.told("value")] == [
        "fitted", "shown", "shown", "fitted", "shown", "fitted",
    ]  # fmt: skip


def test_of_what_is_shown_the_cheapest_is_visited_again_first():
    world = World()
    visits = opencl_visits.Visits.first

    def first(self, kernel):
        visited = visits(self, kernel)
        visited.cost_s = {"dear": 0.3, "cheap": 0.1}[kernel["id"]]
        return visited

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opencl_visits.Visits, "first", first)
        world.run("dear", "cheap")
    assert [message["id"] for message in world.told("value")][:4] == [
        "dear", "cheap", "cheap", "dear",
    ]  # fmt: skip


def test_failures_are_told_with_what_was_learned_and_the_rest_goes_on():
    world = World()
    world.choices = {"x": None}
    world.run("no", "wrong", "a")
    failed = [(m["id"], m["outcome"], m["learned"]) for m in world.told("kernel_failed")]
    assert failed == [
        ("no", "unsupported", {"x": None}),
        ("wrong", "wrong_result", {"x": None}),
    ]
    assert {message["id"] for message in world.told("value")} == {"a"}
    assert world.n_open == 0


def test_what_was_told_stands_when_a_later_visit_fails(monkeypatch):
    world = World()
    first = opencl_visits.Visits.first

    def break_after(self, kernel):
        visited = first(self, kernel)
        world.is_broken = True
        return visited

    monkeypatch.setattr(opencl_visits.Visits, "first", break_after)
    world.run("a")
    assert [len(message["values_s"]) for message in world.told("value")] == [2]
    assert world.told("kernel_failed") == []


def test_a_value_that_makes_no_sense_is_taken_again_and_counted():
    world = World(seconds=[1.0, 1.0, -1.0, 2.0, 3.0])
    world.run("a", n_values=2)
    (message, *_) = world.told("value")
    assert message["n_dropped"] == 1
    assert message["values_s"] == [2.0]


def test_a_clock_that_never_makes_sense_fails_the_kernel():
    world = World(seconds=[1.0, 1.0, *[-1.0] * 20])
    world.run("a")
    (failed,) = world.told("kernel_failed")
    assert "ClockError" in failed["message"]
    assert world.n_open == 0


@pytest.mark.parametrize("at", [1, 4])
def test_cancelling_ends_everything(at):
    world = World()
    calls = []

    def check():
        calls.append(1)
        if len(calls) == at:
            raise worker_protocol.Cancelled

    world.check_cancelled = check
    with pytest.raises(worker_protocol.Cancelled):
        world.run("a", "b")
    assert world.n_open == 0


@pytest.mark.parametrize(
    "kernel",
    [
        request({"type": "OverheadShape", "kind": "launch"}),
        request({"type": "TransferShape", "to": "device", "size_bytes": 4096}),
        request({"type": "PeakShape", "width": 4}),
        request(gemm(33, 20, 17), "backward"),
    ],
)
def test_real_kernels_are_visited_again(kernel):
    runner, sent = shared_runner(), []
    channel = types.SimpleNamespace(
        send=lambda kind, **fields: sent.append({"type": kind, **fields}),
        check_cancelled=lambda: None,
    )
    asked = {"kernels": [{**kernel, "min_value_s": 1e-4, "n_values": 3}], "budget_s": None}
    runner.run_request(asked, channel, 0.0)
    values = [message for message in sent if message["type"] == "value"]
    assert [len(message["values_s"]) for message in values] == [1, 2, 3]
    assert all(seconds > 0.0 for seconds in values[-1]["values_s"])
    assert runner._device.bytes_in_use == 0


def test_a_kernel_that_lasts_for_a_time_is_told_as_it_comes():
    runner, sent = shared_runner(), []
    channel = types.SimpleNamespace(
        send=lambda kind, **fields: sent.append({"type": kind, **fields}),
        check_cancelled=lambda: None,
    )
    kernel = {**request(gemm(33, 20, 17)), "min_value_s": 1e-3, "n_values": 3, "duration_s": 5e-3}
    runner.run_request({"kernels": [kernel], "budget_s": None}, channel, 0.0)
    assert "progress" in {message["type"] for message in sent}
