"""Weights of ONNX files that reach their operation on the way of others, or in another place."""

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from tests.advisor.network.onnx_build import built, fed, model, sizes, weights

IMAGE = [fed("x", "N", 3, 8, 8)]
SCALE = weights("s")
ZERO = numpy_helper.from_array(np.zeros((), np.uint8), "z")


def of_type(name, kind, *dims):
    return numpy_helper.from_array(np.zeros(dims, kind), name)


@pytest.mark.parametrize("filters", [4, 2000])
def test_the_bias_of_a_quantised_convolution_counts(filters):
    """It has 32 bits; a long one is not read."""
    nodes = [
        ("DequantizeLinear", ["w", "ws", "wz"], ["wd"], {"axis": 0}),
        ("DequantizeLinear", ["b", "ws"], ["bd"], {"axis": 0}),
        ("QuantizeLinear", ["x", "s", "z"], ["q"]),
        ("DequantizeLinear", ["q", "s", "z"], ["d"]),
        ("Conv", ["d", "wd", "bd"], ["y"]),
    ]
    constants = [
        SCALE, ZERO, of_type("w", np.int8, filters, 3, 3, 3), weights("ws", filters),
        of_type("wz", np.int8, filters), of_type("b", np.int32, filters),
    ]  # fmt: skip
    network = built(model(nodes, IMAGE, constants))
    assert network.parameters == filters * 27 + filters
    assert network.multiply_adds_per_sample == 36 * filters * 27


def test_the_bias_of_integer_operations_counts():
    q = ["s", "z"]
    nodes = [
        ("QLinearConv", ["x", *q, "w", *q, *q, "b"], ["c"]),
        ("Flatten", ["c"], ["f"]),
        ("QGemm", ["f", *q, "v", *q, "d", *q], ["y"], {"transB": 1}),
    ]
    constants = [
        SCALE, ZERO, of_type("w", np.int8, 4, 3, 3, 3), of_type("b", np.int32, 4),
        of_type("v", np.int8, 5, 144), of_type("d", np.int32, 5),
    ]  # fmt: skip
    feeds = [fed("x", "N", 3, 8, 8, kind=TensorProto.UINT8)]
    assert built(model(nodes, feeds, constants)).parameters == 108 + 4 + 720 + 5


def test_a_token_that_is_learned_counts():
    nodes = [("Concat", ["cls", "x"], ["t"], {"axis": 1}), ("MatMul", ["t", "w"], ["y"])]
    network = built(
        model(nodes, [fed("x", 1, 16, 8)], [weights("cls", 1, 1, 8), weights("w", 8, 4)])
    )
    assert (network.parameters, network.multiply_adds_per_sample) == (40, 17 * 32)


def test_a_token_that_is_repeated_for_each_sample_counts_once():
    nodes = [
        ("Shape", ["x"], ["s"]),
        ("Slice", ["s", "zero", "one"], ["n"]),
        ("Concat", ["n", "rest"], ["to"], {"axis": 0}),
        ("Expand", ["cls", "to"], ["c"]),
        ("Concat", ["c", "x"], ["t"], {"axis": 1}),
        ("Concat", ["c", "t"], ["y"], {"axis": 1}),
    ]
    constants = [weights("cls", 1, 1, 8), sizes("zero", 0), sizes("one", 1), sizes("rest", 1, 8)]
    network = built(model(nodes, [fed("x", "batch", 16, 8)], constants))
    assert (network.parameters, network.outputs[0].shape) == (8, (1, 18, 8))


def test_padding_that_is_joined_is_no_weight():
    zero = helper.make_tensor("v", TensorProto.FLOAT, [1], [0.0])
    nodes = [
        ("ConstantOfShape", ["n"], ["p"], {"value": zero}),
        ("Concat", ["p", "x"], ["y"], {"axis": 1}),
    ]
    assert built(model(nodes, [fed("x", 1, 16, 8)], [sizes("n", 1, 3, 8)])).parameters == 0


def test_weights_may_be_the_first_matrix():
    data = model([("Gemm", ["w", "x"], ["y"], {"transB": 1})], [fed("x", "batch", 64)],
                 [weights("w", 32, 64)])  # fmt: skip
    network = built(data)
    assert (network.parameters, network.multiply_adds_per_sample) == (2048, 2048)


def test_a_table_that_is_read_along_another_axis_counts():
    nodes = [("Gather", ["t", "i"], ["y"], {"axis": 1})]
    data = model(nodes, [fed("i", "batch", 4, kind=TensorProto.INT64)], [weights("t", 3, 50)])
    assert built(data).parameters == 150


def test_an_lstm_that_looks_at_its_state_has_more_weights():
    node = ("LSTM", ["x", "w", "r", "b", "", "", "", "p"], ["y"], {"hidden_size": 16})
    constants = [weights("w", 1, 64, 8), weights("r", 1, 64, 16), weights("b", 1, 128),
                 weights("p", 1, 48)]  # fmt: skip
    network = built(model([node], [fed("x", 20, "batch", 8)], constants))
    assert network.parameters == 64 * 24 + 128 + 48


def test_the_bias_of_a_single_result_counts_and_other_single_numbers_do_not():
    product = ("MatMul", ["x", "w"], ["h"])
    constants = [weights("w", 8, 1), weights("b", 1)]
    feeds = [fed("x", "N", 8)]
    assert built(model([product, ("Add", ["h", "b"], ["y"])], feeds, constants)).parameters == 9
    assert built(model([product, ("Add", ["b", "h"], ["y"])], feeds, constants)).parameters == 9
    assert built(model([product, ("Mul", ["h", "b"], ["y"])], feeds, constants)).parameters == 8
    wide = [weights("w", 8, 2), weights("b", 1)]
    assert built(model([product, ("Add", ["h", "b"], ["y"])], feeds, wide)).parameters == 16
    mean = [("ReduceMean", ["x"], ["h"], {"axes": [1]}), ("Add", ["h", "b"], ["y"])]
    assert built(model(mean, feeds, constants[1:])).parameters == 0


def test_a_convolution_with_bent_windows_has_its_bias():
    nodes = [("DeformConv", ["x", "w", "o", "b"], ["y"])]
    feeds = [*IMAGE, fed("o", "N", 18, 6, 6)]
    data = model(nodes, feeds, [weights("w", 4, 3, 3, 3), weights("b", 4)], opset=19)
    assert built(data).parameters == 112
