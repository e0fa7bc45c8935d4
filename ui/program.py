"""By which words the user called this program: hints repeat them.

Leaves to others: putting them into a text (`advisor.report.called`).
"""

import os
import sys
from pathlib import Path

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
