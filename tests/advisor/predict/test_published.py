"""Published results: times of a sample, citations, and the law of threads."""

import dataclasses

import pytest

from advisor.model.machine import DeviceKind
from advisor.model.published import Comparability, ResultPhase
from advisor.model.quantity import Phase
from advisor.predict.published import (
    DEFAULT_LAW,
    ThreadLaw,
    is_comparable,
    is_similar_batch,
    model_number,
    row_evidence,
    rows_of_network,
    rows_of_product,
    seconds_per_sample,
    spelled,
    thread_law,
    thread_sweeps,
)
from tests.advisor.predict.builders import facts, knowledge, published, small_cnn
from tests.helpers.bundled import bundled_knowledge


@pytest.fixture(scope="module")
def bundled():
    return bundled_knowledge()


@pytest.mark.parametrize(
    ("row", "samples", "seconds"),
    [
        ({"value": 0.32, "metric": "step_time", "batch": 32}, None, 0.01),
        ({"value": 200.0, "metric": "throughput", "unit": "1/s"}, None, 0.005),
        ({"value": 0.02, "metric": "latency", "batch": None}, None, 0.02),
        ({"value": 0.02, "metric": "step_time", "batch": None}, None, None),
        ({"value": 500.0, "metric": "epoch_time"}, 50_000, 0.01),
        ({"value": 500.0, "metric": "epoch_time"}, None, None),
        ({"value": 3.0, "metric": "cost", "unit": "USD"}, None, None),
        ({"value": 0.0}, None, None),
        ({"value": 3.0, "metric": "first_epoch_time"}, 100, None),
    ],
)
def test_seconds_of_a_sample(row, samples, seconds):
    found = seconds_per_sample(published(device="X", **row), facts=facts(samples=samples))
    assert found == (None if seconds is None else pytest.approx(seconds))


def test_batches_within_twice_are_similar():
    rows = [published(device="X", value=1.0, batch=batch) for batch in (16, 64, 8, None)]
    assert [is_similar_batch(row, 32) for row in rows] == [True, True, False, False]


def test_rows_of_several_devices_or_other_work_do_not_compare():
    assert is_comparable(published(device="X", value=1.0))
    assert not is_comparable(published(device="X", value=1.0, n_devices=4))
    other = published(device="X", value=1.0, comparability=Comparability.NOT_COMPARABLE)
    assert not is_comparable(other)


def test_rows_of_a_network_by_name_or_alias():
    rows = (
        published(device="X", value=0.32),
        published(device="X", value=0.32, workload="Test Net V1"),
        published(device="X", value=0.32, workload="other"),
        published(device="X", value=0.32, phase=ResultPhase.INFERENCE),
    )
    facts_of = facts(aliases=("testnet-v1",))
    found = rows_of_network(small_cnn(), knowledge=knowledge(published=rows, networks=(facts_of,)))
    assert [(row.workload, seconds) for row, seconds in found] == [
        ("test-net", pytest.approx(0.01)), ("Test Net V1", pytest.approx(0.01)),
    ]  # fmt: skip


@pytest.mark.parametrize(("phase", "counts"), [(Phase.TRAINING, True), (Phase.INFERENCE, False)])
def test_a_format_that_is_not_stated_is_float32_in_training_alone(phase, counts):
    row = published(device="X", value=0.32, phase=ResultPhase(phase.value))
    unstated = dataclasses.replace(row, precision=None)
    for each, is_told in ((row, True), (unstated, counts)):
        facts_of = knowledge(published=(each,), networks=(facts(),))
        found = rows_of_network(small_cnn(phase=phase), knowledge=facts_of)
        assert bool(found) is is_told


def test_evidence_says_what_was_measured_where():
    row = published(
        device="AMD A10-7850K", value=1100.0, metric="epoch_time", build="avx", threads=4,
        batch=None, workload="cifar10-cnn", year=2017,
    )  # fmt: skip
    evidence = row_evidence(row)
    assert evidence.statement == (
        "published: 1100 s per epoch on AMD A10-7850K "
        "(cifar10-cnn, 4 threads, TensorFlow, build: avx)"
    )
    assert (evidence.source.reference, evidence.source.date) == ("a paper", "2017")


@pytest.mark.parametrize(
    ("value", "text"),
    [(11950.4, "11,950"), (2360.0, "2360"), (0.5208, "0.5208"), (12.346, "12.35")],
)
def test_evidence_tells_a_rate_as_people_write_numbers(value, text):
    row = published(device="X", value=value, metric="throughput", unit="1/s")
    assert f"published: {text} samples per second" in row_evidence(row).statement


@pytest.mark.parametrize(
    ("name", "number"),
    [("AMD A10-7850K Radeon R7, 12 Compute Cores", "A10-7850K"), ("Odd", None)],
)
def test_model_number(name, number):
    assert model_number(name) == number


def test_rows_of_a_product_name_its_cpu_and_its_gpu(bundled):
    work = small_cnn(network="cifar10-a10-cnn")
    rows = rows_of_product(bundled, device="AMD A10-7850K APU", workload=work)
    assert {row.value for row in rows} == {1100.0, 1700.0, 5800.0}
    assert {row.device_kind for row in rows} == {DeviceKind.CPU, DeviceKind.IGPU}


def test_other_data_of_the_same_product_is_not_cited(bundled):
    work = small_cnn(network="mnist-mlp")
    assert rows_of_product(bundled, device="AMD A10-7850K APU", workload=work) == ()
    assert rows_of_product(bundled, device="Odd", workload=work) == ()


def test_spelling_is_no_difference():
    assert spelled("ResNet-50 v2") == "resnet50v2"


def test_law_of_one_core_and_of_less():
    law = ThreadLaw(contention=0.1, crosstalk=0.01, n_sweeps=1)
    assert (law.speedup(1), law.speedup(0.5)) == (1, 0.5)
    # Crosstalk: at some point more threads are slower.
    assert law.speedup(64) < law.speedup(8)


def sweep(law, **row):
    return tuple(
        published(device="Xeon", kind=DeviceKind.CPU, value=10.0 / law.speedup(n), threads=n, **row)
        for n in (1, 2, 4, 8, 16)
    )


def test_law_is_found_again_from_its_sweep():
    law = ThreadLaw(contention=0.1, crosstalk=0.002, n_sweeps=1)
    (found,) = thread_sweeps(
        knowledge(published=sweep(law, multiply_adds=1_000_000)), framework="TensorFlow"
    )
    assert found.law.speedup(16) == pytest.approx(law.speedup(16), rel=0.05)
    assert found.step_flop == 6 * 32 * 1_000_000


def test_two_thread_counts_are_no_sweep():
    law = ThreadLaw(contention=0.1, crosstalk=0.0, n_sweeps=1)
    rows = sweep(law)[:2]
    assert thread_sweeps(knowledge(published=rows), framework="TensorFlow") == ()
    assert thread_law((), step_flop=1e9) == DEFAULT_LAW


def test_sweep_over_onednn_counts_for_tensorflow():
    law = ThreadLaw(contention=0.1, crosstalk=0.0, n_sweeps=1)
    rows = sweep(law, framework="MXNet", backend="MKL-DNN (mxnet-mkl)")
    facts_of = knowledge(published=rows)
    assert len(thread_sweeps(facts_of, framework="TensorFlow")) == 1
    assert thread_sweeps(facts_of, framework="Caffe") == ()


def test_published_sweep_bounds_the_gain_from_more_threads(bundled):
    """S1-1: from 4 to 16 threads depends on the framework, and is never linear."""
    study = tuple(row for row in bundled.published if row.study == "hkbu-dlbench-v8")
    gains = {}
    for framework in ("TensorFlow", "CNTK", "MXNet", "Caffe"):
        # FCN-R at batch 1024, the network of the study.
        law = thread_law(
            thread_sweeps(knowledge(published=study), framework=framework), step_flop=87e9
        )
        gains[framework] = law.speedup(16) / law.speedup(4)
    assert max(gains.values()) <= 2.9
    assert len({round(gain, 1) for gain in gains.values()}) > 2
    assert min(gains["TensorFlow"], gains["CNTK"]) > max(gains["MXNet"], gains["Caffe"])


def test_small_networks_gain_nothing_from_64_virtual_cpus(bundled):
    """S2-6: 64 vCPU are no better than 32 for the networks of that study."""
    sweeps = thread_sweeps(bundled, framework="TensorFlow")
    for step_flop in (0.5e9, 2e9, 4e9):
        law = thread_law(sweeps, step_flop=step_flop)
        assert law.speedup(32) <= 1.05 * law.speedup(16)


def test_phases_are_kept_apart():
    work = small_cnn(phase=Phase.INFERENCE)
    facts_of = knowledge(published=(published(device="X", value=0.3),))
    assert rows_of_network(work, knowledge=facts_of) == ()
