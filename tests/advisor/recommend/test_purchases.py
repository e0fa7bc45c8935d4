"""Cards worth buying: current, supported, with enough memory; a short list."""

import dataclasses
import re

import pytest

from advisor.knowledge.store import Knowledge
from advisor.model.machine import Chassis, DeviceKind
from advisor.model.quantity import Phase
from advisor.model.recommendation import Preferences, ReasonCode
from advisor.recommend.purchases import choose_purchases, is_purchasable, shortlist
from tests.advisor.recommend.builders import GIB, a_cpu, a_profile, a_spec, a_workload, an_os
from tests.advisor.recommend.families import AMPERE, RDNA3
from tests.helpers.bundled import bundled_knowledge


def purchases(*specs, families=(AMPERE,), workload=None, **wishes):
    return choose_purchases(
        profile=a_profile(),
        workload=workload or a_workload(),
        preferences=Preferences(**wishes),
        knowledge=Knowledge(devices=specs, gpu_families=families),
    )


def test_a_current_card_is_an_option_with_its_specification():
    options, rejections = purchases(a_spec())
    assert rejections == ()
    (option,) = options
    assert option.id == "buy:NVIDIA GeForce RTX 3060 12 GB"
    assert option.purchase == a_spec()


def test_buying_not_allowed():
    options, (rejection,) = purchases(a_spec(), allows_buying=False)
    assert options == ()
    assert rejection.reasons[0].code is ReasonCode.BUYING_NOT_ALLOWED


@pytest.mark.parametrize(
    ("has_battery", "hours", "n_options"),
    [(True, None, 0), (True, 20.0, 1), (False, None, 1), (None, None, 1)],
)
def test_a_card_is_not_for_a_laptop_unless_it_is_asked_for(has_battery, hours, n_options):
    machine = a_profile()
    power = dataclasses.replace(machine.power, has_battery=has_battery)
    options, rejections = choose_purchases(
        profile=dataclasses.replace(machine, power=power),
        workload=a_workload(),
        preferences=Preferences(use_h_per_week=hours),
        knowledge=Knowledge(devices=(a_spec(),), gpu_families=(AMPERE,)),
    )
    assert len(options) == n_options
    assert [entry.option_id for entry in rejections] == ["buy"] * (1 - n_options)


@pytest.mark.parametrize(
    ("hypervisor", "hours", "n_options"),
    [("kvm", None, 0), ("kvm", 20.0, 1), ("wsl", None, 1), ("", None, 1), (None, None, 1)],
)
def test_a_card_is_not_for_a_virtual_machine_unless_it_is_asked_for(hypervisor, hours, n_options):
    options, _ = choose_purchases(
        profile=a_profile(os=an_os(hypervisor=hypervisor)),
        workload=a_workload(),
        preferences=Preferences(use_h_per_week=hours),
        knowledge=Knowledge(devices=(a_spec(),), gpu_families=(AMPERE,)),
    )
    assert len(options) == n_options


@pytest.mark.parametrize(
    ("chassis", "hours", "n_options"),
    [
        (Chassis.COMPACT, None, 0),
        (Chassis.COMPACT, 20.0, 1),
        (Chassis.PORTABLE, None, 0),
        (Chassis.DESKTOP, None, 1),
        (Chassis.SERVER, None, 1),
    ],
)
def test_a_card_is_not_for_a_case_without_room(chassis, hours, n_options):
    options, _ = choose_purchases(
        profile=a_profile(chassis=chassis),
        workload=a_workload(),
        preferences=Preferences(use_h_per_week=hours),
        knowledge=Knowledge(devices=(a_spec(),), gpu_families=(AMPERE,)),
    )
    assert len(options) == n_options


@pytest.mark.parametrize(
    "changes",
    [
        {"year": 2018},
        {"year": None},
        {"kind": DeviceKind.IGPU},
        {"peak_fp32_flop_per_s": None},
        {"device": "NVIDIA GeForce RTX 3060 Mobile"},
        {"device": "Intel Arc A770M"},
        {"device": "NVIDIA H100 SXM5 80 GB"},
    ],
)
def test_what_nobody_can_put_into_a_desktop_is_not_purchasable(changes):
    assert is_purchasable(a_spec())
    assert not is_purchasable(a_spec(**changes))


def test_too_little_memory_or_no_official_support():
    big = a_workload(memory_training_bytes=12 * GIB)
    assert purchases(a_spec(), workload=big) == ((), ())
    assert purchases(a_spec(), families=()) == ((), ())


def test_a_radeon_is_not_for_keras_on_tensorflow_and_that_is_said():
    radeon = a_spec(device="AMD Radeon RX 7900 XTX", vendor="AMD")
    options, (rejection,) = purchases(a_spec(), radeon, families=(AMPERE, RDNA3))
    assert [option.purchase.vendor for option in options] == ["NVIDIA"]
    assert (rejection.option_id, rejection.title) == ("buy:AMD", "Cards of AMD")
    assert rejection.reasons[0].code is ReasonCode.NOT_APPLICABLE
    assert "KERAS_BACKEND=torch" in rejection.reasons[0].parameters[0].value


def test_a_generation_that_lacks_a_build_is_named_not_its_vendor():
    blackwell = dataclasses.replace(
        AMPERE, id="nvidia-blackwell", name_pattern="RTX 50[5-9]0", linux_training_route="PyTorch"
    )
    new = a_spec(device="NVIDIA GeForce RTX 5070", architecture="Blackwell 2.0", year=2025)
    options, (rejection,) = purchases(a_spec(), new, families=(blackwell, AMPERE))
    assert [option.purchase for option in options] == [a_spec()]
    assert rejection.title == "Cards of NVIDIA (Blackwell 2.0)"
    why = rejection.reasons[0].parameters[0].value
    assert "KERAS_BACKEND=torch" in why
    assert "in the machine" in why


def test_cards_that_nothing_official_trains_on_are_not_said_to_run_in_pytorch():
    radeon = a_spec(device="AMD Radeon RX 7900 XTX", vendor="AMD", architecture="RDNA 3.0")
    old = a_spec(device="AMD Radeon RX 6600", vendor="AMD", architecture="RDNA 2.0")
    rdna2 = dataclasses.replace(
        RDNA3, id="amd-rdna2", name_pattern="RX 6600", linux_training="unofficial"
    )
    _, rejections = purchases(radeon, old, families=(RDNA3, rdna2))
    said = {entry.title: entry.reasons[0].parameters[0].value for entry in rejections}
    assert said.keys() == {"Cards of AMD (RDNA 2.0)", "Cards of AMD (RDNA 3.0)"}
    assert "torch" not in said["Cards of AMD (RDNA 2.0)"]
    assert "torch" in said["Cards of AMD (RDNA 3.0)"]


def test_where_tensorflow_has_no_build_a_card_is_reached_by_pytorch():
    """A processor without AVX, on which the work is in PyTorch anyway."""
    radeon = a_spec(device="AMD Radeon RX 7900 XTX", vendor="AMD", architecture="RDNA 3.0")
    old = a_spec(device="AMD Radeon RX 6600", vendor="AMD", architecture="RDNA 2.0")
    unknown = a_spec(device="AMD Radeon RX 9999", vendor="AMD")
    rdna2 = dataclasses.replace(
        RDNA3, id="amd-rdna2", name_pattern="RX 6600", linux_training="unofficial"
    )
    facts = Knowledge(devices=(radeon, old, unknown), gpu_families=(RDNA3, rdna2))

    def asked(features, **wishes):
        return choose_purchases(
            profile=a_profile(cpu=a_cpu(isa_features=features)),
            workload=a_workload(),
            preferences=Preferences(**wishes),
            knowledge=facts,
        )

    chosen, (rejection,) = asked(("sse4_2",))
    assert [option.purchase for option in chosen] == [radeon]
    assert rejection.title == "Cards of AMD (RDNA 2.0)"
    assert rejection.reasons[0].parameters[0].value.startswith("PyTorch, which the work would be")
    # On another machine, or with AVX, TensorFlow has one.
    assert asked(("sse4_2",), use_h_per_week=20.0)[0] == asked(("avx",))[0] == ()


@pytest.mark.parametrize(
    ("device", "usd"),
    [
        ("NVIDIA GeForce RTX 4060", 299.0),
        ("NVIDIA GeForce RTX 4060 Ti 16 GB", 499.0),
        ("NVIDIA GeForce RTX 4090", 1599.0),
        ("NVIDIA GeForce RTX 5090", 1999.0),
        ("AMD Radeon RX 7900 XTX", 999.0),
        ("Intel Arc B580", 249.0),
    ],
)
def test_bundled_cards_have_the_price_of_their_launch_with_its_month(device, usd):
    spec = next(spec for spec in bundled_knowledge().devices if spec.device == device)
    assert spec.launch_price_usd == usd
    assert re.search(rf"list price .* on sale {spec.year}-\d\d", spec.note or "")


def test_inference_leaves_the_framework():
    radeon = a_spec(device="AMD Radeon RX 7900 XTX", vendor="AMD")
    options, rejections = purchases(
        radeon, families=(RDNA3,), workload=a_workload(phase=Phase.INFERENCE)
    )
    assert [option.purchase for option in options] == [radeon]
    assert rejections == ()


def test_of_priced_cards_those_that_nothing_cheaper_outruns():
    cheap = a_spec(device="NVIDIA GeForce RTX A", launch_price_usd=300.0)
    worse = a_spec(device="NVIDIA GeForce RTX B", launch_price_usd=400.0,
                   peak_fp32_flop_per_s=10e12)  # fmt: skip
    better = a_spec(device="NVIDIA GeForce RTX C", launch_price_usd=900.0,
                    peak_fp32_flop_per_s=40e12)  # fmt: skip
    assert shortlist([better, worse, cheap]) == (cheap, better)


def test_of_unpriced_cards_a_few_of_the_newest_year():
    cards = [
        a_spec(
            device=f"NVIDIA GeForce RTX 50{n}0", year=2025, launch_price_usd=None,
            peak_fp32_flop_per_s=n * 1e12,
        )
        for n in range(1, 10)
    ]  # fmt: skip
    old = a_spec(device="NVIDIA GeForce RTX 4090", year=2022, launch_price_usd=None)
    assert [spec.device[-4:] for spec in shortlist([*cards, old])] == ["5010", "5050", "5090"]


@pytest.mark.parametrize(("year", "n_chosen"), [(2022, 1), (2023, 1), (2024, 2)])
def test_without_a_price_only_what_is_newer_than_those_with_one(year, n_chosen):
    priced = a_spec(device="NVIDIA GeForce RTX 4060", year=2023, launch_price_usd=299.0)
    other = a_spec(device="NVIDIA GeForce RTX 4055", year=year, launch_price_usd=None)
    assert len(shortlist([priced, other])) == n_chosen
