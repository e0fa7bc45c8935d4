"""Sweeps over global and local memory."""

import opencl_stream
import pytest
from worker_errors import UnsupportedKernel, WrongResult

from tests.helpers.opencl import request, shared_lanes, shared_runner


def stream(op, elements=100_003):
    return {"type": "StreamShape", "op": op, "elements": elements}


@pytest.mark.parametrize("op", ["read", "copy", "scale", "add", "triad", "local"])
def test_each_operation_is_right_and_takes_time(op):
    runner = shared_runner()
    prepared = runner.prepare(request(stream(op)))
    assert "in float64" in prepared.check()
    assert prepared.run(2) > 0.0
    prepared.close()
    assert runner._device.bytes_in_use == 0


@pytest.mark.parametrize("op", ["read", "triad"])
@pytest.mark.parametrize("variant", [(16, 1, 512), (4, 64, 16), (1, 256, 16)])
def test_each_variant_covers_odd_lengths(op, variant):
    work = opencl_stream._Stream(shared_lanes(), op, 70_001, "float32").build(variant)
    assert work.check()
    work.close()


def test_arrays_that_do_not_fit_are_shorter_and_the_time_is_scaled(monkeypatch):
    device = shared_runner()._device
    monkeypatch.setattr(opencl_stream, "_MIN_BYTES", 1000)
    monkeypatch.setattr(type(device), "largest_buffer", lambda _self: 40_000)
    work = opencl_stream._Stream(device, "copy", 100_000, "float32").build((1, 64, 16))
    assert "arrays of 10000 elements instead of 100000" in work.check()
    assert work._scale == pytest.approx(0.1)
    work.close()


def test_arrays_too_short_for_the_caches_are_unsupported(monkeypatch):
    device = shared_runner()._device
    monkeypatch.setattr(type(device), "largest_buffer", lambda _self: 40_000)
    with pytest.raises(UnsupportedKernel, match="too short for its caches"):
        opencl_stream._Stream(device, "copy", 100_000, "float32").build((1, 64, 16))


def test_a_sweep_that_leaves_the_end_out_is_noticed():
    work = opencl_stream._Stream(shared_runner()._device, "copy", 70_000, "float32").build(
        (1, 64, 16)
    )
    work._launches[0].set_argument(2, 60_000)
    with pytest.raises(WrongResult):
        work.check()
    work.close()


def test_an_unknown_operation_is_unsupported():
    with pytest.raises(UnsupportedKernel, match="'gather'"):
        shared_runner().prepare(request(stream("gather")))
