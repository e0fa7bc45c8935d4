"""A person's work by kind of option."""

import pytest

from advisor.model.option import OptionKind
from advisor.recommend.effort import (
    CLOUD_SETUP_S,
    DELIVERY_S,
    ROOT_WORK_S,
    changes_network,
    changes_precision,
    effort_of,
)
from tests.advisor.recommend.builders import a_cloud_option, a_fact, a_spec, an_option


@pytest.mark.parametrize("kind", list(OptionKind))
def test_every_kind_has_its_effort(kind):
    effort = effort_of(an_option("x", kind))
    assert effort.basis
    assert (effort.work_s == 0.0) is (kind is OptionKind.STAY)


def test_a_rented_machine_is_waited_for_and_a_bought_one_longer():
    assert effort_of(a_cloud_option()).wait_s == CLOUD_SETUP_S
    bought = effort_of(an_option("buy", OptionKind.BUY, purchase=a_spec()))
    assert bought.wait_s == DELIVERY_S


def test_a_setting_is_less_work_than_a_framework_and_that_less_than_a_build():
    setting, framework, build = (
        effort_of(an_option("x", kind)).work_s
        for kind in (OptionKind.RUNTIME_SETTINGS, OptionKind.CHANGE_FRAMEWORK, OptionKind.BUILD)
    )
    assert setting < framework < build


def test_administrator_rights_take_longer():
    plain, root = (
        effort_of(
            an_option("x", OptionKind.RUNTIME_SETTINGS, fact=a_fact(needs_root=needs_root))
        ).work_s
        for needs_root in (False, True)
    )
    assert root == plain + ROOT_WORK_S


def test_a_number_format_is_not_another_network():
    bf16 = a_fact(kind=OptionKind.CHANGE_NETWORK, isa_any=("avx512_bf16",))
    half = a_fact(kind=OptionKind.CHANGE_NETWORK, gpu_vendor="amd")
    smaller = a_fact(kind=OptionKind.CHANGE_NETWORK)
    for fact, is_precision in ((bf16, True), (half, True), (smaller, False)):
        option = an_option("x", OptionKind.CHANGE_NETWORK, fact=fact)
        assert changes_precision(option) is is_precision
        assert changes_network(option) is not is_precision
    assert not changes_network(an_option())
    assert not changes_precision(an_option())


def test_a_number_format_is_less_work_than_another_network():
    bf16 = a_fact(kind=OptionKind.CHANGE_NETWORK, isa_any=("avx512_bf16",))
    kind = OptionKind.CHANGE_NETWORK
    assert (
        effort_of(an_option("x", kind, fact=bf16)).work_s < effort_of(an_option("x", kind)).work_s
    )
