"""Layers around layers, and layers that no rule knows."""

import pytest

from tests.advisor.network.networks_data import built, layer, sequential


@pytest.mark.parametrize(
    ("shape", "inner", "width"),
    [
        ((8, 8, 3), layer("Conv2DTranspose", filters=7, kernel_size=3, strides=2), 3),
        ((8, 8, 3), layer("DepthwiseConv2D", kernel_size=3, depth_multiplier=2), 2),
        ((3, 8, 8), layer("Conv2D", filters=7, kernel_size=3, data_format="channels_first"), 7),
        ((8, 8, 3), layer("Conv2D", filters=7, kernel_size=3), 7),
        ((8,), layer("Dense", units=5), 5),
        ((8,), layer("Embedding", input_dim=9, output_dim=4), 4),
    ],
)
def test_spectral_normalisation_keeps_a_vector_as_the_kernel_ends(shape, inner, width):
    plain = built(sequential(shape, inner)).parameters
    network = built(sequential(shape, layer("SpectralNormalization", layer=inner)))
    assert network.parameters == plain + width


def test_batch_renormalisation_keeps_its_statistics_twice():
    network = built(sequential((6, 8), layer("BatchNormalization", renorm=True)))
    assert (network.parameters, network.trainable_parameters) == (56, 16)


@pytest.mark.parametrize("class_name", ["Lambda", "Custom>Flat"])
def test_in_a_row_the_next_layer_says_what_an_unknown_one_gives(class_name):
    after = {**layer("Dense", units=2), "build_config": {"input_shape": [None, 48]}}
    network = built(sequential((6, 8), layer(class_name, name="odd"), after))
    assert network.layers[0].outputs == ((48,),)
    assert network.parameters == 98
    (note,) = network.notes
    assert "recorded in the file" in note


@pytest.mark.parametrize("built_for", [None, [], [None, None], [[None, 3], [None, 4]], "x", 7])
def test_what_says_nothing_is_not_taken(built_for):
    after = {**layer("Dense", units=2), "build_config": {"input_shape": built_for}}
    if built_for == []:
        after["build_config"] = []
    network = built(sequential((6, 8), layer("Lambda"), after))
    assert network.layers[0].outputs == ((6, 8),)


def test_weights_of_an_unknown_layer_are_said_to_be_missing():
    (note,) = built(sequential((9,), layer("Custom>Magic"), layer("Dense", units=2))).notes
    assert "the work and the weights of this kind of layer are not known and count as nothing" in (
        note
    )
    (note,) = built(sequential((9,), layer("Lambda"), layer("Dense", units=2))).notes
    assert "weights" not in note
