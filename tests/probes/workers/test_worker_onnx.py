"""Handwritten ONNX models, read and run by the package `onnx`."""

import numpy as np
import onnx
import onnx.reference
import pytest
import worker_onnx
import worker_problems
from onnxruntime_kernels import MODELS
from worker_errors import WrongResult


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0, b"\x00"), (1, b"\x01"), (127, b"\x7f"), (300, b"\xac\x02"), (-1, b"\xff" * 9 + b"\x01")],
)
def test_numbers_in_base_128(value, expected):
    assert worker_onnx.varint(value) == expected


def kernel(direction="forward", **shape):
    return {"shape": shape, "direction": direction, "precision": "float32"}


GEMM = kernel(
    type="GemmShape", m=5, n=6, k=7, batch=1, transpose_a=False, transpose_b=True,
)  # fmt: skip
BATCH = kernel(
    type="GemmShape", m=5, n=6, k=7, batch=3, transpose_a=True, transpose_b=False,
)  # fmt: skip
CONV = kernel(
    type="ConvShape", n=2, c=3, spatial=[9, 8], k=4, kernel=[3, 3], strides=[2, 2],
    output=[5, 4], dilation=[1, 1], groups=1, is_transposed=False,
)  # fmt: skip
LSTM = kernel(
    type="RecurrentShape", cell="lstm", batch=3, timesteps=5, input=4, hidden=6,
    is_bidirectional=False, return_sequences=False, is_masked=False, is_split=False,
)  # fmt: skip


@pytest.mark.parametrize("asked", [GEMM, BATCH, CONV, LSTM], ids=["gemm", "batch", "conv", "lstm"])
def test_a_model_is_valid_and_computes_the_kernel(asked):
    problem = worker_problems.problem_of(asked, ("float32",))
    data, array, shape, restore = MODELS[type(problem)](problem)
    model = onnx.load_from_string(data)
    onnx.checker.check_model(model, full_check=True)
    (found,) = onnx.reference.ReferenceEvaluator(model).run(None, {"x": array})
    assert found.shape == tuple(shape)
    assert problem.check(restore(found))


@pytest.mark.parametrize("asked", [GEMM, BATCH], ids=["gemm", "batch"])
def test_products_of_bytes_are_exact(asked):
    problem = worker_problems.problem_of({**asked, "precision": "int8"}, ("int8",))
    data, array, _, restore = MODELS[type(problem)](problem)
    model = onnx.load_from_string(data)
    onnx.checker.check_model(model, full_check=True)
    assert (array.dtype, problem.b.dtype) == (np.uint8, np.int8)
    (found,) = onnx.reference.ReferenceEvaluator(model).run(None, {"x": array})
    assert found.dtype == np.int32
    assert "off by 0.0e+00" in problem.check(restore(found))
    with pytest.raises(WrongResult):
        problem.check(found + 1)


def test_the_declared_shapes_are_those_of_the_arrays():
    problem = worker_problems.problem_of(CONV, ("float32",))
    model = onnx.load_from_string(MODELS[type(problem)](problem)[0])
    sizes = [d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim]
    assert sizes == [2, 3, 9, 8]
    weights = onnx.numpy_helper.to_array(model.graph.initializer[0])
    assert np.array_equal(weights, problem.filters.transpose(3, 2, 0, 1))
