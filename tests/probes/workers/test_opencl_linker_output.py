"""The file: segments that a loader accepts, tables that say what is in them."""

import opencl_linker_output as output
import pytest
from opencl_linker_objects import (
    ALLOC,
    EXEC,
    FINI_ARRAY,
    INIT_ARRAY,
    NOBITS,
    WRITE,
    LinkError,
    Section,
    Symbol,
)

from tests.helpers import elf

PAGE = 4096
LOAD, DYNAMIC, STACK = 1, 2, 0x6474E551
R, RW, RX = 4, 6, 5


def sections():
    return [
        Section(".text", flags=ALLOC | EXEC, align=64, data=b"\xc3" * 5000),
        Section(".rodata", align=32, data=b"constant"),
        Section(".bss", NOBITS, ALLOC | WRITE, size=10_000),
        Section(".data", flags=ALLOC | WRITE, data=b"variable"),
        Section(".fini_array", FINI_ARRAY, ALLOC | WRITE, data=bytes(16)),
        Section(".init_array", INIT_ARRAY, ALLOC | WRITE, data=bytes(8)),
    ]


def write(tmp_path, made, *, exports=(), imports=None, relocations=(), libraries=(), soname=None):
    shared = output.SharedObject(
        made, list(exports), imports or {}, libraries, soname, len(relocations)
    )
    (tmp_path / "a.so").write_bytes(shared.image(relocations))
    return elf.read_shared(tmp_path / "a.so")


def test_segments_have_pages_and_rights_of_their_own(tmp_path):
    made = sections()
    shared = write(tmp_path, made)
    loads = [row for row in shared.segments if row[0] == LOAD]
    assert [row[1] for row in loads] == [R, RX, RW]
    end = 0
    for _, _, offset, address, in_file, in_memory, align in loads:
        assert offset % PAGE == 0
        assert align == PAGE
        assert address >= end
        assert in_memory >= in_file > 0
        end = address + in_memory
    assert len(shared.data) == loads[-1][2] + loads[-1][4]
    assert loads[-1][5] - loads[-1][4] >= 10_000
    for section in made:
        assert section.address % section.align == 0
        rights = RX if section.flags & EXEC else RW if section.flags & WRITE else R
        (home,) = [row for row in loads if row[3] <= section.address < row[3] + row[5]]
        assert home[1] == rights
        assert section.address + section.size <= home[3] + home[5]
        if section.kind != NOBITS:
            place = slice(section.address, section.address + section.size)
            assert shared.data[place] == section.data


def test_code_begins_a_page_as_other_linkers_let_it(tmp_path):
    made = sections()
    write(tmp_path, made)
    assert made[0].address % PAGE == 0


def test_the_stack_is_not_for_code_and_the_dynamic_section_is_found(tmp_path):
    shared = write(tmp_path, sections())
    kinds = {row[0]: row for row in shared.segments}
    assert kinds[STACK][1] == RW
    assert kinds[DYNAMIC][3] % 8 == 0
    assert shared.dynamic[0] == [0]
    assert shared.dynamic[30] == [8]


def test_a_segment_of_nothing_is_left_out(tmp_path):
    empty = [Section(".text", flags=ALLOC | EXEC)]
    shared = write(tmp_path, empty)
    assert [row[1] for row in shared.segments if row[0] == LOAD] == [R, RW]
    assert empty[0].address is not None


def test_symbols_are_found_by_their_hash(tmp_path):
    made = sections()
    exports = [Symbol(f"name_{i}", made[0], i, info=0x12, number=1, size=1) for i in range(50)]
    exports.append(Symbol("fixed", None, 77, info=0x10, number=elf.ABSOLUTE))
    shared = write(tmp_path, made, exports=exports, imports={"strlen": elf.GLOBAL, "x": elf.WEAK})
    assert shared.symbols["name_7"] == (1, made[0].address + 7, elf.GLOBAL)
    assert shared.symbols["fixed"] == (elf.ABSOLUTE, 77, elf.GLOBAL)
    assert shared.symbols["strlen"] == (0, 0, elf.GLOBAL)
    assert shared.symbols["x"] == (0, 0, elf.WEAK)
    table = memoryview(shared.data[shared.dynamic[4][0] :][: 4 * (2 + 53 + 54)]).cast("I")
    n_buckets = table[0]
    for number, name in enumerate(shared.symbols, 1):
        at = table[2 + output._hash(name.encode()) % n_buckets]
        while at not in (0, number):
            at = table[2 + n_buckets + at]
        assert at == number, name


@pytest.mark.parametrize(
    ("name", "value"),
    # The example of the System V ABI's readers, and a name that reaches the upper bits.
    [(b"printf", 0x077905A6), (b"exit", 0x0006CF04), (b"syscall", 0x0B09985C),
     (b"flapenguin.me", 0x03987915)],
)  # fmt: skip
def test_hashes_are_those_of_the_loader(name, value):
    assert output._hash(name) == value


def test_relocations_arrays_and_names_are_told(tmp_path):
    made = sections()
    relocations = [(0x5000, 8, None, 0x1000), (0x5008, 1, "strlen", -3)]
    shared = write(
        tmp_path, made, imports={"strlen": elf.GLOBAL}, relocations=relocations,
        libraries=["libc.so.6"], soname="mine.so",
    )  # fmt: skip
    assert shared.relocations == [(0x5000, 8, "", 0x1000), (0x5008, 1, "strlen", -3)]
    assert (shared.dynamic[8], shared.dynamic[9]) == ([48], [24])
    assert (shared.dynamic[25], shared.dynamic[27]) == ([made[5].address], [8])
    assert (shared.dynamic[26], shared.dynamic[28]) == ([made[4].address], [16])
    assert shared.text(shared.dynamic[1][0]) == "libc.so.6"
    assert shared.text(shared.dynamic[14][0]) == "mine.so"


def test_without_relocations_and_arrays_there_is_no_word_of_them(tmp_path):
    shared = write(tmp_path, [Section(".text", flags=ALLOC | EXEC, data=b"\xc3")])
    assert not {1, 7, 8, 9, 14, 25, 26, 27, 28} & set(shared.dynamic)


def test_code_that_can_be_written_is_refused(tmp_path):
    with pytest.raises(LinkError, match="code that can be written"):
        write(tmp_path, [Section(".both", flags=ALLOC | WRITE | EXEC, data=b"\xc3")])


def test_a_result_beyond_all_bounds_is_refused(tmp_path):
    with pytest.raises(LinkError, match="would have"):
        write(tmp_path, [Section(".bss", NOBITS, ALLOC | WRITE, size=1 << 40)])
