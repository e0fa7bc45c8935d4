import archspec.cpu
import pytest

from probes.machine.microarchitecture import (
    close_microarchitectures,
    find_microarchitecture,
    find_x86_microarchitecture,
    is_x86,
    known_microarchitectures,
    list_expected_flags,
    name_vendor,
)
from probes.machine.tables import other_microarchitecture_names


@pytest.mark.parametrize(
    ("vendor", "family", "model", "name"),
    [
        ("AuthenticAMD", 21, 48, "steamroller"),
        ("AuthenticAMD", 21, 2, "piledriver"),
        ("AuthenticAMD", 23, 1, "zen"),
        ("AuthenticAMD", 23, 113, "zen2"),
        ("AuthenticAMD", 25, 80, "zen3"),
        ("AuthenticAMD", 25, 116, "zen4"),
        ("AuthenticAMD", 26, 2, "zen5"),
        ("GenuineIntel", 6, 60, "haswell"),
        ("GenuineIntel", 6, 140, "tigerlake"),
        ("GenuineIntel", 6, 190, "gracemont"),
        ("GenuineIntel", 6, 207, "sapphirerapids"),
    ],
)
def test_family_and_model_name_it_although_a_virtual_machine_hides_flags(
    vendor, family, model, name
):
    found = find_x86_microarchitecture(vendor, family=family, model=model, flags=())
    assert found == name


@pytest.mark.parametrize(
    ("flags", "name"),
    [
        (("avx512f",), "skylake_avx512"),
        (("avx512f", "avx512_vnni"), "cascadelake"),
        (("avx512f", "avx512_vnni", "avx512_bf16"), "cooperlake"),
    ],
)
def test_flags_decide_where_one_model_number_is_shared(flags, name):
    found = find_x86_microarchitecture("GenuineIntel", family=6, model=85, flags=flags)
    assert found == name


@pytest.mark.parametrize(
    ("model", "flags", "name"),
    [
        (167, ("avx512f", "amx_tile", "avx512_fp16"), "sapphirerapids"),
        (167, ("avx512f", "avx512_vnni"), "rocketlake"),
        (85, ("avx512f", "avx512_bf16", "amx_tile", "amx_fp16"), "graniterapids"),
        (173, ("avx512f", "amx_tile"), "graniterapids"),
        (250, ("avx512f", "avx512_fp16"), "sapphirerapids"),
    ],
)
def test_a_flag_that_a_model_cannot_have_counts_more_than_its_number(model, flags, name):
    found = find_x86_microarchitecture("GenuineIntel", family=6, model=model, flags=flags)
    assert found == name


@pytest.mark.parametrize("name", ["zen3", "haswell"])
def test_an_unknown_model_is_named_by_its_flags(name):
    target = archspec.cpu.TARGETS[name]
    flags = (target.features - {"sse3"}) | {"pni"}
    found = find_x86_microarchitecture(target.vendor, family=99, model=1, flags=flags)
    assert found == name


def test_without_flags_and_model_there_is_no_name():
    assert find_x86_microarchitecture(None, family=None, model=None, flags=()) is None


def test_words():
    assert is_x86("AMD64")
    assert not is_x86("aarch64")
    assert name_vendor("GenuineIntel") == "Intel"
    assert name_vendor("VIA") == "VIA"
    assert name_vendor(None) is None
    assert "fma4" in list_expected_flags("steamroller")
    assert list_expected_flags("no such thing") == frozenset()


@pytest.mark.parametrize("name", sorted(known_microarchitectures()))
def test_every_name_is_found_as_it_is_written(name):
    assert find_microarchitecture(name) == name
    assert find_microarchitecture(name.upper().replace("_", " ")) == name


def test_a_chip_of_apple_that_is_newer_than_the_list_has_a_name():
    assert find_microarchitecture("M9") == "m9"
    assert find_microarchitecture("m0") is None
    assert find_microarchitecture("") is None


@pytest.mark.parametrize(("name", "found"), sorted(other_microarchitecture_names().items()))
def test_other_names_lead_to_one_that_is_known(name, found):
    assert found in known_microarchitectures()
    assert find_microarchitecture(name) == found


def test_close_names_begin_with_the_closest():
    assert close_microarchitectures("sapphire rapid")[0] == "sapphirerapids"
    assert close_microarchitectures("!") == ()
