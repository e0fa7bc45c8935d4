"""Calls of the program in hints begin as the user called it; other uses of the name stay."""

import pytest

from advisor.report.called import COMMANDS, as_called
from ui.cli import build_parser

START = "python3 start.py"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("run `dl-advisor bench`.", "run `python3 start.py bench`."),
        ("`dl-advisor try --all`", "`python3 start.py try --all`"),
        ("先运行 `dl-advisor advise`", "先运行 `python3 start.py advise`"),
        ("dl-advisor 0.1.0, Python 3.13", None),
        ("dl-advisor: try: choose another", None),
        ("sky launch -c dl-advisor dl-advisor.yaml", None),
        ("az group delete --name dl-advisor --yes", None),
        ("/usr/lib/dl-advisor advise", None),
        ("~/.cache/dl-advisor", None),
        ("dl-advisor tryout", None),
    ],
)
def test_only_calls_are_reworded(text, expected):
    assert as_called(text, START) == (expected or text)
    assert as_called(as_called(text, START), START) == as_called(text, START)


def test_all_commands_are_known():
    (commands,) = (a for a in build_parser()._actions if a.dest == "command")
    assert sorted(commands.choices) == list(COMMANDS)
