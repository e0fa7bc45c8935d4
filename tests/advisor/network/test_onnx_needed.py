"""What no output of an ONNX file needs is no work; that it was left out is said."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper, numpy_helper

from advisor.i18n import translator_for
from advisor.model.kernel import GemmShape
from advisor.network.onnx_needed import needed
from advisor.network.onnx_reading import read_onnx
from advisor.report.said import said
from tests.advisor.network.onnx_build import FLOAT, built, fed, model, refuse, weights

X = [fed("x", "batch", 8)]
WEIGHTS = [weights("w", 8, 4), weights("v", 8, 1000), weights("u", 1000, 1000)]
WANTED = [("MatMul", ["x", "w"], ["y"])]
# A classifier that was cut off, and what reads only its result.
DEAD = [("MatMul", ["x", "v"], ["h"]), ("Relu", ["h"], ["r"]), ("MatMul", ["r", "u"], ["d"])]
Y = [helper.make_tensor_value_info("y", FLOAT, None)]
NOTE = "Operations of the file that none of its outputs needs are not counted: {n}."


def test_what_no_output_needs_is_not_counted():
    plain = built(model(WANTED, X, WEIGHTS, Y))
    for nodes in ([*DEAD, *WANTED], [*WANTED, *DEAD], [DEAD[0], *WANTED, *DEAD[1:]]):
        network = built(model(nodes, X, WEIGHTS, Y))
        assert [op.shape for op in network.operators] == [GemmShape(m=2, n=4, k=8)]
        assert network.parameters == plain.parameters == 32
        assert network.notes == (NOTE.format(n=3),)
    assert plain.notes == ()


def test_sizes_and_constants_that_nobody_reads_are_not_worth_a_word():
    nodes = [("Shape", ["x"], ["s"]), ("Identity", ["w"], ["c"]), *WANTED]
    assert built(model(nodes, X, WEIGHTS, Y)).notes == ()


def test_one_of_two_results_is_enough():
    split = ("Split", ["x"], ["a", "b"], {"axis": 1, "num_outputs": 2})
    nodes = [split, ("MatMul", ["b", "w"], ["y"])]
    network = built(model(nodes, X, [weights("w", 4, 4)], Y, opset=18))
    assert network.notes == ()


def test_what_is_read_inside_a_choice_is_needed():
    inner = helper.make_graph([helper.make_node("Relu", ["h"], ["o"])], "g", [], [fed("o")])
    condition = numpy_helper.from_array(np.array([True]), "c")
    nodes = [DEAD[0], ("If", ["c"], ["y"], {"then_branch": inner, "else_branch": inner})]
    network = built(model(nodes, X, [*WEIGHTS, condition], Y))
    assert GemmShape(m=2, n=1000, k=8) in [op.shape for op in network.operators]
    assert network.notes == ()


def test_what_stands_unneeded_inside_a_choice_is_not_counted():
    inside = [helper.make_node(op, ins, outs) for op, ins, outs in (*DEAD, ("Relu", ["x"], ["o"]))]
    inner = helper.make_graph(inside, "g", [], [fed("o")])
    graph = read_onnx(model([("If", ["c"], ["y"], {"then_branch": inner})], X, WEIGHTS, Y))
    (choice,) = needed(graph)[0].nodes
    assert [node.op_type for node in choice.graphs["then_branch"].nodes] == ["Relu"]


def test_what_does_not_fit_is_refused_though_nobody_reads_it():
    nodes = [("MatMul", ["x", "u"], ["d"]), *WANTED]
    refuse(model(nodes, X, WEIGHTS, Y), "operation 'MatMul_1'")


def test_a_file_without_outputs_stays_as_it_is():
    graph = read_onnx(model(DEAD, X, WEIGHTS, Y))
    none = type(graph)(**{**vars(graph), "outputs": ()})
    assert needed(none) == (none, 0)


def test_the_sentence_is_translated():
    text = said(NOTE.format(n=3), translator_for("zh_CN"))
    assert text != NOTE.format(n=3)
    assert "3" in text


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=12), st.integers(0, 11))
def test_all_that_is_left_leads_to_an_output_and_nothing_else_did(edges, at):
    """Operation i adds what two earlier ones made; the output is that of one of them."""
    nodes = [
        ("Add", [f"n{min(a, i)}", f"n{min(b, i)}"], [f"n{i + 1}"]) for i, (a, b) in enumerate(edges)
    ]
    nodes = nodes or [("Add", ["n0", "n0"], ["n1"])]
    end = f"n{min(at, len(nodes) - 1) + 1}"
    outputs = [helper.make_tensor_value_info(end, FLOAT, None)]
    graph = read_onnx(model(nodes, [fed("n0", "batch", 8)], (), outputs))
    left, n_dropped = needed(graph)
    assert n_dropped == len(graph.nodes) - len(left.nodes)
    read = {name for node in left.nodes for name in node.inputs} | {end}
    assert all(set(node.outputs) & read for node in left.nodes)
    assert needed(left) == (left, 0)
