"""A parser of the command line whose every error is one line with what to do.

Leaves to others: the words (`ui.cli` and the modules of the commands), the help's form
(`ui.help_text`).
"""

import argparse
import re
from typing import TYPE_CHECKING, Any, NoReturn

from advisor.errors import InputError
from ui.help_text import HelpText

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

# What argparse says where a model file stands in place of a command.
_MODEL_AS_COMMAND = re.compile(
    r"argument COMMAND: invalid choice: '([^']+\.(?:keras|json|onnx))'", re.IGNORECASE
)


class OneLineParser(argparse.ArgumentParser):
    """A parser whose errors are one line with what to do, and whose help is in our language."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__(formatter_class=HelpText, **arguments)

    def print_help(self, file: "SupportsWrite[str] | None" = None) -> None:
        """Print the help so that any terminal can show it."""
        if file is not None:
            super().print_help(file)
            return
        from ui.terminal import print_line

        print_line(self.format_help().rstrip())

    def error(self, message: str) -> NoReturn:
        """Raise instead of printing the usage: every bad input ends the same way."""
        given = _MODEL_AS_COMMAND.match(message)
        if given is not None:
            raise InputError(
                f"{given[1]} is no command: `dl-advisor advise {given[1]}` takes a file"
            )
        raise InputError(f"{message} (see {self.prog} --help)")
