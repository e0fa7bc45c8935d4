"""Reads relocatable x86-64 ELF objects: sections that end up in memory, symbols, relocations.

Layout of the file: System V ABI, chapter 4, and its supplement for AMD64.
Leaves to others: what becomes of them (`opencl_linker`).
"""

import io
import struct

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")

# ELF, 64 bits, little-endian, version 1; then: relocatable, x86-64.
_IDENTITY = b"\x7fELF\x02\x01\x01"
_RELOCATABLE, _X86_64 = 1, 62

# Kinds of sections.
PROGBITS, _SYMTAB, _RELA, _NOTE, NOBITS, _REL = 1, 2, 4, 7, 8, 9
INIT_ARRAY, FINI_ARRAY, _PREINIT_ARRAY, _UNWIND = 14, 15, 16, 0x70000001
_LEFT_OUT = (_NOTE, _UNWIND)
# Flags of sections.
WRITE, ALLOC, EXEC, _TLS, _EXCLUDE = 0x1, 0x2, 0x4, 0x400, 0x80000000
# Bindings, kinds and visibility of symbols; section numbers that are none.
LOCAL, GLOBAL, WEAK = 0, 1, 2
_SECTION_SYMBOL, _TLS_SYMBOL, _INDIRECT_FUNCTION = 3, 6, 10
_HIDDEN = (1, 2)
_UNDEFINED, _FIRST_RESERVED, _ABSOLUTE, _COMMON = 0, 0xFF00, 0xFFF1, 0xFFF2

PAGE_BYTES = 4096


def round_up(value, step):
    """Return the next multiple of a step."""
    return -(-value // step) * step


class LinkError(Exception):
    """The objects cannot be linked; says why in one line."""


class Section:
    """Bytes that are loaded, with what is to be patched in them.

    Attributes:
        address: from the beginning of the result, None before it is laid out.
        relocations: tuples of offset, type, `Symbol`, addend.
    """

    def __init__(self, name, kind=PROGBITS, flags=ALLOC, align=8, data=b"", size=None):
        self.name, self.kind, self.flags, self.align = name, kind, flags, max(1, align)
        self.data = data
        self.size = len(data) if size is None else size
        self.address = None
        self.relocations = []
        if self.align & (self.align - 1) or self.align > PAGE_BYTES:
            raise LinkError("section {} has an alignment of {}".format(name, align))


class Symbol:
    """A name for a place in a section.

    Attributes:
        section: None when it is elsewhere, absolute, common, or in a section that is left out.
        value: offset in the section; address if absolute; alignment if common.
        info: binding and kind as in the file.
    """

    def __init__(
        self, name, section=None, value=0, size=0, info=0, number=_UNDEFINED, hidden=False
    ):
        self.name, self.section, self.value, self.size = name, section, value, size
        self.info, self.is_hidden = info, hidden
        self.is_absolute = number == _ABSOLUTE
        self.is_common = number == _COMMON
        self.is_undefined = number == _UNDEFINED

    @property
    def binding(self):
        """LOCAL, GLOBAL or WEAK."""
        return self.info >> 4

    def address(self):
        """Return where it is from the beginning of the result.

        Raises:
            LinkError: when it is in a section that is left out.
        """
        if self.is_absolute:
            return self.value
        if self.section is None:
            raise LinkError("symbol {!r} is in a section that is left out".format(self.name))
        return self.section.address + self.value


def _part(data, offset, size):
    if offset + size > len(data):
        raise LinkError("the file is cut off")
    return data[offset : offset + size]


def _text(strings, offset):
    end = strings.find(b"\0", offset)
    if end < 0:
        raise LinkError("a name goes beyond its table")
    return strings[offset:end].decode("utf-8", "surrogateescape")


def _records(layout, data):
    if len(data) % layout.size:
        raise LinkError("a table ends within an entry")
    return list(layout.iter_unpack(data))


class _Reader:
    """One file on the way to its sections and symbols."""

    def __init__(self, data):
        self._data = data
        if data[: len(_IDENTITY)] != _IDENTITY[: len(data)]:
            raise LinkError("it is no 64-bit ELF file")
        fields = _HEADER.unpack(_part(data, 0, _HEADER.size))
        if fields[1] != _RELOCATABLE:
            raise LinkError("it is no relocatable object")
        if fields[2] != _X86_64:
            raise LinkError("it is for machine {}, not for x86-64".format(fields[2]))
        offset, size, count, names = fields[6], fields[11], fields[12], fields[13]
        if count and size != _SECTION.size:
            raise LinkError("its section headers have {} bytes".format(size))
        self._headers = _records(_SECTION, _part(data, offset, count * _SECTION.size))
        self._names = self._content(names)
        self._sections = {}
        self.symbols = []

    def _header(self, number):
        if number >= len(self._headers):
            raise LinkError("there is no section {}".format(number))
        return self._headers[number]

    def _content(self, number):
        header = self._header(number)
        return _part(self._data, header[4], header[5])

    def _read_section(self, number):
        name, kind, flags, _, _, size, _, _, align, _ = self._headers[number]
        if not flags & ALLOC or flags & _EXCLUDE or kind in _LEFT_OUT:
            return
        title = _text(self._names, name)
        if title == ".eh_frame":
            return
        if flags & _TLS or kind == _PREINIT_ARRAY:
            raise LinkError("section {} is not for shared objects".format(title))
        data = b"" if kind == NOBITS else self._content(number)
        self._sections[number] = Section(title, kind, flags, align, data, size)

    def _read_symbols(self, number):
        strings = self._content(self._headers[number][6])
        for name, info, other, place, value, size in _records(_SYMBOL, self._content(number)):
            title = _text(strings, name)
            if info & 15 in (_TLS_SYMBOL, _INDIRECT_FUNCTION) or info >> 4 > WEAK:
                raise LinkError("symbol {!r} is of kind {}".format(title, info))
            if place >= _FIRST_RESERVED and place not in (_ABSOLUTE, _COMMON):
                raise LinkError("symbol {!r} is in section {:#x}".format(title, place))
            section = self._sections.get(place)
            if section is not None and value > section.size:
                raise LinkError("symbol {!r} is beyond the end of its section".format(title))
            if section is not None and info & 15 == _SECTION_SYMBOL:
                title = section.name
            hidden = other & 3 in _HIDDEN
            self.symbols.append(Symbol(title, section, value, size, info, place, hidden))

    def _read_relocations(self, number):
        section = self._sections.get(self._headers[number][7])
        if section is None:
            return
        for offset, info, addend in _records(_RELOCATION, self._content(number)):
            if info >> 32 >= len(self.symbols):
                raise LinkError("there is no symbol {}".format(info >> 32))
            kind, symbol = info & 0xFFFFFFFF, self.symbols[info >> 32]
            section.relocations.append((offset, kind, symbol, addend))

    def read(self):
        """Read what is loaded, then the symbols that are in it, then what is to be patched."""
        kinds = [header[1] for header in self._headers]
        if kinds.count(_SYMTAB) > 1 or _REL in kinds:
            raise LinkError("it has tables that x86-64 does not have")
        for number in range(len(kinds)):
            self._read_section(number)
        for wanted, read in ((_SYMTAB, self._read_symbols), (_RELA, self._read_relocations)):
            for number, kind in enumerate(kinds):
                if kind == wanted:
                    read(number)
        return list(self._sections.values()), self.symbols


def read_object(path):
    """Return the sections and the symbols of an object.

    Raises:
        LinkError: when it cannot be read, with its name.
    """
    try:
        # Not by pathlib: importing that takes as long as all the linking.
        with io.FileIO(path) as file:
            return _Reader(file.readall()).read()
    except LinkError as error:
        raise LinkError("{}: {}".format(path, error)) from error
