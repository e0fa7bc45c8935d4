"""Files are written whole or not at all, and every refusal is one line with what to do."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.errors import InputError
from advisor.model.codec import dump_document
from advisor.model.quantity import Interval
from ui.files import (
    check_targets,
    check_writable,
    read_document,
    spared,
    write_bytes,
    write_document,
)

VALUE = Interval(low=1.0, mid=2.0, high=3.0)


def test_document_round_trips(tmp_path):
    write_document(str(tmp_path / "value.json"), VALUE)
    assert read_document(tmp_path / "value.json", Interval) == VALUE


def test_dash_is_standard_output(capsys):
    write_document("-", VALUE)
    assert capsys.readouterr().out == dump_document(VALUE)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "there is no such file"),
        (b"\xff\xfe\x00", "not a text file"),
        (b"{}", "no schema_version"),
        (b"nonsense", "not JSON"),
    ],
)
def test_unreadable_documents(tmp_path, content, message):
    path = tmp_path / "a file.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        read_document(path, Interval)
    assert "a file.json" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_huge_files_are_not_read(tmp_path):
    path = tmp_path / "huge.json"
    with path.open("wb") as stream:
        stream.truncate(2**30)
    with pytest.raises(InputError, match="too large"):
        read_document(path, Interval)


def test_places_that_cannot_be_written_are_found_before_work(tmp_path):
    with pytest.raises(InputError, match="is a folder"):
        check_writable(tmp_path)
    with pytest.raises(InputError, match="there is no folder"):
        check_writable(tmp_path / "missing" / "out.pdf")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write")
def test_folder_without_permission(tmp_path):
    tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    with pytest.raises(InputError, match="cannot be written"):
        check_writable(tmp_path / "out.pdf")


@pytest.mark.skipif(not Path("/proc/version").exists(), reason="needs a folder that refuses")
def test_folder_that_refuses_even_root():
    with pytest.raises(InputError, match="choose another place"):
        check_writable(Path("/proc/out.pdf"))


NO_ROOM = """
import resource, sys
from pathlib import Path
from advisor.errors import InputError
from ui.files import check_writable
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    check_writable(Path(sys.argv[1]))
except InputError as error:
    print(error)
"""


@pytest.mark.skipif(os.name != "posix", reason="limits of a process")
def test_a_place_without_room_is_found_before_work(tmp_path):
    path = tmp_path / "advice.pdf"
    words = [sys.executable, "-c", NO_ROOM, str(path)]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=30)
    assert done.stdout.startswith(f"{path}: cannot be written: ")
    assert len(done.stdout.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_looking_changes_nothing(tmp_path):
    old = tmp_path / "old.pdf"
    old.write_bytes(b"old")
    check_writable(old)
    check_writable(tmp_path / "new.pdf")
    assert [p.name for p in tmp_path.iterdir()] == ["old.pdf"]
    assert old.read_bytes() == b"old"


def test_failed_write_keeps_the_old_file_and_leaves_no_part(tmp_path, monkeypatch):
    old = tmp_path / "old.pdf"
    old.write_bytes(b"old")

    def full(_handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("ui.files.os.fsync", full)
    with pytest.raises(InputError, match="No space left"):
        write_bytes(old, b"new")
    assert old.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["old.pdf"]


def test_whoever_is_stopped_while_it_writes_leaves_no_part(tmp_path, monkeypatch):
    old = tmp_path / "old.pdf"
    old.write_bytes(b"old")

    def stopped(_handle):
        raise KeyboardInterrupt

    monkeypatch.setattr("ui.files.os.fsync", stopped)
    with pytest.raises(KeyboardInterrupt):
        write_bytes(old, b"new")
    assert old.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["old.pdf"]


def test_written_file_has_the_usual_permissions(tmp_path):
    write_bytes(tmp_path / "out.pdf", b"data")
    usual = tmp_path / "usual"
    usual.write_bytes(b"")
    assert (tmp_path / "out.pdf").stat().st_mode == usual.stat().st_mode


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_what_is_no_plain_file_is_refused_and_stays(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    (tmp_path / "link").symlink_to(pipe)
    for path in (pipe, tmp_path / "link"):
        for write in (check_writable, lambda path: write_bytes(path, b"data")):
            with pytest.raises(InputError, match="a pipe or a socket: give a file name"):
                write(path)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link", "pipe"]


@pytest.mark.skipif(os.name != "posix", reason="links need rights elsewhere")
@pytest.mark.parametrize("is_there", [True, False])
def test_a_link_is_written_through(tmp_path, is_there):
    (tmp_path / "far").mkdir()
    file, link = tmp_path / "far" / "out.pdf", tmp_path / "link.pdf"
    if is_there:
        file.write_bytes(b"old")
    link.symlink_to(file)
    check_writable(link)
    write_bytes(link, b"new")
    assert link.is_symlink()
    assert file.read_bytes() == b"new"
    assert [p.name for p in (tmp_path / "far").iterdir()] == ["out.pdf"]


def test_a_file_that_is_there_is_spared(tmp_path):
    kept = tmp_path / "run.json"
    assert spared(kept) is None
    kept.write_text("{}", encoding="utf-8")
    assert spared(kept) == tmp_path / "run.cancelled.json"


def test_results_take_the_place_of_nothing_that_is_read_and_not_of_each_other(tmp_path):
    saved, fresh = tmp_path / "saved.json", tmp_path / "fresh.pdf"
    saved.write_text("{}", encoding="utf-8")
    check_targets(None, "-", fresh, sources=[saved, None])
    beside = tmp_path / "folder" / ".." / "saved.json"
    (tmp_path / "folder").mkdir()
    for target in (saved, str(saved), beside):
        with pytest.raises(InputError, match="is read and would be written over"):
            check_targets(target, sources=[None, saved])
    with pytest.raises(InputError, match="need files of their own"):
        check_targets(fresh, str(tmp_path / "folder" / ".." / "fresh.pdf"))
    with pytest.raises(InputError, match="is a folder"):
        check_targets(tmp_path)


def test_an_empty_file_and_a_folder_are_called_what_they_are(tmp_path):
    empty = tmp_path / "empty.json"
    empty.touch()
    with pytest.raises(InputError, match="the file is empty"):
        read_document(empty, Interval)
    with pytest.raises(InputError, match="is a folder: give a file name"):
        read_document(tmp_path, Interval)
