"""Spellings are reduced to what identifies a product."""

from string import ascii_letters

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.knowledge.names import read_name
from advisor.model.machine import DeviceKind

CPU, DGPU, IGPU = DeviceKind.CPU, DeviceKind.DGPU, DeviceKind.IGPU


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("Intel(R) Core(TM) i7-8550U CPU @ 1.80GHz", CPU, "i7 8550u"),
        ("13th Gen Intel(R) Core(TM) i5-13600K", CPU, "i5 13600k"),
        ("Intel(R) Xeon(R) CPU E5-2630 v3 @ 2.40GHz", CPU, "xeon e5 2630 v3"),
        ("AMD Ryzen 5 5600G with Radeon Graphics", CPU, "ryzen 5 5600g"),
        ("AMD Ryzen 7 5800X 8-Core Processor", CPU, "ryzen 7 5800x"),
        ("AMD FX(tm)-8350 Eight-Core Processor", CPU, "fx 8350"),
        ("AMD Ryzen 7 7840HS w/ Radeon 780M Graphics", CPU, "ryzen 7 7840hs"),
        ("AMD A10-7850K Radeon R7, 12 Compute Cores 4C+8G", CPU, "a10 7850k"),
        ("AMD EPYC 7R13 Processor", CPU, "epyc 7r13"),
        ("rpi5", CPU, "raspberry pi 5"),
        ("Raspberry Pi 4 Model B Rev 1.4", CPU, "raspberry pi 4 model b"),
        ("GTX1660 super", DGPU, "gtx 1660 super"),
        ("RX 6600XT", DGPU, "rx 6600 xt"),
        ("NVIDIA GeForce RTX 3060 Laptop GPU", DGPU, "rtx 3060 mobile"),
        ("NVIDIA A100-SXM4-40GB", DGPU, "a100 sxm4 40gb"),
        ("NVIDIA A100 SXM4 40 GB", DGPU, "a100 sxm4 40gb"),
        ("Intel(R) UHD Graphics 620", IGPU, "uhd 620"),
        ("Intel® Iris® Xe Graphics", IGPU, "iris xe"),
    ],
)
def test_identifying_words(name: str, kind: DeviceKind, words: str) -> None:
    assert read_name(name, kind).words[0] == frozenset(words.split())


def test_what_stands_in_brackets_may_be_the_name() -> None:
    assert frozenset({"t4"}) in read_name("TU104GL [Tesla T4]", DGPU).words


def test_remarks_in_parentheses_may_be_left_out_but_not_what_tells_products_apart() -> None:
    reading = read_name("AMD Radeon RX 570 Series (radeonsi, polaris10, LLVM 15.0.7)", DGPU)
    assert frozenset({"rx", "570"}) in reading.words
    assert frozenset({"rx", "6600"}) not in read_name("AMD Radeon RX 6600 (Mobile)", DGPU).words


def test_graphics_of_a_processor_name() -> None:
    reading = read_name("AMD Ryzen 7 7840HS w/ Radeon 780M Graphics", IGPU)
    assert frozenset({"780m"}) in reading.words


@pytest.mark.parametrize(
    ("name", "vendor"),
    [
        ("NVIDIA GeForce GTX 1080", "NVIDIA"),
        ("Radeon RX 580", "AMD"),
        ("Intel(R) UHD Graphics 620", "Intel"),
        ("M2 Pro", None),
        ("Intel and AMD", None),
    ],
)
def test_vendor(name: str, vendor: str | None) -> None:
    assert read_name(name, DGPU).vendor == vendor


def test_noise_alone_names_nothing() -> None:
    assert read_name("AMD Radeon(TM) Graphics", IGPU).words == ()


@given(st.text(max_size=60), st.sampled_from(DeviceKind))
def test_any_text_can_be_read(name: str, kind: DeviceKind) -> None:
    assert all(read_name(name, kind).words)


@given(st.text(alphabet=ascii_letters + "0123456789 -()[]@", max_size=60))
def test_case_and_spaces_around_do_not_matter(name: str) -> None:
    assert read_name(f"  {name.upper()} ", CPU) == read_name(name.lower(), CPU)
