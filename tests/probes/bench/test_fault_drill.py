"""Everything that may go wrong in a worker, done for real: each fault costs its kernel only.

The worker is the real one with runners that break (`tests/data/workers/drill.py`); the session
and its children are real.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from advisor.model.kernel import Direction, GemmShape, OverheadShape, PeakShape
from advisor.model.measurement import BenchmarkRequest, Outcome, Runner, Setting
from advisor.model.quantity import Precision
from probes.bench import process
from probes.bench.collector import Collector
from probes.bench.commands import WorkerCommand, worker_script
from probes.bench.events import KernelFinished, KernelStarted
from probes.bench.process import CancelToken, Deadlines
from probes.bench.session import Session
from probes.bench.visit_run import Surroundings, VisitRun

ROOT = Path(__file__).parents[3]
DATA = ROOT / "tests" / "data" / "workers"
WORKERS = worker_script("main").parent
HASTY = Deadlines(start_s=20.0, stage_s=0.5, silence_s=0.5)
PATIENT = Deadlines(start_s=20.0, stage_s=20.0, silence_s=20.0)
STAGES = ("start", "import", "prepare", "warm_up", "measure", "teardown")
needs_posix = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
needs_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks in /proc")


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


def drill(faults, **more):
    """Return a request whose worker has faults before its first kernel."""
    settings = (Setting(name="DL_DRILL", value=faults), *more.pop("settings", ()))
    return request(f"{more.pop('name', 'a')}:", settings=settings, **more)


class Drill:
    """Runs sessions with the drill worker."""

    def __init__(self, profile, folder):
        self._profile = profile
        self.log = folder / "log"

    def command(self, _name, *, python=None, settings=()):
        argv = (sys.executable, "-S", str(DATA / "drill.py"), str(WORKERS))
        log = Setting(name="DL_TEST_LOG", value=str(self.log))
        return WorkerCommand(argv=argv, environment=(log, *settings))

    def run(self, *names_or_requests, deadlines=PATIENT, clock=time.monotonic, **more):
        asked = [request(n) if isinstance(n, str) else n for n in names_or_requests]
        session = Session(
            profile=self._profile, command=self.command, deadlines=deadlines, clock=clock
        )
        return session.run(asked, **more)

    def pids(self):
        return [int(line) for line in self.log.read_text().split()] if self.log.exists() else []


@pytest.fixture
def world(profile, tmp_path):
    before = set(threading.enumerate())
    drill_ = Drill(profile, tmp_path)
    yield drill_
    assert set(threading.enumerate()) <= before
    assert not [pid for pid in drill_.pids() if is_running(pid)]


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    try:
        return stat.read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return not Path("/proc/self").exists()


def outcomes(measurements):
    return {
        result.request.id.partition(":")[0]: getattr(result, "outcome", Outcome.COMPLETED)
        for result in measurements.results
    }


def message_of(measurements, name):
    return next(f.message for f in measurements.failed if f.request.id.startswith(f"{name}:"))


@pytest.mark.parametrize("stage", ["prepare", "check", "warm_up", "measure", "teardown"])
@pytest.mark.parametrize(
    ("fault", "outcome", "words"),
    [
        ("abort", Outcome.CRASHED, "SIGABRT"),
        ("segfault", Outcome.CRASHED, "SIGSEGV"),
        ("illegal", Outcome.CRASHED, "instruction"),
        ("kill", Outcome.OUT_OF_MEMORY, "memory ran out"),
    ],
)
@needs_posix
def test_a_kernel_that_ends_its_worker_costs_that_kernel_only(world, fault, outcome, words, stage):
    found = world.run("a:", f"b:{fault}@{stage}", "c:")
    assert outcomes(found) == {"a": Outcome.COMPLETED, "b": outcome, "c": Outcome.COMPLETED}
    assert words in message_of(found, "b")


@pytest.mark.parametrize("stage", ["prepare", "warm_up", "measure", "teardown"])
def test_a_kernel_that_never_returns_and_lets_no_other_thread_run(world, stage):
    found = world.run("a:", f"b:spin@{stage}", "c:", deadlines=HASTY)
    expected = {"a": Outcome.COMPLETED, "b": Outcome.TIMED_OUT, "c": Outcome.COMPLETED}
    assert outcomes(found) == expected
    assert "nothing was heard" in message_of(found, "b")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="RLIMIT_AS is kept by Linux")
def test_a_kernel_that_asks_for_too_much_memory_leaves_its_worker_alive(world):
    found = world.run("a:", "b:memory@prepare", "c:memory@measure", "d:")
    assert outcomes(found) == {
        "a": Outcome.COMPLETED,
        "b": Outcome.OUT_OF_MEMORY,
        "c": Outcome.OUT_OF_MEMORY,
        "d": Outcome.COMPLETED,
    }
    assert len(set(world.pids())) == 1


@pytest.mark.parametrize("stage", ["check", "teardown"])
def test_wrong_numbers_are_no_figure(world, stage):
    found = world.run("a:", f"b:wrong@{stage}", "c:")
    expected = {"a": Outcome.COMPLETED, "b": Outcome.WRONG_RESULT, "c": Outcome.COMPLETED}
    assert outcomes(found) == expected
    assert message_of(found, "b").startswith("the result is off by 0.5")


def test_a_megabyte_of_chatter_on_both_streams_harms_nobody(world):
    chatty = drill("chatter@start,chatter@import", name="b")
    found = world.run("a:chatter@prepare,chatter@measure", chatty)
    # Before the worker has taken its output for itself chatter is a breach of the protocol.
    assert outcomes(found) == {"a": Outcome.COMPLETED, "b": Outcome.PROTOCOL_ERROR}
    only_import = world.run(drill("chatter@import", name="c"))
    assert outcomes(only_import) == {"c": Outcome.COMPLETED}


def test_a_clock_that_goes_backwards_in_the_worker(world):
    found = world.run("a:once_backwards", "b:always_backwards", "c:")
    assert outcomes(found) == {
        "a": Outcome.COMPLETED,
        "b": Outcome.FAILED,
        "c": Outcome.COMPLETED,
    }
    assert all(value > 0 for m in found.measured for value in m.values_s)
    assert len(found.measured[0].values_s) == 3
    assert "ClockError" in message_of(found, "b")


def test_a_clock_that_goes_backwards_in_the_parent(world):
    looks = iter(range(10_000, 0, -1))
    found = world.run("a:", "b:", clock=lambda: float(next(looks)), budget_s=5.0)
    assert outcomes(found) == {"a": Outcome.COMPLETED, "b": Outcome.COMPLETED}
    assert found.duration_s >= 0.0


def test_how_long_a_framework_takes_to_load_is_learned(world, profile):
    asked = [drill("delay@import", name="a")]
    collector = Collector(asked, lambda _event: None)
    around = Surroundings(
        profile=profile, python=None, command=world.command, deadlines=PATIENT, tuning=None,
        collector=collector, cancel=None,
    )  # fmt: skip
    list(VisitRun(asked, around=around, rest_s=lambda: 20.0).steps())
    assert len(collector.results) == 1
    assert 0.3 <= around.loaded_s[Runner.KERAS] < 5.0


def test_a_worker_of_a_newer_protocol_is_refused_and_the_others_go_on(world):
    newer = (Setting(name="DL_PROTOCOL", value="2"),)
    found = world.run(request("a:", settings=newer), request("b:", settings=newer), "c:")
    assert outcomes(found) == {
        "a": Outcome.PROTOCOL_ERROR,
        "b": Outcome.PROTOCOL_ERROR,
        "c": Outcome.COMPLETED,
    }
    assert "protocol 2" in message_of(found, "a")


def gemm(name, **more):
    return request(name, shape=GemmShape(m=8, n=8, k=8), min_value_s=1e-4, **more)


@needs_posix
def test_a_tensorflow_that_this_processor_cannot_run_is_one_fact(world, tmp_path):
    package = tmp_path / "site" / "tensorflow"
    package.mkdir(parents=True)
    text = "import os, signal, time\nos.kill(os.getpid(), signal.SIGILL)\ntime.sleep(60)\n"
    (package / "__init__.py").write_text(text)
    real = (
        Setting(name="DL_REAL", value="keras"),
        Setting(name="PYTHONPATH", value=str(tmp_path / "site")),
    )
    keras = [gemm(f"{name}:", settings=real) for name in "abc"]
    others = [request("d:", runner=Runner.NUMPY), request("e:", runner=Runner.OPENCL)]
    started = time.monotonic()
    found = world.run(*keras, *others)
    assert time.monotonic() - started < 5.0
    expected = dict.fromkeys("abc", Outcome.CRASHED) | dict.fromkeys("de", Outcome.COMPLETED)
    assert outcomes(found) == expected
    (text,) = {failed.message for failed in found.failed}
    assert "instruction that this processor does not have" in text
    assert text.endswith("while it loaded keras")


@pytest.mark.parametrize(
    ("runner", "words"), [(Runner.KERAS, "tensorflow"), (Runner.NUMPY, "numpy")]
)
def test_a_framework_that_the_interpreter_lacks_is_one_fact(profile, runner, words):
    def without_packages(name, *, python=None, settings=()):
        argv = (sys.executable, "-S", str(worker_script("main")), name)
        return WorkerCommand(argv=argv, environment=settings)

    session = Session(profile=profile, command=without_packages, deadlines=PATIENT)
    asked = [gemm(f"{name}:", runner=runner) for name in "ab"]
    found = session.run(asked)
    assert outcomes(found) == dict.fromkeys("ab", Outcome.UNSUPPORTED)
    (text,) = {failed.message for failed in found.failed}
    assert words in text
    assert sys.executable in text


def test_an_interpreter_that_is_not_there_is_one_fact(profile, tmp_path):
    session = Session(profile=profile, python=str(tmp_path / "python"))
    found = session.run([gemm("a:", runner=Runner.NUMPY), gemm("b:", runner=Runner.NUMPY)])
    assert outcomes(found) == dict.fromkeys("ab", Outcome.FAILED)
    assert "cannot start" in message_of(found, "a")


def test_a_device_that_vanished_since_the_plan_is_said_so(profile):
    # The real worker: whatever devices there are, this one is not among them.
    gone = request(
        "a:launch",
        runner=Runner.OPENCL,
        device_id="opencl:7:7",
        shape=OverheadShape(kind="launch"),
    )
    found = Session(profile=profile).run([gone, gemm("b:", runner=Runner.NUMPY)])
    assert outcomes(found) == {"a": Outcome.UNSUPPORTED, "b": Outcome.COMPLETED}


def faults_of(what, stage):
    """Return the request whose worker comes to that stage and stays there."""
    fault = f"{what}@{stage}"
    return drill(fault) if stage in ("start", "import") else request(f"a:{fault}")


@pytest.fixture
def _no_grace(monkeypatch):
    monkeypatch.setattr(process, "CANCEL_GRACE_S", 0.05)
    monkeypatch.setattr(process, "TERMINATE_GRACE_S", 0.05)


def cancel_when_reached(world, token):
    """Cancel once the worker is where it stays."""

    def wait():
        until = time.monotonic() + 10
        while not world.pids() and time.monotonic() < until:
            time.sleep(0.01)
        token.cancel()

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


@pytest.mark.usefixtures("_no_grace")
@pytest.mark.parametrize("what", ["sleep", "spin"])
@pytest.mark.parametrize("stage", STAGES)
def test_cancelling_ends_a_worker_at_any_stage(world, what, stage):
    token = CancelToken()
    asked = [
        request("z:", runner=Runner.NUMPY),
        faults_of(what, stage),
        "b:",
        request("c:", threads=1),
    ]
    thread = cancel_when_reached(world, token)
    started = time.monotonic()
    found = world.run(*asked, cancel=token)
    thread.join()
    assert time.monotonic() - started < 5.0
    assert outcomes(found) == {"z": Outcome.COMPLETED} | dict.fromkeys("abc", Outcome.CANCELLED)
    assert len(world.pids()) == 1


def test_a_worker_between_two_values_stops_by_itself_when_asked(world):
    token = CancelToken()

    def on_event(event):
        if isinstance(event, KernelStarted) and event.stage == "warm_up":
            token.cancel()

    found = world.run(request("a:endless", n_values=1000), "b:", cancel=token, on_event=on_event)
    assert outcomes(found) == dict.fromkeys("ab", Outcome.CANCELLED)
    assert message_of(found, "a") == "cancelled"


def test_whoever_cannot_wait_keeps_what_was_measured(world):
    token = CancelToken()

    def on_event(event):
        if isinstance(event, KernelStarted) and event.request.id.startswith("b:"):
            token.cancel()
            assert token.hurry()

    started = time.monotonic()
    first = request("a:", runner=Runner.NUMPY)
    found = world.run(first, "b:spin@prepare", "c:", cancel=token, on_event=on_event)
    assert time.monotonic() - started < process.CANCEL_GRACE_S
    cancelled = dict.fromkeys("bc", Outcome.CANCELLED)
    assert outcomes(found) == {"a": Outcome.COMPLETED} | cancelled


def test_cancelling_before_the_start_starts_nothing(world):
    token = CancelToken()
    token.cancel()
    found = world.run("a:kill@prepare", "b:", cancel=token)
    assert outcomes(found) == dict.fromkeys("ab", Outcome.CANCELLED)
    assert world.pids() == []


@needs_linux
@pytest.mark.parametrize("stage", STAGES)
def test_a_parent_that_is_killed_leaves_no_orphan(tmp_path, stage):
    log = tmp_path / "log"
    # Before the worker has opened its channel nothing of it can last long: it is only delayed.
    early = {"start": "delay@start,spin@import", "import": "spin@import"}.get(stage, "")
    late = "" if early else f"spin@{stage}"
    argv = [sys.executable, str(DATA / "drill_parent.py"), str(ROOT), str(WORKERS), str(log)]
    with subprocess.Popen([*argv, late, early]) as parent:
        until = time.monotonic() + 20
        while not log.exists() or not log.read_text().strip():
            assert time.monotonic() < until
            time.sleep(0.01)
        pid = int(log.read_text().split()[0])
        assert is_running(pid)
        parent.send_signal(signal.SIGKILL)
    until = time.monotonic() + 3
    while is_running(pid) and time.monotonic() < until:
        time.sleep(0.01)
    assert not is_running(pid)


@needs_posix
def test_the_whole_drill_in_one_session(world):
    """Each kind of fault in a group of its own; nothing is lost and nothing is answered twice."""
    faults = ["abort@measure", "segfault@prepare", "kill@warm_up", "wrong@check", "spin@measure"]
    groups = [
        [request(f"{n}{i}:{fault if i == 1 else ''}", threads=n) for i in range(3)]
        for n, fault in enumerate(faults, start=1)
    ]
    events = []
    asked = [request_ for group in groups for request_ in group]
    found = world.run(*asked, deadlines=HASTY, on_event=events.append)
    assert len(found.results) == len(asked)
    expected = ["CRASHED", "CRASHED", "OUT_OF_MEMORY", "WRONG_RESULT", "TIMED_OUT"]
    assert [f.outcome.name for f in found.failed] == expected
    finished = [e.result.request.id for e in events if isinstance(e, KernelFinished)]
    assert finished == [r.request.id for r in found.results]


def test_a_reason_of_a_hundred_pages_is_kept_as_one_short_line(world):
    found = world.run("a:", "b:raise@prepare", drill("raise@import", name="c"))
    for name in "bc":
        text = message_of(found, name)
        assert text.startswith("RuntimeError: no such luck [31m")
        assert text.isprintable()
        assert len(text) < 600
