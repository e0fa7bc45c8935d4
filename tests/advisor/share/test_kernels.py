"""Names of kernels read back as the shapes that they stand for."""

import dataclasses

import pytest

from advisor.compare.shapes import published_shape
from advisor.model.kernel import (
    Cell,
    ConvShape,
    GemmShape,
    PeakShape,
    RecurrentShape,
    SoftmaxShape,
    StreamShape,
    UnknownShape,
)
from advisor.share.kernels import kernel_name
from tests.helpers.bundled import bundled_knowledge


def _conv(**more):
    values = {
        "n": 8, "c": 128, "spatial": (28, 30), "k": 64, "kernel": (3, 3), "strides": (1, 1),
        "output": (28, 30), "dilation": (1, 1),
    }  # fmt: skip
    return ConvShape(**{**values, **more})


@pytest.mark.parametrize(
    "shape",
    [
        GemmShape(m=512, n=256, k=128),
        GemmShape(m=512, n=256, k=128, transpose_a=True),
        GemmShape(m=512, n=256, k=128, transpose_b=True),
        _conv(),
        _conv(output=(26, 28)),
        _conv(strides=(2, 2), output=(14, 15)),
        _conv(kernel=(1, 1)),
    ],
)
def test_a_name_is_read_back_as_the_shape(shape):
    row = next(iter(bundled_knowledge().published))
    row = type(row)(**{name: getattr(row, name) for name in row.__slots__} | {
        "workload": kernel_name(shape)
    })  # fmt: skip
    assert published_shape(row) == shape


def test_streams_and_layers_have_names():
    assert kernel_name(StreamShape(op="triad", elements=5)) == "stream triad"
    assert kernel_name(PeakShape()) == "mad peak"
    lstm = RecurrentShape(cell=Cell.LSTM, batch=32, timesteps=20, input=128, hidden=256)
    assert kernel_name(lstm) == "lstm h256 n32 t20 i128"


@pytest.mark.parametrize(
    "shape",
    [
        UnknownShape(layer_type="SecretLayerOfFrodo", elements=3),
        StreamShape(op="frodo@shire.example", elements=3),
        SoftmaxShape(rows=3, columns=3),
        GemmShape(m=1, n=1, k=1, batch=2),
        GemmShape(m=0, n=1, k=1),
        GemmShape(m=10**8, n=1, k=1),
        _conv(groups=128),
        _conv(is_transposed=True),
        _conv(dilation=(2, 2)),
        _conv(spatial=(28,), kernel=(3,), strides=(1,), output=(28,)),
        _conv(output=(27, 30)),
        PeakShape(width=4),
    ],
)
def test_what_cannot_be_compared_has_no_name(shape):
    assert kernel_name(shape) is None


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("stream triad", StreamShape(op="triad", elements=0)),
        ("stream read", StreamShape(op="read", elements=0)),
        ("mad peak", PeakShape()),
    ],
)
def test_kernels_without_sizes_are_read_back_too(name, shape):
    row = next(iter(bundled_knowledge().published))
    assert published_shape(dataclasses.replace(row, workload=name)) == shape
