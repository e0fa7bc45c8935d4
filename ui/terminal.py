"""Standard output as a place for text: how wide it is, and what it can say.

Leaves to others: the layout (`advisor.report.text`), progress on standard error (`ui.progress`).
"""

import shutil
import sys
from collections.abc import Sequence

from advisor.i18n import Translator, translator_for
from advisor.model.report import Report
from advisor.report.called import as_called
from advisor.report.columns import display_width, pad, plain_text
from advisor.report.text import render_text
from ui import language
from ui.program import program_name

# Output that goes into a file or a pipe is as wide as a mail or an old terminal.
PIPED_WIDTH = 80
MIN_WIDTH, MAX_WIDTH = 40, 140


def output_width() -> int:
    """Return the columns to fill: those of the terminal (or `COLUMNS`), within bounds."""
    columns = shutil.get_terminal_size(fallback=(PIPED_WIDTH, 24)).columns
    return max(MIN_WIDTH, min(MAX_WIDTH, columns))


def output_encoding() -> str:
    """Return the encoding of standard output."""
    return sys.stdout.encoding or "utf-8"


def user_translator() -> Translator:
    """Return the translator of the user's language, that of English where the output has no signs.

    A console of western Europe would show Chinese as a row of question marks.
    """
    translator = language.user_translator()
    try:
        language.LANGUAGE_NAMES[translator.language].encode(output_encoding())
    except UnicodeEncodeError:
        return translator_for("en")
    return translator


def report_text(report: Report) -> str:
    """Return a report laid out for standard output."""
    return render_text(
        report, width=output_width(), encoding=output_encoding(), program=program_name()
    )


def in_columns(words: Sequence[str]) -> str:
    """Return words in columns that fill the width, indented, to be read downwards.

    The few that need more than a third of the width follow, each on a line of its own.
    """
    room = output_width() - 2
    short = [word for word in words if display_width(word) <= room // 3 - 2]
    wide = 2 + max(map(display_width, short), default=0)
    n_lines = -(-len(short) // max(1, room // wide))
    lines = ["".join(pad(word, wide) for word in short[i::n_lines]) for i in range(n_lines)]
    lines += [word for word in words if word not in short]
    return "\n".join("  " + line.rstrip() for line in lines)


def shown(text: str) -> str:
    """Return a line without what would steer a terminal."""
    return plain_text(text, encoding="utf-8")


def print_line(text: str) -> None:
    """Write a line to standard output, as far as its encoding can say it.

    Calls of the program in it begin as the user called it.
    """
    called = as_called(text, program_name())
    sys.stdout.write(plain_text(called, encoding=output_encoding()) + "\n")
