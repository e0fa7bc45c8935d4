"""The child's half of the language of parent and child.

One JSON object a line, UTF-8, no NaN. The parent writes `run` (first line, with everything to be
done), `pause` and `resume`, which may have new `budget_s`, and `cancel`; the end of its stream
means that it is gone, and then so are we.
We write `hello`, then any of `stage`, `progress`, `value`, `kernel_failed`, `log`, and at last
exactly one of `result`, `error`, `cancelled`.
Leaves to others: what is done (`main.py`).
"""

import contextlib
import ctypes
import json
import os
import signal
import sys
import threading

import worker_threads

PROTOCOL_VERSION = 1
EXIT_PARENT_GONE = 70
_PR_SET_PDEATHSIG = 1


class Cancelled(Exception):  # noqa: N818 - it is a request, not a fault
    """The parent asked to stop."""


class Channel:
    """Both directions. Messages may be sent from any thread.

    `on_resume` is called after a rest with the seconds that are left, if the parent tells them.
    """

    def __init__(self, input_descriptor, output_descriptor):
        self._input = input_descriptor
        self._output = output_descriptor
        self._lock = threading.Lock()
        self._run = None
        self._has_run = threading.Event()
        self._is_cancelled = threading.Event()
        self._is_paused = threading.Event()
        self._may_go_on = threading.Event()
        self._granted_s = None
        self.on_resume = None

    def listen(self):
        """Begin to read what the parent writes, in a thread of its own."""
        threading.Thread(target=self._listen, daemon=True).start()

    def wait_for_run(self):
        """Return the `run` message."""
        self._has_run.wait()
        return self._run

    def send(self, kind, **fields):
        """Write one message."""
        fields["type"] = kind
        line = json.dumps(fields, allow_nan=False).encode("utf-8") + b"\n"
        with self._lock:
            while line:
                line = line[os.write(self._output, line) :]

    def check_cancelled(self):
        """Raise `Cancelled` when the parent has asked to stop; rest while it asks for that."""
        if self._is_paused.is_set():
            self.rest()
        if self._is_cancelled.is_set():
            raise Cancelled

    def rest(self):
        """Rest until the parent says go on; then see whether it asked to stop.

        Others are timed meanwhile: our threads sleep before.
        """
        worker_threads.wait_until_idle()
        self.send("stage", stage="paused")
        self._may_go_on.wait()
        self._may_go_on.clear()
        if self._is_cancelled.is_set():
            raise Cancelled
        if self.on_resume is not None and self._granted_s is not None:
            self.on_resume(self._granted_s)

    def _listen(self):
        rest = b""
        while True:
            chunk = os.read(self._input, 65536)
            if not chunk:
                # Not sys.exit: whatever the main thread does, nobody wants it any more.
                os._exit(EXIT_PARENT_GONE)
            rest += chunk
            while b"\n" in rest:
                line, rest = rest.split(b"\n", 1)
                self._take(json.loads(line.decode("utf-8")))

    def _take(self, message):
        if message.get("type") == "run":
            self._run = message
            self._has_run.set()
        elif message.get("type") == "pause":
            self._is_paused.set()
        elif message.get("type") == "resume":
            self._is_paused.clear()
            self._granted_s = message.get("budget_s")
            self._may_go_on.set()
        elif message.get("type") == "cancel":
            self._is_cancelled.set()
            self._is_paused.clear()
            self._may_go_on.set()


def open_channel():
    """Take descriptor 1 for the protocol, give everybody else standard error instead of it."""
    die_with_parent()
    output = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    channel = Channel(0, output)
    channel.listen()
    return channel


def die_with_parent():
    """Ask Linux to kill us with our parent, even while a native call holds the interpreter."""
    if sys.platform.startswith("linux"):
        # Another C library may lack it: the end of our input tells too.
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
