"""Whoever asks a command to end is answered in order, by whatever signal."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from ui.ending import ENDING, answered_by, as_ctrl_c

pytestmark = pytest.mark.usefixtures("answers_signals")
ROOT = Path(__file__).resolve().parents[2]
needs_posix = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
NUMBERS = [getattr(signal, name) for name in ENDING if hasattr(signal, name)]


def test_signals_are_taken_over_and_given_back():
    before = [signal.getsignal(number) for number in NUMBERS]
    taken = []
    with answered_by(lambda number, _frame: taken.append(number)):
        for number in NUMBERS:
            signal.raise_signal(number)
    assert taken == NUMBERS
    assert [signal.getsignal(number) for number in NUMBERS] == before


@needs_posix
def test_what_is_ignored_stays_ignored():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with as_ctrl_c():
            signal.raise_signal(signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize("number", NUMBERS)
def test_every_signal_is_as_ctrl_c(number):
    with pytest.raises(KeyboardInterrupt), as_ctrl_c():
        signal.raise_signal(number)


def test_other_threads_leave_the_signals_alone():
    before = [signal.getsignal(number) for number in NUMBERS]
    seen = []

    def enter():
        with as_ctrl_c():
            seen.extend(signal.getsignal(number) for number in NUMBERS)

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    assert seen == before


PROBING = """
import os, signal, sys, tempfile, threading
from pathlib import Path
import probes.machine.opencl as opencl
from probes.bench.commands import WorkerCommand

def hangs(_name):
    code = "import os, sys, time; print('x', file=sys.stderr, flush=True); time.sleep(60)"
    return WorkerCommand(argv=(sys.executable, "-c", code))

def wait():
    place = Path(tempfile.gettempdir())
    while not list(place.glob("dl-advisor-*")):
        pass
    os.kill(os.getpid(), getattr(signal, sys.argv[1]))

opencl.worker_command = hangs
threading.Thread(target=wait, daemon=True).start()
from ui.cli import run
code = run(["probe"])
print(code, list(Path(tempfile.gettempdir()).iterdir()))
"""


@needs_posix
@pytest.mark.parametrize("name", ENDING)
def test_whoever_ends_a_probe_finds_no_folder_and_no_child_of_it(name, tmp_path):
    own = {"TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT), "LANG": "C"}
    done = subprocess.run(
        [sys.executable, "-P", "-c", PROBING, name], env={**os.environ, **own},
        capture_output=True, text=True, timeout=30, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "130 []\n"), done.stderr
    assert done.stderr == "dl-advisor: cancelled\n"
