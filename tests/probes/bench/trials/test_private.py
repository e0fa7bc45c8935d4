"""Environments made from a folder of wheels; whatever fails leaves nothing half-made."""

import os
import subprocess
import sys
import time

import psutil
import pytest

from advisor.errors import InputError
from probes.bench.trials import private
from tests.helpers.wheels import write_wheel


def script(tmp_path, text):
    path = tmp_path / "python"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def make(tmp_path, *packages, **more):
    values = {"python": sys.executable, "size_bytes": 1000, "wheels": tmp_path / "wheels", **more}
    return private.make_environment(tmp_path / "made" / "it", packages, **values)


def left(tmp_path):
    return sorted(path.name for path in (tmp_path / "made").glob("*"))


@pytest.mark.slow
def test_packages_of_a_folder_are_installed_and_go_again(tmp_path):
    write_wheel(tmp_path / "wheels", "first", code="value = 7")
    python = make(tmp_path, "first")
    done = subprocess.run(
        [python, "-c", "import first; print(first.value)"], capture_output=True, check=True
    )
    assert done.stdout.strip() == b"7"
    folder = tmp_path / "made" / "it"
    assert private.is_made(folder)
    assert left(tmp_path) == ["it"]
    with pytest.raises(InputError, match=r"pip failed: ERROR: No matching distribution"):
        make(tmp_path, "second")
    # What was there before is as good as before.
    assert private.is_made(folder)
    assert left(tmp_path) == ["it"]
    assert private.remove_environment(folder)
    assert not private.remove_environment(folder)
    assert left(tmp_path) == []


def test_without_room_nothing_is_begun(tmp_path):
    with pytest.raises(InputError, match=r"MiB are needed, \d+ MiB are free"):
        make(tmp_path, "first", size_bytes=1 << 60)
    assert left(tmp_path) == []


def test_a_place_that_cannot_be_written_is_one_line(tmp_path):
    (tmp_path / "made").write_text("")
    with pytest.raises(InputError, match="cannot be made"):
        make(tmp_path, "first")


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("exit 3", "venv failed: it ended with 3"),
        ("echo one; echo 'Error: no ensurepip'; echo two; exit 1", "venv failed: Error: no ensu"),
        ("head -c 3000000 /dev/zero | tr '\\0' x; exit 1", "venv failed: xxx"),
    ],
)
def test_a_python_that_makes_no_environment_is_one_line(tmp_path, text, words):
    with pytest.raises(InputError, match=words) as caught:
        make(tmp_path, "first", python=script(tmp_path, text))
    assert len(str(caught.value)) < 400
    assert left(tmp_path) == []


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
def test_a_program_that_hangs_is_ended_with_its_children(tmp_path):
    mark = f"{time.time_ns()}"
    text = f"mkdir -p $3/half; sleep 60.{mark} & sleep 60.{mark}"
    began = time.monotonic()
    with pytest.raises(InputError, match=r"did not end within 0\.3 s"):
        make(tmp_path, "first", python=script(tmp_path, text), limit_s=0.3)
    assert time.monotonic() - began < 5.0
    assert left(tmp_path) == []
    alive = [p for p in psutil.process_iter(["cmdline", "status"])
             if any(mark in word for word in p.info["cmdline"] or ())
             and p.info["status"] != psutil.STATUS_ZOMBIE]  # fmt: skip
    assert alive == []


def test_an_interpreter_that_is_not_there_is_one_line(tmp_path):
    with pytest.raises(InputError, match="cannot be made"):
        make(tmp_path, "first", python=str(tmp_path / "nowhere"))
    assert left(tmp_path) == []
