"""Where compiled kernels are kept."""

import errno
import io
import os
import pathlib

import opencl_cache
import opencl_device
import pytest
from opencl_cache import Binaries

from tests.helpers.opencl import shared_runner

VARIABLES = ("POCL_CACHE_DIR", "CUDA_CACHE_PATH", "XDG_CACHE_HOME")


@pytest.fixture
def outside(monkeypatch, tmp_path):
    """An environment without the variables, and a working directory."""
    for name in VARIABLES:
        monkeypatch.setenv(name, "to be put back")
        monkeypatch.delenv(name)
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return tmp_path


def test_drivers_are_kept_out_of_the_home_folder(outside):
    assert opencl_cache.use_folder() is None
    for name in VARIABLES:
        folder = pathlib.Path(os.environ[name])
        assert folder.is_dir()
        assert folder.parent.parent == outside / "work"


def test_another_processor_has_another_folder(outside, monkeypatch):
    first = opencl_cache.use_folder(str(outside / "kept"))
    assert first.parent == outside / "kept"
    assert pathlib.Path(os.environ["POCL_CACHE_DIR"]).parent == first
    monkeypatch.delenv("POCL_CACHE_DIR")
    assert opencl_cache.use_folder(str(outside / "kept")) == first
    monkeypatch.delenv("POCL_CACHE_DIR")
    monkeypatch.setattr(opencl_cache, "processor_text", lambda: "flags: sse2")
    assert opencl_cache.use_folder(str(outside / "kept")) != first


def test_a_folder_that_cannot_be_made_is_replaced_by_one_that_ends_with_the_worker(outside):
    blocked = outside / "file"
    blocked.write_text("", encoding="utf-8")
    assert opencl_cache.use_folder(str(blocked)) is None
    assert (outside / "work") in pathlib.Path(os.environ["POCL_CACHE_DIR"]).parents


def test_a_folder_on_a_full_disk_is_replaced_too(outside, monkeypatch):
    class Full(io.BytesIO):
        def write(self, _data):
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(opencl_cache.tempfile, "TemporaryFile", lambda **_more: Full())
    assert opencl_cache.use_folder(str(outside / "kept")) is None
    assert (outside / "work") in pathlib.Path(os.environ["POCL_CACHE_DIR"]).parents


def test_trying_a_folder_leaves_nothing_in_it(outside):
    kept = opencl_cache.use_folder(str(outside / "kept"))
    assert [path for path in kept.rglob("*") if path.is_file()] == []


def test_a_folder_that_is_set_stays(monkeypatch):
    monkeypatch.setenv("POCL_CACHE_DIR", "/somewhere")
    assert opencl_cache.use_folder("/elsewhere") is None
    assert os.environ["POCL_CACHE_DIR"] == "/somewhere"


def test_the_processor_has_a_text():
    assert len(opencl_cache.processor_text()) > 3


def test_a_binary_comes_back_for_its_source_and_driver_alone(tmp_path):
    binaries = Binaries(tmp_path, ("device", "1"))
    assert binaries.find("source") is None
    binaries.keep("source", b"compiled")
    assert binaries.find("source") == b"compiled"
    assert binaries.find("other source") is None
    assert Binaries(tmp_path, ("device", "2")).find("source") is None
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("damage", [b"", b"short", bytes(32), bytes(40)])
def test_a_damaged_binary_is_none(tmp_path, damage):
    binaries = Binaries(tmp_path, ("device",))
    binaries.keep("source", b"compiled")
    (file,) = tmp_path.iterdir()
    file.write_bytes(damage)
    assert binaries.find("source") is None


def test_without_a_folder_nothing_is_kept(tmp_path):
    binaries = Binaries(None, ())
    binaries.keep("source", b"compiled")
    assert binaries.find("source") is None
    gone = Binaries(tmp_path / "gone", ())
    gone.keep("source", b"compiled")
    assert gone.find("source") is None


@pytest.fixture
def opened(tmp_path):
    """A function that opens the device anew, with programs kept in a folder."""
    shared = shared_runner()._device

    def open_it():
        device = opencl_device.OpenclDevice(shared.cl, shared.device)
        device._binaries = Binaries(tmp_path, ("test",))
        return device

    return open_it


def test_a_program_is_taken_from_the_folder_and_works(opened, tmp_path, monkeypatch):
    macros = {"REAL": "float", "VEC": "float", "SPAN": 1}
    opened().kernel("stream", "nothing", **macros)
    assert [file.suffix for file in tmp_path.iterdir()] == [".bin"]
    again = opened()
    monkeypatch.setattr(again, "_compile", lambda *_: pytest.fail("compiled once more"))
    kernel = again.kernel("stream", "nothing", **macros)
    again.cl.enqueue_nd_range_kernel(again.queue, kernel, (1,), (1,))
    again.queue.finish()


def test_a_binary_that_the_driver_refuses_is_compiled_once_more(opened, tmp_path):
    device = opened()
    macros = {"REAL": "float", "VEC": "float", "SPAN": 1}
    device.kernel("stream", "nothing", **macros)
    (file,) = tmp_path.iterdir()
    good = file.read_bytes()

    class Refusing:
        def find(self, _source):
            return b"no binary at all"

        def keep(self, _source, binary):
            self.kept = binary

    device = opened()
    device._binaries = Refusing()
    device.kernel("stream", "nothing", **macros)
    assert device._binaries.kept == good[32:]
