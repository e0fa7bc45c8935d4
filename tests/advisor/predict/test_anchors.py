"""Published rows as experiments: which count, and what they say of their device and software."""

import dataclasses

import pytest

from advisor.model.machine import DeviceKind
from advisor.model.published import Comparability, ResultPhase
from advisor.model.quantity import Phase, Precision
from advisor.predict.anchors import anchors_of, gpu_device, own_run, peak_flop_per_s
from tests.advisor.predict.builders import device, facts, knowledge, platform, published, small_cnn

GPU = device("GTX Old", peak=10e12, bandwidth=400e9, year=2016, architecture="Pascal")
CPU = device("Core Test", kind=DeviceKind.CPU, cores=8, ghz=3.0, per_cycle=32.0)
# 1e9 multiply-adds: a training sample needs 6 GFLOP, 0.6 ms on the card at its peak.
WORK = 1_000_000_000
ROOFLINE_S = 0.6e-3


def row(factor=2.0, **changes):
    seconds = factor * ROOFLINE_S * (changes.get("batch") or 32)
    return published(**{"device": "GTX Old", "value": seconds, "multiply_adds": WORK, **changes})


def anchors(*rows, networks=()):
    return anchors_of(knowledge(published=rows, devices=(GPU, CPU), networks=networks))


def test_a_row_becomes_an_experiment():
    (anchor,) = anchors(row(2.5))
    assert anchor.sample_s == pytest.approx(2.5 * ROOFLINE_S)
    assert (anchor.device.name, anchor.device.year) == ("GTX Old", 2016)
    assert anchor.device.peak_flop_per_s == 10e12
    assert (anchor.run.network, anchor.run.framework) == ("testnet", "tensorflow")
    assert (anchor.run.phase, anchor.run.batch_size) == (Phase.TRAINING, 32)


@pytest.mark.parametrize(
    "changes",
    [
        {"comparability": Comparability.NOT_COMPARABLE},
        {"n_devices": 2},
        {"phase": ResultPhase.KERNEL},
        {"metric": "cost"},
        {"kind": DeviceKind.IGPU},
        {"device": "GTX Unknown"},
    ],
)
def test_rows_that_say_nothing_are_left_out(changes):
    assert anchors(row(**changes)) == ()


def test_what_no_arithmetic_can_do_is_left_out():
    assert anchors(row(0.05)) == ()
    assert len(anchors(row(0.5))) == 1


def test_work_of_a_bundled_network_fills_the_gap():
    networks = (facts("test-net", multiply_adds_per_sample=WORK),)
    (anchor,) = anchors(row(multiply_adds=None), networks=networks)
    assert (anchor.run.multiply_adds, anchor.run.family) == (WORK, "convolutional")
    assert anchors(row(multiply_adds=None))[0].run.multiply_adds is None


def test_versions_are_different_software_of_one_framework():
    old, new = anchors(row(framework="PyTorch", build="pip"), row(framework="PyTorch 2"))
    assert old.run.software != new.run.software
    assert old.run.framework == new.run.framework == "pytorch"


def test_threads_are_part_of_a_processor():
    two, all_of_them = anchors(
        row(device="Core Test", kind=DeviceKind.CPU, threads=2, factor=99.0),
        row(device="Core Test", kind=DeviceKind.CPU, factor=99.0),
    )
    assert two.device.cores == 2.0
    assert all_of_them.device.peak_flop_per_s == pytest.approx(4 * two.device.peak_flop_per_s)


def test_a_rented_machine_is_known_by_its_platform():
    name = "Intel Xeon (AWS c9.2xlarge, 8 vCPU)"
    rows = (row(device=name, kind=DeviceKind.CPU, factor=500.0),)
    clouds = (dataclasses.replace(platform(), vendor="aws"),)
    (anchor,) = anchors_of(knowledge(published=rows, cpu_platforms=clouds))
    assert (anchor.device.name, anchor.device.cores) == ("aws c9", 4.0)


def test_peak_is_that_of_float32_where_a_precision_is_slower_or_unknown():
    assert peak_flop_per_s(GPU, Precision.FLOAT16) == 10e12
    assert peak_flop_per_s(device("X", peak=None), Precision.FLOAT32) is None
    assert gpu_device(device("X", peak=None), precision=Precision.FLOAT32) is None


def test_the_users_job_is_a_question_without_study():
    work = small_cnn(8)
    flop = 6.0 * 8 * 12345
    run = own_run(work, network=None, flop=flop)
    assert (run.study, run.software, run.multiply_adds) == (None, None, 12345)
    named = own_run(work, network=facts("test-net", multiply_adds_per_sample=99), flop=flop)
    assert (named.network, named.multiply_adds) == ("test-net", 99)
