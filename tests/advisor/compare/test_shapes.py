"""Names of published kernels read as shapes, and which shapes are alike."""

import dataclasses

import pytest

from advisor.compare.shapes import distance, is_large, published_direction, published_shape
from advisor.model.kernel import (
    Cell,
    ConvShape,
    Direction,
    GemmShape,
    PeakShape,
    RecurrentShape,
    StreamShape,
)
from advisor.model.published import ResultPhase
from tests.advisor.compare.builders import a_row
from tests.helpers.bundled import bundled_knowledge

CONV = ConvShape(
    n=8, c=128, spatial=(28, 28), k=128, kernel=(3, 3), strides=(1, 1), output=(28, 28),
    dilation=(1, 1),
)  # fmt: skip
LSTM = RecurrentShape(cell=Cell.LSTM, batch=32, timesteps=20, input=128, hidden=256)


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("gemm m5124 n700 k2048 NT", GemmShape(m=5124, n=700, k=2048, transpose_b=True)),
        ("matmul dim=1000x1024x64 dim=1000x64x256", GemmShape(m=1024, n=256, k=64, batch=1000)),
        ("linear dim=100x1024x512 dim=512x1024 dim=1024", GemmShape(m=102_400, n=1024, k=512)),
        ("conv w28 h28 c128 n8 k128 s3 r3 pad1x1 str1x1", CONV),
        ("stream triad", StreamShape(op="triad", elements=0)),
        ("clpeak fp32 mad peak", PeakShape()),
        ("conv2d dim=1x2 dim=3", None),
        ("pcie transfer", None),
        ("gemm m1", None),
    ],
)
def test_names_are_read(name, shape):
    assert published_shape(a_row(workload=name)) == shape


def test_filters_wider_than_high_keep_their_sides():
    row = a_row(workload="conv w341 h79 c32 n4 k32 s10 r5 pad0x0 str2x2")
    shape = published_shape(row)
    assert (shape.spatial, shape.kernel, shape.output) == ((79, 341), (5, 10), (38, 166))


def test_lstm_without_its_input_product():
    shape = published_shape(a_row(workload="lstm h256 n32 t150"))
    assert (shape.hidden, shape.batch, shape.timesteps) == (256, 32, 150)


@pytest.mark.parametrize(
    ("note", "direction"),
    [
        (None, Direction.FORWARD),
        ("forward, published as 1 ms", Direction.FORWARD),
        ("weight gradient, published as 9.17 ms", Direction.WEIGHT_GRADIENT),
        ("shape listed 2 times in the sheet; input gradient, published", Direction.INPUT_GRADIENT),
        ("says nothing of a weight gradient", Direction.FORWARD),
    ],
)
def test_direction_stands_in_the_note(note, direction):
    assert published_direction(a_row(note=note)) is direction


def test_large_products_are_alike_within_a_factor_of_8_and_small_ones_of_2():
    large, wide = GemmShape(m=1024, n=1024, k=1024), GemmShape(m=2048, n=7000, k=2048)
    assert is_large(large)
    assert distance(large, large) == 0.0
    assert 0.0 < distance(large, wide) < 3.0
    # "linear dim=100x1024x512": 102 400 rows are other work than 2048.
    own = GemmShape(m=2048, n=2048, k=2048)
    assert distance(own, GemmShape(m=102_400, n=512, k=512)) is None
    assert distance(own, GemmShape(m=100, n=1024, k=512)) is None
    turned = GemmShape(m=7000, n=2048, k=2048)
    assert distance(turned, wide) == 0.0
    small = GemmShape(m=128, n=512, k=784)
    assert distance(small, small) == 0.0
    assert distance(small, dataclasses.replace(small, m=256)) == pytest.approx(0.693, abs=0.01)
    assert distance(small, dataclasses.replace(small, m=257)) is None
    assert distance(large, dataclasses.replace(large, batch=16)) is None
    assert distance(large, small) is None


def test_convolutions_need_the_same_filter_and_similar_sizes():
    assert distance(CONV, CONV) == 0.0
    assert distance(CONV, dataclasses.replace(CONV, n=16)) is not None
    assert distance(CONV, dataclasses.replace(CONV, n=32)) is None
    assert distance(CONV, dataclasses.replace(CONV, kernel=(1, 1))) is None
    assert distance(CONV, dataclasses.replace(CONV, strides=(2, 2))) is None
    assert distance(CONV, dataclasses.replace(CONV, groups=128)) is None


def test_the_length_of_a_sequence_does_not_matter_its_batch_does():
    assert distance(LSTM, dataclasses.replace(LSTM, timesteps=500)) == 0.0
    assert distance(LSTM, dataclasses.replace(LSTM, batch=65)) is None
    assert distance(LSTM, dataclasses.replace(LSTM, cell=Cell.GRU)) is None


def test_kinds_and_streams_are_never_mixed():
    assert distance(LSTM, CONV) is None
    assert distance(StreamShape(op="triad", elements=9), StreamShape(op="read", elements=0)) is None
    assert distance(StreamShape(op="read", elements=9), StreamShape(op="read", elements=0)) == 0.0
    assert distance(PeakShape(), PeakShape()) == 0.0


def test_most_bundled_kernels_can_be_read():
    rows = [r for r in bundled_knowledge().published if r.phase is ResultPhase.KERNEL]
    read = [row for row in rows if published_shape(row) is not None]
    assert len(read) > 1300
    assert {type(published_shape(row)) for row in read} == {
        GemmShape, ConvShape, RecurrentShape, StreamShape, PeakShape,
    }  # fmt: skip
