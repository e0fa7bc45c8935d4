"""LSTM layers, forward and backward."""

import numpy as np
import opencl_panels
import opencl_recurrent
import opencl_recurrent_reference as reference
import pytest
from worker_errors import UnsupportedKernel, WrongResult

from tests.helpers.opencl import lstm, request, shared_lanes, shared_runner

SHAPES = {
    "odd": lstm(5, 4, 7, 9),
    "one of everything": lstm(1, 1, 1, 1),
    "both ways": lstm(13, 3, 5, 17, both_ways=True, sequences=True),
    "sequences": lstm(2, 5, 3, 6, sequences=True),
}


@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize("name", SHAPES)
def test_layers_are_right(name, direction):
    runner = shared_runner()
    prepared = runner.prepare(request(SHAPES[name], direction))
    try:
        assert ("gate gradients" if direction == "backward" else "states") in prepared.check()
        assert prepared.run(2) > 0.0
        assert prepared.check()  # running again does not change what comes out
    finally:
        prepared.close()
    assert runner._device.bytes_in_use == 0


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_layers_on_lanes_with_local_memory(direction):
    tile = opencl_panels.Tile(4, 4, 4, 4, 4, 4)
    work = opencl_recurrent._build(
        shared_lanes(), SHAPES["both ways"], "float32", direction, tile, 3
    )
    assert work.check()
    work.close()


@pytest.mark.parametrize("cell", ["gru", "rnn"])
def test_other_cells_are_unsupported(cell):
    with pytest.raises(UnsupportedKernel, match=cell.upper()):
        shared_runner().prepare(request(lstm(2, 2, 2, 2, cell=cell)))


@pytest.mark.parametrize("direction", ["input_gradient", "weight_gradient", "update"])
def test_single_gradients_are_unsupported(direction):
    with pytest.raises(UnsupportedKernel, match=direction):
        shared_runner().prepare(request(SHAPES["odd"], direction))


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_a_step_that_was_left_out_is_noticed(direction):
    prepared = shared_runner().prepare(request(SHAPES["odd"], direction)).work
    # A step of the middle: its gates stay what they were.
    del prepared._launches[len(prepared._launches) // 2]
    for launch in prepared._launches:
        launch.settle()
    prepared._is_settled = True
    with pytest.raises(WrongResult):
        prepared.check()
    prepared.close()


def loss(arrays, order, given, has_all):
    states = reference.forward(arrays, [0, 1], order)[0]
    used = order if has_all else order[-1:]
    return sum((states[t] * given[:, t]).sum() for t in used)


@pytest.mark.parametrize("has_all", [True, False])
@pytest.mark.parametrize("step", [1, -1])
def test_the_reference_of_the_gradient_is_the_slope_of_the_reference(has_all, step, monkeypatch):
    arrays = reference.Arrays(lstm(2, 3, 4, 5), 3, np.float64)
    hosts = {name: arrays.host(name) for name in ("x", "w", "u", "bias", "gradient")}
    monkeypatch.setattr(reference.Arrays, "host", lambda _self, name: hosts[name])
    order = [0, 1, 2][::step]
    gradients = reference.gate_gradients(arrays, [0, 1], order, has_all)
    slope = sum(gradients[t].sum(axis=0) for t in order)
    for unit in (0, 7, 13, 19):
        hosts["bias"][unit] += 1e-6
        above = loss(arrays, order, hosts["gradient"], has_all)
        hosts["bias"][unit] -= 2e-6
        below = loss(arrays, order, hosts["gradient"], has_all)
        hosts["bias"][unit] += 1e-6
        assert (above - below) / 2e-6 == pytest.approx(slope[unit], rel=1e-4, abs=1e-7)
