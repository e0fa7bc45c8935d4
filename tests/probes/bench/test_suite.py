"""The table of kernels."""

import itertools

import pytest

from advisor.model.kernel import ConvShape, Direction, GemmShape, RecurrentShape
from probes.bench import suite
from probes.bench.suite import Row

GROUPS = {
    name: rows
    for name, rows in vars(suite).items()
    if isinstance(rows, tuple) and rows and isinstance(rows[0], Row)
}


@pytest.mark.parametrize("name", sorted(GROUPS))
def test_no_row_stands_twice_and_tiers_are_known(name):
    rows = GROUPS[name]
    assert len({row.shape for row in rows}) == len(rows)
    assert {row.tier for row in rows} <= {1, 2, 3}
    assert all(row.directions for row in rows)


def test_enough_shapes_of_each_class_even_in_a_quick_run():
    def quick(rows):
        return [row for row in rows if not row.is_thorough]

    assert 12 <= len(quick(suite.CONVOLUTIONS)) <= 24
    assert len(quick(suite.DENSES)) >= 10
    sizes = {row.shape.elements for row in quick(suite.ELEMENTWISES) if row.shape.op == "relu"}
    assert sizes == {4096, 262_144, 2_097_152}


def test_each_recurrent_layer_has_two_lengths():
    layers = {}
    for row in suite.RECURRENTS:
        shape = row.shape
        key = (shape.cell, shape.batch, shape.input, shape.hidden, shape.is_bidirectional)
        layers.setdefault(key, set()).add(shape.timesteps)
    assert all(len(lengths) == 2 for lengths in layers.values())


def test_what_a_quick_run_sees_of_recurrent_layers_and_of_transformers():
    quick = [row for row in suite.RECURRENTS if not row.is_thorough]
    assert {row.shape.cell.value for row in quick} == {"lstm", "gru"}
    early = [row for row in suite.ELEMENTWISES if row.shape.op == "gelu"]
    early += [row for row in suite.NORMALISATIONS if row.shape.kind == "layer"]
    assert [row.tier for row in early if not row.is_thorough] == [1, 1]


def test_the_hidden_sizes_of_the_study_are_timed_in_a_thorough_run():
    hidden = {row.shape.hidden for row in suite.SINGLE_RECURRENTS if row.is_thorough}
    assert {1536, 1760} <= hidden


@pytest.mark.parametrize("groups", [[name] for name in sorted(GROUPS)])
def test_the_outputs_of_convolutions_and_pools_fit_their_inputs(groups):
    rows = itertools.chain.from_iterable(GROUPS[name] for name in groups)
    for shape in (row.shape for row in rows):
        if not hasattr(shape, "output"):
            continue
        for size, kernel, stride, output in zip(
            shape.spatial, shape.kernel, shape.strides, shape.output, strict=True
        ):
            if getattr(shape, "is_transposed", False):
                assert output == size * stride
            else:
                assert output in (-(-size // stride), (size - kernel) // stride + 1)


def test_builders_give_the_shapes_of_layers():
    assert suite.dense(32, 784, 512) == GemmShape(m=32, n=512, k=784)
    conv = suite.conv(2, 3, 7, 4, 3, stride=2)
    assert isinstance(conv, ConvShape)
    assert conv.output == (4, 4)
    assert suite.depthwise(1, 8, 4).groups == 8
    assert suite.text_conv(1, 2, 10, 3, 4).output == (7,)
    assert suite.pool("max", 1, 2, 112, 3, 2).output == (56, 56)
    assert suite.pool("average", 1, 2, 7, 7, 7).output == (1, 1)
    assert isinstance(suite.HEADLINE_LSTM, RecurrentShape)
    assert Direction.BACKWARD in suite.BOTH
