"""What only PoCL needs."""

import ctypes
import os
import platform
import subprocess
import sys
import types
from pathlib import Path

import opencl_pocl
import pytest

AVX2 = {"avx2", "fma", "bmi1", "bmi2", "f16c", "movbe", "sse2"}
AVX512 = AVX2 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}

needs_linux = pytest.mark.skipif(
    platform.system() != "Linux" or platform.machine() != "x86_64", reason="for Linux on x86-64"
)


class Record:
    """A device record of 4096 bytes of which some fields point to texts."""

    def __init__(self, fields, name=opencl_pocl.PLATFORM_NAME):
        self.bytes = ctypes.create_string_buffer(4096)
        self.texts = {offset: ctypes.create_string_buffer(text) for offset, text in fields.items()}
        for offset, text in self.texts.items():
            self.field(offset).value = ctypes.addressof(text)
        self.int_ptr = ctypes.addressof(self.bytes)
        self.platform = types.SimpleNamespace(name=name)

    def field(self, offset):
        return ctypes.c_uint64.from_address(ctypes.addressof(self.bytes) + offset)

    def text(self, offset):
        return ctypes.string_at(self.field(offset).value)


@pytest.mark.parametrize(
    ("flags", "name"),
    [(AVX512, b"skylake-avx512"), (AVX2, b"haswell"), (AVX512 - {"avx512vl"}, b"haswell"),
     ({"sse2"}, b"x86-64"), (set(), b"x86-64")],
)  # fmt: skip
def test_the_best_processor_has_no_feature_that_is_missing(flags, name):
    assert opencl_pocl.best_known_cpu(flags) == name


@needs_linux
def test_the_generic_processor_gets_a_name(monkeypatch):
    monkeypatch.setattr(opencl_pocl, "_cpu_flags", lambda: AVX2)
    record = Record({640: b"generic", 648: b"x86_64-unknown", 656: b"generic-64"})
    assert opencl_pocl.name_unknown_cpu(record, lambda: True) == "haswell"
    assert [record.text(offset) for offset in (640, 648, 656)] == [
        b"haswell", b"x86_64-unknown", b"generic-64",
    ]  # fmt: skip


@needs_linux
def test_the_field_after_which_kernels_compile_is_the_right_one(monkeypatch):
    monkeypatch.setattr(opencl_pocl, "_cpu_flags", lambda: AVX512)
    record = Record({8: b"generic", 640: b"generic", 1200: b"generic"})
    name = opencl_pocl.name_unknown_cpu(record, lambda: record.text(640) != b"generic")
    assert name == "skylake-avx512"
    found = [record.text(offset) for offset in (8, 640, 1200)]
    assert found == [b"generic", b"skylake-avx512", b"generic"]


@needs_linux
@pytest.mark.parametrize("fields", [{}, {8: b"znver3"}, {8: b"generic", 16: b"generic"}])
def test_a_record_is_left_as_it_was_when_nothing_helps(fields):
    record = Record(fields)
    before = bytes(record.bytes)
    assert opencl_pocl.name_unknown_cpu(record, lambda: False) is None
    assert bytes(record.bytes) == before


def test_the_record_of_another_driver_is_not_touched():
    record = Record({640: b"generic"}, name="Intel(R) OpenCL")
    assert opencl_pocl.name_unknown_cpu(record, lambda: True) is None
    assert record.text(640) == b"generic"


@needs_linux
@pytest.mark.parametrize(
    ("named", "flags", "then"),
    [
        # Newer than the compiler, which takes it for its elder of the family.
        (b"znver3", AVX512, b"skylake-avx512"),
        # A hypervisor that hides what the model has.
        (b"sapphirerapids", AVX2, b"haswell"),
        (b"icelake-server", {"sse2"}, b"x86-64"),
        # Names and features agree.
        (b"znver3", AVX2, b"znver3"),
        (b"sapphirerapids", AVX512, b"sapphirerapids"),
        (b"skylake-avx512", AVX512, b"skylake-avx512"),
        (b"sandybridge", {"sse2", "avx"}, b"sandybridge"),
    ],
)
def test_a_processor_taken_for_another_gets_its_name(monkeypatch, named, flags, then):
    monkeypatch.setattr(opencl_pocl, "_cpu_flags", lambda: flags)
    record = Record({8: b"pthread", 640: named, 648: named + b"-linux-gnu"})
    found = opencl_pocl.name_mistaken_cpu(record)
    assert found == (None if named == then else then.decode())
    assert [record.text(offset) for offset in (8, 640, 648)] == [
        b"pthread", then, named + b"-linux-gnu",
    ]  # fmt: skip


@needs_linux
def test_a_record_with_two_names_and_that_of_another_driver_are_left_alone(monkeypatch):
    monkeypatch.setattr(opencl_pocl, "_cpu_flags", lambda: AVX512)
    for record in (
        Record({8: b"znver3", 640: b"znver3"}),
        Record({640: b"znver3"}, name="Intel(R) OpenCL"),
    ):
        assert opencl_pocl.name_mistaken_cpu(record) is None
        assert record.text(640) == b"znver3"


@needs_linux
def test_a_wild_pointer_is_passed_over():
    record = Record({})
    record.field(0).value = 0xFFFF_FFFF_FFFF_FFF0
    record.field(8).value = 1 << 46
    assert opencl_pocl.name_unknown_cpu(record, lambda: True) is None


@needs_linux
def test_the_flags_of_this_processor_are_found():
    assert "sse2" in opencl_pocl._cpu_flags()


def test_the_compiler_complains_about_the_processor_or_about_something_else():
    assert opencl_pocl.is_unknown_cpu(RuntimeError("error: unknown target CPU 'generic'"))
    assert not opencl_pocl.is_unknown_cpu(RuntimeError("error: expected ';'"))


def test_a_library_elsewhere_is_not_the_bundled_one(tmp_path):
    assert not opencl_pocl.is_bundled(types.SimpleNamespace(__file__=str(tmp_path / "a" / "b.py")))


@pytest.fixture
def linkers(monkeypatch, tmp_path):
    """A machine without linker: what is put in PATH lies in the returned folder."""
    cache = tmp_path / "it's a cache"
    cache.mkdir()
    monkeypatch.setenv("POCL_CACHE_DIR", str(cache))
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    return cache


@needs_linux
def test_a_machine_without_linker_gets_one(linkers, tmp_path):
    opencl_pocl.provide_linker()
    before, ours = os.environ["PATH"].split(os.pathsep)
    assert before == str(tmp_path / "nothing")
    assert Path(ours).parent == linkers
    done = subprocess.run(
        [Path(ours) / "ld", "-shared", "-o", "a b.so", "c  d.o"],
        cwd=tmp_path, env={}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith("opencl_linker: ")
    assert done.stderr.count("\n") == 1
    assert "c  d.o" in done.stderr
    # There is one now.
    opencl_pocl.provide_linker()
    assert os.environ["PATH"].split(os.pathsep) == [before, ours]


@needs_linux
@pytest.mark.parametrize("path", ["", None])
def test_a_machine_without_path_gets_a_linker(linkers, monkeypatch, path):
    monkeypatch.setenv("PATH", "")
    if path is None:
        monkeypatch.delenv("PATH")
    opencl_pocl.provide_linker()
    assert [Path(os.environ["PATH"]) / "ld"] == list(linkers.glob("*/ld"))


@needs_linux
def test_the_linker_of_the_machine_is_used(linkers, tmp_path):
    there = tmp_path / "nothing" / "ld"
    there.parent.mkdir()
    there.write_text("#!/bin/sh\n", encoding="utf-8")
    there.chmod(0o755)
    opencl_pocl.provide_linker()
    assert os.environ["PATH"] == str(there.parent)
    assert list(linkers.iterdir()) == []


@needs_linux
def test_a_frozen_app_links_by_itself(linkers, monkeypatch):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", "/opt/my app/dl-advisor")
    opencl_pocl.provide_linker()
    (program,) = linkers.glob("*/ld")
    assert program.read_text(encoding="utf-8").splitlines() == [
        "#!/bin/sh", "exec '/opt/my app/dl-advisor' --worker opencl_linker \"$@\"",
    ]  # fmt: skip


@pytest.mark.parametrize(("system", "machine"), [("darwin", "x86_64"), ("linux", "aarch64")])
def test_a_system_without_bundled_driver_is_left_alone(linkers, monkeypatch, system, machine):
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(platform, "machine", lambda: machine)
    opencl_pocl.provide_linker()
    assert list(linkers.iterdir()) == []
