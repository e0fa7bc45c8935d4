"""The history: what is kept, and what a kill, a broken file or another process does to it."""

import contextlib
import dataclasses
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from advisor.errors import InputError
from advisor.model.measurement import Outcome, SoftwareStack
from advisor.model.own_step import OwnStep
from advisor.model.quantity import Phase, Precision
from advisor.model.trial import TrialRun, TrialSetup, TrialSource
from ui.history.rows import OwnStepRow, search_of
from ui.history.store import SCHEMA_VERSION, History

ROOT = Path(__file__).parents[3]
PARENT = ROOT / "tests" / "data" / "workers" / "try_parent.py"
SOURCE = TrialSource(name="net", title="Net", phase=Phase.TRAINING, batch_size=8, model_json="{}")
SEARCH = search_of(SOURCE, machine="cpu", software="keras 3", created_on="2026-11-22")
SETUP = TrialSetup(id="now", title="As it is now")
RUN = TrialRun(
    setup_id="now",
    started_s=0.0,
    duration_s=5.0,
    outcome=Outcome.COMPLETED,
    stack=SoftwareStack(
        framework="keras", framework_version="3", backend="tensorflow", backend_version="2"
    ),
    values_s=(0.1, 0.2),
    check_value=2.3,
)


def add(history, search=SEARCH, run=RUN):
    history.add_run(search, SETUP, run, finished_on="2026-11-22")


def test_runs_come_back_as_they_were(tmp_path):
    path = tmp_path / "new" / "history.sqlite3"
    with History(path) as history:
        add(history)
        add(history, run=dataclasses.replace(RUN, outcome=Outcome.CRASHED, message="it’s gone"))
    with History(path) as history:
        runs = history.runs_of(SEARCH.key)
        assert [run.message for _setup, run in runs] == ["", "it’s gone"]
        assert runs[0] == (SETUP, RUN)
        row = history.rows()[0]
        assert (row.search, row.setup, row.run) == (SEARCH, SETUP, RUN)


def test_a_file_without_times_of_day_gets_them_and_keeps_its_runs(tmp_path):
    path = tmp_path / "h"
    with History(path) as history:
        add(history)
    with sqlite3.connect(path) as database:
        database.execute("ALTER TABLE run DROP COLUMN finished_at")
    database.close()
    now = "2026-11-22T18:55:10+00:00"
    with History(path) as history:
        history.add_run(SEARCH, SETUP, RUN, finished_on="2026-11-22", finished_at=now)
        assert [row.finished_at for row in history.rows()] == ["", now]
        assert {row.finished_on for row in history.rows()} == {"2026-11-22"}


def test_a_search_begins_anew_or_goes_on(tmp_path):
    with History(tmp_path / "h") as history:
        first = history.begun(SEARCH)
        assert history.resumed(SEARCH) == first
        add(history, first)
        second = history.begun(SEARCH)
        assert second.key != first.key
        add(history, second)
        assert history.resumed(SEARCH) == second
        assert len(history.runs_of(first.key)) == 1


@pytest.mark.parametrize(
    "other",
    [
        search_of(SOURCE, machine="other", software="keras 3", created_on="x"),
        search_of(SOURCE, machine="cpu", software="keras 4", created_on="x"),
        search_of(SOURCE, machine="cpu", software="keras 3", created_on="x", code_text="x"),
        search_of(
            dataclasses.replace(SOURCE, batch_size=16),
            machine="cpu",
            software="keras 3",
            created_on="x",
        ),
    ],
)
def test_runs_that_cannot_be_compared_are_kept_apart(other):
    assert other.key != SEARCH.key
    assert (
        search_of(SOURCE, machine="cpu", software="keras 3", created_on="later").key == SEARCH.key
    )


def test_a_newer_file_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "h"
    with sqlite3.connect(path) as database:
        database.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    database.close()
    before = path.read_bytes()
    with pytest.raises(InputError, match="newer"):
        History(path)
    assert path.read_bytes() == before


def test_a_broken_file_is_put_aside(tmp_path):
    path = tmp_path / "h"
    path.write_bytes(b"no database at all" * 1000)
    with History(path) as history:
        add(history)
        assert len(history.rows()) == 1
    assert (tmp_path / "h.broken").read_bytes().startswith(b"no database")


def test_a_second_broken_file_does_not_cost_the_first(tmp_path):
    path = tmp_path / "h"
    for text in (b"first", b"second"):
        path.write_bytes(text * 1000)
        with History(path) as history:
            assert history.put_aside is not None
            assert history.put_aside.read_bytes().startswith(text)
    assert (tmp_path / "h.broken").read_bytes().startswith(b"first")
    with History(path) as history:
        assert history.put_aside is None


def test_a_database_of_somebody_else_is_put_aside(tmp_path):
    path = tmp_path / "h"
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.executescript(
            f"CREATE TABLE run (a); CREATE TABLE search (b); PRAGMA user_version = {SCHEMA_VERSION}"
        )
    with History(path) as history:
        assert history.put_aside == tmp_path / "h.broken"
        assert history.rows() == ()


@pytest.mark.parametrize("text", ["'{'", "'[]'", "x'ff00'", "7"])
def test_a_damaged_run_says_what_to_do(tmp_path, text):
    path = tmp_path / "h"
    with History(path) as history:
        add(history)
        history._database.execute(f"UPDATE run SET run = {text}")
        with pytest.raises(InputError, match="move the file away"):
            history.rows()


def test_a_place_that_cannot_be_written_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="history cannot be opened"):
        History(tmp_path / "file" / "h")


def test_two_processes_may_write_at_the_same_time(tmp_path):
    path = tmp_path / "h"
    History(path).close()

    def write():
        with History(path) as history:
            for _ in range(20):
                add(history)

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with History(path) as history:
        assert len(history.rows()) == 80


def is_alive(process):
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def wait_until_gone(processes):
    until = time.monotonic() + 5
    while any(map(is_alive, processes)) and time.monotonic() < until:
        time.sleep(0.01)
    return not any(map(is_alive, processes))


def finished(path):
    with History(path) as history:
        assert history._database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return [row.run.outcome for row in history.rows()]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_fifty_kills_at_random_moments_lose_no_finished_run_and_leave_no_orphan(tmp_path):
    """Half of them hit the parent, half the child; the same history lives through all."""
    moments = random.Random(7)
    path = tmp_path / "history"
    (tmp_path / "net.py").write_text("def build_model():\n    return 0.02\n")
    told = 0
    n_hit_children = 0
    for at in range(50):
        argv = [sys.executable, str(PARENT), str(ROOT), str(path), str(tmp_path)]
        with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as parent:
            children = []
            # Half of the moments are any, half lie within the search, however slow the start is.
            until = time.monotonic() + (10.0 if at % 2 else 0.0)
            while not children and time.monotonic() < until:
                children = psutil.Process(parent.pid).children(recursive=True)
                time.sleep(0.005)
            time.sleep(moments.uniform(0.0, 1.0))
            children = psutil.Process(parent.pid).children(recursive=True)
            if at % 2 and children:
                children[0].kill()
                n_hit_children += 1
                time.sleep(moments.uniform(0.0, 0.2))
                children += psutil.Process(parent.pid).children(recursive=True)
            parent.send_signal(signal.SIGKILL)
            told += len(parent.stdout.read().splitlines())
        assert wait_until_gone(children), at
        if path.exists():
            # What was told was kept before; one more may have been kept and not yet told.
            assert told <= len(finished(path)) <= told + at + 1
    outcomes = finished(path)
    assert n_hit_children > 5
    assert outcomes.count(Outcome.COMPLETED) > 10


def test_a_search_is_forgotten_with_its_runs_and_no_other(tmp_path):
    with History(tmp_path / "h") as history:
        first, second = history.begun(SEARCH), dataclasses.replace(SEARCH, key="other")
        add(history, search=first)
        add(history, search=second)
        history.remove(first.key)
        assert [row.search.key for row in history.rows()] == ["other"]
        history.close()
        with pytest.raises(InputError):
            history.remove("other")


STEP = OwnStep(
    network="net",
    phase=Phase.TRAINING,
    precision=Precision.FLOAT32,
    batch_size=8,
    predicted_s=0.1,
    log_sd=0.12,
    measured_s=0.11,
    measured_on="2026-11-22",
)


def test_all_own_steps_come_the_oldest_first_and_each_machine_has_its_own(tmp_path):
    path = tmp_path / "h"
    larger = dataclasses.replace(STEP, batch_size=64)
    later = dataclasses.replace(STEP, measured_s=0.12, measured_on="2026-11-23")
    foreign = dataclasses.replace(SEARCH, key="foreign", machine="another cpu")
    with History(path) as history:
        kept = []
        for step in (STEP, larger, later):
            kept.append(history.begun(SEARCH))
            add(history, kept[-1])
            history.add_own_step(kept[-1], step)
        add(history, foreign)
        history.add_own_step(foreign, STEP)
    with History(path) as history:
        assert history.own_steps(machine="cpu") == (STEP, larger, later)
        assert history.own_steps(machine="another cpu") == (STEP,)
        assert history.own_steps(machine="none") == ()
        history.add_own_step(kept[0], dataclasses.replace(STEP, measured_s=0.5))
        assert history.own_steps(machine="cpu")[-1].measured_s == 0.5
        assert len(history.own_steps(machine="cpu")) == 3
        history.remove(kept[0].key)
        assert history.own_steps(machine="cpu") == (larger, later)
        history.remove_own_step(kept[1].key)
        assert history.own_steps(machine="cpu") == (later,)
        assert kept[1] in [row.search for row in history.rows()]


def test_own_steps_come_with_their_search_and_a_damaged_one_as_none(tmp_path):
    with History(tmp_path / "h") as history:
        add(history)
        history.add_own_step(SEARCH, STEP)
        assert history.own_step_rows() == (OwnStepRow(search=SEARCH, step=STEP),)
        history._database.execute("UPDATE own_step SET step = '[]'")
        assert history.own_step_rows() == (OwnStepRow(search=SEARCH, step=None),)
        assert history.own_steps(machine="cpu") == ()


def test_an_own_step_without_a_run_is_refused(tmp_path):
    with History(tmp_path / "h") as history, pytest.raises(InputError, match="cannot be written"):
        history.add_own_step(SEARCH, STEP)


def test_an_old_history_opens_as_before_and_takes_own_steps(tmp_path):
    path = tmp_path / "h"
    with History(path) as history:
        add(history)
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("DROP TABLE own_step")
    with History(path) as history:
        assert [row.run for row in history.rows()] == [RUN]
        assert history.own_steps(machine="cpu") == ()
        history.add_own_step(SEARCH, STEP)
    with History(path) as history:
        assert history.own_steps(machine="cpu") == (STEP,)
        assert [row.run for row in history.rows()] == [RUN]


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_an_own_step_outlives_a_kill(tmp_path):
    path = tmp_path / "h"
    code = (
        "import os, signal; from tests.ui.history.test_store import *\n"
        f"history = History(Path({str(path)!r})); add(history)\n"
        "history.add_own_step(SEARCH, STEP); os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False)
    assert done.returncode == -signal.SIGKILL
    with History(path) as history:
        assert history.own_steps(machine="cpu") == (STEP,)
