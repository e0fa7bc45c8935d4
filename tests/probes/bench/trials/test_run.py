"""User code that does its worst: each a verdict in time, and the next run is as if nothing was."""

import dataclasses
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from advisor.model.measurement import Outcome, Setting
from advisor.model.quantity import Phase, Precision
from advisor.model.trial import (
    CheckValue,
    CodeReference,
    DataKind,
    Jit,
    Pipeline,
    TrialData,
    TrialSetup,
    TrialSource,
)
from probes.bench.commands import WorkerCommand, worker_script
from probes.bench.process import CancelToken
from probes.bench.trials.run import RunLimits, _parse_checks, request_of, run_setup

ROOT = Path(__file__).parents[4]
DATA = ROOT / "tests" / "data" / "workers"
WORKERS = worker_script("main").parent
NOW = TrialSetup(id="now", title="now")
LIMITS = RunLimits(memory_bytes=300 << 20, budget_s=4.0, stage_s=1.0, silence_s=1.0)
MARK = "DL_HOSTILE_MARK"
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
needs_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks in /proc")

HOSTILE = {
    "sleep": ("import time\ndef build_model():\n    time.sleep(60)", Outcome.TIMED_OUT, "heard"),
    "sleep_on_load": ("import time\ntime.sleep(60)", Outcome.TIMED_OUT, "heard"),
    "memory": (
        "def build_model():\n    kept = []\n    while True:\n        kept.append(b'x' * (1 << 24))",
        Outcome.OUT_OF_MEMORY,
        "0.3 GiB",
    ),
    "fork": (
        (
            "import os, time\ndef build_model():\n    while True:\n        if os.fork() == 0:\n"
            "            time.sleep(60)"
        ),
        Outcome.FAILED,
        "processes",
    ),
    "segfault": (
        "import ctypes\ndef build_model():\n    ctypes.string_at(0)",
        Outcome.CRASHED,
        "SIGSEGV",
    ),
    "abort": ("import os\ndef build_model():\n    os.abort()", Outcome.CRASHED, "SIGABRT"),
    "leave": ("import sys\nsys.exit(0)", Outcome.UNSUPPORTED, "ends the program"),
    "leave_hard": ("import os\nos._exit(0)", Outcome.PROTOCOL_ERROR, "without a result"),
    "raise": ("def build_model():\n    raise ValueError('mine')", Outcome.FAILED, "mine"),
    "no_function": ("x = 1", Outcome.UNSUPPORTED, "build_model"),
    "syntax": ("def (", Outcome.FAILED, ""),
    "close_all": (
        "import os\ndef build_model():\n    os.closerange(0, 100)\n    os.abort()",
        None,
        "",
    ),
}  # fmt: skip


def command(_name, *, python=None, settings=()):
    argv = (python or sys.executable, str(DATA / "user_code.py"), str(WORKERS))
    return WorkerCommand(argv=argv, environment=(Setting(name=MARK, value="1"), *settings))


def source(tmp_path, text):
    path = tmp_path / "net.py"
    path.write_text(text)
    return TrialSource(
        name="net",
        title="net",
        phase=Phase.TRAINING,
        batch_size=8,
        code=CodeReference(path=str(path), function="build_model"),
    )


def run(tmp_path, text, **more):
    limits = more.pop("limits", LIMITS)
    return run_setup(source(tmp_path, text), NOW, limits=limits, command=command, **more)


def marked():
    """Return the processes that carry our mark, the dead ones aside."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.status() != psutil.STATUS_ZOMBIE and MARK in process.environ():
                found.append(process.pid)
        except psutil.Error:
            continue
    return [pid for pid in found if pid != os.getpid()]


@pytest.fixture(autouse=True)
def nothing_is_left():
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) <= before
    until = time.monotonic() + 3
    while marked() and time.monotonic() < until:
        time.sleep(0.02)
    assert not marked()


@needs_linux
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_code_gets_a_verdict_within_its_budget(tmp_path, name):
    text, outcome, words = HOSTILE[name]
    began = time.monotonic()
    found = run(tmp_path, text)
    assert time.monotonic() - began < LIMITS.budget_s + 3.0
    assert not found.is_completed
    assert found.message
    if outcome is not None:
        assert found.outcome is outcome, found.message
        assert words in found.message
    assert run(tmp_path, "def build_model():\n    return 0.02").is_completed


def test_a_hundred_megabytes_of_chatter_harm_nothing(tmp_path):
    text = "def build_model():\n    for _ in range(100):\n        print('x' * (1 << 20))\n"
    found = run(tmp_path, text + "    return 0.02", limits=RunLimits(budget_s=20.0))
    assert found.is_completed, found.message
    assert found.step_s == pytest.approx(0.02)


@needs_linux
def test_grandchildren_in_sessions_of_their_own_are_ended_too(tmp_path):
    text = (
        "import os, time\ndef build_model():\n    if os.fork() == 0:\n        os.setsid()\n"
        "        if os.fork() == 0:\n            time.sleep(60)\n        os._exit(0)\n"
        "    time.sleep(0.5)\n    return 0.02"
    )
    assert run(tmp_path, text).is_completed


@needs_linux
def test_a_killed_parent_leaves_no_orphan_of_code_that_forks(tmp_path):
    text = "import os, time\ndef build_model():\n    os.fork()\n    time.sleep(60)"
    path = source(tmp_path, text).code.path
    script = (
        "import sys; sys.path[:0] = [sys.argv[1], sys.argv[2]]\n"
        "import test_run\n"
        "from pathlib import Path\n"
        "test_run.run(Path(sys.argv[3]), Path(sys.argv[4]).read_text(),"
        " limits=test_run.RunLimits())\n"
    )
    argv = [
        sys.executable,
        "-c",
        script,
        str(ROOT),
        str(Path(__file__).parent),
        str(tmp_path),
        path,
    ]
    with subprocess.Popen(argv) as parent:
        until = time.monotonic() + 20
        # The worker, its watcher, and the child that it made.
        while len(marked()) < 3 and time.monotonic() < until:
            time.sleep(0.02)
        assert len(marked()) >= 3
        parent.send_signal(signal.SIGKILL)


def test_cancelling_ends_it(tmp_path):
    token = CancelToken()
    threading.Timer(0.3, token.cancel).start()
    began = time.monotonic()
    limits = dataclasses.replace(LIMITS, stage_s=30.0, budget_s=30.0)
    text = "import time\ndef build_model():\n    time.sleep(60)"
    found = run(tmp_path, text, cancel=token, limits=limits)
    assert found.outcome is Outcome.CANCELLED
    assert time.monotonic() - began < 6.0


def test_a_run_tells_what_it_measured(tmp_path):
    found = run(tmp_path, "def build_model():\n    return 0.02", started_s=7.0)
    assert (found.setup_id, found.started_s, found.batch_size) == ("now", 7.0, 8)
    assert found.duration_s > 0.0
    assert found.first_step_s == 1.0
    assert found.check_value == 2.3
    assert found.peak_memory_bytes > 1 << 20
    assert found.stack.backend == "tensorflow"
    assert found.checks == (CheckValue(steps=2, value=2.5), CheckValue(steps=4, value=2.3))


@pytest.mark.parametrize("found", [None, "x", [1], [[1]], [["a", 1.0]], [[1, None]], [[True, 1]]])
def test_check_values_that_make_no_sense_are_left_out(found):
    assert _parse_checks(found) == ()


def test_the_request_has_what_the_setup_changes(tmp_path):
    changed = TrialSetup(
        id="x",
        title="x",
        intra_threads=2,
        cpus=(0,),
        precision=Precision.BFLOAT16,
        jit=Jit.ON,
        batch_size=16,
        pipeline=Pipeline.CACHE,
        backend="jax",
    )
    data = TrialData(kind=DataKind.CSV, path="/d.csv")
    asked = request_of(dataclasses.replace(source(tmp_path, ""), data=data), changed, RunLimits())
    assert asked["model"]["function"] == "build_model"
    assert asked["data"] == {"kind": "csv", "path": "/d.csv", "function": ""}
    assert (asked["batch_size"], asked["precision"], asked["jit"]) == (16, "bfloat16", "on")
    assert (asked["backend"], asked["intra_threads"], asked["cpus"]) == ("jax", 2, [0])
    assert asked["pipeline"] == "cache"
