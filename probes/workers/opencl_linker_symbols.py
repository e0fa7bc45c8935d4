"""Says which definition a name stands for, and which names are looked up by the loader.

Leaves to others: reading symbols (`opencl_linker_objects`), patching (`opencl_linker_relocations`).
"""

from opencl_linker_objects import (
    ALLOC,
    GLOBAL,
    LOCAL,
    NOBITS,
    WEAK,
    WRITE,
    LinkError,
    Section,
    round_up,
)

_STRONG_RANK, _COMMON_RANK, _WEAK_RANK = 3, 2, 1


def _rank(symbol):
    if symbol.is_common:
        return _COMMON_RANK
    return _WEAK_RANK if symbol.binding == WEAK else _STRONG_RANK


class SymbolTable:
    """The symbols of all objects.

    Attributes:
        imports: names that the loader looks up, with GLOBAL or WEAK (may be missing).
        common: the section of variables that no object has a place for.
    """

    def __init__(self, symbols):
        self.imports = {}
        self.common = Section(".common", NOBITS, ALLOC | WRITE)
        self._definitions = {}
        for symbol in symbols:
            if symbol.binding != LOCAL and not symbol.is_undefined:
                self._define(symbol)
        for symbol in self._definitions.values():
            if symbol.is_common:
                self._make_room(symbol)

    def _define(self, symbol):
        other = self._definitions.get(symbol.name)
        if other is None or _rank(symbol) > _rank(other):
            self._definitions[symbol.name] = symbol
        elif _rank(symbol) == _rank(other) == _STRONG_RANK:
            raise LinkError("symbol {!r} is defined twice".format(symbol.name))
        elif symbol.is_common and other.is_common:
            other.size = max(other.size, symbol.size)
            other.value = max(other.value, symbol.value)

    def _make_room(self, symbol):
        align = Section(symbol.name, align=symbol.value).align
        self.common.align = max(self.common.align, align)
        symbol.section, symbol.is_common = self.common, False
        symbol.value = round_up(self.common.size, align)
        self.common.size = symbol.value + symbol.size

    def definition(self, symbol):
        """Return the symbol with the place that a symbol stands for, None if it is elsewhere."""
        if symbol.binding == LOCAL and not symbol.is_undefined:
            return symbol
        return self._definitions.get(symbol.name)

    def exports(self):
        """Return the symbols that others may look up."""
        return [
            symbol
            for symbol in self._definitions.values()
            if not symbol.is_hidden and (symbol.is_absolute or symbol.section is not None)
        ]

    def add_import(self, symbol):
        """Note that the loader looks a symbol up.

        Raises:
            LinkError: when the symbol is one that cannot be elsewhere.
        """
        if not symbol.name or (symbol.is_hidden and symbol.binding != WEAK):
            raise LinkError("symbol {!r} is nowhere".format(symbol.name))
        is_weak = symbol.binding == self.imports.get(symbol.name, WEAK) == WEAK
        self.imports[symbol.name] = WEAK if is_weak else GLOBAL
