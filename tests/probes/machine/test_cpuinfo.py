import pytest

from probes.machine.cpuinfo import parse_brand_clock, parse_cpuinfo

ARM = "processor : {n}\nFeatures : fp asimd\nCPU implementer : 0x41\nCPU part : {part}\n"


def test_big_and_little_cores_are_told_big_ones_first():
    text = "\n".join(ARM.format(n=n, part="0xd05" if n < 4 else "0xd0b") for n in range(8))
    info = parse_cpuinfo(text)
    assert info.brand == "4x Cortex-A76 + 4x Cortex-A55"
    assert info.microarchitecture == "cortex_a76"
    assert info.n_listed == 8


def test_a_core_that_nobody_named_is_told_by_its_numbers():
    info = parse_cpuinfo(ARM.format(n=0, part="0xfff"))
    assert info.brand == "1x core 0x41:0xfff"
    assert info.microarchitecture is None
    assert info.vendor == "ARM"


def test_hardware_threads_are_no_cores():
    block = "processor : {n}\nvendor_id : GenuineIntel\nphysical id : 0\ncore id : {c}\n"
    info = parse_cpuinfo("\n".join(block.format(n=n, c=n % 2) for n in range(4)))
    assert len(info.cores) == 2
    assert info.n_listed == 4


def test_riscv_extensions_are_flags():
    info = parse_cpuinfo("processor : 0\nisa : rv64imafdcv_zicsr_zifencei\nuarch : sifive,u74-mc\n")
    assert {"i", "m", "v", "zicsr"} <= set(info.flags)


def test_the_board_is_in_the_tail():
    text = ARM.format(n=0, part="0xd03") + "\nRevision : a02082\nModel : Raspberry Pi 3\n"
    assert parse_cpuinfo(text).board == "Raspberry Pi 3"


@pytest.mark.parametrize(
    ("brand", "mhz"),
    [("Intel(R) Core(TM) i7-4790K CPU @ 4.00GHz", 4000.0), ("AMD EPYC", None), (None, None)],
)
def test_the_clock_in_the_brand(brand, mhz):
    assert parse_brand_clock(brand) == mhz


@pytest.mark.parametrize("text", [None, "", "\n\n\n", "processor", "cpu MHz : fast"])
def test_nothing_is_made_of_nothing(text):
    info = parse_cpuinfo(text)
    assert (info.brand, info.flags, info.cores, info.seen_mhz) == (None, (), frozenset(), None)
    assert info.microarchitecture is None
