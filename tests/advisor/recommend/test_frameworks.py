"""What the user's framework reaches."""

import pytest

from advisor.knowledge.cloud import cloud_index
from advisor.knowledge.graphics import find_gpu_family
from advisor.knowledge.store import Knowledge
from advisor.model.machine import OsFamily
from advisor.model.quantity import Phase
from advisor.recommend.frameworks import needs_cuda_12, runs_now_on, runs_when_rented
from tests.advisor.recommend.families import AMPERE, RDNA3
from tests.helpers.bundled import bundled_knowledge

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


@pytest.mark.parametrize(
    ("device", "runs"),
    [
        ("NVIDIA Tesla T4", True),
        ("NVIDIA A100 SXM4 40 GB", True),
        ("NVIDIA GeForce RTX 4090", True),
        ("NVIDIA Tesla V100 SXM2 16 GB", True),
        ("NVIDIA GeForce RTX 5090", False),
        ("NVIDIA B200", False),
        ("NVIDIA RTX PRO 6000 Blackwell Server Edition", False),
        ("NVIDIA Tesla K80", False),
        ("NVIDIA Tesla M60", False),
    ],
)
def test_rented_gpus_run_the_wheel_that_their_commands_install(device, runs):
    families = cloud_index(bundled_knowledge()).families
    assert device in families
    assert runs_when_rented(families[device]) is runs


def test_a_gpu_of_no_known_family_is_not_refused():
    assert runs_when_rented(None)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("NVIDIA Tesla V100", True), ("NVIDIA GeForce GTX 1080 Ti", True), ("NVIDIA T4", False)],
)
def test_cards_that_cuda_13_has_no_code_for(name, expected):
    family = find_gpu_family(bundled_knowledge(), pci_vendor_id=None, pci_device_id=None, name=name)
    assert needs_cuda_12(family) is expected
    assert not needs_cuda_12(None)
