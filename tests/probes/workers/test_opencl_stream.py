"""Sweeps over global and local memory."""

import shutil

import opencl_device
import opencl_stream
import pytest
from opencl_kernels import OpenclRunner
from worker_errors import UnsupportedKernel, WrongResult

from tests.helpers.opencl import device_id, request, shared_lanes, shared_runner


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


def test_arrays_that_are_swept_in_no_time_are_longer_and_the_time_is_scaled():
    device = shared_runner()._device
    work = opencl_stream._Stream(device, "read", 100_000, "float32", 4).build((4, 64, 16))
    assert "arrays of 400000 elements instead of 100000" in work.check()
    assert work._scale == pytest.approx(4.0)
    work.close()


@pytest.mark.parametrize(
    ("sweep_s", "expected"), [(52e-6, 8), (0.5e-3, 1), (0.3e-3, 2), (1e-7, 16), (None, 1)]
)
def test_how_much_longer_arrays_are(sweep_s, expected):
    assert opencl_stream._times_as_long(sweep_s) == expected


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


@pytest.mark.parametrize("op", ["copy", "triad", "read"])
def test_a_sweep_that_leaves_out_the_middle_is_noticed(op, tmp_path, monkeypatch):
    """A group in the middle does nothing; both ends and nearly the whole sum are right."""
    folder = tmp_path / "kernels"
    shutil.copytree(opencl_device._KERNELS, folder)
    text = (folder / "stream.cl").read_text(encoding="utf-8")
    right = "const int last = min((group + 1) * step * SPAN, count);"
    assert right in text
    wrong = right.replace("= min", "= group >= 90 && group < 110 ? first : min")
    (folder / "stream.cl").write_text(text.replace(right, wrong), encoding="utf-8")
    monkeypatch.setattr(opencl_device, "_KERNELS", folder)
    device = OpenclRunner({"device_id": device_id()})._device
    work = opencl_stream._Stream(device, op, 1 << 20, "float32").build((1, 64, 16))
    with pytest.raises(WrongResult):
        work.check()
    work.close()


def test_long_arrays_are_compared_in_stretches_from_end_to_end(monkeypatch):
    monkeypatch.setattr(opencl_stream, "_SUMMED", 4096)
    work = opencl_stream._Stream(shared_runner()._device, "read", 1 << 20, "float32").build(
        (1, 64, 16)
    )
    assert work.check().startswith("2048 values against the sums")
    work.close()
    assert opencl_stream._spread(100, 3) == [0, 50, 100]
    assert opencl_stream._spread(-5, 4) == [0]


@pytest.mark.parametrize(("cache_bytes", "is_told"), [(1 << 30, True), (1 << 10, False)])
def test_arrays_that_stay_in_the_cache_are_told(cache_bytes, is_told, monkeypatch):
    device = shared_runner()._device
    monkeypatch.setattr(device, "cache_bytes", cache_bytes)
    work = opencl_stream._Stream(device, "copy", 70_000, "float32").build((1, 64, 16))
    assert ("may stay in the cache of 1074 MB" in work.check()) == is_told
    work.close()


def test_an_unknown_operation_is_unsupported():
    with pytest.raises(UnsupportedKernel, match="'gather'"):
        shared_runner().prepare(request(stream("gather")))


def test_variants_are_tried_on_shorter_arrays(monkeypatch):
    lengths, init = [], opencl_stream._Stream.__init__

    def note(self, device, op, elements, precision, times):
        lengths.append(elements)
        init(self, device, op, elements, precision, times)

    monkeypatch.setattr(opencl_stream._Stream, "__init__", note)
    monkeypatch.setattr(opencl_stream, "_TRIAL_ELEMENTS", 5000)
    prepared = shared_runner().prepare(request(stream("scale", 100_003)))
    assert prepared.check().startswith("135168 values")  # 33 stretches of the whole
    prepared.close()
    assert lengths == [5000, 100_003]
