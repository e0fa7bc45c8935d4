"""Constants of ONNX files: which are weights, and what is read of them."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from advisor.network.onnx_tensors import parse_sparse_tensor, parse_tensor
from tests.advisor.network.onnx_build import built, fed, model, refuse, weights

X = [fed("x", "batch", 8)]
SMALL = (
    "INT4", "UINT4", "INT8", "UINT8", "INT16", "UINT16", "FLOAT8E4M3FN", "FLOAT8E5M2", "FLOAT4E2M1",
    "FLOAT16", "BFLOAT16",
)  # fmt: skip


@pytest.mark.parametrize("kind", SMALL)
def test_weights_of_few_bits_are_weights(kind):
    number = TensorProto.DataType.Value(kind)
    packed = helper.make_tensor("w4", number, [8, 16], np.zeros(128))
    nodes = [("DequantizeLinear", ["w4", "s"], ["w"]), ("MatMul", ["x", "w"], ["y"])]
    network = built(model(nodes, X, [packed, weights("s")], opset=21))
    assert (network.parameters, network.multiply_adds_per_sample) == (128, 128)


@pytest.mark.parametrize("kind", ["INT32", "INT64", "BOOL"])
def test_sizes_and_masks_are_no_weights(kind):
    number = TensorProto.DataType.Value(kind)
    tensor = helper.make_tensor("w", number, [2, 3], [1] * 6)
    assert not parse_tensor(memoryview(tensor.SerializeToString())).is_weight


def sparse(*dims):
    values = helper.make_tensor("sw", TensorProto.FLOAT, [2], [1.0, 2.0])
    places = helper.make_tensor("si", TensorProto.INT64, [2], [0, 5])
    return helper.make_sparse_tensor(values, places, list(dims))


def with_sparse(*dims):
    made = onnx.load_from_string(model([("MatMul", ["x", "sw"], ["y"])], X))
    made.graph.sparse_initializer.append(sparse(*dims))
    return made.SerializeToString()


def test_a_sparse_constant_is_a_weight_of_its_whole_size():
    network = built(with_sparse(8, 4))
    assert (network.parameters, network.multiply_adds_per_sample) == (32, 32)
    node = ("Constant", [], ["w"], {"sparse_value": sparse(8, 4)})
    network = built(model([node, ("MatMul", ["x", "w"], ["y"])], X))
    assert (network.parameters, network.multiply_adds_per_sample) == (32, 32)


def test_a_sparse_constant_without_end_is_refused():
    refuse(with_sparse(2**40, 2**40), "fit together")
    refuse(with_sparse(8, 2**60), "too large")
    refuse(with_sparse(*[1] * 70), "fit together|dimensions|more than 64 numbers")
    data = sparse(8, 4)
    data.dims[0] = -8
    with pytest.raises(Exception, match="'sw' has a negative size"):
        parse_sparse_tensor(memoryview(data.SerializeToString()))


def test_constants_without_a_name_are_told_apart():
    nodes = [
        ("Constant", [], ["w"], {"value": weights("", 8, 4)}),
        ("Constant", [], ["v"], {"value": weights("", 4, 2)}),
        ("MatMul", ["x", "w"], ["h"]),
        ("MatMul", ["h", "v"], ["y"]),
    ]
    assert built(model(nodes, X)).parameters == 32 + 8


def test_a_list_of_fractions_is_a_constant():
    long = ("Constant", [], ["b"], {"value_floats": [0.5] * 40})
    data = model([long, ("Add", ["x", "b"], ["y"])], [fed("x", "batch", 40)])
    assert built(data).parameters == 40


def test_fractions_that_are_cut_off_are_refused():
    node = ("Constant", [], ["b"], {"value_floats": [0.5, 0.5]})
    data = model([node, ("Add", ["x", "b"], ["y"])], [fed("x", "batch", 2)])
    proto = onnx.load_from_string(data)
    packed = bytes([7 << 3 | 2, 7]) + b"\x00" * 7  # seven bytes are no fractions
    attribute = proto.graph.node[0].attribute[0]
    del attribute.floats[:]
    attribute.MergeFromString(b"")
    before = proto.SerializeToString()
    head = attribute.SerializeToString()
    grown = head + packed
    outer = proto.graph.node[0].SerializeToString()
    inner = outer.replace(bytes([len(head)]) + head, bytes([len(grown)]) + grown)
    data = before.replace(bytes([len(outer)]) + outer, bytes([len(inner)]) + inner)
    graph = proto.graph.SerializeToString()
    larger = graph.replace(bytes([len(outer)]) + outer, bytes([len(inner)]) + inner)
    data = before.replace(bytes([len(graph)]) + graph, bytes([len(larger)]) + larger)
    refuse(data, "cut off")


def test_a_short_bias_keeps_its_weights_in_another_shape():
    nodes = [("Unsqueeze", ["b", "a"], ["c"]), ("Add", ["x", "c"], ["y"])]
    axes = numpy_helper.from_array(np.array([0], np.int64), "a")
    assert built(model(nodes, X, [weights("b", 8), axes])).parameters == 8
