"""Small ELF objects for tests of the linker, and what a shared object says about itself.

Written from the tables of the System V ABI, apart from the linker's own code.
"""

import struct
from dataclasses import dataclass, field
from pathlib import Path

PROGBITS, SYMTAB, STRTAB, RELA, NOBITS, INIT_ARRAY, FINI_ARRAY = 1, 2, 3, 4, 8, 14, 15
W, A, X = 1, 2, 4
R_64, R_PC32, R_PLT32, R_GOTPCREL, R_32S, R_REX_GOTPCRELX = 1, 2, 4, 9, 11, 42
LOCAL, GLOBAL, WEAK = 0, 1, 2
ABSOLUTE, COMMON = 0xFFF1, 0xFFF2

# mov $42,%eax; ret
RETURN_42 = bytes.fromhex("b82a000000c3")
# jmp; the distance begins at 1.
JUMP = bytes.fromhex("e900000000")
# mov (%rip),%eax; ret: the distance begins at 2.
LOAD = bytes.fromhex("8b0500000000c3")
# mov (%rip),%rax; mov (%rax),%eax; ret: the distance begins at 3.
LOAD_BY_SLOT = bytes.fromhex("488b05000000008b00c3")
# incl (%rip); ret: the distance begins at 2.
INCREMENT = bytes.fromhex("ff0500000000c3")


@dataclass(kw_only=True)
class Object:
    """A relocatable object that is being written; sections and symbols go by number."""

    machine: int = 62
    kind: int = 1
    sections: list[tuple[str, int, int, int, int, int, bytes, int]] = field(default_factory=list)
    symbols: list[tuple[str, int, int, int, int, int]] = field(default_factory=list)
    relocations: dict[int, list[tuple[int, int, int, int]]] = field(default_factory=dict)

    def section(self, name, data=b"", *, flags=A, kind=PROGBITS, align=16, size=None):
        """Add a section and return its number."""
        size = len(data) if size is None else size
        self.sections.append((name, kind, flags, 0, 0, align, data, size))
        return len(self.sections)

    def text(self, data, *, name=".text"):
        """Add code."""
        return self.section(name, data, flags=A | X)

    def symbol(self, name, section=0, value=0, *, binding=GLOBAL, kind=0, size=0, other=0):
        """Add a symbol and return its number; section 0 is elsewhere."""
        self.symbols.append((name, binding << 4 | kind, other, section, value, size))
        return len(self.symbols)

    def patch(self, section, offset, kind, symbol, addend=0):
        """Add a relocation."""
        self.relocations.setdefault(section, []).append((offset, kind, symbol, addend))

    def function(self, name, code=RETURN_42, **more):
        """Add code in a section of its own and the symbol of it, return both numbers."""
        section = self.text(code, name=".text." + name)
        return section, self.symbol(name, section, kind=2, size=len(code), **more)

    def _tables(self):
        strings, rows = b"\0", [bytes(24)]
        for name, info, other, section, value, size in self.symbols:
            rows.append(struct.pack("<IBBHQQ", len(strings), info, other, section, value, size))
            strings += name.encode() + b"\0"
        names = len(self.sections) + 1
        all_sections = [*self.sections, (".strtab", STRTAB, 0, 0, 0, 1, strings, len(strings))]
        table = b"".join(rows)
        all_sections.append((".symtab", SYMTAB, 0, names, 1, 8, table, len(table)))
        for section, patches in self.relocations.items():
            data = b"".join(struct.pack("<QQq", o, s << 32 | k, a) for o, k, s, a in patches)
            all_sections.append((".rela", RELA, 0, names + 1, section, 8, data, len(data)))
        return all_sections

    def data(self):
        """Return the file."""
        rows, body, names = [bytes(64)], b"", b"\0"
        for name, kind, flags, link, info, align, data, size in self._tables():
            body += bytes(-len(body) % 16)
            row = (len(names), kind, flags, 0, 64 + len(body), size, link, info, align, 0)
            rows.append(struct.pack("<IIQQQQIIQQ", *row))
            names, body = names + name.encode() + b"\0", body + data
        names_row = (0, STRTAB, 0, 0, 64 + len(body), len(names), 0, 0, 1, 0)
        rows.append(struct.pack("<IIQQQQIIQQ", *names_row))
        body += names
        header = struct.pack(
            "<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01", self.kind, self.machine, 1, 0, 0,
            64 + len(body), 0, 64, 0, 0, 64, len(rows), len(rows) - 1,
        )  # fmt: skip
        return header + body + b"".join(rows)

    def write(self, path):
        """Write the file and return its name."""
        Path(path).write_bytes(self.data())
        return str(path)


@dataclass(frozen=True, kw_only=True)
class Shared:
    """A shared object as the loader sees it.

    Attributes:
        segments: kind, rights, offset, address, bytes in the file, bytes in memory, alignment.
        dynamic: the dynamic section; a kind that may repeat has a list.
        symbols: name to section number, address, binding.
        relocations: address, kind, name of the symbol, addend.
    """

    data: bytes
    segments: list[tuple[int, int, int, int, int, int, int]]
    dynamic: dict[int, list[int]]
    symbols: dict[str, tuple[int, int, int]]
    relocations: list[tuple[int, int, str, int]]

    def text(self, offset):
        """Return a name from its table."""
        return _string(self.data, self.dynamic[5][0] + offset)


def _string(data, start):
    return data[start : data.index(b"\0", start)].decode()


def read_shared(path):
    """Return what a shared object says about itself; places in file and memory must be equal."""
    data = Path(path).read_bytes()
    identity, kind, machine, _, _, first, *_, size, count, _, _, _ = struct.unpack_from(
        "<16sHHIQQQIHHHHHH", data
    )
    assert identity[:7] == b"\x7fELF\x02\x01\x01"
    assert (kind, machine, size) == (3, 62, 56)
    segments = []
    for row in struct.iter_unpack("<IIQQQQQQ", data[first : first + size * count]):
        segment_kind, rights, offset, address, _, in_file, in_memory, align = row
        assert offset == address
        segments.append((segment_kind, rights, offset, address, in_file, in_memory, align))
    place, length = next((row[2], row[4]) for row in segments if row[0] == 2)
    dynamic = {}
    for tag, value in struct.iter_unpack("<QQ", data[place : place + length]):
        dynamic.setdefault(tag, []).append(value)
    (n_symbols,) = struct.unpack_from("<I", data, dynamic[4][0] + 4)
    names, symbols = [], {}
    for number in range(n_symbols):
        row = struct.unpack_from("<IBBHQQ", data, dynamic[6][0] + 24 * number)
        names.append(_string(data, dynamic[5][0] + row[0]))
        if number:
            symbols[names[-1]] = (row[3], row[4], row[1] >> 4)
    start, length = dynamic.get(7, [0])[0], dynamic.get(8, [0])[0]
    relocations = [
        (where, info & 0xFFFFFFFF, names[info >> 32], addend)
        for where, info, addend in struct.iter_unpack("<QQq", data[start : start + length])
    ]
    return Shared(
        data=data, segments=segments, dynamic=dynamic, symbols=symbols, relocations=relocations
    )
