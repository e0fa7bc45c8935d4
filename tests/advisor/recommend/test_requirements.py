"""Whether rows of the options table apply: every refusal with its code and parameters."""

import pytest

from advisor.model.machine import OsFamily
from advisor.model.option import OptionKind
from advisor.model.recommendation import ReasonCode
from advisor.recommend.circumstances import Circumstances
from advisor.recommend.requirements import check, version_key
from tests.advisor.recommend.builders import (
    a_cpu,
    a_fact,
    a_gpu,
    a_profile,
    a_workload,
    an_environment,
    an_os,
)
from tests.advisor.recommend.families import RDNA3, a_family
from tests.helpers.bundled import bundled_knowledge


def given(*, workload=None, **changes):
    return Circumstances(profile=a_profile(**changes), workload=workload or a_workload())


def refusals(fact, *, families=None, served=None, where=None):
    verdict = check(fact, given=where or given(), families=families or {}, served=served)
    return [
        (found.code, {parameter.name: parameter.value for parameter in found.parameters})
        for found in verdict.refusals
    ]


# --- system, phase, instructions ----------------------------------------------------------------


def test_a_row_without_demands_applies():
    verdict = check(a_fact(), given=given(), families={})
    assert verdict.applies
    assert verdict.open_questions == ()
    assert verdict.unknown == ()


def test_wrong_system():
    assert refusals(a_fact(systems=("windows", "macos"))) == [
        (ReasonCode.WRONG_SYSTEM, {"system": "linux", "needed_systems": "windows, macos"})
    ]


def test_wrong_phase():
    assert refusals(a_fact(phases=("inference",))) == [
        (ReasonCode.WRONG_PHASE, {"phase": "training", "needed": "inference"})
    ]


def test_missing_instructions_and_any_of_several():
    fact = a_fact(isa_any=("avx512_bf16", "amx_bf16"))
    assert refusals(fact) == [(ReasonCode.ISA_MISSING, {"needed": "avx512_bf16 | amx_bf16"})]
    cpu = a_cpu(isa_features=("avx", "amx_bf16"))
    assert refusals(fact, where=given(cpu=cpu)) == []


def test_all_refusals_are_told_not_only_the_first():
    fact = a_fact(systems=("macos",), phases=("inference",), isa_any=("sve",))
    codes = [code for code, _values in refusals(fact)]
    assert codes == [ReasonCode.WRONG_SYSTEM, ReasonCode.WRONG_PHASE, ReasonCode.ISA_MISSING]


# --- GPUs ---------------------------------------------------------------------------------------


def test_a_gpu_of_another_vendor_is_missing():
    assert refusals(a_fact(gpu_vendor="intel")) == [
        (ReasonCode.GPU_MISSING, {"vendor": "intel", "families": ""})
    ]


def test_a_gpu_of_the_vendor_but_of_another_family_is_missing():
    fact = a_fact(gpu_vendor="amd", gpu_architectures=(RDNA3.id,))
    expected = [(ReasonCode.GPU_MISSING, {"vendor": "amd", "families": RDNA3.id})]
    assert refusals(fact, families={"gpu0": a_family()}) == expected
    assert refusals(fact, families={}) == expected
    assert refusals(fact, families={"gpu0": RDNA3}) == []


@pytest.mark.parametrize("condition", ["no_gpu", "no_igpu", "gpu_lacks:amd"])
def test_a_row_about_gpus_in_general_needs_one_that_software_serves(condition):
    fact = a_fact(kind=OptionKind.CHANGE_FRAMEWORK, excluded_when=(condition,))
    assert refusals(fact, served=frozenset({"gpu0"})) == []
    assert refusals(fact, served=frozenset()) == [
        (
            ReasonCode.FRAMEWORK_DOES_NOT_RUN,
            {"device": "Kaveri [Radeon R7 Graphics]", "phase": "training"},
        )
    ]


def test_a_row_that_names_the_family_knows_better_than_the_family():
    fact = a_fact(gpu_vendor="amd", gpu_architectures=("amd-kaveri",))
    assert refusals(fact, families={"gpu0": a_family()}, served=frozenset()) == []


# --- versions -----------------------------------------------------------------------------------


def test_a_setting_of_a_framework_that_is_not_installed():
    assert refusals(a_fact(min_versions="torch>=2.1; g++")) == [
        (ReasonCode.FRAMEWORK_NOT_FOUND, {"framework": "torch", "needed": ">=2.1"})
    ]


def test_a_setting_of_a_framework_that_is_too_old():
    where = given(environments=(an_environment(("tensorflow", "2.8.4")),))
    assert refusals(a_fact(min_versions="tensorflow>=2.9"), where=where) == [
        (
            ReasonCode.FRAMEWORK_TOO_OLD,
            {"framework": "tensorflow", "needed": ">=2.9", "found": "2.8.4"},
        )
    ]


def test_one_good_environment_is_enough():
    where = given(
        environments=(
            an_environment(("tensorflow", "2.8.4")),
            an_environment(("tensorflow-cpu", "2.21.0")),
        )
    )
    assert refusals(a_fact(min_versions="tensorflow>=2.9"), where=where) == []


def test_what_an_option_installs_need_not_be_there():
    fact = a_fact(kind=OptionKind.CHANGE_FRAMEWORK, min_versions="openvino>=2026.2")
    assert refusals(fact) == []


def test_no_environment_known_refuses_nothing():
    assert refusals(a_fact(min_versions="torch>=2"), where=given(environments=())) == []


@pytest.mark.parametrize(
    ("found", "clause", "fits"),
    [
        ("2.21.0", "tensorflow>=2.9", True),
        ("2.9", "tensorflow>=2.9.0", True),
        ("2.18.1", "tensorflow<=2.18", True),
        ("2.19.0", "tensorflow<=2.18", False),
        ("2.21.3", "tensorflow==2.21", True),
        ("2.20.0", "tensorflow==2.21", False),
        ("2.21.0", "tensorflow<2.21", False),
        ("2.21.1", "tensorflow>2.21", True),
        ("2.21.0", "tensorflow 2.21", True),
    ],
)
def test_version_clauses(found, clause, fits):
    where = given(environments=(an_environment(("tensorflow", found)),))
    assert (refusals(a_fact(min_versions=clause), where=where) == []) is fits


def test_version_key_stops_at_the_local_part():
    assert version_key("2.13.0+cpu") == (2, 13)
    assert version_key("nightly") == ()


# --- conditions ---------------------------------------------------------------------------------


def test_already_default():
    fact = a_fact(excluded_when=("already_default:linux",))
    assert refusals(fact) == [(ReasonCode.ALREADY_SO, {"system": "linux"})]
    windows = given(os=an_os(family=OsFamily.WINDOWS))
    assert refusals(fact, where=windows) == []
    everywhere = a_fact(excluded_when=("already_default:any",))
    assert refusals(everywhere, where=windows) == [(ReasonCode.ALREADY_SO, {"system": "windows"})]


def test_excluded_by_a_number_names_the_condition():
    assert refusals(a_fact(excluded_when=("batch_size>=16",))) == [
        (ReasonCode.EXCLUDED, {"condition": "batch_size>=16"})
    ]


def test_conditions_about_missing_things_have_their_own_code():
    assert refusals(a_fact(excluded_when=("isa_lacks:avx2|sve",))) == [
        (ReasonCode.ISA_MISSING, {"needed": "avx2 | sve"})
    ]
    assert refusals(a_fact(excluded_when=("npu_lacks:intel",))) == [
        (ReasonCode.GPU_MISSING, {"vendor": "intel"})
    ]
    assert refusals(a_fact(excluded_when=("framework_not_installed:torch",))) == [
        (ReasonCode.FRAMEWORK_NOT_FOUND, {"framework": "torch"})
    ]


def test_what_stands_in_the_users_code_is_an_open_question():
    verdict = check(a_fact(excluded_when=("depends_on_code",)), given=given(), families={})
    assert verdict.applies
    (question,) = verdict.open_questions
    assert question.code is ReasonCode.DEPENDS_ON_YOUR_CODE


def test_a_figure_of_another_framework_is_an_open_question():
    where = given(environments=(an_environment(("torch", "2.13.0")),))
    fact = a_fact(excluded_when=("framework_not_installed:torch",))
    verdict = check(fact, given=where, families={})
    assert verdict.applies
    (question,) = verdict.open_questions
    assert question.code is ReasonCode.DEPENDS_ON_YOUR_CODE
    assert question.parameters[0].value == "torch"


def test_a_fact_that_the_profile_lacks_leaves_the_row_and_is_told():
    where = given(cpu=a_cpu(n_numa_nodes=None, n_packages=2))
    verdict = check(a_fact(excluded_when=("n_numa_nodes<2",)), given=where, families={})
    assert verdict.applies
    assert verdict.unknown == ("n_numa_nodes<2",)


def test_a_small_processor_that_stands_alone_is_one_node():
    where = given(cpu=a_cpu(n_numa_nodes=None, n_packages=1, n_physical_cores=8))
    verdict = check(a_fact(excluded_when=("n_numa_nodes<2",)), given=where, families={})
    assert verdict.refusals
    large = given(cpu=a_cpu(n_numa_nodes=None, n_packages=1, n_physical_cores=32))
    assert check(a_fact(excluded_when=("n_numa_nodes<2",)), given=large, families={}).unknown


def test_a_condition_of_a_newer_table_is_undecided():
    verdict = check(a_fact(excluded_when=("moon_phase:full",)), given=given(), families={})
    assert verdict.applies
    assert verdict.unknown == ("moon_phase:full",)


# --- bundled rows, on the machines that they are not for ------------------------------------------

NVIDIA = {"graphics": (a_gpu(vendor="NVIDIA", name="GH100 [H100]", pci_vendor_id="10de"),)}
ARM = {"os": an_os(architecture="aarch64"), "cpu": a_cpu(vendor="ARM", brand="Neoverse-V2")}
INTEL = {"cpu": a_cpu(vendor="Intel", brand="Intel Core i5", isa_features=("avx2",))}
XEON = {"cpu": a_cpu(vendor="Intel", brand="Intel Xeon", isa_features=("amx_bf16", "avx512_bf16"))}
GRAVITON = {"cpu": a_cpu(vendor="ARM", brand="Neoverse-V2", isa_features=("bf16", "svebf16"))}
WITH_IPEX = {"environments": (an_environment(("intel-extension-for-pytorch", "2.8")),)}


@pytest.mark.parametrize(
    ("name", "changes", "applies"),
    [
        ("ipex", {**INTEL, **WITH_IPEX}, True),
        ("ipex", {**ARM, **WITH_IPEX}, False),
        ("ipex", WITH_IPEX, False),
        ("cloud-cpu-amx", INTEL, True),
        ("cloud-cpu-amx", XEON, False),
        ("cloud-cpu-amx", GRAVITON, False),
        ("buy-used-gpu", INTEL, True),
        ("buy-used-gpu", NVIDIA, False),
        ("buy-rdna", NVIDIA, False),
        ("rusticl", {}, True),
        ("rusticl-intel", {}, False),
        ("march-archspec", {"os": an_os(family=OsFamily.MACOS)}, False),
    ],
)
def test_bundled_rows_are_for_machines_that_they_help(name, changes, applies):
    fact = next(fact for fact in bundled_knowledge().options if fact.id == name)
    assert (refusals(fact, where=given(**changes)) == []) == applies
