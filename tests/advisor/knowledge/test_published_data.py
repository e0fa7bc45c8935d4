"""The bundled figures say what the findings of the founding studies say of them."""

import math
import re
from collections.abc import Callable

import pytest

from advisor.model.machine import DeviceKind
from advisor.model.published import Comparability, PublishedResult
from tests.helpers.bundled import bundled_knowledge

KNOWLEDGE = bundled_knowledge()
ROWS = KNOWLEDGE.published
SPECS = {(spec.device, spec.kind): spec for spec in KNOWLEDGE.devices}
NETWORKS_2017 = (
    "mnist-mlp",
    "mnist-cnn",
    "cifar10-deep-cnn",
    "imdb-fasttext",
    "imdb-bidirectional-lstm",
    "lstm-text-generator",
    "text-generator",
)


def value(**wanted: object) -> float:
    """Return the value of the only row with these fields."""
    rows = [r for r in ROWS if all(getattr(r, name) == v for name, v in wanted.items())]
    assert len(rows) == 1, (wanted, len(rows))
    return rows[0].value


def cloud(network: str, *, metric: str, vcpus: int | None, build: str = "pip") -> float:
    """Return a figure of the study of 2017-07; vcpus None is the K80."""
    return value(
        study="minimaxir-2017-07", workload=network, metric=metric, threads=vcpus, build=build
    )


def to_k80(network: str, *, vcpus: int, build: str, metric: str = "epoch_time") -> float:
    here = cloud(network, metric=metric, vcpus=vcpus, build=build)
    return here / cloud(network, metric=metric, vcpus=None)


def mean_to_k80(vcpus: int, *, build: str, metric: str = "epoch_time") -> float:
    ratios = [to_k80(n, vcpus=vcpus, build=build, metric=metric) for n in NETWORKS_2017]
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def sweep(framework: str, *, threads: int) -> float:
    return value(study="hkbu-dlbench-v8", framework=framework, threads=threads)


def test_all_claims_are_here_with_their_verdicts() -> None:
    verdicts = [row.verdict for row in KNOWLEDGE.findings]
    assert len(verdicts) == 40
    assert {v: verdicts.count(v) for v in ("OK", "PART", "NO", "OPEN")} == {
        "OK": 17,
        "PART": 9,
        "NO": 6,
        "OPEN": 8,
    }


def test_an_avx_build_saves_a_third_and_the_igpu_is_five_times_slower() -> None:
    def a10(build: str) -> float:
        return value(workload="cifar10-a10-cnn", build=build)

    assert a10("avx") / a10("generic") == pytest.approx(0.65, abs=0.01)
    assert a10("opencl") / a10("avx") == pytest.approx(5.3, abs=0.05)


@pytest.mark.parametrize(
    ("framework", "gain"), [("Caffe", 1.10), ("MXNet", 1.34), ("CNTK", 2.26), ("TensorFlow", 2.80)]
)
def test_scaling_from_4_to_16_threads_depends_on_the_framework(framework: str, gain: float) -> None:
    assert sweep(framework, threads=4) / sweep(framework, threads=16) == pytest.approx(
        gain, abs=0.01
    )


def test_price_times_time_gives_the_published_cost_ratios() -> None:
    assert to_k80("mnist-cnn", vcpus=64, build="pip", metric="cost") == pytest.approx(
        1.97, abs=0.01
    )
    assert mean_to_k80(16, build="compiled", metric="cost") == pytest.approx(0.238, abs=0.001)
    assert mean_to_k80(8, build="compiled", metric="cost") == pytest.approx(0.153, abs=0.001)


def test_16_vcpus_compiled_is_the_fastest_cpu_on_the_whole() -> None:
    configurations = [(n, b) for n in (8, 16, 32, 64) for b in ("pip", "compiled")]
    means = {c: mean_to_k80(c[0], build=c[1]) for c in configurations}
    assert min(means, key=lambda c: means[c]) == (16, "compiled")
    assert means[16, "compiled"] == pytest.approx(1.393, abs=0.001)


def test_every_cpu_beat_the_k80_on_the_bidirectional_lstm_of_2017_07() -> None:
    for vcpus in (8, 16, 32, 64):
        for build in ("pip", "compiled"):
            ratio = to_k80("imdb-bidirectional-lstm", vcpus=vcpus, build=build)
            assert 0.40 < ratio < 0.52


def test_copied_logs_are_not_comparable() -> None:
    copies = [row for row in ROWS if row.note and "copy of a 2017-06 log" in row.note]
    assert {row.study for row in copies} == {"minimaxir-2017-11"}
    assert {row.comparability for row in copies} == {Comparability.NOT_COMPARABLE}


def test_rows_of_unequal_work_are_not_comparable() -> None:
    unequal = [row for row in ROWS if row.note and "unequal work" in row.note]
    assert {(row.workload, row.framework) for row in unequal} == {
        ("fcn-r", "CNTK"),
        ("alexnet-r", "Caffe"),
        ("alexnet-r", "TensorFlow"),
        ("resnet-56", "TensorFlow"),
        ("lstm-ptb", "CNTK"),
    }
    assert {row.comparability for row in unequal} == {Comparability.NOT_COMPARABLE}


def test_reruns_of_equal_work_tie_mxnet_and_torch_on_resnet_50() -> None:
    def k40(framework: str) -> float:
        return value(
            study="guolinke-2016-10", workload="resnet-50", framework=framework, n_devices=1
        )

    assert k40("Torch") < k40("MXNet") < 1.1 * k40("Torch")
    assert k40("Caffe") == max(map(k40, ("Torch", "MXNet", "CNTK", "TensorFlow", "Caffe")))


def test_ids_tell_their_study() -> None:
    for row in ROWS:
        assert re.fullmatch(re.escape(row.study) + r"-\d{4}", row.id)


def has_igpu_of(vendor: str) -> Callable[[PublishedResult], bool]:
    def check(row: PublishedResult) -> bool:
        spec = SPECS.get((row.device, row.device_kind))
        return row.device_kind is DeviceKind.IGPU and spec is not None and spec.vendor == vendor

    return check


@pytest.mark.parametrize("vendor", ["AMD", "Apple", "Intel"])
def test_there_are_figures_for_the_graphics_of_each_vendor(vendor: str) -> None:
    assert any(map(has_igpu_of(vendor), ROWS))


@pytest.mark.parametrize("network", ["resnet-50", "vgg16", "mobilenetv2"])
@pytest.mark.parametrize("kind", [DeviceKind.CPU, DeviceKind.IGPU, DeviceKind.DGPU])
def test_common_networks_are_known_on_several_devices(network: str, kind: DeviceKind) -> None:
    devices = {r.device for r in ROWS if r.workload == network and r.device_kind is kind}
    assert len(devices) >= 4


def test_times_of_a_network_on_a_device_are_within_reason() -> None:
    """A step of ResNet-50 moves at most the peak: 2 operations per product, 3 passes to train."""
    for row in ROWS:
        spec = SPECS.get((row.device, row.device_kind))
        is_step = row.metric == "step_time" and row.phase.value == "training"
        if not is_step or row.multiply_adds_per_sample is None or row.batch_size is None:
            continue
        if spec is None or spec.peak_fp32_flop_per_s is None or row.workload == "lstm-ptb":
            continue
        flop = 6.0 * row.multiply_adds_per_sample * row.batch_size
        peak = spec.peak_fp32_flop_per_s * (row.n_devices or 1)
        assert flop / row.value < 1.2 * peak, row.id
