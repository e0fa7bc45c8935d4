"""The real reader, against real files and real children."""

import os
import sys
import time

import pytest

from probes.machine.reader import MAX_READ_BYTES, SystemReader


@pytest.fixture
def reader():
    return SystemReader()


def test_words_of_the_platform(reader):
    assert reader.system
    assert reader.logical_cpus >= 1
    assert reader.affinity is None or 1 <= reader.affinity <= reader.logical_cpus
    assert reader.python == sys.executable


def test_a_packaged_app_is_its_own_interpreter(monkeypatch):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert SystemReader().python == sys.executable


def test_a_file_is_read_up_to_the_limit(reader, tmp_path):
    big = tmp_path / "big"
    big.write_bytes(b"x" * (MAX_READ_BYTES + 10))
    assert len(reader.read_text(str(big)) or "") == MAX_READ_BYTES


def test_bytes_that_are_no_text_are_read_all_the_same(reader, tmp_path):
    (tmp_path / "f").write_bytes(b"a\xff\x00b")
    assert reader.read_text(str(tmp_path / "f")) == "a\ufffd\x00b"


@pytest.mark.parametrize("path", ["/nothing/here", "", "a\0b", "/"])
def test_what_cannot_be_read_is_none_or_empty(reader, path):
    assert reader.read_text(path) is None
    assert reader.link_name(path) is None
    if path != "/":
        assert reader.list_dir(path) == ()


@pytest.mark.skipif(os.name != "posix", reason="named pipes are of POSIX systems")
def test_a_named_pipe_is_not_opened(reader, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert reader.read_text(str(tmp_path / "pipe")) is None


@pytest.mark.skipif(os.name != "posix", reason="links need rights on Windows")
def test_links_tell_the_last_part_of_their_target(reader, tmp_path):
    (tmp_path / "amdgpu").mkdir()
    (tmp_path / "driver").symlink_to(tmp_path / "amdgpu")
    assert reader.link_name(str(tmp_path / "driver")) == "amdgpu"
    assert reader.real_path(str(tmp_path / "driver")) == os.path.realpath(tmp_path / "amdgpu")
    assert reader.list_dir(str(tmp_path)) == ("amdgpu", "driver")


def test_device_nodes_that_are_not_there_are_unknown(reader, tmp_path):
    assert reader.can_use("/dev/dri/renderD999") is None
    (tmp_path / "node").write_text("", encoding="utf-8")
    assert reader.can_use(str(tmp_path / "node")) is True


def test_a_command_gives_its_output(reader):
    assert reader.run((sys.executable, "-c", "print('hello')"), timeout_s=20) == "hello\n"


@pytest.mark.parametrize("argv", [("/no/such/command",), (), (sys.executable, "-c", "1/0")])
def test_a_command_that_fails_gives_none(reader, argv):
    assert reader.run(argv, timeout_s=20) is None


def test_a_command_that_hangs_is_killed(reader):
    start = time.monotonic()
    sleeper = "import time; time.sleep(60)"
    assert reader.run((sys.executable, "-c", sleeper), timeout_s=0.2) is None
    assert time.monotonic() - start < 5
