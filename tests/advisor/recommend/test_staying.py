"""What staying is called, and the work that it asks for."""

import pytest

from advisor.model.machine import OsFamily
from advisor.model.option import OptionKind
from advisor.model.quantity import Precision
from advisor.recommend.effort import effort_of
from advisor.recommend.staying import STAY_ID, asks_work_of, is_as_it_is, stay_option
from tests.advisor.recommend.builders import a_cpu, a_profile, a_workload, an_option, an_os


def test_where_the_job_runs_there_is_nothing_to_do():
    option = stay_option(a_profile(), a_workload())
    assert (option.id, option.title) == (STAY_ID, "Leave everything as it is")
    assert is_as_it_is(option)
    assert asks_work_of(option) is OptionKind.STAY
    assert effort_of(option).work_s == 0.0


@pytest.mark.parametrize(
    ("profile", "precision", "word", "kind"),
    [
        (
            a_profile(cpu=a_cpu(isa_features=("sse4_2",))),
            Precision.FLOAT32,
            "PyTorch",
            "CHANGE_FRAMEWORK",
        ),
        (
            a_profile(os=an_os(family=OsFamily.WINDOWS, architecture="ARM64")),
            Precision.INT8,
            "PyTorch",
            "CHANGE_FRAMEWORK",
        ),
        (a_profile(), Precision.INT8, "quantised", "STAY"),
    ],
)
def test_elsewhere_staying_takes_work(profile, precision, word, kind):
    option = stay_option(profile, a_workload(precision=precision))
    assert option.id == STAY_ID
    assert word in option.title
    assert not is_as_it_is(option)
    assert asks_work_of(option) is OptionKind[kind]
    assert (effort_of(option).work_s > 0.0) == (kind != "STAY")


def test_other_options_ask_for_the_work_of_their_kind():
    assert asks_work_of(an_option("x", OptionKind.BUILD)) is OptionKind.BUILD
