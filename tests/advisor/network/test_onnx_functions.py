"""Functions of an ONNX file are followed in the place of their calls."""

import numpy as np
import pytest
from onnx import helper, numpy_helper

from advisor.model.kernel import ConvShape, ElementwiseShape, GemmShape, UnknownShape
from tests.advisor.network.onnx_build import FLOAT, built, fed, refuse, sizes, weights

X = [fed("x", "batch", 8)]
OPSETS = [helper.make_opsetid("", 17), helper.make_opsetid("lib", 1)]


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs, outputs, **attributes)


def calls(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs, outputs, domain="lib", **attributes)


def handed(made, **references):
    """An operation whose attributes are those of the function around it."""
    for own, (name, kind) in references.items():
        given = made.attribute.add()
        given.name, given.ref_attr_name, given.type = own, name, kind
    return made


def function(name, inputs, outputs, nodes, **more):
    return helper.make_function("lib", name, inputs, outputs, nodes, OPSETS, **more)


def file(nodes, functions, constants=(), feeds=X):
    graph = helper.make_graph(nodes, "g", feeds, [fed("y")], list(constants))
    graph.output[0].CopyFrom(helper.make_tensor_value_info("y", FLOAT, None))
    made = helper.make_model(graph, opset_imports=OPSETS, functions=functions)
    return made.SerializeToString()


def shapes(network):
    return [op.shape for op in network.operators]


DENSE = function(
    "Dense", ["x", "w", "b"], ["y"],
    [node("Gemm", ["x", "w", "b"], ["g"], transB=1), node("Relu", ["g"], ["y"])],
)  # fmt: skip
WEIGHTS = [weights("w", 16, 8), weights("b", 16), weights("v", 4, 16), weights("c", 4)]
TWICE = [calls("Dense", ["x", "w", "b"], ["h"]), calls("Dense", ["h", "v", "c"], ["y"])]


def test_calls_of_a_function_have_its_operations_and_their_own_weights():
    network = built(file(TWICE, [DENSE], WEIGHTS))
    assert shapes(network) == [
        GemmShape(m=2, n=16, k=8),
        ElementwiseShape(op="relu", elements=32),
        GemmShape(m=2, n=4, k=16),
        ElementwiseShape(op="relu", elements=8),
    ]
    assert (network.parameters, network.multiply_adds_per_sample) == (212, 192)
    assert network.notes == ()
    names = [layer.name for layer in network.layers]
    assert names[0] == "Dense_1/Gemm_1"
    assert len(set(names)) == 4


def test_many_calls_of_one_name_share_no_weights():
    chain = [
        helper.make_node("Dense", [f"h{i}", f"w{i}", "b"], [f"h{i + 1}"], domain="lib", name="same")
        for i in range(5)
    ]
    chain[0].input[0], chain[-1].output[0] = "x", "y"
    squares = [weights(f"w{i}", 8, 8) for i in range(5)]
    network = built(file(chain, [DENSE], [*squares, weights("b", 8)]))
    assert network.parameters == 5 * 64 + 8
    assert not any(layer.is_repeated for layer in network.layers)


def test_functions_call_functions():
    outer = function(
        "Two", ["x", "w", "b", "v", "c"], ["y"],
        [calls("Dense", ["x", "w", "b"], ["h"]), calls("Dense", ["h", "v", "c"], ["y"])],
    )  # fmt: skip
    data = file([calls("Two", ["x", "w", "b", "v", "c"], ["y"])], [outer, DENSE], WEIGHTS)
    assert built(data).multiply_adds_per_sample == 192


def test_attributes_are_handed_on_and_have_defaults():
    """One that neither the call nor the function gives is left out, as strides here."""
    ints = 7
    conv = handed(
        node("Conv", ["x", "w"], ["y"]), pads=("around", ints), strides=("by", ints),
        group=("groups", 2),
    )  # fmt: skip
    made = function(
        "Conv", ["x", "w"], ["y"], [conv], attributes=["by"],
        attribute_protos=[
            helper.make_attribute("around", [1, 1, 1, 1]), helper.make_attribute("groups", 2)
        ],
    )  # fmt: skip
    nodes = [
        calls("Conv", ["x", "w"], ["h"], by=[2, 2]),
        calls("Conv", ["h", "w"], ["i"], around=[0, 0, 0, 0]),
        node("Identity", ["i"], ["y"]),
    ]
    network = built(file(nodes, [made], [weights("w", 4, 2, 3, 3)], [fed("x", "N", 4, 8, 8)]))
    first, second = shapes(network)
    assert isinstance(first, ConvShape)
    assert (first.groups, first.strides, first.output) == (2, (2, 2), (4, 4))
    assert (second.strides, second.output) == ((1, 1), (2, 2))


def test_attributes_are_handed_on_into_functions_and_choices():
    part = helper.make_graph(
        [handed(node("Concat", ["x", "x"], ["t"]), axis=("along", 2))], "then", [], [fed("t")]
    )
    inner = function(
        "Join", ["x", "c"], ["y"], [node("If", ["c"], ["y"], then_branch=part, else_branch=part)],
        attributes=["along"],
    )  # fmt: skip
    outer = function(
        "Outer", ["x", "c"], ["y"],
        [handed(calls("Join", ["x", "c"], ["y"]), along=("axis", 2))], attributes=["axis"],
    )  # fmt: skip
    yes = numpy_helper.from_array(np.array([True]), "c")
    data = file([calls("Outer", ["x", "c"], ["y"], axis=1)], [outer, inner], [yes])
    assert built(data).outputs[0].shape == (1, 16)


def test_what_stands_in_a_body_is_the_same_in_all_calls():
    """And its names are its own: the graph has a "w" of another size."""
    body = [
        node("Constant", [], ["w"], value=weights("", 8, 8)),
        node("MatMul", ["x", "w"], ["y"]),
    ]
    nodes = [
        calls("Fixed", ["x"], ["h"]),
        calls("Fixed", ["h"], ["i"]),
        node("MatMul", ["i", "w"], ["y"]),
    ]
    made = function("Fixed", ["x"], ["y"], body)
    network = built(file(nodes, [made], [weights("w", 8, 3)]))
    assert network.parameters == 64 + 24
    assert network.outputs[0].shape == (1, 3)


def test_sizes_are_computed_in_functions():
    body = [
        node("Shape", ["x"], ["s"]), node("Gather", ["s", "last"], ["n"]),
        node("Concat", ["rows", "n"], ["to"], axis=0), node("Reshape", ["x", "to"], ["y"]),
    ]  # fmt: skip
    made = function("Rows", ["x", "rows", "last"], ["y"], body)
    data = file(
        [calls("Rows", ["x", "rows", "last"], ["r"]), node("MatMul", ["r", "w"], ["y"])], [made],
        [sizes("rows", -1), sizes("last", 2), weights("w", 8, 2)], [fed("x", "batch", 5, 8)],
    )  # fmt: skip
    assert built(data).outputs[0].shape == (5, 2)


def test_inputs_may_be_left_out():
    nodes = [calls("Dense", ["x", "w"], ["y"])]
    assert built(file(nodes, [DENSE], WEIGHTS[:1])).parameters == 128
    nodes = [calls("Dense", ["x", "w", ""], ["y"])]
    assert built(file(nodes, [DENSE], WEIGHTS[:1])).parameters == 128


def test_overloads_are_told_apart():
    other = function("Dense", ["x", "w", "b"], ["y"], [node("MatMul", ["x", "w"], ["y"])])
    other.overload = "plain"
    nodes = [calls("Dense", ["x", "w", "b"], ["h"]), calls("Dense", ["h", "v", ""], ["y"])]
    nodes[1].overload = "plain"
    network = built(file(nodes, [DENSE, other], [*WEIGHTS[:2], weights("v", 16, 4)]))
    assert (network.parameters, len(network.operators)) == (128 + 16 + 64, 3)


def test_a_known_operation_is_not_taken_apart():
    """Exporters write what fused operations stand for beside them."""
    made = helper.make_function(
        "com.microsoft", "FastGelu", ["x"], ["y"],
        [node("Tanh", ["x"], ["t"]), node("Mul", ["x", "t"], ["y"])], OPSETS,
    )  # fmt: skip
    call = helper.make_node("FastGelu", ["x"], ["y"], domain="com.microsoft")
    assert shapes(built(file([call], [made]))) == [ElementwiseShape(op="gelu", elements=16)]


def test_an_operation_of_others_is_not_known_by_its_name():
    nodes = [calls("Conv", ["x"], ["h"]), node("MatMul", ["h", "w"], ["y"])]
    network = built(file(nodes, [], [weights("w", 8, 4)]))
    assert shapes(network) == [
        UnknownShape(layer_type="Conv", elements=16), GemmShape(m=2, n=4, k=8)
    ]  # fmt: skip
    (note,) = network.notes
    assert "not known" in note


def test_a_file_of_functions_alone_has_their_operator_set():
    data = helper.make_model(
        helper.make_graph(TWICE, "g", X, [fed("y", "batch", 4)], WEIGHTS),
        opset_imports=[OPSETS[1]], functions=[DENSE],
    ).SerializeToString()  # fmt: skip
    assert built(data).parameters == 212


def test_a_function_that_calls_itself_is_refused():
    direct = function("Self", ["x"], ["y"], [calls("Self", ["x"], ["y"])])
    refuse(file([calls("Self", ["x"], ["y"])], [direct]), "a function that calls itself")
    there = function("There", ["x"], ["y"], [calls("Back", ["x"], ["y"])])
    back = function("Back", ["x"], ["y"], [calls("There", ["x"], ["y"])])
    refuse(file([calls("There", ["x"], ["y"])], [there, back]), "a function that calls itself")


def test_functions_that_unfold_without_end_are_refused():
    """Thirty levels, each of which calls the next twice: a short file."""
    made = [
        function(f"F{i}", ["x"], ["y"],
                 [calls(f"F{i + 1}", ["x"], ["h"]), calls(f"F{i + 1}", ["h"], ["y"])])
        for i in range(30)
    ]  # fmt: skip
    made.append(function("F30", ["x"], ["y"], [node("Relu", ["x"], ["y"])]))
    data = file([calls("F0", ["x"], ["y"])], made)
    assert len(data) < 10_000
    refuse(data, "calls of its functions")


def test_functions_within_each_other_without_end_are_refused():
    made = [
        function(f"F{i}", ["x"], ["y"], [calls(f"F{i + 1}", ["x"], ["y"])]) for i in range(2000)
    ]
    refuse(file([calls("F0", ["x"], ["y"])], made), "more than 32 functions within each other")


@pytest.mark.parametrize("is_default", [False, True])
def test_calls_that_hand_on_very_much_are_refused(is_default):
    names = [f"a{i}" for i in range(4000)]
    relu = node("Relu", ["x"], ["y"])
    if not is_default:
        handed(relu, **{name: (name, 2) for name in names})
    defaults = [helper.make_attribute(name, 1) for name in names] if is_default else []
    made = function("F", ["x"], ["y"], [relu], attribute_protos=defaults)
    chain = [calls("F", ["x"], ["y" if i == 0 else f"y{i}"]) for i in range(4000)]
    refuse(file(chain, [made]), "calls of its functions")


@pytest.mark.parametrize(
    ("nodes", "says"),
    [
        ([calls("Dense", ["x", "w", "b", "b"], ["y"])], "has 3 inputs, it gives 4"),
        ([calls("Dense", ["x", "b", "b"], ["y"])], "operation 'Dense_1/Gemm_1'.*needs 2 dim"),
        ([calls("Loose", ["x"], ["y"])], "'gone' is read before"),
        ([calls("Loose", ["x"], ["h"]), node("Relu", ["w"], ["y"])], "'gone' is read before"),
    ],
)
def test_calls_that_do_not_fit_are_refused(nodes, says):
    loose = function("Loose", ["x"], ["gone"], [node("Relu", ["x"], ["y"])])
    refuse(file(nodes, [DENSE, loose], WEIGHTS), says)


def test_a_body_does_not_see_the_names_around_its_call():
    peeking = function("Peek", ["x"], ["y"], [node("Gemm", ["x", "w"], ["y"])])
    refuse(file([calls("Peek", ["x"], ["y"])], [peeking], WEIGHTS), "'w' is read before")


def test_functions_count_for_the_limits_of_a_file():
    many = [node("Relu", ["x"], [f"r{i}"]) for i in range(11_000)]
    made = [function(f"F{i}", ["x"], ["r0"], many) for i in range(2)]
    refuse(file([calls("F0", ["x"], ["y"])], made), "more than 20000 entries")


def test_very_long_names_are_cut():
    """In each call of a function they would stand again."""
    relu = helper.make_node("Relu", ["x"], ["y"], name="long" * 100_000)
    made = function("F", ["x"], ["y"], [relu])
    chain = [calls("F", ["x"], ["y" if i == 0 else f"y{i}"]) for i in range(100)]
    network = built(file(chain, [made]))
    assert max(len(layer.name) for layer in network.layers) < 400
