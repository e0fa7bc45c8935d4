"""The linker as PoCL calls it: objects in, a shared object out that the loader takes."""

import ctypes
import os
import platform
import random
import subprocess
import sys
from pathlib import Path

import opencl_linker
import pytest

from probes.bench.commands import worker_script
from tests.helpers import elf

needs_linux = pytest.mark.skipif(
    platform.system() != "Linux" or platform.machine() != "x86_64", reason="for Linux on x86-64"
)
# As PoCL gives them, on a machine with libraries for developers.
OPTIONS = (
    "--hash-style=both", "--eh-frame-hdr", "-m", "elf_x86_64", "-shared", "-L/usr/lib", "-z", "now",
)  # fmt: skip
LIBRARIES = (
    "-lgcc", "--as-needed", "-lgcc_s", "--no-as-needed", "-lc", "-lgcc", "--as-needed", "-lgcc_s",
)  # fmt: skip


def link(folder, *objects, more=()):
    """Link objects and return the name of the result."""
    files = [each.write(folder / f"{number}.o") for number, each in enumerate(objects)]
    result = folder / "result.so"
    arguments = [*OPTIONS, "-o", str(result), *files, *LIBRARIES, *more]
    assert opencl_linker.main(arguments) == 0
    return result


def load(folder, *objects, more=()):
    return ctypes.CDLL(str(link(folder, *objects, more=more)), mode=os.RTLD_NOW)


def refused(capsys, *arguments):
    """Run the linker, which must say no, and return what it says."""
    assert opencl_linker.main(list(arguments)) == 1
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("opencl_linker: ")
    return lines[0]


def everything():
    """Return an object with each thing that the linker knows."""
    made = elf.Object()
    code, _ = made.function("forty_two")
    data = made.section(".data", (7).to_bytes(8, "little") * 4, flags=elf.W | elf.A)
    seven = made.symbol("seven", data, binding=elf.LOCAL)
    blank = made.section(".bss", kind=elf.NOBITS, flags=elf.W | elf.A, size=5000)
    counter = made.symbol("counter", blank, size=4)
    for name, text, place, kind, symbol in (
        ("load", elf.LOAD, 2, elf.R_PC32, seven),
        ("load_by_slot", elf.LOAD_BY_SLOT, 3, elf.R_REX_GOTPCRELX, seven),
        ("length", elf.JUMP, 1, elf.R_PLT32, made.symbol("strlen")),
        ("jump", elf.JUMP, 1, elf.R_PLT32, made.symbol("forty_two")),
        ("count", elf.INCREMENT, 2, elf.R_PC32, counter),
    ):
        section, _ = made.function(name, text)
        made.patch(section, place, kind, symbol, -4)
    pointers = made.section(".data.rel.ro", bytes(24), flags=elf.W | elf.A)
    made.symbol("pointers", pointers, size=24)
    made.patch(pointers, 0, elf.R_64, seven)
    made.patch(pointers, 8, elf.R_64, made.symbol("environ"))
    made.patch(pointers, 16, elf.R_64, made.symbol("nobody_has_this", binding=elf.WEAK))
    begin = made.section(".init_array", bytes(8), kind=elf.INIT_ARRAY, flags=elf.W | elf.A)
    made.patch(begin, 0, elf.R_64, made.symbol("count"))
    made.section(".eh_frame", b"\1" * 24)
    made.patch(made.section(".rodata", b"\0" * 8), 0, 0, 0)
    assert code == 1
    return made


@needs_linux
def test_code_runs_that_uses_everything(tmp_path):
    library = load(tmp_path, everything())
    assert library.forty_two() == 42
    assert library.jump() == 42
    assert library.load() == library.load_by_slot() == 7
    assert library.length(b"four") == 4
    # Counted once when it was loaded.
    assert ctypes.c_int.in_dll(library, "counter").value == 1
    library.count()
    assert ctypes.c_int.in_dll(library, "counter").value == 2
    pointers = (ctypes.c_uint64 * 3).in_dll(library, "pointers")
    assert ctypes.c_uint64.from_address(pointers[0]).value == 7
    assert pointers[1] == ctypes.addressof(ctypes.c_uint64.in_dll(ctypes.CDLL(None), "environ"))
    assert pointers[2] == 0


@needs_linux
def test_objects_use_each_other(tmp_path):
    one, other = elf.Object(), elf.Object()
    section, _ = one.function("first", elf.JUMP)
    one.patch(section, 1, elf.R_PLT32, one.symbol("second"), -4)
    section, _ = other.function("second", elf.LOAD_BY_SLOT)
    other.patch(section, 3, elf.R_REX_GOTPCRELX, other.symbol("third"), -4)
    one.symbol("third", one.section(".rodata", b"\x21\0\0\0"))
    assert load(tmp_path, one, other).first() == 33


@needs_linux
def test_its_own_symbols_come_before_those_of_others(tmp_path):
    made = elf.Object()
    made.function("strlen")
    section, _ = made.function("length", elf.JUMP)
    made.patch(section, 1, elf.R_PLT32, made.symbol("strlen"), -4)
    assert load(tmp_path, made).length(b"four") == 42


@needs_linux
def test_sections_of_nothing_are_fine(tmp_path):
    made = elf.Object()
    made.text(b"")
    made.section(".bss", kind=elf.NOBITS, flags=elf.W | elf.A, size=0)
    made.symbol("nothing", made.section(".data", flags=elf.W | elf.A))
    made.function("forty_two")
    assert load(tmp_path, made).forty_two() == 42


@needs_linux
def test_functions_of_the_mathematical_library_are_found(tmp_path):
    made = elf.Object()
    section, _ = made.function("root", elf.JUMP)
    made.patch(section, 1, elf.R_PLT32, made.symbol("cbrtf"), -4)
    root = load(tmp_path, made).root
    root.argtypes, root.restype = [ctypes.c_float], ctypes.c_float
    assert root(27.0) == 3.0


@needs_linux
def test_a_symbol_that_is_nowhere_is_found_out_at_once(tmp_path):
    made = elf.Object()
    section, _ = made.function("never", elf.JUMP)
    made.patch(section, 1, elf.R_PLT32, made.symbol("nobody_has_this"), -4)
    with pytest.raises(OSError, match="nobody_has_this"):
        load(tmp_path, made)


@needs_linux
def test_a_result_that_is_in_use_is_replaced_not_overwritten(tmp_path):
    one, other = elf.Object(), elf.Object()
    one.function("answer")
    other.function("answer", elf.RETURN_42.replace(b"\x2a", b"\x2b"))
    first = load(tmp_path, one)
    moved = link(tmp_path, other).rename(tmp_path / "moved.so")
    assert first.answer() == 42
    assert ctypes.CDLL(str(moved)).answer() == 43


def test_as_a_program_it_needs_nothing_of_its_environment(tmp_path):
    files = [everything().write(tmp_path / "an object.o")]
    command = [sys.executable, "-I", "-S", str(worker_script("opencl_linker"))]
    for inputs, code in ((files, 0), ([str(tmp_path / "missing.o")], 1)):
        done = subprocess.run(
            [*command, "-shared", "-o", str(tmp_path / "a result.so"), *inputs],
            env={}, cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == code, done.stderr
        assert done.stderr.count("\n") == code
    shared = elf.read_shared(tmp_path / "a result.so")
    assert {"forty_two", "load", "counter"} <= set(shared.symbols)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["a.o"], "-shared -o RESULT OBJECT"),
        (["-shared", "-o", "b.so"], "-shared -o RESULT OBJECT"),
        (["-shared", "-r", "a.o"], "no -r"),
        (["-shared", "-static", "a.o"], "no -static"),
        (["-shared", "-m", "aarch64linux", "a.o"], "no aarch64linux"),
        (["-shared", "-lfoo", "a.o"], "-lfoo"),
        (["-shared", "a.o", "-m"], "elf_x86_64 only"),
        (["-shared", "nowhere.o"], "nowhere.o"),
    ],
)
def test_what_it_cannot_do_is_said_in_one_line(capsys, arguments, words):
    assert words in refused(capsys, *arguments)


def test_a_result_that_cannot_be_written_is_said(capsys, tmp_path):
    made = elf.Object()
    made.function("f")
    file = made.write(tmp_path / "a.o")
    assert "away" in refused(capsys, "-shared", "-o", str(tmp_path / "away" / "a.so"), file)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda good: b"", "cut off"),
        (lambda good: b"!<arch>\n" + good, "no 64-bit ELF"),
        (lambda good: b"#!/bin/sh\necho this is no object at all, but it is long enough\n", "ELF"),
        (lambda good: good[:200], "cut off"),
        (lambda good: good[:-1], "cut off"),
        (lambda good: good[:18] + b"\xb7\0" + good[20:], "machine 183"),
        (lambda good: good[:16] + b"\3\0" + good[18:], "no relocatable"),
    ],
)
def test_a_broken_object_is_named(capsys, tmp_path, make, words):
    file = tmp_path / "broken.o"
    file.write_bytes(make(everything().data()))
    said = refused(capsys, "-shared", "-o", str(tmp_path / "a.so"), str(file))
    assert words in said
    assert "broken.o" in said
    assert not (tmp_path / "a.so").exists()


@pytest.mark.parametrize("seed", range(40))
def test_no_garbage_ends_in_a_traceback(capsys, tmp_path, seed):
    choice = random.Random(seed)
    good = everything().data()
    file, result = tmp_path / "garbage.o", tmp_path / "a.so"
    n_linked = 0
    for _ in range(20):
        broken = bytearray(good)
        for _ in range(choice.randint(1, 4)):
            # Where the tables are, rather than in code.
            place = choice.randrange(len(good) // 8, len(good))
            broken[place] = choice.choice([0, 1, 0x7F, 0x80, 0xFF, choice.randrange(256)])
        file.write_bytes(broken[: choice.choice([len(good), choice.randrange(len(good))])])
        code = opencl_linker.main(["-shared", "-o", str(result), str(file)])
        assert capsys.readouterr().err.count("\n") == code
        n_linked += code == 0
    assert n_linked < 20


def test_libraries_are_named_only_when_something_is_looked_up(tmp_path):
    alone = elf.Object()
    alone.function("f")
    assert 1 not in elf.read_shared(link(tmp_path, alone)).dynamic
    for name, libraries in (
        ("memcpy", ["libc.so.6", "libm.so.6"]),
        ("__udivti3", ["libc.so.6", "libm.so.6", "libgcc_s.so.1"]),
    ):
        made = elf.Object()
        section, _ = made.function("f", elf.JUMP)
        made.patch(section, 1, elf.R_PLT32, made.symbol(name), -4)
        shared = elf.read_shared(link(tmp_path, made, more=["-soname", "mine.so"]))
        assert [shared.text(offset) for offset in shared.dynamic[1]] == libraries
        assert shared.text(shared.dynamic[14][0]) == "mine.so"


def test_the_result_may_be_executed(tmp_path):
    made = elf.Object()
    made.function("f")
    result = link(tmp_path, made)
    assert Path(result).is_file()
    assert os.access(result, os.X_OK)
