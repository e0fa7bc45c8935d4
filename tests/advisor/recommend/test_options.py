"""Rows of the table sorted into options, hints, avoid and rejections."""

import pytest

from advisor.knowledge.store import Knowledge
from advisor.model.machine import DeviceKind, Memory, Power
from advisor.model.measurement import Setting
from advisor.model.option import Advice, OptionKind
from advisor.model.quantity import Precision
from advisor.model.recommendation import Preferences, ReasonCode
from advisor.recommend.options import effect_of, list_options, makes_it_worse
from advisor.recommend.staying import STAY_ID
from tests.advisor.recommend.builders import (
    GIB,
    TODAY,
    a_cpu,
    a_fact,
    a_gpu,
    a_profile,
    a_spec,
    a_workload,
    an_offer,
)
from tests.advisor.recommend.families import AMPERE, RDNA3, a_family
from tests.helpers.bundled import bundled_knowledge


def listed(*facts, profile=None, knowledge=None, workload=None, **wishes):
    return list_options(
        profile or a_profile(),
        workload or a_workload(),
        Preferences(**wishes),
        knowledge or Knowledge(options=facts, gpu_families=(a_family(),)),
        today=TODAY,
    )


def codes(entry):
    return [found.code for found in entry.reasons]


def test_staying_is_always_the_first_option():
    assert [option.id for option in listed().options] == [STAY_ID]


def test_a_row_with_a_figure_is_an_option_with_its_settings_resolved():
    fact = a_fact(environment=(Setting(name="OMP_NUM_THREADS", value="PHYS"),))
    option = listed(fact).options[1]
    assert option.id == fact.id
    assert option.device_id == "cpu"
    assert option.fact == fact
    assert option.settings == (Setting(name="OMP_NUM_THREADS", value="4"),)


@pytest.mark.parametrize("precision", [Precision.BFLOAT16, Precision.FLOAT16])
def test_a_mixed_format_is_no_option_where_the_format_is_short_already(precision):
    fact = a_fact(
        kind=OptionKind.PRECISION,
        how='keras.mixed_precision.set_global_policy("mixed_bfloat16")',
        excluded_when=("short_format",),
    )
    assert [option.id for option in listed(fact).options] == [STAY_ID, fact.id]
    found = list_options(
        a_profile(), a_workload(precision=precision), Preferences(),
        Knowledge(options=(fact,)), today=TODAY,
    )  # fmt: skip
    assert [option.id for option in found.options] == [STAY_ID]
    (rejection,) = (r for r in found.rejections if r.option_id == fact.id)
    assert codes(rejection) == [ReasonCode.ALREADY_SO]


def test_a_row_without_a_figure_is_a_hint_with_its_steps():
    (hint,) = listed(a_fact(effect_low=None, effect_high=None)).hints
    assert codes(hint) == [ReasonCode.NO_FIGURE]
    assert hint.steps


def test_a_figure_that_depends_on_the_users_code_is_a_hint_that_keeps_it():
    (hint,) = listed(a_fact(excluded_when=("depends_on_code",))).hints
    assert codes(hint) == [ReasonCode.PUBLISHED_EFFECT, ReasonCode.DEPENDS_ON_YOUR_CODE]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"advice": Advice.AVOID, "effect_low": 0.5, "effect_high": 0.9},
            [ReasonCode.PUBLISHED_SLOWER, ReasonCode.TABLE_SAYS_AVOID],
        ),
        (
            {"advice": Advice.AVOID, "effect_low": None, "effect_high": None},
            [ReasonCode.TABLE_SAYS_AVOID],
        ),
        (
            {"advice": Advice.CONDITIONAL, "effect_low": 0.7, "effect_high": 0.8},
            [ReasonCode.PUBLISHED_SLOWER],
        ),
    ],
)
def test_what_makes_it_worse_is_to_be_avoided(changes, expected):
    found = listed(a_fact(**changes))
    (avoided,) = found.avoid
    assert codes(avoided) == expected
    assert len(found.options) == 1


def test_what_saves_memory_is_worth_trying_where_the_job_does_not_fit_and_else_refused():
    slow = {"effect_low": 0.7, "effect_high": 0.8, "excluded_when": ("memory_fits",)}
    large = a_workload(memory_training_bytes=400 * GIB)
    found = list_options(
        a_profile(), large, Preferences(), Knowledge(options=(a_fact(**slow),)), today=TODAY
    )
    (hint,) = (each for each in found.hints if each.option.id == "fact")
    assert codes(hint) == [ReasonCode.MEMORY_TOO_SMALL, ReasonCode.PUBLISHED_EFFECT]
    assert found.avoid == ()
    small = listed(a_fact(**slow))
    assert (small.avoid, small.hints) == ((), ())


def test_what_does_not_apply_is_refused_even_if_it_is_bad():
    found = listed(a_fact(advice=Advice.AVOID, systems=("windows",)))
    assert found.avoid == ()
    (rejection,) = [entry for entry in found.rejections if entry.option_id == "fact"]
    assert codes(rejection) == [ReasonCode.WRONG_SYSTEM]


@pytest.mark.parametrize(
    ("kind", "wishes", "code"),
    [
        (OptionKind.CLOUD, {"allows_cloud": False}, ReasonCode.CLOUD_NOT_ALLOWED),
        (OptionKind.BUY, {"allows_buying": False}, ReasonCode.BUYING_NOT_ALLOWED),
    ],
)
def test_unwanted_kinds_are_refused(kind, wishes, code):
    found = listed(a_fact(kind=kind), **wishes)
    (rejection,) = [entry for entry in found.rejections if entry.option_id == "fact"]
    assert codes(rejection) == [code]
    assert found.hints == ()


def test_a_free_notebook_is_not_rented_and_stays_where_renting_is_off():
    found = listed(a_fact(kind=OptionKind.FREE_TIER), allows_cloud=False)
    assert [hint.option.id for hint in found.hints] == ["fact"]


@pytest.mark.parametrize("kind", [OptionKind.CLOUD, OptionKind.FREE_TIER, OptionKind.BUY])
def test_rows_about_elsewhere_are_hints_not_options(kind):
    found = listed(a_fact(kind=kind))
    assert [hint.option.device_id for hint in found.hints] == [None]
    assert len(found.options) == 1


def test_a_row_about_a_device_names_the_device():
    fact = a_fact(kind=OptionKind.LOCAL_DEVICE, gpu_architectures=("amd-kaveri",))
    assert listed(fact).options[1].device_id == "gpu0"


def test_undecided_conditions_are_told_once_for_rows_that_apply():
    facts = (
        a_fact(id="a", excluded_when=("memory_channels>=2",)),
        a_fact(id="b", excluded_when=("memory_channels>=2",)),
        a_fact(id="c", excluded_when=("memory_channels<9",), systems=("windows",)),
    )
    found = listed(*facts)
    assert found.undecided == ("memory_channels>=2",)
    assert [option.id for option in found.options] == [STAY_ID, "a", "b"]


def test_rented_machines_and_cards_are_options_too():
    knowledge = Knowledge(
        offers=(an_offer(),), devices=(a_spec(),), gpu_families=(a_family(), AMPERE)
    )
    found = listed(knowledge=knowledge)
    kinds = [option.kind for option in found.options]
    assert kinds == [OptionKind.STAY, OptionKind.CLOUD, OptionKind.CLOUD, OptionKind.BUY]
    assert found.n_offers_considered == 2


def test_a_job_that_does_not_fit_here_can_only_be_changed_or_done_elsewhere():
    tiny = Memory(total_bytes=GIB, available_bytes=None, limit_bytes=None)
    facts = (a_fact(id="threads"), a_fact(id="smaller", kind=OptionKind.CHANGE_NETWORK))
    knowledge = Knowledge(options=facts, offers=(an_offer(spot_usd_per_hour=None),))
    found = listed(knowledge=knowledge, profile=a_profile(memory=tiny))
    assert [option.kind for option in found.options] == [
        OptionKind.CHANGE_NETWORK,
        OptionKind.CLOUD,
    ]
    refused = {entry.option_id: entry.reasons[0] for entry in found.rejections}
    assert {"stay", "threads"} <= set(refused)
    values = {p.name: p.value for p in refused["stay"].parameters}
    assert refused["stay"].code is ReasonCode.MEMORY_TOO_SMALL
    assert values["available_bytes"] == GIB
    assert values["needed_bytes"] > GIB


def test_what_does_not_fit_an_integrated_gpu_is_not_done_on_it():
    gpu = a_gpu(name="RX 7900", pci_device_id="744c", carve_out_bytes=None)
    knowledge = Knowledge(gpu_families=(RDNA3,))
    eight = Memory(total_bytes=8 * GIB, available_bytes=None, limit_bytes=None)
    profile = a_profile(memory=eight, graphics=(gpu,))
    fits = listed(knowledge=knowledge, profile=profile)
    assert [option.id for option in fits.options] == ["stay", "device:gpu0"]
    large = a_workload(memory_training_bytes=20 * GIB)
    found = listed(knowledge=knowledge, profile=profile, workload=large)
    assert found.options == ()
    refused = {entry.option_id: entry.reasons[0] for entry in found.rejections}
    assert refused["device:gpu0"] == refused["stay"]
    values = {p.name: p.value for p in refused["device:gpu0"].parameters}
    assert (values["needed_bytes"], values["available_bytes"]) == (21.0 * GIB, 8.0 * GIB)
    assert 1.0 <= values["batch"] <= 11.0


def test_a_smaller_network_is_none_where_the_framework_itself_has_no_room():
    rows = tuple(
        a_fact(id=name, kind=OptionKind.CHANGE_NETWORK)
        for name in ("transfer-frozen", "transfer-cached", "smaller-model", "smaller-input")
    )
    tiny = Memory(total_bytes=int(0.9 * GIB), available_bytes=None, limit_bytes=None)
    found = listed(knowledge=Knowledge(options=rows), profile=a_profile(memory=tiny))
    assert found.options == ()
    assert {row.id for row in rows} <= {entry.option_id for entry in found.rejections}


def test_effect_has_a_geometric_middle():
    effect = effect_of(a_fact(effect_low=1.0, effect_high=4.0))
    assert (effect.low, effect.mid, effect.high) == (1.0, 2.0, 4.0)
    assert effect_of(a_fact(effect_low=None, effect_high=3.0)).mid == 3.0
    assert effect_of(a_fact(effect_low=None, effect_high=None)) is None
    assert effect_of(a_fact(effect_low=0.0, effect_high=1.0)) is None


def test_a_row_that_may_help_is_not_against_itself():
    assert not makes_it_worse(a_fact(effect_low=0.8, effect_high=1.7))


@pytest.mark.parametrize(
    ("features", "is_told"), [(("avx", "avx2"), True), ((), True), (("sse4_1",), False)]
)
def test_nothing_speaks_for_tensorflow_where_it_does_not_run(features, is_told):
    fact = a_fact(advice=Advice.AVOID, excluded_when=("no_tensorflow",))
    found = listed(fact, profile=a_profile(cpu=a_cpu(isa_features=features)))
    assert bool(found.avoid) is is_told


@pytest.mark.parametrize(("card", "wishes", "is_told"), [
    (a_gpu(name="RX 7900 XTX", kind=DeviceKind.DGPU, pci_device_id="744c"), {}, False),
    (a_gpu(name="RX 7900 XTX", kind=DeviceKind.DGPU, pci_device_id="744c"),
     {"use_h_per_week": 20.0}, True),
    (a_gpu(), {}, True),
])  # fmt: skip
def test_nobody_with_a_card_that_frameworks_support_is_told_to_buy_some_card(card, wishes, is_told):
    fact = a_fact(
        kind=OptionKind.BUY, effect_low=None, effect_high=None, excluded_when=("has_served_card",)
    )
    profile = a_profile(graphics=(card,), power=Power(on_battery=None, governor=None), chassis=None)
    knowledge = Knowledge(options=(fact,), gpu_families=(a_family(), RDNA3))
    found = listed(profile=profile, knowledge=knowledge, **wishes)
    assert (fact.id in [hint.option.id for hint in found.hints]) == is_told
    assert (fact.id in [each.option_id for each in found.rejections]) != is_told


def test_a_job_in_bfloat16_is_not_told_to_compute_in_bfloat16():
    fact = a_fact(effect_low=None, effect_high=None, excluded_when=("short_format",))
    assert [hint.option.id for hint in listed(fact).hints] == [fact.id]
    found = listed(fact, workload=a_workload(precision=Precision.BFLOAT16))
    assert found.hints == ()
    (rejection,) = (each for each in found.rejections if each.option_id == fact.id)
    assert codes(rejection) == [ReasonCode.ALREADY_SO]


@pytest.mark.parametrize(
    ("device_id", "is_told"), [("67df", True), ("744c", False), ("74a1", False)]
)
def test_the_driver_for_old_radeons_is_for_those_that_amd_leaves_out(device_id, is_told):
    gpu = a_gpu(name="a Radeon", kind=DeviceKind.DGPU, pci_device_id=device_id)
    found = listed(profile=a_profile(graphics=(gpu,)), knowledge=bundled_knowledge())
    assert ("rusticl" in [hint.option.id for hint in found.hints]) == is_told
    assert ("rusticl" in [each.option_id for each in found.rejections]) != is_told


@pytest.mark.parametrize(("device_id", "is_told"), [("5912", True), ("e20b", False)])
def test_the_driver_for_old_gpus_of_intel_is_for_those_that_intel_leaves_out(device_id, is_told):
    kind = DeviceKind.IGPU if is_told else DeviceKind.DGPU
    gpu = a_gpu(
        vendor="Intel", name="a GPU", kind=kind, pci_vendor_id="8086", pci_device_id=device_id
    )
    found = listed(profile=a_profile(graphics=(gpu,)), knowledge=bundled_knowledge())
    assert ("rusticl-intel" in [hint.option.id for hint in found.hints]) == is_told
