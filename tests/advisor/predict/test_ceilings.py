"""Ceilings from measurements and from the data sheet."""

import dataclasses

import pytest

from advisor.model.codec import dump_document, load_document
from advisor.model.kernel import (
    Cell,
    Direction,
    ElementwiseShape,
    OverheadShape,
    RecurrentShape,
    StreamShape,
)
from advisor.model.machine import CPU_DEVICE_ID
from advisor.model.measurement import Runner, Setting
from advisor.model.quantity import Basis, Precision
from advisor.predict.ceilings import (
    MachineCeilings,
    default_variable_s,
    fit_ceilings,
)
from advisor.predict.shape_factor import log_factor as shape_factor
from tests.advisor.predict.builders import (
    BANDWIDTH,
    calibration,
    failed,
    gemm,
    knowledge,
    measure,
    measurement_set,
    profile,
)


def fit(*measurements, machine=None):
    return fit_ceilings(machine or profile(), measurement_set(*measurements), knowledge())


def test_where_no_network_can_run_the_best_product_of_another_library_counts():
    products = [
        measure(gemm(size, size, size), 2 * size**3 / rate, runner=Runner.NUMPY)
        for size, rate in ((512, 50e9), (2048, 150e9), (1024, 100e9))
    ]
    cpu = fit(*products, measure(StreamShape(op="copy", elements=1 << 20), 1e-3)).cpu
    assert cpu.rate(Precision.FLOAT32).flop_per_s == pytest.approx(150e9)


def test_memory_is_the_best_of_triad_and_add_whatever_a_copy_reaches():
    seconds = {"copy": 1e-4, "triad": 3e-3, "add": 2e-3}
    streams = [measure(StreamShape(op=op, elements=1 << 20), s) for op, s in seconds.items()]
    cpu = fit(*calibration(), *streams).cpu
    assert cpu.bandwidth_byte_per_s >= 12 * (1 << 20) / 2e-3
    without = fit(measure(gemm(64, 64, 64), 1e-3), *streams).cpu
    assert without.bandwidth_byte_per_s == pytest.approx(12 * (1 << 20) / 2e-3)


def test_measured_machine():
    cpu = fit(*calibration()).cpu
    assert cpu.basis is Basis.SCALED_FROM_MEASUREMENT
    assert cpu.bandwidth_byte_per_s == pytest.approx(BANDWIDTH)
    assert (cpu.train_call_s, cpu.predict_call_s, cpu.dispatch_s) == (500e-6, 200e-6, 5e-6)
    best = cpu.rate(Precision.FLOAT32)
    assert best.is_measured
    assert 100e9 < best.flop_per_s <= 200e9
    assert cpu.parallel_units == 4


def test_values_of_zero_and_failures_are_left_out():
    cpu = fit(*calibration(), failed(gemm(9, 9, 9)), measure(gemm(8, 8, 8), 0.0)).cpu
    assert gemm(8, 8, 8) not in [point.shape for point in cpu.points]


def test_numpy_products_are_not_those_of_networks():
    numpy_gemm = measure(gemm(2048, 2048, 2048), 0.01, runner=Runner.NUMPY)
    cpu = fit(*calibration(), numpy_gemm).cpu
    assert gemm(2048, 2048, 2048) not in [point.shape for point in cpu.points]
    assert cpu.rate(Precision.FLOAT32).flop_per_s < 2 * 2048**3 / 0.01


def test_numpy_alone_still_tells_the_rate():
    numpy_gemm = measure(gemm(1000, 1000, 1000), 0.02, runner=Runner.NUMPY)
    cpu = fit(numpy_gemm).cpu
    assert cpu.rate(Precision.FLOAT32).flop_per_s == pytest.approx(1e11)
    assert cpu.basis is Basis.MODEL_ONLY
    assert any("bandwidth" in note for note in cpu.notes)


def test_without_a_stream_the_largest_element_wise_kernel_tells_the_bandwidth():
    small = measure(ElementwiseShape(op="relu", elements=1000), 1e-9)
    large = measure(ElementwiseShape(op="relu", elements=1_000_000), 1e-3)
    cpu = fit(small, large, measure(gemm(64, 64, 64), 1e-4)).cpu
    assert cpu.bandwidth_byte_per_s == pytest.approx(8e9)


def test_settings_and_threads_have_ceilings_of_their_own():
    setting = (Setting(name="TF_ENABLE_ONEDNN_OPTS", value="0"),)
    slow = measure(gemm(64, 64, 64), 9e-3, role="setting", settings=setting)
    stream = measure(StreamShape(op="copy", elements=1000), 1e-6, role="setting", settings=setting)
    single = measure(gemm(64, 64, 64), 7e-3, role="setting", threads=1)
    found = fit(*calibration(), slow, stream, single)
    under = found.find(CPU_DEVICE_ID, settings=setting)
    assert under is not None
    assert [point.time_s for point in under.points] == [9e-3]
    alone = found.find(CPU_DEVICE_ID, threads=1)
    assert alone is not None
    assert alone.parallel_units == 1
    assert found.find(CPU_DEVICE_ID, threads=3) is None
    assert 9e-3 not in [point.time_s for point in found.cpu.points]


def test_other_precision_of_the_same_stack_is_the_same_device():
    half = measure(gemm(64, 64, 64), 1e-5, precision=Precision.BFLOAT16, role="setting")
    cpu = fit(*calibration(), half).cpu
    assert {rate.precision for rate in cpu.rates} == {Precision.FLOAT32, Precision.BFLOAT16}
    assert Precision.BFLOAT16 in {point.precision for point in cpu.points}


def test_opencl_device():
    product = measure(gemm(512, 512, 512), 2e-3, runner=Runner.OPENCL, device_id="opencl0")
    stream = measure(
        StreamShape(op="copy", elements=1 << 20), 1e-3, runner=Runner.OPENCL, device_id="opencl0"
    )
    launch = measure(OverheadShape(kind="launch"), 3e-5, runner=Runner.OPENCL, device_id="opencl0")
    device = fit(product, stream, launch).find("opencl0")
    assert device is not None
    assert (device.dispatch_s, device.train_call_s) == (3e-5, 3e-5)


def test_kernels_of_a_network_are_queued_while_a_step_is_waited_for():
    product = measure(gemm(512, 512, 512), 2e-3, runner=Runner.OPENCL, device_id="opencl0")
    copy = StreamShape(op="copy", elements=1 << 20)
    stream = measure(copy, 1e-3, runner=Runner.OPENCL, device_id="opencl0")
    costs = [
        measure(OverheadShape(kind=kind), seconds, runner=Runner.OPENCL, device_id="opencl0")
        for kind, seconds in (("launch", 3e-5), ("queued_launch", 4e-6))
    ]
    device = fit(product, stream, *costs).find("opencl0")
    assert (device.dispatch_s, device.train_call_s) == (4e-6, 3e-5)


def test_opencl_device_of_unknown_bandwidth_has_no_ceilings():
    product = measure(gemm(512, 512, 512), 2e-3, runner=Runner.OPENCL, device_id="opencl0")
    assert fit(product).find("opencl0") is None


def test_dispatch_is_bounded_by_the_shortest_kernel_when_it_was_not_timed():
    cpu = fit(
        measure(gemm(8, 8, 8), 2e-5), measure(StreamShape(op="copy", elements=1000), 1e-6)
    ).cpu
    assert cpu.dispatch_s == pytest.approx(1e-5)


def test_nothing_measured():
    for nothing in (None, measurement_set()):
        cpu = fit_ceilings(profile(), nothing, knowledge()).cpu
        assert cpu.basis is Basis.MODEL_ONLY
        assert cpu.points == ()
        # 4 cores x 4 GHz x 32 flop, 80 % of it, less what sharing costs.
        assert cpu.rate(Precision.FLOAT32).flop_per_s == pytest.approx(0.8 * 512e9 / 1.09)


def test_slow_clock_means_slow_calls():
    fast = fit_ceilings(profile(mhz=4000), None, knowledge()).cpu
    slow = fit_ceilings(profile(mhz=1000), None, knowledge()).cpu
    assert slow.train_call_s == pytest.approx(4 * fast.train_call_s)


def test_ceilings_are_saved_and_read():
    found = fit(*calibration())
    assert load_document(dump_document(found), MachineCeilings) == found


@pytest.mark.parametrize(
    ("optimizer", "seconds"), [("sgd", 3.5e-6), ("AdamW", 12e-6), ("lion", 12e-6)]
)
def test_usual_cost_of_a_variable(optimizer, seconds):
    assert default_variable_s(optimizer) == seconds


@pytest.mark.parametrize(
    ("value", "threads", "fork_s"), [("1", None, 0.0), ("0", None, 45e-6), ("0", 1, 0.0)]
)
def test_only_eigen_with_several_threads_pays_for_sharing_out(value, threads, fork_s):
    settings = (Setting(name="TF_ENABLE_ONEDNN_OPTS", value=value),)
    shape = RecurrentShape(cell=Cell.LSTM, batch=32, timesteps=9, input=128, hidden=128)
    under = {"role": "setting", "settings": settings, "threads": threads}
    stream = measure(StreamShape(op="copy", elements=1000), 1e-6, **under)
    found = fit(measure(gemm(64, 64, 64), 1e-3), measure(shape, 1e-3, **under), stream)
    device = found.find(CPU_DEVICE_ID, settings=settings, threads=threads)
    assert device.fork_s == fork_s
    without = dataclasses.replace(device, library=None).efficiency_model()
    told = [
        model.over_roofline(
            shape, direction=Direction.FORWARD, precision=Precision.FLOAT32, time_s=1.0
        )
        for model in (device.efficiency_model(), without)
    ]
    log_factor = shape_factor(shape, Direction.FORWARD, device.library)
    assert (told[0] + log_factor < told[1] - 1e-6) == (fork_s > 0.0)
