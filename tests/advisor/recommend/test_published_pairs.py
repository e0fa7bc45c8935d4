"""What others timed on a GPU or an NPU and on the processor beside it."""

import dataclasses

import pytest

from advisor.model.machine import DeviceKind, Npu
from advisor.model.option import DEVICE_PREFIX, OptionKind
from advisor.model.quantity import Phase, Precision
from advisor.model.recommendation import AvoidedOption, Preferences, ReasonCode
from advisor.model.workload import Job
from advisor.network.load import bundled_workload
from advisor.recommend.options import list_options
from advisor.recommend.published_pairs import slower_pair, with_published
from advisor.recommend.recommend import recommend
from tests.advisor.recommend.builders import TODAY, a_cpu, a_gpu, a_profile, a_workload
from tests.helpers.bundled import bundled_knowledge

# Of this processor, its GPU and its NPU OpenVINO publishes float32, float16 and int8.
METEOR_LAKE = a_cpu(
    vendor="Intel", brand="Intel(R) Core(TM) Ultra 7 155H", microarchitecture="meteorlake",
    isa_features=("avx", "avx2", "fma", "avx_vnni"), n_physical_cores=16, n_logical_cpus=22,
    usable_cpus=22,
)  # fmt: skip
ARC = a_gpu(
    vendor="Intel", name="Meteor Lake-P [Intel Arc Graphics]", pci_vendor_id="8086",
    pci_device_id="7d55", kernel_driver="i915",
)  # fmt: skip
NPU = Npu(id="npu0", vendor="Intel", name="Intel(R) AI Boost", kernel_driver="intel_vpu")
LAPTOP = a_profile(cpu=METEOR_LAKE, graphics=(ARC,), npus=(NPU,))
FACTS = bundled_knowledge()


def a_job(precision):
    return dataclasses.replace(a_workload(phase=Phase.INFERENCE), precision=precision)


def listed(precision, **changes):
    return list_options(
        dataclasses.replace(LAPTOP, **changes), a_job(precision), Preferences(), FACTS, today=TODAY
    )


def told(precision):
    """The first reason of each hint, by the id of its option."""
    return {hint.option.id: hint.reasons[0] for hint in listed(precision).hints}


@pytest.mark.parametrize("precision", list(Precision))
def test_a_gpu_that_wins_at_equal_precision_is_not_to_be_avoided(precision):
    """Its float16 (393.72/s) is behind the int8 (392.72/s) of no pair that counts."""
    found = slower_pair(
        ARC, profile=LAPTOP, phase=Phase.INFERENCE, knowledge=FACTS, precision=precision
    )
    assert found is None


def test_only_rows_of_one_precision_and_batch_are_a_pair():
    gpu_rows = tuple(
        row for row in FACTS.published if row.device == "Intel Arc Graphics 128EU Mobile"
    )
    cpu_rows = tuple(row for row in FACTS.published if row.device == "Intel Core Ultra 7 155H")

    def found(precision, **changed):
        rows = tuple(
            dataclasses.replace(row, **changed) for row in gpu_rows if row.precision is precision
        )
        facts = dataclasses.replace(FACTS, published=(*cpu_rows, *rows))
        return slower_pair(ARC, profile=LAPTOP, phase=Phase.INFERENCE, knowledge=facts)

    slow = {"value": 1.0, "metric": "throughput", "unit": "1/s", "batch_size": None}
    assert found(Precision.INT8, **slow) is not None
    # Nobody published float16 of the processor, nor a batch of 8.
    assert found(Precision.FLOAT16, **slow) is None
    assert found(Precision.INT8, **{**slow, "batch_size": 8}) is None


def test_hints_of_a_gpu_and_an_npu_have_the_figures_of_their_very_way():
    why = told(Precision.INT8)["openvino-npu"]
    values = {p.name: p.value for p in why.parameters}
    assert why.code is ReasonCode.PUBLISHED_EFFECT
    assert values["factor_x"] > 1.5
    assert values["precision"] == "int8"
    assert "openvino-igpu" in told(Precision.INT8)


def test_a_way_of_which_nobody_published_a_pair_stays_without_a_figure():
    assert told(Precision.INT8)["ort-webgpu"].code is ReasonCode.NO_FIGURE


def test_a_slower_npu_is_a_warning():
    published = tuple(
        dataclasses.replace(row, value=row.value / 100.0)
        if row.device_kind is DeviceKind.NPU and row.unit == "1/s"
        else row
        for row in FACTS.published
        if row.metric == "throughput"
    )
    facts = dataclasses.replace(FACTS, published=published)
    hint = next(h for h in listed(Precision.INT8).hints if h.option.id == "openvino-npu")
    found = with_published(hint, profile=LAPTOP, workload=a_job(Precision.INT8), knowledge=facts)
    assert isinstance(found, AvoidedOption)
    assert found.reasons[0].code is ReasonCode.PUBLISHED_SLOWER


def advised(network):
    job = Job(phase=Phase.INFERENCE, batch_size=32, samples=50_000)
    work = bundled_workload(network, job=job, networks=FACTS.networks)
    return recommend(LAPTOP, None, work, Preferences(), FACTS, today=TODAY, app_version="0")


def test_a_ranked_gpu_is_no_hint_beside():
    """Its steps hold what the hints would say."""
    advice = advised("resnet-50")
    assert f"{DEVICE_PREFIX}{ARC.id}" in {row.option.id for row in advice.ranked}
    about = [
        hint.option.device_id
        for hint in advice.hints
        if hint.option.kind is OptionKind.LOCAL_DEVICE
    ]
    assert ARC.id not in about
    assert NPU.id in about


def test_a_gpu_that_nobody_measured_is_not_called_slower_where_its_interval_says_more():
    advice = advised("cifar10-deep-cnn")
    (gpu,) = (h for h in advice.hints if h.option.id == f"{DEVICE_PREFIX}{ARC.id}")
    values = {p.name: p.value for p in gpu.reasons[0].parameters}
    assert gpu.reasons[0].code is ReasonCode.UNCERTAIN_SPEED
    assert values["low_x"] < values["factor_x"] < 1.0 < values["high_x"]
    assert gpu.steps
