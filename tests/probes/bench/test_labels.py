"""Names of shapes."""

import dataclasses

import pytest

from advisor.model.kernel import (
    Cell,
    ConvShape,
    Direction,
    ElementwiseShape,
    EmbeddingShape,
    GemmShape,
    NormShape,
    OptimizerShape,
    OverheadShape,
    PeakShape,
    PoolShape,
    RecurrentShape,
    SoftmaxShape,
    StreamShape,
    TransferShape,
    UnknownShape,
)
from probes.bench.labels import kernel_label, shape_label

CONV = ConvShape(
    n=1, c=4, spatial=(8, 8), k=4, kernel=(3, 3), strides=(1, 1), output=(8, 8), dilation=(1, 1)
)
SHAPES = [
    GemmShape(m=1, n=2, k=3),
    CONV,
    RecurrentShape(cell=Cell.LSTM, batch=1, timesteps=2, input=3, hidden=4),
    NormShape(kind="batch", elements=8, channels=2),
    PoolShape(mode="max", n=1, c=2, spatial=(4, 4), kernel=(2, 2), strides=(2, 2), output=(2, 2)),
    ElementwiseShape(op="relu", elements=5),
    SoftmaxShape(rows=2, columns=3),
    EmbeddingShape(indices=1, dim=2, vocabulary=3),
    OptimizerShape(optimizer="sgd", parameters=4, variables=2),
    StreamShape(op="copy", elements=9),
    PeakShape(),
    OverheadShape(kind="launch"),
    TransferShape(to="host", size_bytes=4),
]
OTHER_VALUES = {int: 77, bool: True, str: "other", tuple: (7, 7)}


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: type(shape).__name__)
def test_every_field_of_a_shape_shows_in_its_label(shape):
    label = shape_label(shape)
    assert " " not in label
    for field in dataclasses.fields(shape):
        value = getattr(shape, field.name)
        changed = Cell.GRU if isinstance(value, Cell) else OTHER_VALUES[type(value)]
        other = dataclasses.replace(shape, **{field.name: changed})
        assert shape_label(other) != label, field.name


def test_the_kinds_of_convolution_have_names():
    assert shape_label(CONV).startswith("conv-n1c4i8x8k4r3x3s1x1o8x8")
    assert shape_label(dataclasses.replace(CONV, groups=4)).startswith("depthwise-")
    assert shape_label(dataclasses.replace(CONV, groups=2)).startswith("conv-g2-")
    assert shape_label(dataclasses.replace(CONV, is_transposed=True)).startswith("transposed-")


def test_the_direction_is_part_of_the_path():
    label = kernel_label(PeakShape(width=4), direction=Direction.FORWARD)
    assert label == "peak-w4/forward"


def test_what_cannot_be_measured_has_no_label():
    with pytest.raises(TypeError, match="UnknownShape"):
        shape_label(UnknownShape(layer_type="Odd", elements=3))
