"""The words of `dl-advisor try` and `dl-advisor history`.

Imports nothing heavy: the parser of the command line is made on every start.
Leaves to others: doing it (`ui.try_commands`, `ui.history_commands`).
"""

import argparse
from pathlib import Path

from advisor.i18n import N_

DEFAULT_MINUTES = 2.0
# A day.
MOST_MINUTES = 24 * 60
# With its start and its end a search of everything stays below two minutes.
ALL_MINUTES = 1.8
FORMS = ("shell", "batch", "powershell", "env", "requirements", "patch")


def _minutes(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if value > MOST_MINUTES:
        raise argparse.ArgumentTypeError(f"{value:g} minutes are more than a day")
    if not value > 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of minutes above 0")
    return value


def add_try(parser: argparse.ArgumentParser) -> None:
    """Add what `try` takes besides a workload."""
    group = parser.add_argument_group(N_("trial"))
    group.add_argument(
        "--option", action="append", default=[], metavar="ID", help=N_("try only this (repeatable)")
    )
    group.add_argument(
        "--all", action="store_true", help=N_("all settings, then pairs of good ones")
    )
    group.add_argument("--list", action="store_true", help=N_("only say what would be tried"))
    group.add_argument("--python", metavar="PATH", help=N_("try this interpreter's frameworks too"))
    install = group.add_mutually_exclusive_group()
    install.add_argument(
        "--install", metavar="NAME", help=N_("try this in a private environment: its size is shown,"
        " you are asked"),
    )  # fmt: skip
    install.add_argument("--uninstall", metavar="NAME", help=N_("remove a private environment"))
    group.add_argument("--yes", action="store_true", help=N_("agree to --install"))
    group.add_argument(
        "--find-links", metavar="FOLDER", help=N_("install from this folder, without any network")
    )
    group.add_argument("--minutes", type=_minutes, metavar="X", help=N_("time for all runs"))
    group.add_argument(
        "--data", metavar="SOURCE", help=N_("FILE.npz, FILE.csv, image folder, or FILE.py:function")
    )
    group.add_argument(
        "--run-my-code", action="store_true", help=N_("yes, execute the Python file that I named")
    )
    group.add_argument("--resume", action="store_true", help=N_("go on with the last search"))
    group.add_argument(
        "--apply",
        choices=FORMS,
        metavar="FORM",
        help=N_("print the best as %(choices)s; of the last trial of this job, if there is one"),
    )
    group.add_argument("--pdf", type=Path, metavar="FILE", help=N_("write the figures as PDF"))


def add_history(parser: argparse.ArgumentParser) -> None:
    """Add what `history` takes."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--json", action="store_true", help=N_("the whole history as JSON"))
    group.add_argument("--csv", action="store_true", help=N_("all finished runs as a table"))
