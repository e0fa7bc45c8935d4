"""The words by which the user called this program."""

import sys

import pytest

from ui.program import VARIABLE, program_name


@pytest.mark.parametrize(
    ("original", "arguments", "expected"),
    [
        (["python", "-m", "ui", "try"], ["/a/ui/__main__.py", "try"], "python -m ui"),
        (["my python", "-P", "-m", "ui"], ["/a/ui/__main__.py"], '"my python" -P -m ui'),
        (["python", "/v/bin/dl-advisor", "try"], ["/v/bin/dl-advisor", "try"], "dl-advisor"),
        (["python", "-m", "pytest"], ["/v/pytest/__main__.py"], "dl-advisor"),
        (["dl-advisor", "try"], ["dl-advisor", "try"], "dl-advisor"),
    ],
)
def test_name_is_what_was_typed(monkeypatch, original, arguments, expected):
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(sys, "orig_argv", original)
    monkeypatch.setattr(sys, "argv", arguments)
    assert program_name() == expected


@pytest.mark.parametrize(
    ("given", "expected"), [("python3 start.py", "python3 start.py"), ("a\nb", "dl-advisor")]
)
def test_start_file_says_its_name(monkeypatch, given, expected):
    monkeypatch.setenv(VARIABLE, given)
    assert program_name() == expected
