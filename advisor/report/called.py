"""Hints as the user would type them: the program under the name by which it was called.

Texts and saved documents say `dl-advisor COMMAND`; the terminal puts the user's own words there.
Leaves to others: finding those words (`ui.program`).
"""

import re

PROGRAM = "dl-advisor"
COMMANDS = (
    "advise", "bench", "collector", "compare", "data", "doctor", "explain", "history", "networks",
    "predict", "prices", "probe", "recommend", "report", "share", "try",
)  # fmt: skip
# Not the end of a path, nor the name of a machine or a file: a command must follow.
_CALL = re.compile(rf"(?<![\w/\\.-]){PROGRAM}(?= (?:{'|'.join(COMMANDS)})\b)")


def as_called(text: str, program: str) -> str:
    """Return a text whose calls of the program begin with other words.

    Args:
        text: of any language, whose calls begin with `PROGRAM`.
        program: what the user types before a command, such as "python3 start.py".
    """
    return _CALL.sub(lambda _match: program, text)
