"""The claims about an APU of 2014: its GPU through OpenCL against its four cores."""

import dataclasses

import pytest

from advisor.knowledge.lookup import published_for
from advisor.model.kernel import GemmShape
from advisor.model.option import OptionKind
from advisor.model.published import Comparability, ResultPhase
from advisor.model.quantity import Interval, Phase
from advisor.model.workload import Job
from advisor.network.load import bundled_workload
from advisor.predict.point import kernel_points
from advisor.predict.predict import job_times
from advisor.predict.work import rate
from advisor.recommend.published_pairs import slower_pair
from tests.advisor.findings.builders import (
    advise,
    market,
)
from tests.advisor.predict.builders import measure
from tests.advisor.recommend.builders import a_fact


def a10_rows(knowledge, workload, build):
    return [
        row
        for row in published_for(knowledge, workload=workload, phase=ResultPhase.TRAINING)
        if row.study == "so-non-nvidia-2017" and row.build == build
    ]


def test_s0_1_an_avx_build_is_the_first_advice_where_the_build_is_generic(knowledge, kaveri):
    (generic,) = a10_rows(knowledge, "cifar10-a10-cnn", "generic")
    (avx,) = a10_rows(knowledge, "cifar10-a10-cnn", "avx")
    image_before = [row.value for row in a10_rows(knowledge, "inceptionv3", "generic")]
    (image_after,) = a10_rows(knowledge, "inceptionv3", "avx")
    gains = sorted([generic.value / avx.value, *(v / image_after.value for v in image_before)])
    build = a_fact(
        id="build-avx", kind=OptionKind.BUILD, effect_low=gains[0], effect_high=gains[-1],
        effect_basis="the study", isa_any=("avx",),
    )  # fmt: skip
    facts = dataclasses.replace(knowledge, options=(build,))
    advice = advise(
        facts, kaveri, "cifar10-deep-cnn", job=Job(epochs=2000), allows_cloud=False,
        allows_buying=False,
    )  # fmt: skip
    assert advice.ranked[0].option.id == "build-avx"
    assert 0.30 <= 1.0 - 1.0 / advice.ranked[0].speedup.mid <= 0.50


def test_s0_1_today_the_ready_made_build_has_the_instructions(kaveri_advice):
    """The remedy of 2017 is in the wheel of today: rebuilding is not promised a gain."""
    assert "build-tf-source" not in {row.option.id for row in kaveri_advice.ranked}


def test_s0_2_the_igpu_through_opencl_is_avoided_and_the_processor_recommended(kaveri_advice):
    first = kaveri_advice.ranked[0].option
    assert first.device_id == "cpu"
    offered = (*kaveri_advice.ranked, *kaveri_advice.hints)
    assert OptionKind.LOCAL_DEVICE not in {entry.option.kind for entry in offered}
    (igpu,) = [e for e in kaveri_advice.avoid if e.option.kind is OptionKind.LOCAL_DEVICE]
    assert 1.0 / igpu.speedup.mid == pytest.approx(5.3, abs=0.05)


def test_s0_3_a_busy_device_counts_for_nothing(knowledge, kaveri, kaveri_advice):
    busy = dataclasses.replace(
        kaveri, load=dataclasses.replace(kaveri.load, busy_fraction=1.0, load_average_1m=4.0)
    )
    again = advise(knowledge, busy, "cifar10-deep-cnn", allows_cloud=False, allows_buying=False)
    assert [row.option.id for row in again.ranked] == [
        row.option.id for row in kaveri_advice.ranked
    ]
    assert [row.score for row in again.ranked] == [row.score for row in kaveri_advice.ranked]


def test_s0_4_the_measured_ratio_decides_not_the_word_opencl(knowledge, kaveri):
    (gpu,) = kaveri.graphics
    (opencl,) = a10_rows(knowledge, "cifar10-a10-cnn", "opencl")
    pair = slower_pair(gpu, profile=kaveri, phase=Phase.TRAINING, knowledge=knowledge)
    assert pair.device == opencl
    stronger = dataclasses.replace(opencl, value=500.0)
    facts = dataclasses.replace(
        knowledge, published=tuple(stronger if r == opencl else r for r in knowledge.published)
    )
    assert slower_pair(gpu, profile=kaveri, phase=Phase.TRAINING, knowledge=facts) is None


def test_s0_5_the_first_run_is_not_part_of_a_figure():
    shape = GemmShape(m=64, n=64, k=64)
    steady = measure(shape, 0.52)
    cold = dataclasses.replace(steady, warmups_s=(349.0,))
    assert rate(cold) == rate(steady)
    assert kernel_points([cold]) == kernel_points([steady])


def test_s0_6_twelve_epochs_an_hour_and_four_hours_for_fifty():
    step = Interval(low=3.0, mid=3.0, high=3.0)
    job = Job(samples=12_800, epochs=50, batch_size=128)
    work = bundled_workload("mnist-cnn", job=job, networks=market()[0].networks)
    epoch, total = job_times(step, workload=work)
    assert 3600.0 / epoch.mid == 12.0
    assert total.mid / 3600.0 == pytest.approx(4.2, abs=0.05)


def test_s0_6_no_speed_up_without_a_measurement_behind_it(knowledge):
    for fact in knowledge.options:
        if fact.effect_low is not None or fact.effect_high is not None:
            assert fact.effect_source, fact.id
            assert fact.effect_basis, fact.id
    claimed = [r for r in knowledge.published if (r.framework or "").lower() == "neon"]
    assert claimed
    assert all(row.comparability is Comparability.NOT_COMPARABLE for row in claimed)


def test_s0_7_training_never_yields_something_for_inference_only(kaveri_advice):
    """OPEN, but it can be kept all the same."""
    for entry in (*kaveri_advice.ranked, *kaveri_advice.hints, *kaveri_advice.avoid):
        if entry.option.fact is not None:
            assert "training" in entry.option.fact.phases
