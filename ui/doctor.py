"""A bug report: what runs, from where, where its files lie, what went wrong lately, the machine.

In English, whatever the user's language: it is read by those who mend the product. A first line
says so to whoever reads another language. The user's home folder is written as "~", as a report
is shown to strangers.
Leaves to others: the machine (`advisor.report.build`), sending it, which nobody does.
"""

import sys
from pathlib import Path

from advisor.i18n import N_, Translator, translator_for
from advisor.model.machine import MachineProfile
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


def doctor_report(
    profile: MachineProfile, tr: Translator, *, width: int | None = None, encoding: str = "utf-8"
) -> str:
    """Return a whole bug report, in English, below a line in the user's language.

    Args:
        profile: the machine.
        tr: the user's language.
        width: columns of a terminal; None for the usual ones.
        encoding: of the terminal.
    """
    from advisor.report.build import build_profile_report
    from advisor.report.text import DEFAULT_WIDTH, render_text

    machine = render_text(
        build_profile_report(profile, translator_for("en")),
        width=width or DEFAULT_WIDTH,
        encoding=encoding,
    )
    text = f"{doctor_head()}\n\n{machine}"
    if tr.language == "en":
        return text
    told = tr(N_("The report below is in English: it is for those who mend DL Advisor."))
    return f"{told}\n\n{text}"
