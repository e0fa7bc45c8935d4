"""What the user's framework reaches."""

import pytest

from advisor.knowledge.store import Knowledge
from advisor.model.machine import OsFamily
from advisor.model.quantity import Phase
from advisor.recommend.frameworks import runs_now_on
from tests.advisor.recommend.families import AMPERE, RDNA3

FACTS = Knowledge(gpu_families=(AMPERE, RDNA3))


@pytest.mark.parametrize(
    ("name", "system", "phase", "answer"),
    [
        ("NVIDIA GeForce RTX 3060", OsFamily.LINUX, Phase.TRAINING, True),
        ("NVIDIA GeForce RTX 3060", OsFamily.WINDOWS, Phase.TRAINING, True),
        ("NVIDIA GeForce RTX 3060", OsFamily.MACOS, Phase.TRAINING, False),
        ("AMD Radeon RX 7900 XTX", OsFamily.LINUX, Phase.TRAINING, False),
        ("AMD Radeon RX 7900 XTX", OsFamily.LINUX, Phase.INFERENCE, True),
        ("A board nobody knows", OsFamily.LINUX, Phase.TRAINING, None),
    ],
)
def test_only_where_the_framework_is_named(name, system, phase, answer):
    assert runs_now_on(name, system=system, phase=phase, knowledge=FACTS) is answer
