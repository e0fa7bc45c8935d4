"""Reading objects: what is kept, what is left out, what is refused."""

import struct

import opencl_linker_objects as objects
import pytest
from opencl_linker_objects import LinkError

from tests.helpers import elf


def read(made, tmp_path):
    return objects.read_object(made.write(tmp_path / "a.o"))


def test_what_is_loaded_is_kept_with_its_symbols_and_relocations(tmp_path):
    made = elf.Object()
    code, function = made.function("f", elf.JUMP)
    made.patch(code, 1, elf.R_PLT32, made.symbol("g"), -4)
    made.section(".bss", kind=elf.NOBITS, flags=elf.W | elf.A, size=100, align=32)
    made.symbol("hidden", code, 2, other=2)
    made.symbol("fixed", elf.ABSOLUTE, 1 << 40)
    (text, blank), symbols = read(made, tmp_path)
    assert (text.name, text.data, text.flags) == (".text.f", elf.JUMP, objects.ALLOC | objects.EXEC)
    assert text.relocations == [(1, elf.R_PLT32, symbols[2], -4)]
    assert (blank.size, blank.align, blank.data) == (100, 32, b"")
    assert [each.name for each in symbols] == ["", "f", "g", "hidden", "fixed"]
    assert symbols[function].section is text
    assert symbols[function].binding == objects.GLOBAL
    assert symbols[2].is_undefined
    assert symbols[3].is_hidden
    assert symbols[4].is_absolute
    assert symbols[4].address() == 1 << 40


@pytest.mark.parametrize(
    ("name", "flags", "kind"),
    [
        (".comment", 0, elf.PROGBITS),
        (".debug_info", 0, elf.PROGBITS),
        (".eh_frame", elf.A, elf.PROGBITS),
        (".eh_frame", elf.A, 0x70000001),
        (".note.gnu.property", elf.A, 7),
        (".llvm_addrsig", 0x80000000 | elf.A, elf.PROGBITS),
    ],
)
def test_what_no_kernel_needs_is_left_out_with_its_relocations(tmp_path, name, flags, kind):
    made = elf.Object()
    left_out = made.section(name, bytes(16), flags=flags, kind=kind)
    made.patch(left_out, 0, 999, made.symbol("inside", left_out))
    sections, symbols = read(made, tmp_path)
    assert sections == []
    with pytest.raises(LinkError, match="'inside' is in a section that is left out"):
        symbols[1].address()


def test_a_symbol_of_a_section_is_called_like_it(tmp_path):
    made = elf.Object()
    made.symbol("", made.section(".rodata", b"12345678"), kind=3, binding=elf.LOCAL)
    assert read(made, tmp_path)[1][1].name == ".rodata"


def refuse_threads(made):
    made.section(".tbss", flags=elf.A | elf.W | 0x400)


def refuse_alignment(made):
    made.section(".rodata", align=8192)


def refuse_crooked_alignment(made):
    made.section(".rodata", align=24)


def refuse_early_start(made):
    made.section(".preinit_array", kind=16, flags=elf.A | elf.W)


def refuse_indirect_function(made):
    made.symbol("f", kind=10)


def refuse_unique(made):
    made.symbol("f", binding=10)


def refuse_odd_place(made):
    made.symbol("f", 0xFFFF)


def refuse_far_place(made):
    made.symbol("f", made.text(bytes(4)), 5)


def refuse_odd_relocations(made):
    made.section(".rel.text", kind=9, flags=0)


def refuse_relocations_cut(made):
    text = made.text(bytes(8))
    made.patch(text, 0, 0, 0)
    made.sections.append((".rela", 4, 0, 3, text, 8, bytes(25), 25))


def refuse_a_missing_symbol(made):
    made.patch(made.text(bytes(8)), 0, elf.R_PC32, 7)


def refuse_a_section_beyond_the_file(made):
    made.section(".rodata", size=1 << 62)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (refuse_threads, ".tbss is not for shared objects"),
        (refuse_early_start, "preinit_array is not for shared objects"),
        (refuse_alignment, "alignment of 8192"),
        (refuse_crooked_alignment, "alignment of 24"),
        (refuse_indirect_function, "'f' is of kind"),
        (refuse_unique, "'f' is of kind"),
        (refuse_odd_place, "'f' is in section 0xffff"),
        (refuse_far_place, "beyond the end of its section"),
        (refuse_odd_relocations, "tables that x86-64 does not have"),
        (refuse_relocations_cut, "ends within an entry"),
        (refuse_a_missing_symbol, "no symbol 7"),
        (refuse_a_section_beyond_the_file, "cut off"),
    ],
)
def test_what_is_not_understood_is_refused_with_the_file(tmp_path, change, words):
    made = elf.Object()
    change(made)
    with pytest.raises(LinkError, match=r"a\.o: .*" + words):
        read(made, tmp_path)


@pytest.mark.parametrize(
    ("offset", "layout", "value", "words"),
    [
        (58, "<H", 40, "headers have 40 bytes"),
        (62, "<H", 77, "no section 77"),
        (40, "<Q", 1 << 63, "cut off"),
    ],
)
def test_a_header_that_cannot_be_is_refused(tmp_path, offset, layout, value, words):
    made = elf.Object()
    made.function("f")
    data = bytearray(made.data())
    struct.pack_into(layout, data, offset, value)
    (tmp_path / "a.o").write_bytes(data)
    with pytest.raises(LinkError, match=words):
        objects.read_object(str(tmp_path / "a.o"))


def test_a_name_beyond_its_table_is_refused(tmp_path):
    made = elf.Object()
    made.function("f")
    data = bytearray(made.data())
    (headers,) = struct.unpack_from("<Q", data, 40)
    struct.pack_into("<I", data, headers + 64, 1 << 20)
    (tmp_path / "a.o").write_bytes(data)
    with pytest.raises(LinkError, match="beyond its table"):
        objects.read_object(str(tmp_path / "a.o"))
