"""Patches the code and data of sections: addresses, distances, calls, slots of the offset table.

Which relocation means what: System V ABI, supplement for AMD64, chapter 4.4.
Leaves to others: where sections lie (`opencl_linker_output`).
"""

from opencl_linker_objects import ALLOC, EXEC, WRITE, LinkError, Section, Symbol

# What is put in place, and in how many bytes.
_ADDRESS, _DISTANCE, _CALL, _SLOT = "address", "distance", "call", "slot"
_R_NONE, _R_64, _R_RELATIVE, _R_GOTPCREL = 0, 1, 8, 9
_MEANINGS = {
    _R_64: (_ADDRESS, 8),
    2: (_DISTANCE, 4),  # R_X86_64_PC32
    4: (_CALL, 4),  # R_X86_64_PLT32
    _R_GOTPCREL: (_SLOT, 4),
    24: (_DISTANCE, 8),  # R_X86_64_PC64
    41: (_SLOT, 4),  # R_X86_64_GOTPCRELX
    42: (_SLOT, 4),  # R_X86_64_REX_GOTPCRELX
}
_SLOT_BYTES = 8
# jmp *slot(%rip); nop. The distance is from its own end.
_STUB, _STUB_PLACE, _STUB_ADDEND = b"\xff\x25\0\0\0\0\x66\x90", 2, -4


class Relocations:
    """All that is patched, now or by the loader.

    Slots hold the address of a symbol for code that reaches it through them; stubs jump through
    slots, for calls of what is in another library.

    Args:
        sections: those of all objects.
        symbols: the `SymbolTable`.

    Attributes:
        sections: the same and those that were made.
        n_left: how many relocations are left to the loader.
    """

    def __init__(self, sections, symbols):
        self._symbols = symbols
        self._slots = Section(".got", flags=ALLOC | WRITE)
        self._stubs = Section(".plt", flags=ALLOC | EXEC, align=16)
        self._slot_of, self._stub_of = {}, {}
        self.sections = [*sections, self._stubs, self._slots]
        # In this order: calls make stubs, stubs make slots.
        for section in self.sections:
            self._prepare(section)
        for section, count, each in (
            (self._stubs, len(self._stub_of), _STUB),
            (self._slots, len(self._slot_of), bytes(_SLOT_BYTES)),
        ):
            section.data = each * count
            section.size = len(section.data)
        made = (self._stubs, self._slots, symbols.common)
        self.sections = [*sections, *(each for each in made if each.size)]
        self.n_left = sum(
            self._is_left(kind, symbol)
            for section in self.sections
            for _, kind, symbol, _ in section.relocations
        )

    def _is_left(self, kind, symbol):
        if kind != _R_64:
            return False
        found = self._symbols.definition(symbol)
        return found is None or not found.is_absolute

    def _prepare(self, section):
        """Make the slots, stubs and imports that a section needs."""
        for _, kind, symbol, _ in section.relocations:
            if kind == _R_NONE:
                continue
            if kind not in _MEANINGS:
                raise LinkError(
                    "relocation {} in {} against {!r} is not known for position-independent "
                    "code".format(kind, section.name, symbol.name)
                )
            meaning = _MEANINGS[kind][0]
            found = self._symbols.definition(symbol)
            if meaning == _SLOT:
                self._need_slot(symbol, found)
            elif meaning == _CALL and found is None:
                self._need_stub(symbol)
            elif meaning == _ADDRESS and found is None:
                self._symbols.add_import(symbol)
            if self._is_left(kind, symbol) and not section.flags & WRITE:
                raise LinkError(
                    "{} needs the address of {!r} but cannot be written".format(
                        section.name, symbol.name
                    )
                )

    def _key(self, symbol, found):
        if found is None:
            return symbol.name
        return found if found.section is None else (found.section, found.value)

    def _need_slot(self, symbol, found):
        key = self._key(symbol, found)
        if key not in self._slot_of:
            offset = len(self._slot_of) * _SLOT_BYTES
            self._slot_of[key] = Symbol(symbol.name, self._slots, offset)
            self._slots.relocations.append((offset, _R_64, symbol, 0))

    def _need_stub(self, symbol):
        if symbol.name not in self._stub_of:
            offset = len(self._stub_of) * len(_STUB)
            self._stub_of[symbol.name] = Symbol(symbol.name, self._stubs, offset)
            self._stubs.relocations.append(
                (offset + _STUB_PLACE, _R_GOTPCREL, symbol, _STUB_ADDEND)
            )

    def _reached(self, meaning, symbol, found):
        """Return the symbol whose distance is put in place."""
        if meaning == _SLOT:
            return self._slot_of[self._key(symbol, found)]
        if meaning == _CALL and found is None:
            return self._stub_of[symbol.name]
        if found is None or found.is_absolute:
            raise LinkError("the distance of {!r} is not known".format(symbol.name))
        return found

    def _patch(self, section, relocation):
        """Return the bytes to be put in place, and what is left to the loader or None."""
        offset, kind, symbol, addend = relocation
        meaning, size = _MEANINGS[kind]
        place = section.address + offset
        found = self._symbols.definition(symbol)
        left = None
        if meaning != _ADDRESS:
            value = self._reached(meaning, symbol, found).address() + addend - place
            if not -(1 << 8 * size - 1) <= value < 1 << 8 * size - 1:
                raise LinkError("{!r} is too far from {}".format(symbol.name, section.name))
        elif found is None:
            value, left = 0, (place, _R_64, symbol.name, addend)
        else:
            value = found.address() + addend
            left = None if found.is_absolute else (place, _R_RELATIVE, None, value)
        return (value & (1 << 8 * size) - 1).to_bytes(size, "little"), left

    def apply(self):
        """Patch every section; all must have their addresses.

        Returns:
            What is left to the loader: tuples of address, kind, imported name or None, addend.
        """
        all_left = []
        for section in self.sections:
            data = bytearray(section.data)
            for relocation in section.relocations:
                if relocation[1] == _R_NONE:
                    continue
                patch, left = self._patch(section, relocation)
                end = relocation[0] + len(patch)
                if end > len(data):
                    raise LinkError("a relocation is beyond the end of {}".format(section.name))
                data[relocation[0] : end] = patch
                if left is not None:
                    all_left.append(left)
            section.data = data
        return all_left
