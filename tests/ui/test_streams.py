"""Closed streams and full disks cost what is said, nothing else."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ui.streams import drop_rest, open_missing, say_line

ROOT = Path(__file__).resolve().parents[2]
FULL = Path("/dev/full")
needs_posix = pytest.mark.skipif(os.name != "posix", reason="a shell of POSIX")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="needs a place that is always full")


class Broken:
    """A stream that nobody reads."""

    def write(self, _text):
        raise BrokenPipeError

    flush = fileno = lambda self: (_ for _ in ()).throw(BrokenPipeError)


def in_a_shell(words, redirected):
    own = {"PYTHONPATH": str(ROOT), "DL_ADVISOR_PROGRAM": "dl-advisor", "LC_ALL": "C"}
    return subprocess.run(
        f'"{sys.executable}" -P -m ui {words} {redirected}',
        shell=True, capture_output=True, text=True, check=False, timeout=60,
        env={**os.environ, **own},
    )  # fmt: skip


def test_streams_that_are_missing_lead_nowhere(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    open_missing()
    with sys.stdout, sys.stderr:
        print("nobody hears this")
        say_line("nor this")
        assert sys.stdout.name == sys.stderr.name == os.devnull


def test_streams_that_are_there_stay(capsys):
    before = sys.stdout, sys.stderr
    open_missing()
    assert (sys.stdout, sys.stderr) == before
    say_line("heard")
    assert capsys.readouterr().err == "heard\n"


def test_whoever_does_not_listen_holds_nobody_up(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Broken())
    say_line("nobody hears this")
    drop_rest()


@needs_posix
@pytest.mark.parametrize("closed", ["2>&-", ">&- 2>&-", "<&- >&- 2>&-", "<&-"])
@pytest.mark.parametrize(("words", "code"), [("networks", 0), ("networks nope", 2)])
def test_closed_streams_change_no_exit_code(closed, words, code):
    done = in_a_shell(words, closed)
    assert done.returncode == code
    assert "Traceback" not in done.stderr + done.stdout
    assert "fault" not in done.stderr + done.stdout


@needs_full
def test_output_that_a_full_disk_refuses_is_told_in_one_line():
    done = in_a_shell("networks", f"> {FULL}")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "No space left on device" in line


@needs_full
def test_errors_that_a_full_disk_refuses_change_nothing():
    assert in_a_shell("networks nope", f"2> {FULL}").returncode == 2
    good = in_a_shell("networks", f"2> {FULL}")
    assert (good.returncode, good.stderr) == (0, "")
    assert "cifar10-deep-cnn" in good.stdout


@needs_posix
def test_a_reader_that_is_gone_before_the_end_is_no_fault():
    done = in_a_shell("networks", "| true")
    assert done.stderr == ""
