"""Choices and loops of ONNX graphs."""

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from advisor.model.kernel import GemmShape, UnknownShape
from tests.advisor.network.onnx_build import (
    FLOAT,
    INT64,
    built,
    fed,
    model,
    refuse,
    sizes,
    standard_cases,
    weights,
)

BOOL = TensorProto.BOOL
X = [fed("x", "batch", 8)]


def part(name, nodes, outputs, inputs=(), constants=()):
    made = [
        helper.make_node(op, list(ins), list(outs), **(more[0] if more else {}))
        for op, ins, outs, *more in nodes
    ]
    ends = [fed(each, kind=kind) for each, kind in outputs]
    return helper.make_graph(made, name, list(inputs), ends, list(constants))


def dense(source, target, weight):
    return ("MatMul", [source, weight], [target])


SMALL = part("small", [dense("x", "a", "w")], [("a", FLOAT)])
LARGE = part("large", [dense("x", "b1", "w"), dense("b1", "b", "v")], [("b", FLOAT)])
WEIGHTS = [weights("w", 8, 8), weights("v", 8, 8)]


def chosen(condition, feeds=X, constants=()):
    choice = ("If", [condition], ["y"], {"then_branch": SMALL, "else_branch": LARGE})
    if constants:
        nodes = [choice]
    else:
        told = [("ReduceSum", ["x"], ["s"], {"keepdims": 0})]
        nodes = [*told, ("Cast", ["s"], [condition], {"to": BOOL}), choice]
    return built(model(nodes, feeds, [*WEIGHTS, *constants]))


def products(network):
    return [op.shape for op in network.operators if isinstance(op.shape, GemmShape)]


def unknown(network):
    return [op for op in network.operators if isinstance(op.shape, UnknownShape)]


@pytest.mark.parametrize(("value", "n_products"), [(True, 1), (False, 2)])
def test_a_choice_that_the_file_makes_is_followed(value, n_products):
    condition = numpy_helper.from_array(np.array([value]), "c")
    network = chosen("c", constants=[condition])
    assert products(network) == [GemmShape(m=2, n=8, k=8)] * n_products
    assert not unknown(network)
    assert network.notes == ()
    assert network.parameters == 64 * n_products


def test_of_a_choice_by_the_data_the_longer_part_counts_and_that_is_said():
    network = chosen("c")
    assert len(products(network)) == 2
    assert len(unknown(network)) == 1
    (note,) = network.notes
    assert "the longer one counts" in note


def body(nodes, results, *, carried=()):
    inputs = [fed("i", kind=INT64), fed("go", kind=BOOL), *carried]
    return part("body", [("Identity", ["go"], ["on"]), *nodes], [("on", BOOL), *results], inputs)


STEP = body([dense("h", "k", "w"), ("Tanh", ["k"], ["t"])], [("t", FLOAT), ("k", FLOAT)],
            carried=[fed("h")])  # fmt: skip


def looped(trips=(), loop=STEP, outputs=("y", "all")):
    # A dynamic number of trips is one that is fed.
    feeds = X if trips else [*X, fed("m", kind=INT64)]
    constants = [weights("w", 8, 8), *([sizes("m", *trips)] if trips else [])]
    node = ("Loop", ["m", "", "x"], outputs, {"body": loop})
    ends = [fed(name) for name in outputs]
    return built(model([node], feeds, constants, outputs=ends))


def test_a_loop_of_known_length_is_so_many_trips_over_the_same_weights():
    network = looped([5])
    assert products(network) == [GemmShape(m=2, n=8, k=8)] * 5
    assert network.parameters == 64
    last, every = network.outputs
    assert last.shape == (1, 8)
    assert every.shape == (5, 1, 8)
    assert network.notes == ()


def test_what_a_loop_carries_may_grow():
    grow = body([("Concat", ["h", "x"], ["l"], {"axis": 1})], [("l", FLOAT)], carried=[fed("h")])
    assert looped([3], grow, ["y"]).outputs[0].shape == (1, 32)


def test_the_number_of_a_trip_is_known_in_it():
    cut = body([("Slice", ["x", "i1", "far", "axis"], ["p"])], [("h", FLOAT), ("p", FLOAT)],
               carried=[fed("h")])  # fmt: skip
    nodes = [*cut.node, helper.make_node("Unsqueeze", ["i", "zero"], ["i1"])]
    del cut.node[:]
    cut.node.extend([nodes[-1], *nodes[:-1]])
    constants = [sizes("m", 1), sizes("far", 8), sizes("axis", 1), sizes("zero", 0)]
    node = ("Loop", ["m", "", "x"], ["y", "all"], {"body": cut})
    network = built(model([node], X, constants, outputs=[fed("y"), fed("all")]))
    assert network.outputs[1].shape == (1, 1, 8)


def test_of_a_loop_by_the_data_one_trip_counts_and_that_is_said():
    network = looped()
    assert len(products(network)) == 1
    assert len(unknown(network)) == 1
    (note,) = network.notes
    assert "one trip counts" in note


def scanned(**more):
    inner = part("body", [dense("h", "k", "w"), ("Add", ["k", "s"], ["t"]), ("Tanh", ["t"], ["o"])],
                 [("t", FLOAT), ("o", FLOAT)], [fed("h"), fed("s")])  # fmt: skip
    feeds = [fed("x", 1, 8), fed("seq", 6, 1, 8)]
    node = ("Scan", ["x", "seq"], ["y", "all"], {"body": inner, "num_scan_inputs": 1, **more})
    return model([node], feeds, [weights("w", 8, 8)], outputs=[fed("y"), fed("all")])


@pytest.mark.parametrize(
    ("axis", "shape"), [(0, (6, 1, 8)), (1, (1, 6, 8)), (-1, (1, 8, 6)), (-3, (6, 1, 8))]
)
def test_a_scan_goes_over_the_sequence(axis, shape):
    network = built(scanned(scan_output_axes=[axis]))
    assert len(products(network)) == 6
    assert [tensor.shape for tensor in network.outputs] == [(1, 8), shape]


@pytest.mark.parametrize("axis", [3, -4, 1000])
def test_a_scan_whose_results_have_no_such_axis_is_refused(axis):
    refuse(scanned(scan_output_axes=[axis]), "is outside its 3 dimensions")


def test_loops_within_loops_without_end_are_refused():
    """Trips that only compute sizes: nothing of them counts as work."""
    count = body([("Add", ["n", "one"], ["n1"])], [("n1", INT64)], carried=[fed("n", kind=INT64)])
    for depth in range(4):
        inner = helper.make_node("Loop", ["m", "", "n"], [f"o{depth}"], body=count)
        count = body([], [(f"o{depth}", INT64)], carried=[fed("n", kind=INT64)])
        count.node.append(inner)
    nodes = [("Loop", ["m", "", "zero"], ["far"], {"body": count}), ("Relu", ["x"], ["y"])]
    refuse(model(nodes, X, [sizes("m", 4000), sizes("one", 1), sizes("zero", 0)]), "trips of its")


def test_graphs_within_graphs_without_end_are_refused():
    inside = LARGE
    for depth in range(20):
        choice = helper.make_node("If", ["c"], [f"d{depth}"], then_branch=inside, else_branch=SMALL)
        inside = helper.make_graph([choice], "g", [], [fed(f"d{depth}")])
    nodes = [("If", ["c"], ["y"], {"then_branch": inside, "else_branch": SMALL})]
    condition = numpy_helper.from_array(np.array([True]), "c")
    refuse(model(nodes, X, [*WEIGHTS, condition]), "graphs within each other")


def test_a_choice_without_its_part_is_refused():
    data = model([("If", ["c"], ["y"], {"then_branch": SMALL})], X, [*WEIGHTS, sizes("c", 1)])
    refuse(data, "lacks its part 'else_branch'")


@pytest.mark.parametrize("name", ["test_loop11", "test_scan9_sum"])
def test_results_have_the_shapes_of_the_standard(name):
    case = next(case for case in standard_cases() if case.name == name)
    network = built(case.model.SerializeToString(), batch=1)
    ends = case.model.graph.output
    stated = [tuple(d.dim_value for d in end.type.tensor_type.shape.dim) for end in ends]
    # How often the loop runs is fed: one trip counts.
    expected = [(1, *shape[1:]) if name == "test_loop11" else shape for shape in stated]
    assert [tensor.shape for tensor in network.outputs] == expected


def test_a_loop_over_a_body_of_many_results_or_of_nothing_is_refused():
    empty = part("empty", [], [("on", BOOL), ("h", FLOAT)], [fed("i"), fed("on"), fed("h")])
    outer = part("outer", [], [("on", BOOL), ("o", FLOAT)], [fed("j"), fed("on"), fed("h")])
    outer.node.append(helper.make_node("Loop", ["m", "", "h"], ["o"], body=empty))
    nodes = [("Loop", ["m", "", "x"], ["far"], {"body": outer}), ("Relu", ["far"], ["y"])]
    refuse(model(nodes, X, [sizes("m", 4000)]), "trips of its")
    results = [("h", FLOAT)] * 5000
    wide = part("wide", [], [("on", BOOL), *results], [fed("i"), fed("on"), fed("h")])
    nodes = [("Loop", ["m", "", "x"], ["y"], {"body": wide})]
    refuse(model(nodes, X, [sizes("m", 4000)]), "trips of its")


@pytest.mark.parametrize("trips", [0, -3, 100_000])
def test_a_number_of_trips_that_cannot_be_followed_is_refused(trips):
    nodes = [("Loop", ["m", "", "x"], ["y", "all"], {"body": STEP})]
    refuse(model(nodes, X, [weights("w", 8, 8), sizes("m", trips)]), f"runs {trips} times")


def test_parts_count_for_the_limits_of_a_file():
    many = part("many", [("Relu", ["x"], [f"r{i}"]) for i in range(9000)], [("r0", FLOAT)])
    nodes = [
        ("If", ["c"], [f"y{k}"], {"then_branch": many, "else_branch": SMALL}) for k in range(3)
    ]
    condition = numpy_helper.from_array(np.array([True]), "c")
    refuse(model(nodes, X, [*WEIGHTS, condition]), "more than 20000 entries")
