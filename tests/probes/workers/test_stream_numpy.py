"""Sweeps over memory."""

import numpy as np
import pytest
import stream_numpy
from stream_numpy import OPERATIONS, StreamRunner, piece_bytes, slices_of
from worker_errors import UnsupportedKernel, WrongResult


def kernel(operation, elements=100_003, precision="float32"):
    shape = {"type": "StreamShape", "op": operation, "elements": elements}
    return {"id": "x", "shape": shape, "direction": "forward", "precision": precision}


@pytest.fixture
def runner():
    made = StreamRunner({"threads": 3})
    yield made
    if made._arrays is not None:
        made._arrays.close()


@pytest.mark.parametrize(
    ("operation", "first"), [("copy", 1.75), ("scale", 5.25), ("add", 4.25), ("triad", 9.25)]
)
def test_each_operation_sweeps_every_element(runner, operation, first, monkeypatch):
    monkeypatch.setattr(stream_numpy, "_PIECE_BYTES", 4000)
    prepared = runner.prepare(kernel(operation))
    assert "the " + operation in prepared.check()
    result = runner._arrays.a
    assert result[0] == first
    assert np.count_nonzero(result) == result.size
    assert prepared.run(2) > 0.0
    prepared.close()


def test_a_sweep_that_leaves_a_part_out_is_refused(runner):
    prepared = runner.prepare(kernel("copy"))
    runner._arrays._parts.pop()
    with pytest.raises(WrongResult):
        prepared.check()


def test_the_arrays_are_kept_for_the_next_sweep_of_the_same_length(runner):
    runner.prepare(kernel("copy")).close()
    first = runner._arrays
    runner.prepare(kernel("triad")).close()
    assert runner._arrays is first
    runner.prepare(kernel("triad", elements=50)).close()
    assert runner._arrays.elements == 50
    assert first.a is None


@pytest.mark.parametrize(("elements", "parts"), [(10, 3), (2, 8), (7, 7), (1, 1)])
def test_parts_cover_everything_once(elements, parts):
    slices = slices_of(elements, parts)
    covered = [index for part in slices for index in range(part.start, part.stop)]
    assert covered == list(range(elements))
    assert len(slices) == min(parts, elements)


def test_what_is_no_sweep_is_refused(runner):
    with pytest.raises(UnsupportedKernel, match="copy, scale"):
        runner.prepare(kernel("local"))
    with pytest.raises(UnsupportedKernel, match="float32"):
        runner.prepare(kernel("copy", precision="float16"))


def test_the_operations_and_the_threads_are_named(runner):
    assert set(OPERATIONS) == {"copy", "scale", "add", "triad"}
    assert runner.stack()["backend"] == "3 threads"
    assert StreamRunner({})._threads >= 1


def test_many_threads_take_larger_pieces():
    assert piece_bytes(64) == 2 * piece_bytes(8) == 2 * piece_bytes(1)
