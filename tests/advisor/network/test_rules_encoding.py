"""Layers that look words and categories up have no weights and a result of known size."""

import pytest

from advisor.errors import NetworkFileError
from advisor.model.kernel import ElementwiseShape, GemmShape, UnknownShape
from tests.advisor.network.networks_data import built, layer, sequential


# Sizes of Keras 3.15.
@pytest.mark.parametrize(
    ("body", "shape", "made", "op"),
    [
        (layer("CategoryEncoding", num_tokens=6, output_mode="one_hot"), (1,), (6,), "one_hot"),
        (layer("CategoryEncoding", num_tokens=6, output_mode="one_hot"), (4,), (4, 6), "one_hot"),
        (layer("CategoryEncoding", num_tokens=8), (5,), (8,), "one_hot"),
        (layer("Discretization", bin_boundaries=[0.0, 1.0, 2.0], output_mode="one_hot"), (1,),
         (4,), "one_hot"),
        (layer("Discretization", num_bins=7), (3,), (3,), "look_up"),
        (layer("Hashing", num_bins=9, output_mode="multi_hot"), (4,), (9,), "one_hot"),
        (layer("HashedCrossing", num_bins=11), (1,), (1,), "look_up"),
        (layer("StringLookup", vocabulary=["x", "y", "z"], output_mode="one_hot"), (1,), (4,),
         "one_hot"),
        (layer("IntegerLookup", vocabulary_size=5, output_mode="count"), (3,), (5,), "one_hot"),
        (layer("TextVectorization", max_tokens=50, output_sequence_length=8), (), (8,),
         "look_up"),
        (layer("TextVectorization", max_tokens=50, vocabulary_size=4, output_mode="multi_hot"),
         (1,), (4,), "one_hot"),
        (layer("TextVectorization", max_tokens=50, vocabulary_size=4, output_mode="tf_idf",
               pad_to_max_tokens=True), (1,), (50,), "one_hot"),
    ],
)  # fmt: skip
def test_what_is_looked_up_has_a_known_size(body, shape, made, op):
    network = built(sequential(shape, body, layer("Dense", units=3)))
    (encoded, product, *_) = network.operators
    size = encoded.output_elements
    assert encoded.shape == ElementwiseShape(op=op, elements=size)
    assert isinstance(product.shape, GemmShape)
    assert network.layers[0].outputs == (made,)
    assert network.parameters == 3 * made[-1] + 3
    assert network.notes == ()


def test_a_size_that_is_not_in_the_file_is_noted():
    network = built(sequential((1,), layer("StringLookup", output_mode="one_hot")))
    assert isinstance(network.operators[0].shape, UnknownShape)
    assert len(network.notes) == 1


def test_another_mode_is_refused():
    with pytest.raises(NetworkFileError, match="not one of"):
        built(sequential((1,), layer("Hashing", num_bins=3, output_mode="both")))


@pytest.mark.parametrize("name", ["AugMix", "Equalization", "Solarization"])
def test_images_are_changed_in_training_only(name):
    body = sequential((8, 8, 3), layer(name), layer("ReLU"))
    assert len(built(body).operators) == 2
    assert len(built(body, is_training=False).operators) == 1
