"""Layers of KerasHub count as KerasHub 0.32 counts them; figures are `model.count_params()`."""

import pytest

from advisor.model.kernel import UnknownShape
from tests.advisor.network.networks_data import built, functional, layer, sequential


def test_a_transformer_of_tokens_has_the_counts_of_keras_hub():
    network = built(
        sequential(
            (12,),
            layer(
                "TokenAndPositionEmbedding", vocabulary_size=50, sequence_length=12,
                embedding_dim=16, tie_weights=True,
            ),
            layer("TransformerEncoder", intermediate_dim=32, num_heads=2, dropout=0.1),
            layer("TransformerEncoder", intermediate_dim=32, num_heads=4, normalize_first=True),
            layer("Dense", units=2),
        )
    )  # fmt: skip
    assert (network.parameters, network.multiply_adds_per_sample) == (5474, 58752)
    assert network.outputs[0].shape == (12, 2)
    assert network.notes == ()
    dropped = [op for op in network.operators if getattr(op.shape, "op", "") == "dropout"]
    assert len(dropped) == 2


def test_a_decoder_attends_to_a_second_sequence_where_it_has_one():
    decoder = layer("TransformerDecoder", intermediate_dim=32, num_heads=2)
    calls = {
        "one": (decoder, ["words", "memory"]),
        "two": (decoder, ["one"]),
        "end": (layer("Dense", units=2), ["two"]),
    }
    network = built(functional({"words": (12, 16), "memory": (9, 16)}, calls, ["end"]))
    assert (network.parameters, network.multiply_adds_per_sample) == (5602, 72960)
    assert network.notes == ()


def test_positions_are_learnt_or_computed():
    network = built(
        sequential(
            (12, 16),
            layer("PositionEmbedding", sequence_length=20),
            layer("SinePositionEncoding", max_wavelength=10000),
        )
    )
    assert (network.parameters, network.outputs[0].shape, network.notes) == (320, (12, 16), ())


@pytest.mark.parametrize(
    "own",
    [
        layer("TransformerEncoder", embed_dim=16, dense_dim=32, num_heads=2),
        layer("TokenAndPositionEmbedding", maxlen=12, vocab_size=50, embed_dim=16),
        layer("PositionEmbedding", length=3),
    ],
)
def test_a_layer_of_the_users_own_with_such_a_name_is_unknown(own):
    network = built(sequential((12, 16), own))
    assert isinstance(network.operators[0].shape, UnknownShape)
    assert "weights" in network.notes[0]
