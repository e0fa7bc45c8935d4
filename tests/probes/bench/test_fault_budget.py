"""What goes wrong within the real limits of time, done for real in a twelfth of it."""

import dataclasses
import sys
import time
from pathlib import Path

import psutil
import pytest

from advisor.model.kernel import Direction, OverheadShape, PeakShape
from advisor.model.measurement import BenchmarkRequest, Outcome, Runner, Setting
from advisor.model.quantity import Precision
from probes.bench import turns
from probes.bench.commands import WorkerCommand, worker_script
from probes.bench.events import KernelFinished, KernelStarted
from probes.bench.plan import CPU_BUDGET_S, OPENCL_BUDGET_S, Budget
from probes.bench.plan_builder import AT_A_LOOK
from probes.bench.process import Deadlines
from probes.bench.session import DEADLINES, Session
from probes.bench.tuning_store import TuningStore

DATA = Path(__file__).parents[3] / "tests" / "data" / "workers"
WORKERS = worker_script("main").parent
SCALE = 1.0 / 12.0
CPU_S, OPENCL_S = CPU_BUDGET_S[Budget.QUICK] * SCALE, OPENCL_BUDGET_S[Budget.QUICK] * SCALE
# A process starts no faster than it does.
SCALED = Deadlines(
    start_s=DEADLINES.start_s,
    stage_s=DEADLINES.stage_s * SCALE,
    silence_s=DEADLINES.silence_s * SCALE,
    import_s=DEADLINES.import_s,
)
OPENCL = "opencl:0:0"


def request(name, **more):
    values = {
        "id": name,
        "role": "calibration",
        "runner": Runner.KERAS,
        "device_id": "cpu",
        "shape": PeakShape(),
        "direction": Direction.FORWARD,
        "precision": Precision.FLOAT32,
        "min_value_s": 1e-5,
        "n_values": 3,
    }
    return BenchmarkRequest(**{**values, **more})


def on_opencl(name, **more):
    shape = OverheadShape(kind="launch")
    return request(name, runner=Runner.OPENCL, device_id=OPENCL, shape=shape, **more)


class World:
    """Runs sessions with a worker that breaks as the ids of its kernels say."""

    def __init__(self, profile, folder, script):
        self._profile, self._script, self._log = profile, script, folder / "log"
        self.store = TuningStore(folder / "kept")
        self.n_children = 0

    def _command(self, _name, *, python=None, settings=()):
        self.n_children += 1
        argv = (sys.executable, "-S", str(DATA / self._script), str(WORKERS))
        log = Setting(name="DL_TEST_LOG", value=str(self._log))
        return WorkerCommand(argv=argv, environment=(log, *settings))

    def run(self, *asked, budget_s, tuning=None, **more):
        session = Session(
            profile=self._profile, command=self._command, deadlines=SCALED, tuning=tuning
        )
        return session.run(asked, budget_s=budget_s, **more)

    def n_logged(self):
        return len(self._log.read_text().splitlines()) if self._log.exists() else 0


@pytest.fixture(autouse=True)
def _scaled(monkeypatch):
    monkeypatch.setattr(turns, "_RESERVE_S", turns._RESERVE_S * SCALE)
    monkeypatch.setattr(turns, "_LEAST_WORK_S", turns._LEAST_WORK_S * SCALE)


@pytest.fixture
def drill(profile, tmp_path):
    return World(profile, tmp_path, "drill.py")


@pytest.fixture
def tuned(profile, tmp_path):
    return World(profile, tmp_path, "tuned.py")


def outcomes(measurements):
    return {
        r.request.id.partition(":")[0]: getattr(r, "outcome", Outcome.COMPLETED)
        for r in measurements.results
    }


@pytest.mark.parametrize("stage", ["prepare", "warm_up", "measure", "teardown"])
def test_a_hang_in_a_quick_run_costs_its_kernel_and_not_the_device(drill, stage):
    started = time.monotonic()
    found = drill.run(
        request("a:"), request(f"b:spin@{stage}"), request("c:"), request("d:", threads=1),
        budget_s={"cpu": CPU_S},
    )  # fmt: skip
    assert time.monotonic() - started < CPU_S
    assert outcomes(found) == dict.fromkeys("acd", Outcome.COMPLETED) | {"b": Outcome.TIMED_OUT}


@pytest.mark.parametrize("stage", ["prepare", "measure"])
def test_a_hang_of_a_quick_opencl_device_leaves_time_for_its_other_kernels(drill, stage):
    asked = [on_opencl("a:"), on_opencl(f"b:spin@{stage}"), on_opencl("c:")]
    started = time.monotonic()
    found = drill.run(*asked, budget_s={OPENCL: OPENCL_S})
    assert time.monotonic() - started < OPENCL_S
    assert outcomes(found) == {
        "a": Outcome.COMPLETED, "b": Outcome.TIMED_OUT, "c": Outcome.COMPLETED,
    }  # fmt: skip


def test_a_device_that_always_hangs_ends_within_its_time(drill):
    asked = [on_opencl(f"{name}:spin@prepare") for name in "abcde"]
    started = time.monotonic()
    found = drill.run(*asked, budget_s={OPENCL: OPENCL_S})
    assert time.monotonic() - started < OPENCL_S + 0.3
    assert outcomes(found)["a"] is Outcome.TIMED_OUT
    assert len(found.failed) == 5


def headline(name, runner, **more):
    return request(name, role="headline", runner=runner, n_values=9 * AT_A_LOOK, **more)


def long_keras(name="k"):
    """Return kernels that keep their worker busy for more than half of the time."""
    return [request(f"{name}{i}:endless", n_values=50) for i in range(3)]


def test_numpy_stays_beside_keras_and_has_its_turns(drill):
    events, told = [], []
    numpy = headline("n:", Runner.NUMPY)

    def on_event(event):
        events.append(event)
        if isinstance(event, KernelFinished):
            told.append((event.result.request.id, drill.n_children))

    found = drill.run(numpy, *long_keras(), budget_s={"cpu": CPU_S}, on_event=on_event)
    by_name = {m.request.id: m for m in found.measured}
    assert set(by_name) == {"n:", "k0:endless", "k1:endless", "k2:endless"}
    assert len(by_name["n:"].values_s) == 9
    assert by_name["n:"].request == numpy
    assert drill.n_children == 2
    assert told[0] == ("n:", 1)
    # Each is announced and finished once, however many rounds it has.
    finished = [e.result.request.id for e in events if isinstance(e, KernelFinished)]
    assert sorted(finished) == sorted(by_name)
    assert {e.request.id for e in events if isinstance(e, KernelStarted)} == set(by_name)


def test_a_child_that_dies_beside_keras_keeps_what_it_has_told(drill):
    found = drill.run(
        headline("n:abort@fifth", Runner.NUMPY), *long_keras(), budget_s={"cpu": CPU_S}
    )
    by_name = {m.request.id.partition(":")[0]: m for m in found.measured}
    assert set(by_name) == {"n", "k0", "k1", "k2"}
    assert 3 <= len(by_name["n"].values_s) < 9
    assert drill.n_children == 2


def test_a_child_that_hangs_beside_keras_is_ended_and_keras_has_the_rest(drill):
    started = time.monotonic()
    found = drill.run(
        headline("n:spin@fifth", Runner.NUMPY), *long_keras(), budget_s={"cpu": CPU_S}
    )
    assert time.monotonic() - started < CPU_S
    assert len(found.measured) == 4


def test_nothing_is_left_when_a_listener_raises_while_others_rest(drill):
    def on_event(event):
        if isinstance(event, KernelFinished) and event.result.request.id == "k:":
            raise OSError("the window is gone")

    with pytest.raises(OSError, match="gone"):
        drill.run(
            headline("n:", Runner.NUMPY), request("k:"), budget_s={"cpu": CPU_S}, on_event=on_event
        )
    assert not psutil.Process().children()


def test_kernels_of_numpy_that_all_hang_leave_half_of_the_time_to_keras(drill):
    numpy = [headline(f"n{i}:spin@prepare", Runner.NUMPY) for i in range(9)]
    found = drill.run(*numpy, request("k:"), budget_s={"cpu": CPU_S})
    assert outcomes(found)["n0"] is Outcome.TIMED_OUT
    assert outcomes(found)["k"] is Outcome.COMPLETED


def test_a_kernel_that_hangs_at_its_first_visit_is_not_visited_again(drill):
    numpy = [headline("a:spin@measure", Runner.NUMPY), headline("b:", Runner.NUMPY)]
    found = drill.run(*numpy, *long_keras(), budget_s={"cpu": CPU_S})
    assert outcomes(found)["a"] is Outcome.TIMED_OUT
    assert drill.n_logged() == 1
    (b,) = [m for m in found.measured if m.request.id == "b:"]
    assert len(b.values_s) == 9


def test_a_session_whose_keras_dies_early_still_makes_all_visits(drill):
    found = drill.run(
        headline("n:", Runner.NUMPY), request("k:abort@prepare"), budget_s={"cpu": CPU_S}
    )
    assert outcomes(found)["k"] is Outcome.CRASHED
    (n,) = found.measured
    assert len(n.values_s) == 9


def test_a_hang_of_a_tuned_device_that_takes_all_time_has_its_own_verdict(tuned):
    tuned.run(on_opencl("a"), budget_s=None, tuning=tuned.store)
    found = tuned.run(
        on_opencl("a"), on_opencl("hang"), on_opencl("b"),
        budget_s={OPENCL: 0.4}, tuning=tuned.store,
    )  # fmt: skip
    assert outcomes(found) == {
        "a": Outcome.COMPLETED, "hang": Outcome.TIMED_OUT, "b": Outcome.SKIPPED,
    }  # fmt: skip


def test_a_wrong_result_that_there_is_no_time_to_doubt_is_told(tuned):
    tuned.run(on_opencl("a"), budget_s=None, tuning=tuned.store)
    clock = [0.0]

    def on_event(event):
        if isinstance(event, KernelFinished):
            clock[0] = 100.0

    session = Session(
        profile=tuned._profile, command=tuned._command, clock=lambda: clock[0],
        deadlines=dataclasses.replace(SCALED, stage_s=20.0, silence_s=20.0), tuning=tuned.store,
    )  # fmt: skip
    asked = [on_opencl("wrong"), on_opencl("a")]
    found = session.run(asked, budget_s={OPENCL: 20.0}, on_event=on_event)
    assert outcomes(found) == {"wrong": Outcome.WRONG_RESULT, "a": Outcome.COMPLETED}


def test_a_kernel_that_always_kills_costs_a_child_and_the_cache_once_only(tuned):
    expected = {"a": Outcome.COMPLETED, "deadly": Outcome.CRASHED, "b": Outcome.COMPLETED}
    asked = [on_opencl("a"), on_opencl("deadly"), on_opencl("b")]
    n_children = []
    for _ in range(3):
        before = tuned.n_logged()
        assert outcomes(tuned.run(*asked, budget_s=None, tuning=tuned.store)) == expected
        n_children.append(tuned.n_logged() - before)
    # It dies once more in each run, but what was compiled is no longer suspected of it.
    assert n_children == [2, 2, 2]
