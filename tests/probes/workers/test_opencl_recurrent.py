"""LSTM and GRU layers, forward and backward."""

import numpy as np
import opencl_gru_reference
import opencl_panels
import opencl_recurrent
import opencl_recurrent_reference
import pytest
import worker_recurrent_reference
from worker_errors import UnsupportedKernel, WrongResult

from tests.helpers.opencl import lstm, request, shared_lanes, shared_runner

SHAPES = {
    f"{cell}, {name}": {**shape, "cell": cell}
    for cell in ("lstm", "gru")
    for name, shape in {
        "odd": lstm(5, 4, 7, 9),
        "one of everything": lstm(1, 1, 1, 1),
        "both ways": lstm(13, 3, 5, 17, both_ways=True, sequences=True),
        "sequences": lstm(2, 5, 3, 6, sequences=True),
    }.items()
}
CELLS = ("lstm", "gru")
REFERENCES = {"lstm": opencl_recurrent_reference, "gru": opencl_gru_reference}


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


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_layers_on_lanes_with_local_memory(direction, cell):
    tile = opencl_panels.Tile(4, 4, 4, 4, 4, 4)
    work = opencl_recurrent._build(
        shared_lanes(), SHAPES[cell + ", both ways"], "float32", direction, tile, 3
    )
    assert work.check()
    work.close()


def test_other_cells_are_unsupported():
    with pytest.raises(UnsupportedKernel, match="RNN"):
        shared_runner().prepare(request(lstm(2, 2, 2, 2, cell="rnn")))


@pytest.mark.parametrize("direction", ["input_gradient", "weight_gradient", "update"])
def test_single_gradients_are_unsupported(direction):
    with pytest.raises(UnsupportedKernel, match=direction):
        shared_runner().prepare(request(SHAPES["lstm, odd"], direction))


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_a_step_that_was_left_out_is_noticed(direction, cell):
    prepared = shared_runner().prepare(request(SHAPES[cell + ", odd"], direction)).work
    # A step of the middle: its gates stay what they were.
    del prepared._launches[len(prepared._launches) // 2]
    for launch in prepared._launches:
        launch.settle()
    prepared._is_settled = True
    with pytest.raises(WrongResult):
        prepared.check()
    prepared.close()


@pytest.mark.parametrize("cell", CELLS)
def test_the_forward_reference_is_that_of_keras(cell):
    arrays = arrays_of(cell)
    hosts = [arrays.host(name) for name in ("x", "w", "u", "bias")]
    states = REFERENCES[cell].forward(arrays, [0, 1], [0, 1, 2])[0]
    bias = hosts[3].reshape(2, -1) if cell == "gru" else hosts[3]
    expected = worker_recurrent_reference.run_cell(cell, hosts[0], (*hosts[1:3], bias))
    assert np.stack([states[t] for t in range(3)], axis=1) == pytest.approx(expected)


def arrays_of(cell):
    kind = {"lstm": (4, 1), "gru": (3, 2)}[cell]
    return opencl_recurrent_reference.Arrays(lstm(2, 3, 4, 5), 3, np.float64, *kind)


def loss(forward, arrays, order, given, has_all):
    states = forward(arrays, [0, 1], order)[0]
    used = order if has_all else order[-1:]
    return sum((states[t] * given[:, t]).sum() for t in used)


@pytest.mark.parametrize("has_all", [True, False])
@pytest.mark.parametrize("step", [1, -1])
@pytest.mark.parametrize("cell", CELLS)
def test_the_reference_of_the_gradient_is_the_slope_of_the_reference(
    cell, has_all, step, monkeypatch
):
    arrays, reference = arrays_of(cell), REFERENCES[cell]
    names = ("x", "w", "u", "bias", "gradient")
    hosts = {name: arrays.host(name).astype(np.float64) for name in names}
    monkeypatch.setattr(opencl_recurrent_reference.Arrays, "host", lambda _self, name: hosts[name])
    order = [0, 1, 2][::step]
    kinds = [reference.gate_gradients]
    kinds += [reference.state_gradients] if cell == "gru" else []
    by_time = [kind(arrays, [0, 1], order, has_all) for kind in kinds]
    slope = np.concatenate([sum(found[t].sum(axis=0) for t in order) for found in by_time])
    assert len(slope) == len(hosts["bias"])

    def moved(unit, by):
        hosts["bias"][unit] += by
        return loss(reference.forward, arrays, order, hosts["gradient"], has_all)

    for unit in range(0, len(slope), 4):
        above, below = moved(unit, 1e-6), moved(unit, -2e-6)
        moved(unit, 1e-6)
        assert (above - below) / 2e-6 == pytest.approx(slope[unit], rel=1e-4, abs=1e-7)
