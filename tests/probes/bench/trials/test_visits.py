"""Processes that rest between their visits: real ones, with steps that only wait."""

import contextlib
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
from advisor.model.quantity import Phase
from advisor.model.trial import CodeReference, DataKind, TrialData, TrialSetup, TrialSource
from advisor.model.turns import TURNS_ALONE, n_turns
from probes.bench.commands import WorkerCommand, worker_script
from probes.bench.process import CancelToken
from probes.bench.trials.run import RunLimits
from probes.bench.trials.visits import Visits, can_rest

ROOT = Path(__file__).parents[4]
SCRIPT = ROOT / "tests" / "data" / "workers" / "resting.py"
SOURCE = TrialSource(
    name="n", title="N", phase=Phase.TRAINING, batch_size=4, model_json="{}"
)  # fmt: skip
LIMITS = RunLimits(check_steps=8, memory_bytes=4 << 30)


def command(_name, *, python=None, settings=()):
    argv = (python or sys.executable, "-S", str(SCRIPT), str(worker_script("main").parent))
    return WorkerCommand(argv=argv, environment=settings)


def setup(name="now", **variables):
    settings = {"DL_STEP_S": "0.025", **variables}
    return TrialSetup(
        id=name,
        title=name,
        settings=tuple(Setting(name=key, value=value) for key, value in settings.items()),
    )


def visit(visits, *, of=None, **more):
    values = {"started_s": 1.0, "limits": LIMITS, **more}
    return visits.run(SOURCE, of or setup(), **values)


def workers():
    """Return our children that run steps."""
    found = []
    for child in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if str(SCRIPT) in child.cmdline() and child.status() != psutil.STATUS_ZOMBIE:
                found.append(child)
    return found


def _is_gone(process):
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.Error:
        return True


@pytest.fixture
def visits():
    before = set(threading.enumerate())
    with Visits(baseline_id="now", command=command, most_visits=3, most_of_baseline=5) as found:
        yield found
    assert not workers()
    assert set(threading.enumerate()) <= before


def test_a_second_visit_finds_the_process_as_it_was(visits):
    slow = setup(DL_STEP_S="0.1")
    first, second = visit(visits, of=slow), visit(visits, of=slow, started_s=5.0)
    other = visit(visits, of=setup("other"))
    third = visit(visits, of=slow)
    assert [run.process for run in (first, second, other, third)] == [1, 1, 2, 1]
    assert [run.outcome for run in (first, second, other, third)] == [Outcome.COMPLETED] * 4
    assert first.first_step_s is not None
    assert second.first_step_s is None
    assert (second.started_s, third.started_s) == (5.0, 1.0)
    # Steps of all visits follow each other.
    assert [check.steps for check in second.checks] == [2, 4, 8]
    assert second.duration_s < first.duration_s
    assert 0.1 <= second.step_s < 0.2
    assert len(workers()) == 2


def test_a_run_takes_its_turns_next_to_those_of_the_state_now(visits):
    alone = visit(visits, of=setup(DL_STEP_S="0.1"))
    assert (len(alone.values_s), alone.beside_s) == (TURNS_ALONE, ())
    found = visit(visits, of=setup("fast"))
    assert len(found.values_s) == len(found.beside_s) == n_turns(0.025)
    assert found.first_step_s is not None
    assert all(0.025 <= value < 0.05 for value in sorted(found.values_s)[:-2])
    assert all(0.1 <= value < 0.15 for value in sorted(found.beside_s)[:-2])
    # Where the state now does not rest, a run is one of its own.
    (worker,) = [w for w in workers() if w.environ().get("DL_STEP_S") == "0.1"]
    worker.kill()
    until = time.monotonic() + 5.0
    while not _is_gone(worker) and time.monotonic() < until:
        time.sleep(0.01)
    left = visit(visits, of=setup("fast"))
    assert (left.outcome, left.beside_s) == (Outcome.COMPLETED, ())
    assert len(left.values_s) == TURNS_ALONE


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_where_the_state_now_dies_a_run_keeps_the_turns_before(visits):
    # Seventeen steps alone, then one in each turn.
    assert visit(visits, of=setup(DL_STEP_S="0.06", DL_DIES_AT="20")).is_completed
    found = visit(visits, of=setup("other", DL_STEP_S="0.05"))
    assert found.is_completed
    assert 0 < len(found.beside_s) == len(found.values_s) < n_turns(0.05)


def test_what_is_hopeless_has_two_turns(visits):
    assert visit(visits).is_completed
    limits = dataclasses.replace(LIMITS, hopeless_step_s=0.05)
    assert len(visit(visits, of=setup("slow", DL_STEP_S="0.2"), limits=limits).values_s) == 2
    assert len(visit(visits, of=setup("as fast"), limits=limits).values_s) == n_turns(0.025)


def test_a_slow_network_has_the_turns_that_the_time_allows(visits):
    limits = dataclasses.replace(LIMITS, max_time_s=0.3)
    assert len(visit(visits, of=setup(DL_STEP_S="0.2"), limits=limits).values_s) == 3


def test_what_rests_takes_no_time_of_a_processor(visits):
    visit(visits)
    (worker,) = workers()
    before = worker.cpu_times()
    time.sleep(0.5)
    after = worker.cpu_times()
    assert after.user + after.system - before.user - before.system <= 0.02


@pytest.mark.slow
def test_a_fresh_process_takes_the_place_of_one_that_was_visited_often(visits):
    other = setup("other")
    runs = [visit(visits), *(visit(visits, of=other) for _ in range(4)), visit(visits)]
    assert [run.process for run in runs] == [1, 2, 2, 2, 3, 4]
    # The state now took part in five of them.
    assert [bool(run.beside_s) for run in runs] == [False, *[True] * 4, False]
    assert len(workers()) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_process_that_dies_in_a_later_visit_costs_that_visit_alone(visits):
    dying = setup("dying", DL_STEP_S="0.1", DL_DIES_AT="15")
    runs = [visit(visits, of=dying) for _ in range(3)]
    assert [run.outcome for run in runs] == [Outcome.COMPLETED, Outcome.CRASHED, Outcome.COMPLETED]
    assert "SIGABRT" in runs[1].message
    assert [run.process for run in runs] == [1, 1, 2]
    assert visit(visits).is_completed


def test_what_was_ended_while_it_rested_begins_anew(visits):
    assert visit(visits).process == 1
    (worker,) = workers()
    worker.kill()
    until = time.monotonic() + 5.0
    while not _is_gone(worker) and time.monotonic() < until:
        time.sleep(0.01)
    found = visit(visits)
    assert (found.outcome, found.process) == (Outcome.COMPLETED, 2)


def test_what_was_visited_longest_ago_makes_room(visits):
    limits = dataclasses.replace(LIMITS, memory_bytes=600 << 20)
    heavy = [setup(name, DL_HOLD_MB="200") for name in "abc"]
    for one in heavy:
        assert visit(visits, of=one, limits=limits).is_completed
    assert len(workers()) < 3
    # The last one still rests, the one before it begins anew.
    assert visit(visits, of=heavy[2], limits=limits).process == 3
    assert visit(visits, of=heavy[1], limits=limits).process == 4


@pytest.mark.slow
def test_what_all_are_compared_with_makes_room_last(visits):
    limits = dataclasses.replace(LIMITS, memory_bytes=900 << 20)
    for name in ("now", "a", "b", "c"):
        one = setup(name, DL_HOLD_MB="200")
        assert visit(visits, of=one, limits=limits).is_completed
    assert len(workers()) == 2
    assert visit(visits, of=setup("now", DL_HOLD_MB="200"), limits=limits).process == 1


def test_too_much_memory_is_told_with_what_the_others_hold(visits):
    limits = dataclasses.replace(LIMITS, memory_bytes=500 << 20)
    assert visit(visits, of=setup("a", DL_HOLD_MB="100"), limits=limits).is_completed
    found = visit(visits, of=setup("b", DL_HOLD_MB="450", DL_STEP_S="0.2"), limits=limits)
    assert found.outcome is Outcome.OUT_OF_MEMORY
    assert "GiB" in found.message


def test_cancelling_ends_what_rests_as_well(visits):
    token = CancelToken()
    assert visit(visits, cancel=token).is_completed
    token.cancel()
    began = time.monotonic()
    assert visit(visits, cancel=token).outcome is Outcome.CANCELLED
    assert time.monotonic() - began < 5.0


def test_numbers_go_on_after_those_of_an_earlier_sitting():
    with Visits(baseline_id="now", command=command, n_earlier=7) as found:
        assert visit(found).process == 8
    assert not workers()


def test_a_turn_without_figures_is_no_figure_of_the_one_before():
    script = (
        "import json, sys\n"
        "def say(**fields): print(json.dumps(fields), flush=True)\n"
        "say(type='hello', protocol=1)\n"
        "say(type='value', values_s=[0.1, 0.1], batch_size=4, stack={'framework': 'keras',"
        " 'framework_version': '3', 'backend': None, 'backend_version': None})\n"
        "for _line in sys.stdin: say(type='stage', stage='paused')\n"
    )

    def silent(_name, *, python=None, settings=()):
        return WorkerCommand(argv=(python or sys.executable, "-S", "-c", script))

    with Visits(baseline_id="now", command=silent) as found:
        again = visit(found)
    assert again.outcome is Outcome.PROTOCOL_ERROR
    assert again.values_s == ()


def test_only_what_does_nothing_between_visits_may_rest():
    assert can_rest(SOURCE, setup())
    assert not can_rest(SOURCE, dataclasses.replace(setup(), device="gpu"))
    code = CodeReference(path="net.py", function="build_model")
    assert not can_rest(dataclasses.replace(SOURCE, code=code, model_json=None), setup())
    data = TrialData(kind=DataKind.CSV, path="d.csv")
    assert not can_rest(dataclasses.replace(SOURCE, data=data), setup())


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_killed_parent_leaves_nothing_that_rests():
    script = (
        "import sys, time; sys.path[:0] = [sys.argv[1], sys.argv[2]]\n"
        "import test_visits as t\n"
        "with t.Visits(baseline_id='now', command=t.command) as visits:\n"
        "    t.visit(visits); t.visit(visits, of=t.setup('other'))\n"
        "    print(*(w.pid for w in t.workers()), flush=True)\n"
        "    time.sleep(60)\n"
    )
    argv = [sys.executable, "-c", script, str(ROOT), str(Path(__file__).parent)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as parent:
        pids = [int(word) for word in parent.stdout.readline().split()]
        assert len(pids) == 2
        os.kill(parent.pid, signal.SIGKILL)
    until = time.monotonic() + 5.0
    while any(map(psutil.pid_exists, pids)) and time.monotonic() < until:
        time.sleep(0.02)
    assert not any(map(psutil.pid_exists, pids))
