"""The standard streams of a command, also where they are closed, or lead to a full disk.

Leaves to others: what is said (`ui.cli`, `ui.terminal`), progress (`ui.progress`).
"""

import contextlib
import os
import sys
from pathlib import Path


def open_missing() -> None:
    """Give what is said a place: a stream that who called us has closed leads nowhere."""
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - to the end
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - to the end


def say_line(line: str) -> None:
    """Write a line to standard error; where nobody hears it the command goes on."""
    with contextlib.suppress(OSError):
        sys.stderr.write(line + "\n")
        sys.stderr.flush()


def drop_rest() -> None:
    """Write what is left of both streams, or drop it: Python would tell a fault as it ends."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            # What is left is written again at the end, and then goes nowhere.
            with contextlib.suppress(OSError):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, stream.fileno())
                os.close(nowhere)
