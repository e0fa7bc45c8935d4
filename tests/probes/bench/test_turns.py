"""Who has the turn, and how long: visits that take time only by a clock of their own."""

import dataclasses
import itertools

import pytest

from advisor.model.kernel import Direction, PeakShape
from advisor.model.measurement import BenchmarkRequest, Runner
from advisor.model.quantity import Precision
from probes.bench import turns
from probes.bench.plan import REFERENCE_SUFFIX
from probes.bench.plan_builder import AT_A_LOOK
from probes.bench.turns import Turns
from probes.bench.visit_run import Surroundings
from probes.bench.visits import Visit, conditions_of

WORK_S = 40.0


def visit(runner, *, device_id="cpu", role="calibration", n_values=3, **more):
    request = BenchmarkRequest(
        id=f"{runner.value} {device_id} {more}", role=role, runner=runner, device_id=device_id,
        shape=PeakShape(), direction=Direction.FORWARD, precision=Precision.FLOAT32,
        min_value_s=0.1, n_values=n_values,
    )  # fmt: skip
    return Visit(conditions=conditions_of(request), requests=(request,), **more)


def beside(runner, *, n_looks=4, **more):
    n_values = n_looks * AT_A_LOOK
    return visit(runner, role="headline", n_values=n_values, is_beside=True, **more)


MAIN = visit(Runner.KERAS)


class World:
    """Stands in for the runs of visits: each takes its time, and rests when it is asked to."""

    def __init__(self, monkeypatch):
        self.now, self.log, self.rests_s, self.every_s, self.closed = 0.0, [], [], [], []
        self.round_s = 0.5
        monkeypatch.setattr(turns, "VisitRun", self.make)

    def clock(self):
        return self.now

    def make(self, requests, *, around, rest_s, rest_every_s=None, rests=False, n_rounds=None):
        world, name, runner = self, requests[0].id.split()[0], requests[0].runner

        class Run:
            def steps(self):
                try:
                    yield from self.work()
                finally:
                    world.closed.append(name)

            def work(self):
                world.log.append(name)
                if rests:
                    for _ in range(requests[0].n_values // AT_A_LOOK):
                        world.now += world.round_s
                        yield
                        world.log.append(name)
                    return
                world.rests_s.append(rest_s())
                world.every_s.append(rest_every_s)
                ends = world.now + (WORK_S if runner is Runner.KERAS else 1.0)
                while rest_every_s is not None and world.now + rest_every_s < ends:
                    world.now += rest_every_s
                    ends += world.slept()
                    yield
                    world.rests_s.append(rest_s())
                world.now = ends

        return Run()

    def slept(self):
        """What the others take does not count as work."""
        return self.round_s

    def take(self, *visits, budget_s):
        around = Surroundings(
            profile=None, python=None, command=None, deadlines=None, tuning=None, collector=None,
            cancel=None, clock=self.clock,
        )  # fmt: skip
        with Turns(visits, around=around, budget_s=budget_s) as taken:
            taken.take()
        return "".join(name[0] for name in self.log)


@pytest.fixture
def world(monkeypatch):
    return World(monkeypatch)


def test_what_stays_beside_begins_and_takes_a_round_at_each_rest(world):
    order = world.take(beside(Runner.NUMPY, n_looks=16), MAIN, budget_s={"cpu": 58.0})
    assert order[:3] == "nkn"
    # The framework has its turn without a break of its own: all rounds but the first lie in it.
    assert order.count("n") == 17
    assert world.every_s == [pytest.approx((58.0 - 0.5 - 16 * 0.15 + 0.15) / 16, rel=0.05)]


def test_fewer_rounds_are_spread_over_all_rests(world):
    visits = [beside(Runner.NUMPY, n_looks=16), beside(Runner.STREAM, n_looks=4), MAIN]
    order = world.take(*visits, budget_s={"cpu": 32.0})
    during = order[order.index("k") :]
    places = [at for at, name in enumerate(during) if name == "s"]
    gaps = [b - a for a, b in itertools.pairwise(places[:-1])]
    assert gaps == [5, 5]
    assert order.count("s") == 5


def test_what_is_left_of_the_rounds_is_taken_at_the_end_in_turn_before_the_last_look(world):
    (request,) = visit(Runner.CLOCK).requests
    request = dataclasses.replace(request, id=f"clock{REFERENCE_SUFFIX}")
    last = Visit(conditions=conditions_of(request), requests=(request,))
    order = world.take(beside(Runner.NUMPY), beside(Runner.STREAM), last, budget_s={"cpu": 58.0})
    assert order == "ns" + "ns" * 4 + "c"


def test_without_the_framework_any_other_rests(world):
    world.take(beside(Runner.NUMPY), visit(Runner.TORCH), budget_s={"cpu": 58.0})
    assert world.every_s[0] is not None


def test_a_driver_does_not_rest_and_without_a_limit_nothing_does(world):
    gpu = visit(Runner.OPENCL, device_id="gpu")
    world.take(beside(Runner.NUMPY), gpu, budget_s={"cpu": 58.0, "gpu": 30.0})
    world.take(MAIN, budget_s=None)
    assert world.every_s == [None, None]


def test_time_is_kept_for_the_rounds_of_the_same_device_only(world):
    here = beside(Runner.NUMPY, n_looks=10)
    there = beside(Runner.OPENCL, device_id="other", n_looks=10)
    world.take(here, there, MAIN, budget_s={"cpu": 30.0, "other": 10.0})
    # The first round took half a second; nine to ten others will take what their values last.
    assert world.rests_s[0] == pytest.approx(30.0 - 0.5 - 9 * 0.15, abs=0.2)
    # After the second, one knows that they take as long; the main one had its work meanwhile.
    assert world.rests_s[1] < 30.0 - 2 * 0.5 - 8 * 0.5 - 1.0 + 0.2


def setting(threads, **more):
    found = visit(Runner.KERAS, share=0.1, **more)
    (request,) = found.requests
    request = dataclasses.replace(request, threads=threads)
    return dataclasses.replace(found, conditions=conditions_of(request), requests=(request,))


def test_a_setting_that_took_long_leaves_the_next_one_its_time(world):
    first, second = setting(1), setting(2)
    again = [setting(n, is_again=True) for n in (1, 2)]
    world.take(first, second, *again, budget_s={"cpu": 200.0})
    # Kept of what is left: the 40 s that the first took, for its repetition, and a share of 20 s
    # with a second more for that of the next.
    assert world.rests_s[:2] == pytest.approx([200.0 - 3 * 21.0, 160.0 - WORK_S - 21.0])


def test_children_that_rest_are_ended_when_something_goes_wrong(world, monkeypatch):
    monkeypatch.setattr(World, "slept", lambda _self: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        world.take(beside(Runner.NUMPY), MAIN, budget_s={"cpu": 58.0})
    assert world.closed == ["keras", "numpy"]
