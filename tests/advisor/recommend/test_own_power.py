"""Watts of one's own machine: data sheets times processors, else a usual figure of its kind."""

import pytest

from advisor.knowledge.store import Knowledge
from advisor.model.machine import Chassis, DeviceKind, OsFamily, Power
from advisor.model.option import OptionKind
from advisor.recommend.own_power import (
    BOARD_W,
    DEFAULT_CARD_W,
    DEFAULT_CPU_W,
    LARGE_DESKTOP_CPU_W,
    REST_OF_MACHINE_W,
    SERVER_CPU_W,
    SMALL_CPU_W,
    SMALL_REST_W,
    power_w,
)
from tests.advisor.recommend.builders import (
    a_cpu,
    a_gpu,
    a_profile,
    a_spec,
    an_option,
    an_os,
)

XEON = "Intel Xeon Gold 6248"
SHEETS = Knowledge(devices=(a_spec(device=XEON, kind=DeviceKind.CPU, vendor="Intel", tdp_w=150.0),))
SMALL_W = SMALL_CPU_W + SMALL_REST_W


def watts(profile, *, option=None, knowledge=None):
    return power_w(option or an_option(), profile=profile, knowledge=knowledge or Knowledge())


def a_machine(*, architecture="x86_64", hypervisor="", family=OsFamily.LINUX, **changes):
    cores = {key: changes.pop(key) for key in ("n_packages", "n_physical_cores") if key in changes}
    if "has_battery" in changes:
        battery = changes.pop("has_battery")
        changes["power"] = Power(on_battery=False, governor=None, has_battery=battery)
    system = an_os(architecture=architecture, hypervisor=hypervisor, family=family)
    return a_profile(os=system, cpu=a_cpu(brand="unheard of", **cores), **changes)


def a_xeon(*, hypervisor="", **changes):
    return a_profile(os=an_os(hypervisor=hypervisor), cpu=a_cpu(brand=XEON, **changes))


def test_each_processor_draws_its_power_and_the_rest_comes_on_top():
    one = watts(a_xeon(n_packages=1, n_physical_cores=20), knowledge=SHEETS)
    two = watts(a_xeon(n_packages=2, n_physical_cores=40), knowledge=SHEETS)
    assert one == (150.0 + REST_OF_MACHINE_W, False)
    assert two == (2 * (150.0 + REST_OF_MACHINE_W), False)
    unknown = watts(a_xeon(n_packages=None, n_physical_cores=20), knowledge=SHEETS)
    assert unknown == one


def test_a_virtual_machine_that_shows_each_core_as_a_processor_is_one():
    guest = a_xeon(n_packages=8, n_physical_cores=8, hypervisor="kvm")
    assert watts(guest, knowledge=SHEETS) == (150.0 + REST_OF_MACHINE_W, False)


@pytest.mark.parametrize(
    ("machine", "watt"),
    [
        ({}, DEFAULT_CPU_W + REST_OF_MACHINE_W),
        ({"n_physical_cores": 16}, LARGE_DESKTOP_CPU_W + REST_OF_MACHINE_W),
        ({"chassis": Chassis.DESKTOP, "has_battery": True}, DEFAULT_CPU_W + REST_OF_MACHINE_W),
        ({"chassis": Chassis.PORTABLE}, SMALL_W),
        ({"chassis": Chassis.COMPACT}, SMALL_W),
        ({"has_battery": True}, SMALL_W),
        ({"chassis": Chassis.SERVER}, SERVER_CPU_W + REST_OF_MACHINE_W),
        ({"n_physical_cores": 64}, SERVER_CPU_W + REST_OF_MACHINE_W),
        ({"n_packages": 2, "n_physical_cores": 16}, 2 * (SERVER_CPU_W + REST_OF_MACHINE_W)),
        # An emergency supply is a battery too.
        ({"n_packages": 2, "n_physical_cores": 16, "has_battery": True},
         2 * (SERVER_CPU_W + REST_OF_MACHINE_W)),
        ({"architecture": "aarch64"}, BOARD_W),
        ({"architecture": "armv7l"}, BOARD_W),
        ({"architecture": "aarch64", "n_physical_cores": 8}, BOARD_W),
        ({"architecture": "aarch64", "n_physical_cores": 12}, SMALL_W),
        ({"architecture": "aarch64", "hypervisor": "kvm"}, SMALL_W),
        ({"architecture": "arm64", "family": OsFamily.MACOS, "n_physical_cores": 8}, SMALL_W),
        ({"architecture": "aarch64", "n_physical_cores": 80}, SERVER_CPU_W + REST_OF_MACHINE_W),
    ],
)  # fmt: skip
def test_without_a_data_sheet_the_kind_of_machine_decides_and_it_is_told_as_assumed(machine, watt):
    assert watts(a_machine(**machine)) == (watt, True)


def test_no_machine_is_a_usual_desktop():
    assert watts(None) == (DEFAULT_CPU_W + REST_OF_MACHINE_W, True)


@pytest.mark.parametrize(
    ("taken_w", "machine"),
    [
        # Raspberry Pi 3 and 4 under load, and 5; laptop; desktop of 125 W; servers of 85 and 205 W.
        (5.0, {"architecture": "aarch64"}),
        (10.0, {"architecture": "aarch64"}),
        (15.0 + SMALL_REST_W, {"chassis": Chassis.PORTABLE}),
        (45.0 + SMALL_REST_W, {"chassis": Chassis.PORTABLE}),
        (125.0 + REST_OF_MACHINE_W, {"chassis": Chassis.DESKTOP, "n_physical_cores": 8}),
        (2 * (85.0 + REST_OF_MACHINE_W), {"n_packages": 2, "n_physical_cores": 16}),
        (2 * (205.0 + REST_OF_MACHINE_W), {"n_packages": 2, "n_physical_cores": 56}),
    ],
)
def test_common_machines_lie_in_what_is_told(taken_w, machine):
    # Half of it to half more, as the price says.
    watt, _ = watts(a_machine(**machine))
    assert 0.5 * watt <= taken_w <= 1.5 * watt


def test_a_card_without_a_data_sheet_is_assumed_not_taken_for_the_processor():
    graphics = (a_gpu(kind=DeviceKind.DGPU, name="unheard of", vendor="NVIDIA"),)
    profile = a_profile(graphics=graphics, cpu=a_cpu(brand=XEON))
    option = an_option("device:gpu0", OptionKind.LOCAL_DEVICE, device_id="gpu0")
    found = watts(profile, option=option, knowledge=SHEETS)
    assert found == (DEFAULT_CARD_W + REST_OF_MACHINE_W, True)


def test_a_card_in_a_laptop_has_less_around_it():
    card = a_spec()
    graphics = (a_gpu(kind=DeviceKind.DGPU, name=card.device, vendor="NVIDIA"),)
    profile = a_profile(graphics=graphics, chassis=Chassis.PORTABLE)
    option = an_option("device:gpu0", OptionKind.LOCAL_DEVICE, device_id="gpu0")
    found = watts(profile, option=option, knowledge=Knowledge(devices=(card,)))
    assert found == (170.0 + SMALL_REST_W, False)


def test_a_bought_card_without_a_limit_is_assumed():
    option = an_option("buy", OptionKind.BUY, purchase=a_spec(tdp_w=None))
    assert watts(None, option=option) == (DEFAULT_CARD_W + REST_OF_MACHINE_W, True)
