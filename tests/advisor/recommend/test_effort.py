"""A person's work by kind of option."""

import pytest

from advisor.model.machine import InstalledFramework
from advisor.model.option import OptionKind
from advisor.recommend.effort import (
    CLOUD_SETUP_S,
    DELIVERY_S,
    ROOT_WORK_S,
    changes_network,
    effort_of,
)
from advisor.recommend.ready import Readiness
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
    assert changes_network(an_option("x", OptionKind.CHANGE_NETWORK))
    assert not changes_network(an_option("x", OptionKind.PRECISION))
    assert not changes_network(an_option())


def test_a_number_format_is_less_work_than_another_network():
    precision, network = (
        effort_of(an_option("x", kind)).work_s
        for kind in (OptionKind.PRECISION, OptionKind.CHANGE_NETWORK)
    )
    assert precision < network


def test_data_that_travel_far_are_waited_for():
    assert effort_of(a_cloud_option(), upload_s=1000.0).wait_s == CLOUD_SETUP_S + 1000.0
    assert effort_of(an_option("x", OptionKind.BUILD), upload_s=1000.0).wait_s == 0.0


def test_what_is_installed_already_is_no_work_and_the_words_say_so():
    torch = InstalledFramework(name="torch", version="2.14.0+rocm10.1")
    gpu = an_option("device:gpu0", OptionKind.LOCAL_DEVICE)
    nothing, driver, framework, both = (
        effort_of(gpu, ready=Readiness(has_driver=has_driver, framework=framework))
        for framework in (None, torch)
        for has_driver in (False, True)
    )
    assert nothing.work_s == effort_of(gpu).work_s > driver.work_s == framework.work_s
    assert framework.work_s > both.work_s > 0.0
    told = [effort.basis for effort in (nothing, driver, framework, both)]
    assert ["install a driver" in text for text in told] == [True, False, True, False]
    assert [" framework for the device, " in text for text in told[:2]] == [True, True]
    assert not any("install" in text for text in told[3:])
    # Other work has nothing to do with it.
    other = an_option("x", OptionKind.BUILD)
    assert effort_of(other, ready=Readiness(has_driver=True)) == effort_of(other)
