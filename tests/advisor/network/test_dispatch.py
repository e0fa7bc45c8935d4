"""Layers around layers, and layers that no rule knows."""

import pytest

from tests.advisor.network.networks_data import built, functional, layer, sequential


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


@pytest.mark.parametrize(
    ("feed", "stated", "made"),
    [
        ((None, 8), [None, None, 48], (128, 48)),
        ((None,), [None, None, 48], (128, 48)),
        ((None, None, 3), [None, None, None, 16], (224, 224, 16)),
        ((None, 8), [4, None, 48], (128, 48)),
    ],
)
def test_an_open_size_behind_an_unknown_layer_is_that_of_its_input(feed, stated, made):
    after = {**layer("Dense", units=2), "build_config": {"input_shape": stated}}
    network = built(sequential(feed, layer("Custom>Own", name="odd"), after))
    assert network.layers[0].outputs == (made,)
    assert network.parameters == 2 * made[-1] + 2
    assert "recorded in the file" in network.notes[-1]


@pytest.mark.parametrize("samples", [None, 4])
def test_a_batch_of_fixed_size_stands_in_front_of_recorded_shapes(samples):
    def feed(name, shape):
        history = {"shape": shape, "keras_history": [name, 0, 0]}
        return {"class_name": "__keras_tensor__", "config": history}

    def node(entry, name, shape):
        nodes = [{"args": [feed(name, shape)], "kwargs": {}}]
        return {**entry, "name": entry["config"]["name"], "inbound_nodes": nodes}

    start = layer("InputLayer", name="in", batch_shape=[samples, None, 16])
    layers = [
        {**start, "name": "in", "inbound_nodes": []},
        node(layer("Lambda", name="odd"), "in", [samples, None, 16]),
        node(layer("Dense", name="end", units=2), "odd", [samples, None, 16]),
    ]
    ends = {"input_layers": [["in", 0, 0]], "output_layers": [["end", 0, 0]]}
    network = built({"class_name": "Functional", "config": {"layers": layers, **ends}})
    assert network.outputs[0].shape == (128, 2)
    assert network.multiply_adds_per_sample == 128 * 16 * 2


def test_a_lambda_may_say_what_it_makes():
    last = layer("Lambda", name="own", output_shape=[None, 4])
    network = built(sequential((6, 8), layer("Dense", units=3), last))
    assert network.outputs[0].shape == (6, 4)
    assert "recorded in the file" in network.notes[0]


def test_in_a_graph_of_keras_2_the_next_layer_says_what_an_unknown_one_gives():
    calls = {"odd": (layer("Lambda"), ["in"]), "end": (layer("Dense", units=2), ["odd"])}
    config = functional({"in": (6, 8)}, calls, ["end"])
    config["config"]["layers"][-1]["build_config"] = {"input_shape": [None, 48]}
    network = built(config)
    assert network.parameters == 98
    assert "recorded in the file" in network.notes[0]


def test_weights_of_an_unknown_layer_are_said_to_be_missing():
    (note,) = built(sequential((9,), layer("Custom>Magic"), layer("Dense", units=2))).notes
    assert "the work and the weights of this kind of layer are not known and count as nothing" in (
        note
    )
    (note,) = built(sequential((9,), layer("Lambda"), layer("Dense", units=2))).notes
    assert "weights" not in note


@pytest.mark.parametrize(
    "code", [{"value": ["4wEA", None, None]}, {"class_name": "__lambda__", "config": {"code": "x"}}]
)
def test_an_activation_that_is_code_is_noted(code):
    network = built(sequential((9,), layer("Dense", name="d", units=4, activation=code)))
    assert network.parameters == 40
    (note,) = network.notes
    assert "lambda" in note
