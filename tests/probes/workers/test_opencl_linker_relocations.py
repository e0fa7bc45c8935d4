"""What is patched, in numbers, and what cannot be."""

import pytest
from opencl_linker_objects import ALLOC, EXEC, WRITE, LinkError, Section, Symbol
from opencl_linker_relocations import Relocations
from opencl_linker_symbols import SymbolTable

from tests.helpers import elf

TEXT, DATA = 0x1000, 0x3000


def symbol(name, section=None, value=0, number=0, binding=elf.GLOBAL):
    return Symbol(name, section, value, info=binding << 4, number=number)


class Program:
    """A section of code and one of data at fixed addresses."""

    def __init__(self):
        self.text = Section(".text", flags=ALLOC | EXEC, data=bytes(16))
        self.data = Section(".data", flags=ALLOC | WRITE, data=bytes(16))
        self.symbols = [
            symbol("f", self.text, 4, 1), symbol("v", self.data, 8, 2),
            symbol("fixed", None, 0x1234, elf.ABSOLUTE), symbol("far"),
        ]  # fmt: skip
        self.f, self.v, self.fixed, self.far = self.symbols
        self.table = SymbolTable(self.symbols)

    def patch(self, section, offset, kind, target, addend=0):
        section.relocations.append((offset, kind, target, addend))

    def apply(self):
        """Patch all; what was made follows at 0x5000, 0x6000."""
        relocations = Relocations([self.text, self.data], self.table)
        for section, address in zip(
            relocations.sections, (TEXT, DATA, 0x5000, 0x6000), strict=False
        ):
            section.address = address
        left = relocations.apply()
        assert relocations.n_left == len(left)
        return left, relocations.sections[2:]


def number(section, offset, size=4):
    return int.from_bytes(section.data[offset : offset + size], "little", signed=True)


def test_distances_are_from_their_own_place():
    program = Program()
    program.patch(program.text, 2, elf.R_PC32, program.v, -4)
    program.patch(program.text, 8, 24, program.v)
    program.patch(program.data, 4, elf.R_PLT32, program.f, 7)
    assert program.apply() == ([], [])
    assert number(program.text, 2) == DATA + 8 - 4 - (TEXT + 2)
    assert number(program.text, 8, 8) == DATA + 8 - (TEXT + 8)
    assert number(program.data, 4) == TEXT + 4 + 7 - (DATA + 4)


def test_addresses_are_left_to_the_loader_unless_they_are_fixed():
    program = Program()
    program.patch(program.data, 0, elf.R_64, program.f, 3)
    program.patch(program.data, 8, elf.R_64, program.fixed, 1)
    left, _ = program.apply()
    assert left == [(DATA, 8, None, TEXT + 7)]
    assert number(program.data, 8, 8) == 0x1235
    other = Program()
    other.patch(other.data, 8, elf.R_64, other.far, 5)
    assert other.apply()[0] == [(DATA + 8, 1, "far", 5)]
    assert other.table.imports == {"far": elf.GLOBAL}


def test_calls_of_other_libraries_jump_through_one_slot():
    program = Program()
    program.patch(program.text, 1, elf.R_PLT32, program.far, -4)
    program.patch(program.text, 8, elf.R_PLT32, program.far, -4)
    left, (stubs, slots) = program.apply()
    assert (stubs.size, slots.size) == (8, 8)
    assert number(program.text, 1) == 0x5000 - 4 - (TEXT + 1)
    assert number(program.text, 8) == 0x5000 - 4 - (TEXT + 8)
    assert stubs.data[:2] == b"\xff\x25"
    assert number(stubs, 2) == 0x6000 - 0x5006
    assert left == [(0x6000, 1, "far", 0)]


def test_places_share_their_slots():
    program = Program()
    alias = symbol("alias", program.data, 8, 2)
    table = SymbolTable([*program.symbols, alias])
    program.table = table
    for offset, target in ((0, program.v), (4, alias), (8, program.fixed), (12, program.far)):
        program.patch(program.text, offset, elf.R_GOTPCREL, target, -4)
    left, (slots,) = program.apply()
    assert slots.size == 24
    assert [number(program.text, offset) + 4 + TEXT + offset - 0x5000 for offset in (0, 4)] == [
        0, 0,
    ]  # fmt: skip
    assert left == [(0x5000, 8, None, DATA + 8), (0x5010, 1, "far", 0)]
    assert number(slots, 8, 8) == 0x1234


@pytest.mark.parametrize(
    ("place", "offset", "kind", "target", "words"),
    [
        ("text", 0, elf.R_32S, "v", r"relocation 11 in \.text against 'v' is not known"),
        ("data", 0, 19, "v", "relocation 19"),
        ("text", 0, elf.R_64, "v", r"\.text needs the address of 'v' but cannot be written"),
        ("text", 0, elf.R_64, "far", "cannot be written"),
        ("text", 0, elf.R_PC32, "far", "the distance of 'far' is not known"),
        ("text", 0, elf.R_PLT32, "fixed", "the distance of 'fixed' is not known"),
        ("text", 13, elf.R_PC32, "v", r"beyond the end of \.text"),
        ("data", 9, elf.R_64, "v", r"beyond the end of \.data"),
    ],
)
def test_what_cannot_be_patched_is_said(place, offset, kind, target, words):
    program = Program()
    program.patch(getattr(program, place), offset, kind, getattr(program, target))
    with pytest.raises(LinkError, match=words):
        program.apply()


@pytest.mark.parametrize("addend", [1 << 31, -(1 << 31)])
def test_what_is_too_far_is_said(addend):
    program = Program()
    program.patch(program.text, 0, elf.R_PC32, program.f, addend + (-5 if addend < 0 else 0))
    with pytest.raises(LinkError, match=r"'f' is too far from \.text"):
        program.apply()
