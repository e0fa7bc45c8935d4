"""What an ONNX graph computes from sizes and constants: grids, positions, paddings, masks."""

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from advisor.model.kernel import Cell, GemmShape, RecurrentShape
from tests.advisor.network.onnx_build import FLOAT, built, fed, model, refuse, sizes, weights


def floats(name, *values):
    return numpy_helper.from_array(np.array(values, np.float32), name)


def whole(name, value):
    return numpy_helper.from_array(np.array(value, np.int64), name)


def outcome(nodes, feeds, constants=()):
    network = built(model(nodes, feeds, constants))
    return network.outputs[0].shape, network


def test_a_grid_of_positions_has_two_dimensions():
    """As rotary embeddings and relative positions are made: a column less a row."""
    shape, network = outcome(
        [
            ("Range", ["zero", "n", "one"], ["places"]),
            ("Unsqueeze", ["places", "last"], ["column"]),
            ("Unsqueeze", ["places", "first"], ["row"]),
            ("Sub", ["column", "row"], ["apart"]),
            ("Add", ["apart", "n"], ["apart_up"]),
            ("Gather", ["table", "apart_up"], ["bias"]),
            ("Transpose", ["bias"], ["heads"], {"perm": [2, 0, 1]}),
            ("Add", ["x", "heads"], ["y"]),
        ],
        [fed("x", "batch", 4, 6, 6)],
        [whole("zero", 0), whole("n", 6), whole("one", 1), sizes("first", 0), sizes("last", 1),
         weights("table", 12, 4)],
    )  # fmt: skip
    assert shape == (1, 4, 6, 6)
    assert network.parameters == 48, "the whole table, once"


def test_padding_that_depends_on_the_size_is_computed_with_fractions():
    """As TensorFlow's "same": ceil(size / stride), then what is missing on both sides."""
    shape, _network = outcome(
        [
            ("Shape", ["x"], ["s"]),
            ("Gather", ["s", "two"], ["side"]),
            ("Cast", ["side"], ["fraction"], {"to": TensorProto.FLOAT}),
            ("Div", ["fraction", "stride"], ["steps"]),
            ("Ceil", ["steps"], ["up"]),
            ("Cast", ["up"], ["count"], {"to": TensorProto.INT64}),
            ("Mul", ["count", "two"], ["reach"]),
            ("Sub", ["reach", "side"], ["missing"]),
            ("Clip", ["missing", "zero"], ["behind"]),
            ("Concat", ["before", "behind"], ["pads"], {"axis": 0}),
            ("Pad", ["x", "pads"], ["y"]),
        ],
        [fed("x", "batch", 3, 7)],
        [whole("two", 2), floats("stride", 2.0), whole("zero", 0), sizes("before", 0, 0, 0, 0, 0)],
    )
    assert shape == (1, 3, 8)


def test_many_positions_are_kept_and_more_have_their_number():
    for count in (1025, 100_000):
        shape, network = outcome(
            [
                ("Range", ["zero", "n", "one"], ["places"]),
                ("Gather", ["table", "places"], ["rows"]),
                ("Add", ["x", "rows"], ["y"]),
            ],
            [fed("x", "batch", count, 4)],
            [whole("zero", 0), whole("n", count), whole("one", 1), weights("table", count, 4)],
        )
        assert (shape, network.parameters) == ((1, count, 4), 4 * count)


def test_masks_made_in_the_graph_are_no_parameters():
    _shape, network = outcome(
        [
            ("ConstantOfShape", ["square"], ["full"],
             {"value": helper.make_tensor("v", FLOAT, [1], [-1e9])}),
            ("Trilu", ["full"], ["mask"]),
            ("Add", ["x", "mask"], ["y"]),
        ],
        [fed("x", "batch", 8, 8)],
        [sizes("square", 8, 8)],
    )  # fmt: skip
    assert network.parameters == 0


def test_what_is_learned_and_projected_counts_with_its_projection():
    """Queries of a decoder that are weights themselves."""
    _shape, network = outcome(
        [("MatMul", ["queries", "w"], ["q"]), ("MatMul", ["q", "x"], ["y"])],
        [fed("x", "batch", 6, 9)],
        [weights("queries", 5, 4), weights("w", 4, 6)],
    )
    assert network.parameters == 20 + 24


@pytest.mark.parametrize("sequences", [1, 3])
def test_a_recurrent_layer_tells_which_size_is_the_batch(sequences):
    """PyTorch's own order has the time first: its length is not the batch."""
    data = model(
        [("LSTM", ["x", "w", "r"], ["y"], {"hidden_size": 6})],
        [fed("x", 20, sequences, 5)],
        [weights("w", 1, 24, 5), weights("r", 1, 24, 6)],
    )
    network = built(data, batch=32)
    assert network.operators[0].shape == RecurrentShape(
        cell=Cell.LSTM, batch=32, timesteps=20, input=5, hidden=6, return_sequences=True
    )


def test_an_image_without_a_batch_is_one_sample():
    data = model(
        [("Unsqueeze", ["x", "front"], ["b"]), ("Conv", ["b", "w"], ["y"])],
        [fed("x", 3, 8, 8)],
        [sizes("front", 0), weights("w", 4, 3, 3, 3)],
    )
    assert built(data, batch=2).multiply_adds_per_sample == 36 * 4 * 27


def test_a_list_of_tensors_is_refused_by_name():
    nodes = [("SplitToSequence", ["x"], ["y"]), ("SequenceAt", ["y", "n"], ["z"])]
    ends = [helper.make_tensor_value_info("z", FLOAT, None)]
    data = model(nodes, [fed("x", "batch", 4)], [whole("n", 0)], outputs=ends)
    refuse(data, "SplitToSequence.*not followed")


def test_an_outer_product_is_no_matrix_product():
    data = model(
        [("Einsum", ["a", "b"], ["y"], {"equation": "bi,bj->bij"})],
        [fed("a", "batch", 3), fed("b", "batch", 4)],
    )
    assert not any(isinstance(op.shape, GemmShape) for op in built(data).operators)
