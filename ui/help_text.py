"""How `--help` looks in the user's language: its texts are looked up when it is printed.

The parser is made on every start and holds English; so the language costs only who asks for help.
Leaves to others: the words (`ui.cli`, `ui.try_arguments`, `ui.share_arguments`).
"""

import argparse
import functools
from collections.abc import Iterable

from advisor.i18n import N_, Translator

# What `argparse` itself writes.
HEADINGS = (N_("positional arguments"), N_("options"), N_("show this help message and exit"))
_USAGE = N_("usage: ")


class HelpText(argparse.HelpFormatter):
    """Writes help in the user's language, with lines as wide as they are on a terminal."""

    @functools.cached_property
    def _tr(self) -> Translator:
        from ui.terminal import user_translator

        return user_translator()

    def start_section(self, heading: str | None) -> None:
        """Begin a group of arguments."""
        super().start_section(self._tr(heading) if heading else heading)

    def add_text(self, text: str | None) -> None:
        """Add what stands before or after the arguments."""
        super().add_text(self._tr(text) if text and text is not argparse.SUPPRESS else text)

    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[argparse._MutuallyExclusiveGroup],
        prefix: str | None = None,
    ) -> None:
        """Add the line of all arguments; an empty `prefix` is how the parser asks for its name."""
        super().add_usage(
            usage, actions, groups, prefix=self._tr(_USAGE) if prefix is None else prefix
        )

    def _get_help_string(self, action: argparse.Action) -> str | None:
        return self._tr(action.help) if action.help else action.help

    def _split_lines(self, text: str, width: int) -> list[str]:
        from advisor.report.columns import wrap

        return wrap(" ".join(text.split()), width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(indent + line for line in self._split_lines(text, width - len(indent)))
