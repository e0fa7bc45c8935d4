"""Lists of tensors in ONNX graphs."""

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from tests.advisor.network.onnx_build import FLOAT, INT64, built, fed, model, refuse, weights

X = [fed("x", "N", 8), fed("z", "N", 4)]


def whole(name, value):
    return numpy_helper.from_array(np.array(value, np.int64), name)


def made(nodes, constants=(), feeds=X):
    return built(model(nodes, feeds, constants))


def test_what_is_in_a_list_is_joined():
    nodes = [
        ("SequenceConstruct", ["x", "z"], ["l"]),
        ("ConcatFromSequence", ["l"], ["c"], {"axis": 1}),
        ("MatMul", ["c", "w"], ["y"]),
    ]
    network = made(nodes, [weights("w", 12, 4)])
    assert (network.multiply_adds_per_sample, network.notes) == (48, ())
    assert network.operators[1].inputs == (0,)


@pytest.mark.parametrize(("axis", "shape"), [(0, (3, 1, 8)), (-1, (1, 8, 3))])
def test_what_is_in_a_list_is_stacked(axis, shape):
    nodes = [
        ("SequenceConstruct", ["x", "x", "x"], ["l"]),
        ("ConcatFromSequence", ["l"], ["y"], {"axis": axis, "new_axis": 1}),
    ]
    assert made(nodes).outputs[0].shape == shape


def test_lists_grow_and_are_picked_from():
    nodes = [
        ("SequenceEmpty", [], ["a"]),
        ("SequenceInsert", ["a", "x"], ["b"]),
        ("SequenceInsert", ["b", "z", "first"], ["c"]),
        ("SequenceLength", ["c"], ["n"]),
        ("Sub", ["n", "two"], ["i"]),
        ("SequenceAt", ["c", "i"], ["p"]),
        ("Relu", ["p"], ["y"]),
    ]
    network = made(nodes, [whole("first", 0), whole("two", 2)])
    assert network.outputs[0].shape == (1, 4)


def test_a_list_grows_in_a_loop():
    body = helper.make_graph(
        [
            helper.make_node("Identity", ["go"], ["on"]),
            helper.make_node("SequenceInsert", ["l", "x"], ["l1"]),
        ],
        "body", [fed("i", kind=INT64), fed("go", kind=TensorProto.BOOL), fed("l")],
        [fed("on", kind=TensorProto.BOOL), fed("l1")],
    )  # fmt: skip
    nodes = [
        ("SequenceEmpty", [], ["l0"]),
        ("Loop", ["m", "", "l0"], ["all"], {"body": body}),
        ("ConcatFromSequence", ["all"], ["y"], {"axis": 1}),
    ]
    assert made(nodes, [whole("m", 5)]).outputs[0].shape == (1, 40)
    refuse(model(nodes, X, [whole("m", 4000)]), "trips of its")


@pytest.mark.parametrize(
    ("sizes", "attributes", "picked", "shape"),
    [
        (4, {"axis": 1}, 1, (1, 4)),
        (3, {"axis": 1}, -1, (1, 2)),
        ([1, 5, 2], {"axis": 1}, 1, (1, 5)),
        (None, {"axis": 1, "keepdims": 0}, 7, (1,)),
        (None, {"axis": 1}, 7, (1, 1)),
    ],
)
def test_a_tensor_is_cut_in_a_list(sizes, attributes, picked, shape):
    given = [] if sizes is None else [whole("s", sizes)]
    nodes = [
        ("SplitToSequence", ["x", *(["s"] if given else [])], ["l"], attributes),
        ("SequenceAt", ["l", "i"], ["p"]),
        ("Relu", ["p"], ["y"]),
    ]
    network = made(nodes, [*given, whole("i", picked)])
    assert network.outputs[0].shape == shape
    assert network.operators[0].output_elements == 2 * 8


def test_weights_in_a_list_are_weights():
    nodes = [
        ("SequenceConstruct", ["w", "v"], ["l"]),
        ("ConcatFromSequence", ["l"], ["m"], {"axis": 1}),
        ("MatMul", ["x", "m"], ["y"]),
    ]
    network = made(nodes, [weights("w", 8, 4), weights("v", 8, 2)])
    assert (network.parameters, network.outputs[0].shape) == (48, (1, 6))


def test_of_tensors_that_are_alike_any_is_picked():
    nodes = [
        ("SequenceConstruct", ["x", "x"], ["l"]), ("SequenceAt", ["l", "i"], ["p"]),
        ("Relu", ["p"], ["y"]),
    ]  # fmt: skip
    feeds = [*X, fed("i", kind=INT64)]
    assert made(nodes, feeds=feeds).outputs[0].shape == (1, 8)
    nodes[0] = ("SequenceConstruct", ["x", "z"], ["l"])
    refuse(model(nodes, feeds), "which tensor it picks depends on the data")


@pytest.mark.parametrize(
    ("nodes", "constants", "says"),
    [
        ([("ConcatFromSequence", ["x"], ["y"], {"axis": 1})], [], "list depends on the data"),
        ([("SequenceEmpty", [], ["l"]), ("ConcatFromSequence", ["l"], ["y"], {"axis": 0})], [],
         "its list is empty"),
        ([("SequenceConstruct", ["x", "z"], ["l"]),
          ("ConcatFromSequence", ["l"], ["y"], {"axis": 0, "new_axis": 1})], [], "fit together"),
        ([("SequenceConstruct", ["x"], ["l"]), ("SequenceAt", ["l", "i"], ["y"])],
         [whole("i", 1)], "position 1 is outside a list of 1"),
        ([("SplitToSequence", ["x", "i"], ["y"], {"axis": 1})], [whole("i", 0)], "cannot split"),
        ([("SplitToSequence", ["x", "i"], ["y"], {"axis": 1})], [whole("i", [4, 5])],
         "cannot split"),
        ([("SplitToSequence", ["x", "i"], ["y"], {"axis": 1})], [whole("i", [9, -1])],
         "cannot split"),
        ([("SequenceConstruct", ["x"], ["l"]), ("SequenceErase", ["l"], ["y"])], [],
         "not followed"),
    ],
)  # fmt: skip
def test_lists_that_cannot_be_followed_are_refused(nodes, constants, says):
    ends = [helper.make_tensor_value_info("y", FLOAT, None)]
    refuse(model(nodes, X, constants, outputs=ends), says)


def test_a_tensor_in_very_many_pieces_is_refused():
    node = ("SplitToSequence", ["x"], ["y"], {"axis": 1})
    refuse(model([node], [fed("x", "N", 2**31)]), "cannot split")
    pieces = [("SplitToSequence", ["x"], [f"y{i}"], {"axis": 1}) for i in range(20)]
    refuse(model(pieces, [fed("x", "N", 4000)]), "not a usable model")
