"""Signals can be emitted more often than `True` has references, and the process ends in order."""

import subprocess
import sys

SCRIPT = """
import sys
from PySide6.QtCore import QObject, Signal
from ui.true_references import spare_references_of_true
spare_references_of_true()
spare_references_of_true()
class Sender(QObject):
    told = Signal(object)
sender = Sender()
got = []
sender.told.connect(got.append)
for number in range(5000):
    sender.told.emit(number)
assert got == list(range(5000))
print("done")
"""


def test_many_signals_do_no_harm(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=30, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")
