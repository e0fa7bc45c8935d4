"""The head of a bug report: what runs, from where, where its files lie, what went wrong lately.

In English, whatever the user's language: it is read by those who mend the product. The user's
home folder is written as "~", as a report is shown to strangers.
Leaves to others: the machine (`advisor.report.build`), sending it, which nobody does.
"""

import sys
from pathlib import Path

from ui.journey import doctor_title
from ui.logs import last_log_lines, log_folder
from ui.settings import data_folder, overrides_file, prices_folder


def without_home(text: str, *, home: str) -> str:
    """Return a text in which the home folder does not name its user."""
    return text.replace(home, "~") if len(home.rstrip("/\\")) > 1 else text


def program_line() -> str:
    """Return which program this is: a package that holds its own Python, or modules of one."""
    if getattr(sys, "frozen", False):
        return f"packaged program {sys.executable}"
    return f"run by {sys.executable} from {Path(__file__).resolve().parent.parent}"


def doctor_head() -> str:
    """Return the head of a bug report."""
    lines = [
        doctor_title(),
        program_line(),
        f"results: {data_folder()}",
        f"settings: {overrides_file().parent}",
        f"prices: {prices_folder()}",
        f"log: {log_folder()}",
    ]
    logged = last_log_lines()
    lines += ["", "end of the log:", *(f"  {line}" for line in logged)] if logged else []
    return without_home("\n".join(lines), home=str(Path.home()))
