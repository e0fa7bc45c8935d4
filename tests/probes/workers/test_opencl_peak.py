"""Multiply-add chains."""

import types

import numpy as np
import opencl_choices
import opencl_kernels
import opencl_peak
import pytest
from worker_errors import UnsupportedKernel, WrongResult

from tests.helpers.opencl import request, shared_lanes, shared_runner


@pytest.fixture
def device():
    return shared_runner()._device


@pytest.mark.parametrize("width", opencl_peak.WIDTHS)
def test_each_width_computes_the_chains(device, width):
    chains = opencl_peak._Chains(device, "float32", width, 4, 1, opencl_peak._FORMS[0])
    try:
        assert f"width {width}, 4 chains" in chains.check()
    finally:
        chains.close()


def test_lanes_compute_the_chains_in_every_form():
    for form in opencl_peak._FORMS:
        chains = opencl_peak._Chains(shared_lanes(), "float32", 2, 4, 64, form)
        chains.check()
        chains.close()


def test_an_execution_is_a_fixed_number_of_operations(device, monkeypatch):
    chains = opencl_peak._Chains(device, "float32", 4, 4, 1, opencl_peak._FORMS[0])
    done = []

    def seconds(steps, count):
        done.append(steps * count * chains._flop_per_step)
        return done[-1] / 50e9  # a device of 50 GFLOP/s

    monkeypatch.setattr(chains, "_seconds", seconds)
    assert chains.calibrate() == pytest.approx(50e9)
    for loops in (1, 3, 1000):
        assert chains.run(loops) == pytest.approx(loops / 50)
        assert done[-1] == pytest.approx(loops * opencl_peak.PEAK_FLOP, rel=0.3)
    chains.close()


def test_the_best_width_is_measured_and_positive(monkeypatch):
    monkeypatch.setattr(opencl_peak, "_CHAINS", {True: (4,), False: (4,)})
    runner = shared_runner()
    prepared = runner.prepare(request({"type": "PeakShape", "width": 0}))
    try:
        assert prepared.check().startswith(("4 values", "8", "16", "32", "64"))
        assert prepared.run(1) > 0.0
        assert prepared.work.width in opencl_peak.WIDTHS
    finally:
        prepared.close()
    assert runner._device.bytes_in_use == 0


def test_a_width_that_does_not_exist_is_unsupported(device):
    with pytest.raises(UnsupportedKernel, match="vectors of 3"):
        opencl_peak.prepare(device, {"width": 3}, "float32")


def test_half_without_the_extension_is_unsupported(device, monkeypatch):
    monkeypatch.setattr(device, "has_half", False)
    with pytest.raises(UnsupportedKernel, match="float16"):
        opencl_peak.prepare(device, {"width": 0}, "float16")


def test_chains_that_were_cut_short_are_noticed(device, monkeypatch):
    chains = opencl_peak._Chains(device, "float32", 4, 4, 1, opencl_peak._FORMS[0])
    run = chains._seconds
    monkeypatch.setattr(chains, "_seconds", lambda _steps, count: run(1, count))
    with pytest.raises(WrongResult):
        chains.check()
    chains.close()


def test_the_chain_neither_grows_nor_dies():
    values = opencl_peak.reference(16, 1, 3, 1000)
    assert np.all(np.abs(values) < 16)
    assert np.all(np.abs(values) > 0.1)


@pytest.mark.parametrize("width", opencl_peak.WIDTHS)
def test_each_width_multiplies_bytes_exactly(device, width):
    chains = opencl_peak._ByteChains(device, "int8", width, 8, 1, opencl_peak._FORMS[0])
    try:
        assert "off by 0.0e+00" in chains.check()
    finally:
        chains.close()


def test_lanes_multiply_bytes():
    chains = opencl_peak._ByteChains(shared_lanes(), "int8", 4, 4, 64, opencl_peak._FORMS[0])
    chains.check()
    chains.close()


def test_bytes_that_were_left_out_are_noticed(device, monkeypatch):
    chains = opencl_peak._ByteChains(device, "int8", 4, 4, 1, opencl_peak._FORMS[0])
    run = chains._seconds
    monkeypatch.setattr(chains, "_seconds", lambda _steps, count: run(1, count))
    with pytest.raises(WrongResult):
        chains.check()
    chains.close()


def test_the_bytes_wrap_and_the_sums_do_not():
    by_hand, x = 0, 9
    for _ in range(400):
        by_hand += x * 13
        x = (x + 5 + 128) % 256 - 128
    assert opencl_peak.byte_reference(1, 2, 9, 100).tolist() == [by_hand, by_hand]


def test_the_peak_of_bytes_is_measured(monkeypatch):
    monkeypatch.setattr(opencl_peak, "_CHAINS", {True: (8,), False: (8,)})
    prepared = shared_runner().prepare(request({"type": "PeakShape", "width": 4}, precision="int8"))
    assert "width 4, 8 chains" in prepared.check()
    assert prepared.run(1) > 0.0
    prepared.close()


class Waiting:
    """A clock that goes on by half a second each time."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        self.now += 0.5
        return self.now


def test_a_gpu_is_kept_busy_once_before_the_first_kernel(monkeypatch):
    shared = shared_runner()
    runner = opencl_kernels.OpenclRunner.__new__(opencl_kernels.OpenclRunner)
    runner._cl, runner._device, runner._is_warm = shared._cl, shared_lanes(), False
    seen = []
    monkeypatch.setattr(opencl_peak, "warm_clock", lambda _device, seconds: seen.append(seconds))
    for _ in range(2):
        runner.prepare(request({"type": "OverheadShape", "kind": "launch"})).close()
    assert seen == [0.5]
    assert shared._is_warm or not shared._device.is_cpu


def test_warming_runs_the_chains_for_the_time(device, monkeypatch):
    runs, run = [], opencl_peak._Chains.run
    monkeypatch.setattr(
        opencl_peak._Chains, "run", lambda self, loops: runs.append(loops) or run(self, loops)
    )
    opencl_peak.warm_clock(device, 2.0, Waiting())
    assert runs == [1, 1, 1]
    assert device.bytes_in_use == 0


def test_no_more_variants_are_tried_than_there_is_time_for(device, monkeypatch):
    monkeypatch.setattr(device, "choices", opencl_choices.Choices())
    monkeypatch.setattr(device.patience, "is_over", lambda: True)
    tried = []
    monkeypatch.setattr(
        opencl_peak, "_seconds", lambda _device, _precision, variant: tried.append(variant) or 1.0
    )
    prepared = opencl_peak.prepare(device, {"width": 4}, "float32")
    prepared.check()
    prepared.close()
    assert len(set(tried)) == 1
    assert device.choices.learned == {}


@pytest.mark.parametrize(
    ("floats", "chars", "precision", "order"),
    [
        (16, 64, "float32", [16, 8, 4, 2, 1]),
        (1, 1, "float32", [1, 2, 4, 8, 16]),
        (4, 16, "float32", [4, 2, 8, 1, 16]),
        (4, 16, "int8", [16, 8, 4, 2, 1]),
        # A driver that does not say.
        (0, 0, "int8", [1, 2, 4, 8, 16]),
    ],
)
def test_the_own_vectors_of_a_device_come_first(floats, chars, precision, order):
    own = types.SimpleNamespace(native_vector_width_char=chars)
    device = types.SimpleNamespace(device=own, vector_width=max(1, floats), is_cpu=False)
    tried = opencl_peak._variants(device, precision, opencl_peak.WIDTHS)
    assert list(dict.fromkeys(variant[0] for variant in tried)) == order
