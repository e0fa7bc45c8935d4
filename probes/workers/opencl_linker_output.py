"""Lays sections out in segments and writes the shared object with its dynamic tables.

Leaves to others: which symbols and relocations there are (`opencl_linker`).
"""

import struct

from opencl_linker_objects import (
    ALLOC,
    EXEC,
    FINI_ARRAY,
    INIT_ARRAY,
    NOBITS,
    PAGE_BYTES,
    WRITE,
    LinkError,
    Section,
    round_up,
)

_FILE_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQQ")
_ENTRY = struct.Struct("<QQ")
_IDENTITY = b"\x7fELF\x02\x01\x01" + bytes(9)
_SHARED, _X86_64 = 3, 62
_LOAD, _DYNAMIC, _STACK = 1, 2, 0x6474E551
_X, _W, _R = 1, 2, 4
_ABSOLUTE = 0xFFF1
# There are no section headers; any number but 0 says that a symbol is here.
_HERE = 1
# Kinds of entries of the dynamic section.
_NEEDED, _HASH, _STRTAB, _SYMTAB, _RELA, _RELASZ, _RELAENT = 1, 4, 5, 6, 7, 8, 9
_STRSZ, _SYMENT, _SONAME, _INIT, _FINI, _INITSZ, _FINISZ = 10, 11, 14, 25, 26, 27, 28
_FLAGS, _BIND_NOW = 30, 8
# Beyond it, places are too far from each other for 32 bits.
_MAX_BYTES = 1 << 30

_MASK = (1 << 64) - 1


def _hash(name):
    value = 0
    for byte in name:
        value = (value << 4) + byte
        high = value & 0xF0000000
        value = (value ^ high >> 24) & ~high
    return value


def _hash_table(names):
    """Return the table by which the loader finds a symbol; number 0 is none."""
    buckets, chain = [0] * max(1, len(names) - 1), [0] * len(names)
    for number, name in enumerate(names):
        if number:
            bucket = _hash(name) % len(buckets)
            chain[number], buckets[bucket] = buckets[bucket], number
    words = [len(buckets), len(chain), *buckets, *chain]
    return struct.pack("<{}I".format(len(words)), *words)


class _Strings:
    def __init__(self):
        self.data = b"\0"

    def add(self, text):
        offset = len(self.data)
        self.data += text + b"\0"
        return offset


def _encoded(name):
    return name.encode("utf-8", "surrogateescape")


class SharedObject:
    """A shared object on the way to its file.

    Args:
        sections: what is loaded. Their order within a segment stays.
        exports: `Symbol`s that can be looked up.
        imports: names that are looked up when it is loaded, with the binding of each.
        libraries: names of files in which they are looked up, besides what is loaded already.
        soname: its own name, None for none.
        n_relocations: how many of them are left to the loader.
    """

    def __init__(self, sections, exports, imports, libraries, soname, n_relocations):
        self._exports, self._imports = exports, imports
        self._numbers = {name: number for number, name in enumerate(imports, 1)}
        names = [_encoded(name) for name in ["", *imports, *(each.name for each in exports)]]
        strings = _Strings()
        self._name_offsets = [strings.add(name) for name in names]
        self._fixed = [(_NEEDED, strings.add(_encoded(name))) for name in libraries]
        if soname is not None:
            self._fixed.append((_SONAME, strings.add(_encoded(soname))))
        self._hash = Section(".hash", data=_hash_table(names))
        self._symbols = Section(".dynsym", size=len(names) * _SYMBOL.size)
        self._strings = Section(".dynstr", data=strings.data)
        self._relocations = Section(".rela.dyn", size=n_relocations * _RELOCATION.size)
        self._initial = [section for section in sections if section.kind == INIT_ARRAY]
        self._final = [section for section in sections if section.kind == FINI_ARRAY]
        self._dynamic = Section(".dynamic", flags=ALLOC | WRITE)
        self._dynamic.size = len(self._entries()) * _ENTRY.size
        self._segments = []
        self._lay_out(self._groups(sections))

    def _groups(self, sections):
        """Return the segments that have something in them: rights and sections."""
        constant = [self._hash, self._symbols, self._strings, self._relocations]
        code, writable, blank = [], [self._dynamic, *self._initial, *self._final], []
        for section in sections:
            if section.kind == NOBITS:
                blank.append(section)
            elif section.flags & WRITE and section.flags & EXEC:
                raise LinkError("section {} is code that can be written".format(section.name))
            elif section.kind not in (INIT_ARRAY, FINI_ARRAY):
                group = {WRITE: writable, EXEC: code}.get(section.flags & (WRITE | EXEC), constant)
                group.append(section)
        groups = ((_R, constant), (_R | _X, code), (_R | _W, writable + blank))
        return [(rights, group) for rights, group in groups if group]

    def _lay_out(self, groups):
        """Give every section its address, which is its place in the file as well."""
        address = _FILE_HEADER.size + (len(groups) + 2) * _SEGMENT.size
        start = 0
        for rights, group in groups:
            file_end = address
            for section in group:
                section.address = address = round_up(address, section.align)
                address += section.size
                if section.kind != NOBITS:
                    file_end = address
            if address > _MAX_BYTES:
                raise LinkError("the result would have {} bytes".format(address))
            if address > start:
                self._segments.append((rights, start, file_end, address, group))
            start = address = round_up(address, PAGE_BYTES)

    def _entries(self):
        """Return the dynamic section: kinds with offsets, numbers of bytes or sections."""
        entries = [
            *self._fixed, (_HASH, self._hash), (_STRTAB, self._strings),
            (_SYMTAB, self._symbols), (_STRSZ, self._strings.size), (_SYMENT, _SYMBOL.size),
        ]  # fmt: skip
        if self._relocations.size:
            entries += [(_RELA, self._relocations), (_RELASZ, self._relocations.size)]
            entries.append((_RELAENT, _RELOCATION.size))
        for array, kind, size_kind in (
            (self._initial, _INIT, _INITSZ),
            (self._final, _FINI, _FINISZ),
        ):
            if array:
                entries.append((kind, array[0]))
                entries.append((size_kind, sum(section.size for section in array)))
        return [*entries, (_FLAGS, _BIND_NOW), (0, 0)]

    def _symbol_table(self):
        rows = [(0, 0, 0, 0, 0)]
        rows += [(binding << 4, 0, 0, 0, 0) for binding in self._imports.values()]
        rows += [
            (each.info, 0, _ABSOLUTE if each.is_absolute else _HERE, each.address(), each.size)
            for each in self._exports
        ]
        return b"".join(
            _SYMBOL.pack(self._name_offsets[number], *row) for number, row in enumerate(rows)
        )

    def _dynamic_table(self):
        return b"".join(
            _ENTRY.pack(kind, value.address if isinstance(value, Section) else value)
            for kind, value in self._entries()
        )

    def _headers(self):
        rows = [
            (_LOAD, rights, start, start, start, file_end - start, end - start, PAGE_BYTES)
            for rights, start, file_end, end, _ in self._segments
        ]
        place, size = self._dynamic.address, self._dynamic.size
        rows.append((_DYNAMIC, _R | _W, place, place, place, size, size, self._dynamic.align))
        rows.append((_STACK, _R | _W, 0, 0, 0, 0, 0, 16))
        first = _FILE_HEADER.pack(
            _IDENTITY, _SHARED, _X86_64, 1, 0, _FILE_HEADER.size, 0, 0,
            _FILE_HEADER.size, _SEGMENT.size, len(rows), 0, 0, 0,
        )  # fmt: skip
        return first + b"".join(_SEGMENT.pack(*row) for row in rows)

    def image(self, relocations):
        """Return the file.

        Args:
            relocations: for the loader: tuples of address, kind, imported name or None, addend.
        """
        self._relocations.data = b"".join(
            _RELOCATION.pack(address, self._numbers.get(name, 0) << 32 | kind, addend & _MASK)
            for address, kind, name, addend in relocations
        )
        self._symbols.data = self._symbol_table()
        self._dynamic.data = self._dynamic_table()
        image = bytearray(self._segments[-1][2])
        headers = self._headers()
        image[: len(headers)] = headers
        for segment in self._segments:
            for section in segment[-1]:
                image[section.address : section.address + len(section.data)] = section.data
        return image
