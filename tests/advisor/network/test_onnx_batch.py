"""Which size of an ONNX graph is taken for the batch, and that this is said."""

import pytest
from onnx import helper

from advisor.model.kernel import GemmShape
from tests.advisor.network.onnx_build import FLOAT, INT64, built, fed, model, sizes, weights

BATCHES = (1, 8, 32)


def per_sample(data):
    """Multiply-adds, parameters and notes, which do not depend on the batch asked for."""
    made = {
        (network.multiply_adds_per_sample, network.parameters, network.notes)
        for network in (built(data, batch=batch) for batch in BATCHES)
    }
    assert len(made) == 1
    return made.pop()


def attention(*dims, heads=()):
    """Self-attention in the order of PyTorch: the sequence first."""
    split = [("Reshape", ["q", "heads"], ["h"])] if heads else [("Identity", ["q"], ["h"])]
    nodes = [
        ("MatMul", ["x", "w"], ["q"]),
        *split,
        ("Transpose", ["h"], ["qt"], {"perm": [1, 0, 2]}),
        ("Transpose", ["h"], ["kt"], {"perm": [1, 2, 0]}),
        ("MatMul", ["qt", "kt"], ["s"]),
        ("MatMul", ["s", "qt"], ["y"]),
    ]
    return model(nodes, [fed("x", *dims)], [weights("w", 64, 64), sizes("heads", *heads)])


def test_one_sample_may_stand_behind_its_sequence():
    work, parameters, notes = per_sample(attention(50, 1, 64))
    assert (work, parameters) == (50 * 4096 + 2 * 50 * 50 * 64, 4096)
    assert notes == ("The second size, 1, is taken for the batch.",)


def test_samples_never_meet_in_a_product_of_data():
    """Two samples of four heads: eight products apart are not the work of 50 samples."""
    work, _parameters, notes = per_sample(attention(50, 2, 64, heads=(50, 8, 16)))
    assert work == 50 * 4096 + 2 * 4 * 50 * 50 * 16
    assert notes == ("The second size, 2, is taken for the batch.",)


def test_a_sequence_without_a_batch_is_one_sample():
    nodes = [
        ("MatMul", ["x", "w"], ["q"]), ("Transpose", ["q"], ["k"]), ("MatMul", ["q", "k"], ["y"])
    ]  # fmt: skip
    work, _parameters, notes = per_sample(model(nodes, [fed("x", 50, 64)], [weights("w", 64, 16)]))
    assert work == 50 * 64 * 16 + 50 * 50 * 16
    assert notes == ("No size is taken for the batch: the file counts as one sample.",)


def test_the_past_of_one_sample_is_no_batch():
    nodes = [
        ("Gather", ["table", "ids"], ["x"]),
        ("MatMul", ["x", "w"], ["h"]),
        ("Reshape", ["past", "to"], ["p"]),
        ("MatMul", ["h", "p"], ["y"]),
    ]
    feeds = [fed("ids", 1, 16, kind=INT64), fed("past", 4, 1, 64, 10)]
    constants = [weights("table", 100, 64), weights("w", 64, 64), sizes("to", 1, 64, 40)]
    work, parameters, notes = per_sample(model(nodes, feeds, constants))
    assert (work, parameters) == (16 * 4096 + 16 * 64 * 40, 6400 + 4096)
    assert notes == ("The first size, 1, is taken for the batch.",)


def test_boxes_on_an_image_are_no_batch():
    nodes = [
        ("RoiAlign", ["x", "r", "i"], ["q"], {"output_height": 7, "output_width": 7}),
        ("Conv", ["q", "w"], ["y"]),
    ]
    feeds = [fed("x", 1, 3, 8, 8), fed("r", 10, 4), fed("i", 10, kind=INT64)]
    work, _parameters, notes = per_sample(model(nodes, feeds, [weights("w", 4, 3, 3, 3)]))
    assert work == 10 * 25 * 108
    assert notes == ()


def test_an_input_of_one_dimension_is_one_sample():
    data = model([("MatMul", ["x", "w"], ["y"])], [fed("x", 64)], [weights("w", 64, 32)])
    assert per_sample(data) == (2048, 2048, ())


def test_a_batch_that_only_its_place_tells_is_said():
    data = model([("MatMul", ["x", "w"], ["y"])], [fed("x", 50, 64)], [weights("w", 64, 32)])
    assert per_sample(data) == (2048, 2048, ("The first size, 50, is taken for the batch.",))


@pytest.mark.parametrize("dims", [("batch", 3, 8, 8), (1, 3, 8, 8), (4, 3, 8, 8)])
def test_a_batch_that_is_named_or_one_or_seen_by_a_convolution_is_no_guess(dims):
    data = model([("Conv", ["x", "w"], ["y"])], [fed("x", *dims)], [weights("w", 4, 3, 3, 3)])
    assert per_sample(data) == (36 * 108, 108, ())


def test_one_channel_is_not_one_sample():
    nodes = [("Conv", ["x", "w"], ["y"])]
    data = model(nodes, [fed("x", 8, 1, 20)], [weights("w", 4, 1, 3)])
    assert per_sample(data) == (18 * 12, 12, ())


@pytest.mark.parametrize(
    ("dims", "others", "ends", "note"),
    [
        # A state of two layers has the batch second.
        ((8, 20, 16), (2, 8, 16), None, "The first size, 8, is taken for the batch."),
        # Two sequences of different length, the samples second.
        ((50, 2, 16), (20, 2, 16), None, "The second size, 2, is taken for the batch."),
        # A row for all samples: the results tell.
        ((8, 20, 16), (1, 1, 16), (8, 20, 16), "The first size, 8, is taken for the batch."),
        ((5, 16), (3, 16), None, "No size is taken for the batch: the file counts as one sample."),
    ],
)
def test_inputs_whose_first_sizes_differ(dims, others, ends, note):
    nodes = [("MatMul", ["x", "w"], ["y"]), ("ReduceSum", ["s"], ["z"], {"keepdims": 0})]
    other = helper.make_tensor_value_info("z" if ends else "y", FLOAT, None)
    outputs = [fed("y", *ends) if ends else fed("z"), other]
    data = model(nodes, [fed("x", *dims), fed("s", *others)], [weights("w", 16, 4)], outputs)
    assert per_sample(data)[2] == (note,)


def test_a_single_number_beside_samples_tells_nothing():
    """The step of a diffusion network that is fed two images."""
    nodes = [("Conv", ["x", "w"], ["c"]), ("Mul", ["c", "t"], ["y"])]
    feeds = [fed("x", 2, 3, 8, 8), fed("t", 1)]
    assert per_sample(model(nodes, feeds, [weights("w", 4, 3, 3, 3)])) == (36 * 108, 108, ())


def test_a_named_batch_is_the_one_of_all_inputs():
    nodes = [("MatMul", ["x", "w"], ["q"]), ("Add", ["q", "m"], ["y"])]
    feeds = [fed("x", "batch", 6, 64), fed("m", 6, 32)]
    assert per_sample(model(nodes, feeds, [weights("w", 64, 32)])) == (6 * 2048, 2048, ())


def test_what_has_no_batch_is_the_same_for_each_sample():
    """Three rows beside eight samples are no part of a sample: one row at least counts."""
    nodes = [("MatMul", ["x", "w"], ["y"]), ("MatMul", ["m", "w"], ["z"])]
    feeds = [fed("x", 8, 20, 16), fed("m", 3, 16)]
    ends = [fed("y", 8, 20, 4), fed("z")]
    work, _parameters, _notes = per_sample(model(nodes, feeds, [weights("w", 16, 4)], ends))
    assert work == 20 * 64 + 64


def test_an_input_that_is_fed_for_one_sample_has_its_shape():
    nodes = [("LSTM", ["x", "w", "r"], ["y"], {"hidden_size": 6})]
    data = model(nodes, [fed("x", 20, 3, 5)], [weights("w", 1, 24, 5), weights("r", 1, 24, 6)])
    assert built(data).inputs == ((20, 1, 5),)


def test_samples_are_columns_where_the_weights_come_first():
    for op, attributes in (("MatMul", {}), ("Gemm", {})):
        data = model([(op, ["w", "x"], ["y"], attributes)], [fed("x", 64, "batch")],
                     [weights("w", 32, 64)])  # fmt: skip
        network = built(data, batch=8)
        assert network.operators[0].shape == GemmShape(m=32, n=8, k=64)
        assert (network.parameters, network.multiply_adds_per_sample) == (2048, 2048)
    turned = model([("Gemm", ["w", "x"], ["y"], {"transB": 1})], [fed("x", 1, 64)],
                   [weights("w", 32, 64)])  # fmt: skip
    assert per_sample(turned) == (2048, 2048, ())
