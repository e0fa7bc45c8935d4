"""How this program was called: by which words, which hints repeat, and with what as its home.

Leaves to others: putting them into a text (`advisor.report.called`).
"""

import os
import sys
from pathlib import Path

from advisor.errors import InputError
from advisor.report.called import PROGRAM

# Set by `start.py`, which calls us in its place.
VARIABLE = "DL_ADVISOR_PROGRAM"


def program_name() -> str:
    """Return what stands before a command: "dl-advisor", "python3 start.py", "python -m ui"."""
    given = os.environ.get(VARIABLE, "")
    if given.isprintable() and given:
        return given
    if Path(sys.argv[0]).parts[-2:] != ("ui", "__main__.py"):
        return PROGRAM
    # Loaded only here: every other start goes without it.
    from subprocess import list2cmdline

    return list2cmdline(sys.orig_argv[: len(sys.orig_argv) - len(sys.argv) + 1])


def check_home() -> None:
    """Refuse a home folder that is a file: libraries look below it as they are loaded.

    Raises:
        InputError: with the place and what to do.
    """
    home = os.environ.get("USERPROFILE" if os.name == "nt" else "HOME")
    if home and Path(home).exists() and not Path(home).is_dir():
        raise InputError(f"{home}: the home folder is a file: set HOME to a folder of yours")
