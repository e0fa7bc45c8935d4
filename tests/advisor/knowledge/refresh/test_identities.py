"""Names of machines and accelerators in other people's spelling."""

import pytest

from advisor.knowledge.refresh.identities import architecture, family_of, identities, plain
from tests.advisor.knowledge.refresh.servers import ACCELERATORS, GIB, offer


def gpu(name, accelerator, gib, count=1.0):
    return offer(
        name, "any", 1.0, "g", 1, accelerator=accelerator, n_accelerators=count,
        accelerator_memory_bytes=gib * GIB,
    )  # fmt: skip


KNOWN = identities(
    (
        gpu("a", "A100", 40), gpu("b", "A100", 80), gpu("c", "L4", 24), gpu("d", "L4", 12, 0.5),
        offer("c7i.large", "r", 1.0, "c7i", 1), offer("m.x", "r", 1.0, "mixed", 1),
        offer("m.y", "r", 1.0, "mixed", 1, architecture="arm64"),
    ),
    ACCELERATORS,
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("A100-80GB", "A100"), ("A100-80GB-SXM", "A100-SXM"), ("RTXA6000", "RTX-A6000"),
        ("NVIDIA L4", "L4"), ("Tesla T4", "T4"), ("Mystery", None), ("", None),
    ],
)  # fmt: skip
def test_spelling(name, ours):
    assert KNOWN.spelling(name) == ours


@pytest.mark.parametrize(
    ("name", "reported", "gib"),
    [
        ("A100-80GB", None, 80), ("A100-80GB", 40.0, 80), ("A100", 39.6, 40), ("A100", 60.0, None),
        ("A100", None, None), ("L4", 22.35, 24), ("L4", 200.0, 24), ("Mystery", 16.0, None),
    ],
)  # fmt: skip
def test_memory(name, reported, gib):
    size = KNOWN.memory_bytes(name, reported_gib=reported)
    assert size == (None if gib is None else gib * GIB)


def test_a_share_of_a_gpu_is_not_a_size():
    assert KNOWN.sizes["L4"] == (24 * GIB,)


def test_families_are_those_without_accelerators():
    assert dict(KNOWN.families) == {("aws", "c7i"): "x86_64", ("aws", "mixed"): None}


def test_names():
    assert family_of("aws", "c7i.4xlarge") == "c7i"
    assert family_of("gcp", "c3-standard-22") == "c3"
    assert family_of("azure", "Standard_D2s_v5") is None
    assert architecture(" ARM64 ") == "arm64"
    assert architecture("amd64") == "x86_64"
    assert architecture("") is None
    assert plain("NVIDIA A100-80GB-SXM") == "a100sxm"
