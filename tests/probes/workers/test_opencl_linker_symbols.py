"""Which definition a name stands for."""

import opencl_linker_objects as objects
import pytest
from opencl_linker_objects import LinkError, Section, Symbol
from opencl_linker_symbols import SymbolTable

from tests.helpers import elf


def symbol(name="f", binding=elf.GLOBAL, number=1, **more):
    section = Section(".text", data=bytes(64)) if 0 < number < 0xFF00 else None
    return Symbol(name, section, info=binding << 4, number=number, **more)


def test_a_name_stands_for_its_definition():
    definition, use = symbol(), symbol(number=0)
    table = SymbolTable([use, definition])
    assert table.definition(use) is definition
    assert table.definition(symbol("g", number=0)) is None
    assert table.exports() == [definition]


def test_a_local_symbol_stands_for_itself_and_for_nothing_else():
    local, other = symbol(binding=elf.LOCAL), symbol()
    table = SymbolTable([local, other])
    assert table.definition(local) is local
    assert table.definition(symbol(number=0)) is other
    assert table.exports() == [other]


def test_hidden_symbols_bind_but_are_not_exported():
    hidden = symbol(hidden=True)
    table = SymbolTable([hidden])
    assert table.definition(symbol(number=0)) is hidden
    assert table.exports() == []


@pytest.mark.parametrize("turn", [1, -1])
def test_a_strong_definition_comes_before_a_weak_one(turn):
    weak, strong = symbol(binding=elf.WEAK), symbol()
    assert SymbolTable([weak, strong][::turn]).definition(weak) is strong


def test_of_two_weak_definitions_the_first_stands():
    first, second = symbol(binding=elf.WEAK), symbol(binding=elf.WEAK)
    assert SymbolTable([first, second]).definition(second) is first


def test_two_strong_definitions_are_one_too_many():
    with pytest.raises(LinkError, match="'f' is defined twice"):
        SymbolTable([symbol(), symbol()])


def test_variables_in_common_get_the_largest_room_and_alignment():
    def common(name, size, align):
        return symbol(name, number=elf.COMMON, size=size, value=align)

    first = common("f", 4, 4)
    second = common("g", 8, 8)
    table = SymbolTable([first, second, common("f", 20, 16)])
    assert table.definition(first) is first
    assert (first.section, first.value, first.size) == (table.common, 0, 20)
    assert (second.section, second.value) == (table.common, 24)
    assert (table.common.size, table.common.align) == (32, 16)
    with pytest.raises(LinkError, match="alignment of 3"):
        SymbolTable([common("h", 4, 3)])


def test_a_definition_comes_before_common():
    strong, common = symbol(), symbol(number=elf.COMMON, size=4, value=4)
    table = SymbolTable([common, strong])
    assert table.definition(common) is strong
    assert table.common.size == 0


def test_an_import_may_be_missing_only_if_all_say_so():
    table = SymbolTable([])
    weak, strong = symbol(binding=elf.WEAK, number=0), symbol(number=0)
    table.add_import(weak)
    assert table.imports == {"f": objects.WEAK}
    table.add_import(strong)
    table.add_import(weak)
    assert table.imports == {"f": objects.GLOBAL}


@pytest.mark.parametrize("wanted", [symbol(number=0, hidden=True), symbol("", number=0)])
def test_what_cannot_be_elsewhere_is_nowhere(wanted):
    with pytest.raises(LinkError, match="is nowhere"):
        SymbolTable([]).add_import(wanted)
