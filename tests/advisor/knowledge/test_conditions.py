import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.errors import FormatError
from advisor.knowledge import conditions
from advisor.knowledge.conditions import (
    FLAGS,
    NAMES,
    NUMBERS,
    Condition,
    format_condition,
    parse_condition,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("container", Condition(name="container", operator="")),
        ("isa_lacks:avx", Condition(name="isa_lacks", operator=":", values=("avx",))),
        (
            "isa_has:avx512_bf16|amx_bf16",
            Condition(name="isa_has", operator=":", values=("avx512_bf16", "amx_bf16")),
        ),
        ("n_physical_cores<4", Condition(name="n_physical_cores", operator="<", limit=4.0)),
        ("batch_size>=16", Condition(name="batch_size", operator=">=", limit=16.0)),
        ("memory_gib<0.5", Condition(name="memory_gib", operator="<", limit=0.5)),
        (
            "framework_not_installed:intel-extension-for-pytorch",
            Condition(
                name="framework_not_installed",
                operator=":",
                values=("intel-extension-for-pytorch",),
            ),
        ),
    ],
)
def test_each_form_is_read(text, expected):
    assert parse_condition(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "isa<avx",
        "container:docker",
        "os",
        "os:",
        "os:amiga",
        "os:linux|",
        "os: linux",
        "isa_lacks:",
        "network_lacks:convolutions",
        "memory_gib<=8",
        "memory_gib<-1",
        "memory_gib<8 ",
        "memory_gib<8\n",
        "os<3",
        "batch_size:3",
        "no cpu",
        "already_default:freebsd",
    ],
)
def test_what_is_not_in_the_language_is_refused_with_its_text(text):
    with pytest.raises(FormatError) as error:
        parse_condition(text)
    assert repr(text) in str(error.value)


_WORDS = st.from_regex(r"[a-z0-9][a-z0-9_.-]{0,12}", fullmatch=True)


@given(
    st.one_of(
        st.sampled_from(sorted(FLAGS)).map(lambda name: Condition(name=name, operator="")),
        st.builds(
            lambda name, words: Condition(name=name, operator=":", values=tuple(words)),
            st.sampled_from(sorted(name for name, allowed in NAMES.items() if allowed is None)),
            st.lists(_WORDS, min_size=1, max_size=4),
        ),
        st.builds(
            lambda name, operator, limit: Condition(
                name=name, operator=operator, limit=float(limit)
            ),
            st.sampled_from(sorted(NUMBERS)),
            st.sampled_from(["<", ">="]),
            st.integers(min_value=0, max_value=10**12),
        ),
    )
)
def test_format_and_parse_are_inverse(condition):
    assert parse_condition(format_condition(condition)) == condition


def test_every_name_is_explained_in_the_module():
    documentation = conditions.__doc__
    for name in FLAGS | NUMBERS | NAMES.keys():
        assert re.search(rf"\b{name}\b", documentation), name


def test_the_three_kinds_of_names_do_not_overlap():
    assert not FLAGS & NUMBERS
    assert not (FLAGS | NUMBERS) & NAMES.keys()
