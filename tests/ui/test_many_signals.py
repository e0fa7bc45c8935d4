"""The pinned Qt binding survives any number of signals; PySide6 6.12.0 did not on Python 3.11."""

import subprocess
import sys

SCRIPT = """
from PySide6.QtCore import QObject, Signal
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


def test_many_signals_do_no_harm():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=30, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")
