"""Layers between products."""

import opencl_choices
import opencl_layers
import opencl_work
import pytest
from worker_errors import UnsupportedKernel, WrongResult

from tests.helpers.opencl import request, shared_lanes, shared_runner


def elementwise(op, elements=1003, n_inputs=1):
    return {"type": "ElementwiseShape", "op": op, "elements": elements, "n_inputs": n_inputs}


def norm(kind, rows=33, channels=37):
    return {"type": "NormShape", "kind": kind, "elements": rows * channels, "channels": channels}


def softmax(rows, columns):
    return {"type": "SoftmaxShape", "rows": rows, "columns": columns}


def pool(mode, n, c, spatial, kernel, strides, output):
    return {
        "type": "PoolShape", "mode": mode, "n": n, "c": c, "spatial": spatial, "kernel": kernel,
        "strides": strides, "output": output,
    }  # fmt: skip


def verify(shape):
    runner = shared_runner()
    prepared = runner.prepare(request(shape))
    try:
        text = prepared.check()
        assert prepared.run(1) > 0.0
    finally:
        prepared.close()
    assert runner._device.bytes_in_use == 0
    return text


@pytest.mark.parametrize("op", ["relu", "sigmoid", "gelu", "elu"])
def test_operations_on_values(op):
    assert "both ends of the result" in verify(elementwise(op))


@pytest.mark.slow
@pytest.mark.parametrize("op", opencl_layers._UNARY)
def test_every_operation_on_values(op):
    verify(elementwise(op))
    verify(elementwise(op, elements=4096))


@pytest.mark.parametrize(("op", "n_inputs"), [("add", 2), ("maximum", 3), ("subtract", 4)])
def test_operations_on_several_tensors(op, n_inputs):
    verify(elementwise(op, n_inputs=n_inputs))


@pytest.mark.parametrize(("op", "n_inputs"), [("dropout", 1), ("add", 5), ("relu", 2), ("add", 1)])
def test_operations_that_have_no_kernel_are_unsupported(op, n_inputs):
    with pytest.raises(UnsupportedKernel, match=op):
        shared_runner().prepare(request(elementwise(op, n_inputs=n_inputs)))


@pytest.mark.parametrize(("rows", "columns"), [(7, 13), (5, 1000), (3, 1)])
def test_softmax(rows, columns):
    assert "rows" in verify(softmax(rows, columns))


@pytest.mark.parametrize("kind", ["batch", "batch_inference", "layer"])
@pytest.mark.parametrize("size", [(33, 37), (500, 16), (1, 3)])
def test_normalisations(kind, size):
    verify(norm(kind, *size))


def shared_rows_are_right(prepare, shape):
    work = prepare(shared_lanes(), shape, "float32")
    assert work.check()
    work.close()


def test_rows_that_a_group_of_lanes_shares():
    shared_rows_are_right(opencl_layers.prepare_softmax, softmax(5, 203))


@pytest.mark.slow
@pytest.mark.parametrize("group", [64, 256, 1])
def test_every_group_of_lanes(group, monkeypatch):
    monkeypatch.setitem(opencl_layers._ROW_GROUPS, False, (group,))
    monkeypatch.setattr(shared_lanes(), "choices", opencl_choices.Choices())
    shared_rows_are_right(opencl_layers.prepare_softmax, softmax(5, 203))
    shared_rows_are_right(opencl_layers.prepare_norm, norm("layer", 5, 203))


def test_another_normalisation_is_unsupported():
    with pytest.raises(UnsupportedKernel, match="group"):
        shared_runner().prepare(request(norm("group")))


@pytest.mark.parametrize("mode", ["max", "average"])
@pytest.mark.parametrize(
    "window",
    [
        (2, 7, [11, 13], [3, 3], [2, 2], [6, 7]),
        (2, 16, [11], [2], [2], [5]),
        (3, 8, [7, 7], [7, 7], [7, 7], [1, 1]),
    ],
)
def test_pools(mode, window):
    assert "the pool at pixels" in verify(pool(mode, *window))


def test_another_pool_is_unsupported():
    with pytest.raises(UnsupportedKernel, match="median"):
        shared_runner().prepare(request(pool("median", 1, 1, [4], [2], [2], [2])))


def test_gradients_of_layers_are_unsupported():
    for shape in (elementwise("relu"), norm("batch"), softmax(2, 2)):
        with pytest.raises(UnsupportedKernel, match="no backward"):
            shared_runner().prepare(request(shape, "backward"))


def test_a_result_that_was_not_written_to_its_end_is_noticed():
    prepared = shared_runner().prepare(request(elementwise("relu", elements=40_001)))
    assert isinstance(prepared, opencl_work.Work)
    prepared._launches[0].set_argument(5, 30_000)
    with pytest.raises(WrongResult):
        prepared.check()
    prepared.close()
