"""The watcher sees every file that a program and its children make or change, and only those."""

import importlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FIRST = """\
execve("/usr/bin/files", ["files"], 0x7ffd /* 9 vars */) = 0
openat(AT_FDCWD</home/me>, "/home/me/.cache/x", O_WRONLY|O_CREAT, 0666) = 3</home/me/.cache/x>
openat(AT_FDCWD</home/me>, "/etc/files", O_WRONLY|O_CREAT, 0666) = 3</etc/files>
clone(child_stack=NULL, flags=SIGCHLD) = 12
--- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_EXITED, si_pid=12} ---
"""
SECOND = """\
execve("/usr/bin/program", ["program"], 0x7ffd /* 9 vars */) = 0
openat(AT_FDCWD</home/me>, "/tmp/dmowpwiw", O_RDWR|O_CREAT|O_EXCL, 0600) = 3</tmp/dmowpwiw>
openat(AT_FDCWD</home/me>, "/etc/passwd", O_RDONLY|O_CLOEXEC) = 3</etc/passwd>
openat(AT_FDCWD</home/me>, "/etc/refused", O_RDWR) = -1 EACCES (Permission denied)
openat(AT_FDCWD</home/me>, "/dev/null", O_RDWR) = 3</dev/null>
openat(AT_FDCWD</home/me>, "mine", O_RDWR|O_CREAT, 0600) = 3</home/me/mine>
chdir("/var/lib") = 0
mkdir("\\350\\257\\225 1", 0777) = 0
clone3({flags=CLONE_VM|CLONE_THREAD}, 88) = 13
readlink("/usr/lib/llvm-15/bin/clang-15", "x", 4096) = 1
"""
THIRD = """\
unlinkat(5</opt>, "gone", 0) = 0
rename("/srv/a", "b") = 0
symlink("/usr/target", "/run/link") = 0
stat("/usr/lib/x", {st_mode=S_IFREG|0644}) = 0
"""


@pytest.fixture
def watch(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "packaging"))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return importlib.import_module("watch")


@pytest.fixture
def traces(tmp_path):
    for number, text in ((11, FIRST), (12, SECOND), (13, THIRD)):
        (tmp_path / f"trace.{number}").write_text(text)
    return tmp_path


def test_a_program_is_followed_with_all_that_it_starts(watch, traces):
    found, n_calls = watch.changed_files(
        traces, allowed=("/home/me/.cache/",), start="/home/me", program="program"
    )
    assert found == [
        "/home/me/mine", "/opt/gone", "/run/link", "/srv/a", "/var/lib/b", "/var/lib/试 1",
    ]  # fmt: skip
    assert n_calls > len(found)


def test_without_a_program_the_first_process_is_followed(watch, traces):
    found, _ = watch.changed_files(traces, allowed=("/home/me/",), start="/home/me")
    assert "/etc/files" in found
    assert "/var/lib/b" in found
    assert "/home/me/mine" not in found


def test_paths_are_told_as_the_program_saw_them_in_a_root_of_its_own(watch, tmp_path):
    text = 'openat(AT_FDCWD</clean/home/me>, "x", O_WRONLY|O_CREAT, 0600) = 3</clean/home/me/x>\n'
    (tmp_path / "trace.5").write_text(text)
    found, _ = watch.changed_files(tmp_path, allowed=(), start="/", below="/clean")
    assert found == ["/home/me/x"]


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_a_real_program_is_seen(watch, tmp_path):
    traces, place = tmp_path / "traces", tmp_path / "试 place"
    traces.mkdir()
    place.mkdir()
    script = 'cd "$0" && (mkdir made && touch made/file) && mv made/file moved && cat moved'
    command = [*watch.watcher(traces), "sh", "-c", script, str(place)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if "ptrace" in done.stderr:
        pytest.skip("no program may be watched here")
    found, n_calls = watch.changed_files(traces, allowed=(), start=str(tmp_path))
    assert found == [f"{place}/{name}" for name in ("made", "made/file", "moved")]
    assert n_calls > 3
    assert watch.changed_files(traces, allowed=(f"{place}/",), start=str(tmp_path))[0] == []
