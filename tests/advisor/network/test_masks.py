"""Masks of moments that do not count, from the layer that makes one to those that obey it."""

import pytest

from advisor.model.kernel import RecurrentShape
from advisor.model.quantity import Phase
from advisor.predict.work import kernel_calls
from tests.advisor.network.networks_data import built, functional, layer, sequential

WORDS = layer("Embedding", input_dim=9, output_dim=4, mask_zero=True)


def shapes(network):
    return [op.shape for op in network.operators if isinstance(op.shape, RecurrentShape)]


def lstm(**config):
    return layer("LSTM", units=3, **config)


@pytest.mark.parametrize(
    ("between", "is_masked"),
    [
        ((), True),
        ((layer("Dropout", rate=0.1), layer("Dense", units=4)), True),
        ((lstm(return_sequences=True),), True),
        ((layer("Bidirectional", layer=lstm(return_sequences=True)),), True),
        ((layer("Conv1D", filters=4, kernel_size=3),), False),
        ((layer("RMSNormalization"),), False),
    ],
)
def test_a_mask_goes_through_layers_that_hand_it_on(between, is_masked):
    network = built(sequential((7,), WORDS, *between, lstm()))
    assert shapes(network)[-1].is_masked is is_masked


def test_a_mask_ends_where_only_the_last_state_is_given():
    again = layer("RepeatVector", n=5)
    network = built(sequential((7,), WORDS, lstm(), again, lstm()))
    assert [shape.is_masked for shape in shapes(network)] == [True, False]
    network = built(sequential((7,), layer("Embedding", input_dim=9, output_dim=4), lstm()))
    assert not shapes(network)[0].is_masked


def test_a_layer_that_masks_values_and_a_wrapper_of_both_directions_obey():
    network = built(sequential((7, 4), layer("Masking"), layer("Bidirectional", layer=lstm())))
    assert shapes(network)[0].is_masked
    assert shapes(network)[0].is_bidirectional


def test_one_masked_input_masks_what_is_joined_and_models_take_the_mask_inside():
    inner = sequential((7, 4), lstm())
    config = functional(
        {"words": (7,), "facts": (7, 4)},
        {
            "looked_up": (WORDS, ["words"]),
            "joined": (layer("Add"), ["looked_up", "facts"]),
            "read": (inner, ["joined"]),
        },
        ["read"],
    )
    assert shapes(built(config))[0].is_masked


@pytest.mark.parametrize(
    ("config", "dropped"),
    [
        ({}, (False, False)),
        ({"dropout": 0.3}, (True, False)),
        ({"dropout": 0.0, "recurrent_dropout": 0.2}, (False, True)),
        ({"dropout": 0.1, "recurrent_dropout": 0.2}, (True, True)),
    ],
)
def test_what_a_layer_drops_out_is_part_of_its_training_alone(config, dropped):
    (operator,) = built(sequential((7, 4), lstm(**config))).operators
    for phase, expected in ((Phase.TRAINING, dropped), (Phase.INFERENCE, (False, False))):
        calls = kernel_calls(operator, phase=phase, batch_size=2)
        assert {(c.shape.drops_inputs, c.shape.drops_states) for c in calls} == {expected}


@pytest.mark.parametrize(
    ("config", "is_split"),
    [
        ({}, False),
        ({"dropout": 0.3, "implementation": 2}, False),
        ({"recurrent_dropout": 0.0}, False),
        ({"recurrent_dropout": 0.2}, True),
        ({"implementation": 1}, True),
    ],
)
@pytest.mark.parametrize("is_training", [True, False])
def test_dropping_states_out_splits_the_products_in_inference_too(config, is_split, is_training):
    network = built(sequential((7, 4), lstm(**config)), is_training=is_training)
    assert shapes(network)[0].is_split is is_split
    plain = layer("SimpleRNN", units=3, **config)
    assert not shapes(built(sequential((7, 4), plain)))[0].is_split
