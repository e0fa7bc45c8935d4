"""Whoever asks the window to end by a signal is answered as by its own button."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from ui.background import BackgroundTask, wait_for_all
from ui.ending import ENDING

ROOT = Path(__file__).resolve().parents[2]
needs_posix = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")

DRIVE = """
import os, signal, sys, tempfile
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QMessageBox
import probes.machine.opencl as opencl
from probes.bench.commands import WorkerCommand
from tests.ui.advice_values import FakeWalk
from ui import app
from ui.presenters.machine import MachinePresenter

name, what = sys.argv[1:]
# Who runs tests in the background ignores signals, and what is ignored stays so.
signal.signal(getattr(signal, name), signal.SIG_DFL)
app.AdvisePresenter.__init__.__kwdefaults__.update(walk_line=FakeWalk(5, is_gated=True))
closed = []

def slow(_name):
    code = "import sys, time; print('x', file=sys.stderr, flush=True); time.sleep(2)"
    return WorkerCommand(argv=(sys.executable, "-c", code))

def ask(_window):
    os.kill(os.getpid(), getattr(signal, name))

def drive(window):
    window.closing.connect(lambda: closed.append(True))
    if what == "run":
        QTimer.singleShot(0, window.page("start").advise_button.click)
    elif what == "box":
        QTimer.singleShot(0, lambda: QMessageBox.warning(window, "t", "text"))
    elif what == "probe":
        opencl.worker_command = slow
        QTimer.singleShot(0, window.findChild(MachinePresenter).probe)
    QTimer.singleShot(900, lambda: ask(window))

code = app.run(on_window=drive)
print(code, len(closed), [each.name for each in Path(tempfile.gettempdir()).iterdir()])
"""


@needs_posix
@pytest.mark.parametrize(
    ("name", "what"),
    [*((name, "run") for name in ENDING), ("SIGTERM", "box"), ("SIGINT", "probe")],
)
def test_a_signal_closes_the_window_and_leaves_nothing(name, what, tmp_path):
    folder = tmp_path / "of_the_app"
    folder.mkdir()
    own = {"TMPDIR": str(folder), "PYTHONPATH": str(ROOT), "LANG": "C"}
    done = subprocess.run(
        [sys.executable, "-P", "-c", DRIVE, name, what], env={**os.environ, **own},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "0 1 []\n"), done.stderr
    assert "Traceback" not in done.stderr


def test_all_that_runs_is_waited_for_and_no_longer_than_asked(qtbot):
    gate = threading.Event()
    task = BackgroundTask(lambda _send: gate.wait(10.0))
    with qtbot.waitSignal(task.done):
        task.start()
        assert not wait_for_all(0.01)
        gate.set()
        assert wait_for_all(10.0)
