"""What staying is called, and the work that it asks for."""

import pytest

from advisor.model.machine import OsFamily
from advisor.model.option import OptionKind
from advisor.model.quantity import Phase, Precision
from advisor.recommend.circumstances import Circumstances
from advisor.recommend.effort import effort_of
from advisor.recommend.staying import (
    STAY_ID,
    asks_work_of,
    is_as_it_is,
    stay_option,
    steps_of_staying,
)
from tests.advisor.recommend.builders import a_cpu, a_profile, a_workload, an_option, an_os
from tests.helpers.bundled import bundled_knowledge


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
        (
            a_profile(os=an_os(architecture="riscv64")),
            Precision.FLOAT32,
            "has a build",
            "CHANGE_FRAMEWORK",
        ),
        (
            a_profile(os=an_os(architecture="i686")),
            Precision.FLOAT32,
            "has a build",
            "CHANGE_FRAMEWORK",
        ),
        (
            a_profile(os=an_os(family=OsFamily.MACOS)),
            Precision.FLOAT32,
            "has a build",
            "CHANGE_FRAMEWORK",
        ),
        (a_profile(), Precision.INT8, "quantised", "STAY"),
        (a_profile(), Precision.BFLOAT16, "float32", "RUNTIME_SETTINGS"),
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


def test_training_without_tensorflow_is_no_work_for_an_inference_engine():
    machine = a_profile(cpu=a_cpu(isa_features=("sse4_2",)))
    titles = [stay_option(machine, a_workload(phase=phase)).title for phase in Phase]
    assert ["ONNX" in title for title in titles] == [phase is Phase.INFERENCE for phase in Phase]


def test_a_format_that_the_processor_has_stays():
    machine = a_profile(cpu=a_cpu(isa_features=("avx", "avx2", "avx512_bf16")))
    assert is_as_it_is(stay_option(machine, a_workload(precision=Precision.BFLOAT16)))


@pytest.mark.parametrize(
    ("flags", "architecture", "way"),
    [
        (("avx2", "avx512_vnni"), "x86_64", "quantize_static"),
        (("avx2",), "x86_64", "quantize_static"),
        (("asimd", "asimddp"), "aarch64", "ncnn2int8"),
    ],
)
def test_a_job_in_int8_is_told_how_a_network_is_quantised(flags, architecture, way):
    job = a_workload(precision=Precision.INT8, phase=Phase.INFERENCE)
    profile = a_profile(cpu=a_cpu(isa_features=flags), os=an_os(architecture=architecture))
    given = Circumstances(profile=profile, workload=job)
    facts = bundled_knowledge().options
    steps = steps_of_staying(given=given, facts=facts)
    assert [step.content for step in steps if step.content.startswith(way)]
    plain = Circumstances(profile=profile, workload=a_workload())
    assert steps_of_staying(given=plain, facts=facts) == ()
