"""The words by which the user called this program."""

import sys

import pytest

from advisor.errors import InputError
from ui.program import VARIABLE, check_home, program_name


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


def test_a_home_that_is_a_file_is_told(monkeypatch, tmp_path):
    place = tmp_path / "file"
    place.write_text("")
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(place))
    with pytest.raises(InputError, match="set HOME to a folder"):
        check_home()


@pytest.mark.parametrize("name", ["", "not-there-yet"])
def test_a_home_that_is_a_folder_or_can_be_one_passes(monkeypatch, tmp_path, name):
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(tmp_path / name))
    check_home()
