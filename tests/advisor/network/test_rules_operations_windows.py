"""Operations on images count as the layers that do the same, without weights."""

import pytest

from advisor.errors import NetworkFileError
from advisor.model.kernel import ConvShape, ElementwiseShape, PoolShape, UnknownShape
from tests.advisor.network.networks_data import array, built, operation, sequential
from tests.advisor.network.networks_data import layer as layer_of


# The layer that does the same, for each operation.
@pytest.mark.parametrize(
    ("op", "given", "config", "layer"),
    [
        ("Conv", [array(3, 3, 6, 8)], {"strides": 2, "padding": "same"},
         layer_of("Conv2D", filters=8, kernel_size=3, strides=2, padding="same")),
        ("Conv", [array(3, 3, 3, 8)], {"strides": 1, "padding": "VALID", "dilation_rate": 2},
         layer_of("Conv2D", filters=8, kernel_size=3, groups=2, dilation_rate=2)),
        ("ConvTranspose", [array(3, 3, 8, 6)],
         {"strides": 2, "padding": "same", "output_padding": None},
         layer_of("Conv2DTranspose", filters=8, kernel_size=3, strides=2, padding="same")),
        ("DepthwiseConv", [array(3, 3, 6, 2)], {"strides": 1, "padding": "same"},
         layer_of("DepthwiseConv2D", kernel_size=3, depth_multiplier=2, padding="same")),
        ("SeparableConv", [array(3, 3, 6, 2), array(1, 1, 12, 4)],
         {"strides": 1, "padding": "same"},
         layer_of("SeparableConv2D", filters=4, kernel_size=3, depth_multiplier=2,
                  padding="same")),
        ("MaxPool", [], {"pool_size": 2, "strides": None, "padding": "valid"},
         layer_of("MaxPooling2D", pool_size=2)),
        ("AveragePool", [], {"pool_size": [3, 3], "strides": 2, "padding": "same"},
         layer_of("AveragePooling2D", pool_size=3, strides=2, padding="same")),
        ("AdaptiveAveragePool", [], {"output_size": [4, 4]},
         layer_of("AdaptiveAveragePooling2D", output_size=4)),
        ("AdaptiveMaxPool", [], {"output_size": 4},
         layer_of("AdaptiveMaxPooling2D", output_size=4)),
        ("Resize", [], {"size": [32, 24], "interpolation": "bilinear"},
         layer_of("Resizing", height=32, width=24)),
        ("GaussianBlur", [], {"kernel_size": [3, 3], "sigma": [1.0, 1.0]},
         layer_of("DepthwiseConv2D", kernel_size=3, padding="same")),
        ("ExtractPatches", [], {"size": [4, 4], "strides": None, "padding": "valid"},
         layer_of("Conv2D", filters=96, kernel_size=4, strides=4)),
        ("ExtractPatches", [], {"size": 4, "strides": 2, "padding": "same", "dilation_rate": 1},
         layer_of("Conv2D", filters=96, kernel_size=4, strides=2, padding="same")),
    ],
)  # fmt: skip
def test_an_operation_is_told_as_the_layer_that_does_the_same(op, given, config, layer):
    ours = operation(op, (16, 16, 6), *given, data_format="channels_last", **config)
    theirs = built(sequential((16, 16, 6), layer))
    assert [one.shape for one in ours.operators] == [one.shape for one in theirs.operators]
    assert ours.outputs[0].shape == theirs.outputs[0].shape
    assert (ours.parameters, ours.notes) == (0, ())


def test_channels_may_come_first():
    network = operation(
        "Conv", (6, 16, 16), array(3, 3, 6, 8), strides=1, padding="same",
        data_format="channels_first",
    )  # fmt: skip
    assert network.outputs[0].shape == (8, 16, 16)
    patches = operation("ExtractPatches", (6, 16, 16), size=[4, 4], data_format="channels_first")
    assert patches.outputs[0].shape == (96, 4, 4)
    grey = operation("RGBToGrayscale", (3, 16, 16), data_format="channels_first")
    assert grey.outputs[0].shape == (1, 16, 16)


def test_one_and_three_dimensions():
    assert operation("Conv", (20, 6), array(3, 6, 8), strides=1, padding="valid").outputs[
        0
    ].shape == (18, 8)
    assert operation("MaxPool", (8, 8, 8, 3), pool_size=2, strides=2).outputs[0].shape == (
        4,
        4,
        4,
        3,
    )


def test_values_that_are_gathered_from_four_places():
    network = operation("AffineTransform", (16, 16, 3), array(1, 8))
    assert network.operators[0].shape == ElementwiseShape(op="add", elements=1536, n_inputs=4)
    grey = operation("RGBToGrayscale", (16, 16, 3))
    assert (grey.outputs[0].shape, grey.operators[0].output_elements) == ((16, 16, 1), 512)


@pytest.mark.parametrize(
    ("op", "given", "config"),
    [
        ("Conv", [(16, 16, 6)], {}),
        ("Conv", [(16, 16, 6), (3, 3, 6, 8)], {}),
        ("Conv", [(16, 16, 6), array(3, 6, 8)], {}),
        ("Conv", [(16, 16, 6), array(3, 3, 6, 0)], {}),
        ("ConvTranspose", [(16, 16, 6)], {}),
        ("DepthwiseConv", [(16, 16, 6)], {}),
        ("SeparableConv", [(16, 16, 6), array(3, 3, 6, 2)], {}),
        ("MaxPool", [(6,)], {}),
        ("ExtractPatches", [(6,)], {"size": 2}),
        ("GaussianBlur", [(6,)], {}),
        ("Resize", [(6,)], {"size": [2, 2]}),
    ],
)
def test_filters_that_the_file_does_not_show_are_noted(op, given, config):
    network = operation(op, *given, **config)
    assert isinstance(network.operators[0].shape, UnknownShape)
    assert len(network.notes) == 1


def test_filters_that_do_not_fit_are_refused():
    with pytest.raises(NetworkFileError, match="do not fit its input"):
        operation("Conv", (16, 16, 6), array(3, 3, 4, 8), strides=1, padding="same")


def test_kinds_of_kernels():
    made = operation("Conv", (16, 16, 6), array(3, 3, 6, 8), strides=1, padding="same")
    assert isinstance(made.operators[0].shape, ConvShape)
    pooled = operation("MaxPool", (16, 16, 6), pool_size=2)
    assert isinstance(pooled.operators[0].shape, PoolShape)
