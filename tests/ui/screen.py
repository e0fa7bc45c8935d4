"""A virtual screen for whoever opens the real window: the server, and the environment for it."""

import contextlib
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SIZE = "1280x900x24"


@contextlib.contextmanager
def virtual_screen():
    """Start a virtual screen on a free number and give its name; end it afterwards."""
    reader, writer = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writer), "-screen", "0", SIZE, "-nolisten", "tcp"],
        pass_fds=[writer], stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(writer)
    try:
        with os.fdopen(reader) as stream:
            yield f":{stream.readline().strip()}"
    finally:
        server.terminate()
        server.wait(10)


def environment(display, **more):
    """Return the environment of a program that opens its window on a screen."""
    kept = {name: value for name, value in os.environ.items() if name != "QT_QPA_PLATFORM"}
    return {
        **kept, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb", "PYTHONPATH": str(ROOT), **more
    }  # fmt: skip
