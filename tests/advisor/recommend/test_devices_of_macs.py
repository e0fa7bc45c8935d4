"""GPUs of a Mac that only other systems serve."""

import pytest

from advisor.knowledge.store import Knowledge
from advisor.model.machine import OsFamily
from advisor.model.recommendation import ReasonCode
from advisor.recommend.devices import choose_devices, families_of
from tests.advisor.recommend.builders import a_profile, a_workload, an_os
from tests.advisor.recommend.families import a_family


@pytest.mark.parametrize(
    ("linux", "system", "has_advice"),
    [
        ("unofficial", OsFamily.MACOS, False),
        ("none", OsFamily.MACOS, True),
        ("unofficial", OsFamily.WINDOWS, True),
    ],
)
def test_on_a_mac_what_is_advised_for_other_systems_is_no_advice(linux, system, has_advice):
    family = a_family(
        linux_training=linux,
        windows_training="none",
        macos_training="none",
        advice="try the wheel",
    )
    profile = a_profile(os=an_os(family=system))
    knowledge = Knowledge(gpu_families=(family,))
    choice = choose_devices(
        profile,
        workload=a_workload(),
        knowledge=knowledge,
        families=families_of(profile, knowledge=knowledge),
    )
    (rejection,) = choice.rejections
    (why,) = rejection.reasons
    assert why.code is ReasonCode.FRAMEWORK_DOES_NOT_RUN
    assert ("advice" in {told.name for told in why.parameters}) is has_advice
