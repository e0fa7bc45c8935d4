"""Networks without Keras: shapes and weights from the configuration, and what is refused."""

import json

import numpy as np
import pytest

from advisor.network.bundled import bundled_config_text


def config(*layers):
    entries = [
        {"class_name": "InputLayer", "config": {"name": "in", "batch_shape": [None, 9, 9, 3]}}
    ]
    entries += [
        {"class_name": kind, "config": {"name": f"l{at}", **settings}}
        for at, (kind, settings) in enumerate(layers)
    ]
    return json.dumps({"class_name": "Sequential", "config": {"layers": entries}})


def plain(*layers):
    from user_network_plain import Plain

    return Plain(config(*layers))


CONV = {"filters": 4, "kernel_size": [3, 3]}


@pytest.mark.parametrize(
    ("kind", "settings", "shape"),
    [
        ("Conv2D", CONV, (7, 7, 4)),
        ("Conv2D", {**CONV, "padding": "same", "strides": [2, 2]}, (5, 5, 4)),
        ("Conv2D", {**CONV, "dilation_rate": 2}, (5, 5, 4)),
        ("MaxPooling2D", {}, (4, 4, 3)),
        ("MaxPooling2D", {"pool_size": 3, "strides": 2, "padding": "same"}, (5, 5, 3)),
        ("ZeroPadding2D", {"padding": [[1, 2], [3, 4]]}, (12, 16, 3)),
        ("ZeroPadding2D", {}, (11, 11, 3)),
        ("ZeroPadding2D", {"padding": [1, 2]}, (11, 13, 3)),
        ("Flatten", {}, (243,)),
        ("GlobalAveragePooling2D", {}, (3,)),
        ("BatchNormalization", {}, (9, 9, 3)),
        ("Activation", {"activation": "relu"}, (9, 9, 3)),
    ],
)
def test_shapes(kind, settings, shape):
    assert plain((kind, settings)).outputs[0].shape == (None, *shape)


@pytest.mark.parametrize(
    ("layers", "words"),
    [
        ([("Lambda", {})], "a layer Lambda"),
        ([("Dense", {"units": 3})], "a layer Dense"),
        ([("Conv2D", {**CONV, "activation": "gelu"})], "gelu"),
        ([("Conv2D", {**CONV, "data_format": "channels_first"})], "channels first"),
        ([("AveragePooling2D", {"padding": "same"})], "padded edges"),
        ([("BatchNormalization", {"scale": False})], "BatchNormalization"),
        ([("InputLayer", {"batch_shape": [None, None]})], "open input shape"),
        ([("InputLayer", {"batch_shape": [None, 3]})], "exactly one input"),
    ],
)
def test_what_is_not_known_is_refused_by_name(layers, words):
    from worker_errors import UnsupportedKernel

    with pytest.raises(UnsupportedKernel, match=words):
        plain(*layers)


def test_joins_and_inputs_of_a_graph_are_followed_in_both_spellings():
    from user_network_plain import Plain

    def tensor(name):
        return {"class_name": "__keras_tensor__", "config": {"keras_history": [name, 0, 0]}}

    layers = [
        {"class_name": "InputLayer", "config": {"name": "in", "batch_shape": [None, 4, 4, 2]}},
        {"class_name": "Conv2D", "config": {"name": "c", **CONV, "padding": "same"},
         "inbound_nodes": [[["in", 0, 0, {}]]]},
        {"class_name": "Concatenate", "config": {"name": "j"},
         "inbound_nodes": [{"args": [[tensor("in"), tensor("c")]], "kwargs": {}}]},
        {"class_name": "Flatten", "config": {"name": "unused"},
         "inbound_nodes": [{"args": [tensor("in")], "kwargs": {}}]},
    ]  # fmt: skip
    text = {"layers": layers, "output_layers": [["j", 0, 0]]}
    network = Plain(json.dumps({"class_name": "Functional", "config": text}))
    assert network.layers["j"].inputs == ["in", "c"]
    assert network.outputs[0].shape == (None, 4, 4, 6)
    text["output_layers"] = [["j", 0, 0], ["unused", 0, 0]]
    from worker_errors import UnsupportedKernel

    with pytest.raises(UnsupportedKernel, match="several outputs"):
        Plain(json.dumps({"class_name": "Functional", "config": text}))


def test_weights_are_drawn_evenly_and_a_forget_gate_is_open():
    network = plain(("Conv2D", CONV), ("Flatten", {}), ("Dense", {"units": 50}))
    kernel = network.layers["l2"].weights["kernel"]
    assert abs(kernel).max() <= np.sqrt(6.0 / sum(kernel.shape))
    assert abs(float(kernel.mean())) < 0.01
    from user_network_plain import Plain

    lstm = Plain(bundled_config_text("lstm-ptb")).layers["lstm"]
    assert lstm.weights["bias"].sum() == lstm.config["units"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:__array__ implementation")
@pytest.mark.parametrize("name", ["mnist-cnn", "alexnet-s", "lstm-ptb", "resnet-50"])
def test_weights_and_shapes_are_those_of_keras(name):
    pytest.importorskip("keras")
    import keras
    import user_network_model
    from user_network_plain import Plain

    text = bundled_config_text(name)
    network = Plain(text)
    model = keras.models.model_from_json(text)
    user_network_model._set_weights(model)
    for layer in model.layers:
        own = network.layers[layer.name]
        if not isinstance(layer, keras.layers.InputLayer):
            assert own.shape == tuple(layer.output.shape[1:]), layer.name
        values = list(own.weights.values())
        assert len(values) == len(layer.get_weights()), layer.name
        for mine, theirs in zip(values, layer.get_weights(), strict=True):
            assert np.array_equal(mine, theirs), layer.name


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:__array__ implementation")
@pytest.mark.parametrize("name", ["mnist-cnn", "alexnet-s", "lstm-ptb", "prylipko-cnn"])
def test_the_model_that_is_written_computes_what_keras_computes(name):
    """Run by the reference of ONNX itself."""
    pytest.importorskip("keras")
    import io

    import keras
    import onnx
    import onnx.reference
    import user_network_model
    from user_network_onnx import model_of
    from user_network_plain import Plain

    text = bundled_config_text(name)
    network = Plain(text)
    model = keras.models.model_from_json(text)
    user_network_model._set_weights(model)
    written = onnx.load(io.BytesIO(model_of(network, 2)))
    onnx.checker.check_model(written)
    shape = (2, *network.inputs[0].shape[1:])
    random = np.random.default_rng(1)
    looks_up = network.vocabulary is not None
    batch = random.integers(0, 50, shape) if looks_up else random.standard_normal(shape)
    batch = batch.astype("int32" if looks_up else "float32")
    found = onnx.reference.ReferenceEvaluator(written).run(None, {"x": batch})[0]
    wanted = np.asarray(model.predict_on_batch(batch))
    assert found.shape == wanted.shape
    assert np.allclose(found, wanted, rtol=1e-3, atol=1e-6)
