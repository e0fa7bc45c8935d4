"""The number format of a network's configuration."""

import json

from keras_network import with_policy


def layer(name, class_name, **config):
    return {"module": "keras.layers", "class_name": class_name, "config": {"name": name, **config}}


def sequential(*layers):
    return json.dumps({
        "module": "keras", "class_name": "Sequential", "registered_name": None,
        "config": {"name": "net", "layers": list(layers)},
    })  # fmt: skip


FLOAT = {"module": "keras", "class_name": "DTypePolicy", "config": {"name": "float32"}}
DENSE = sequential(
    layer("in", "InputLayer", batch_shape=[None, 6], dtype="float32"),
    layer("a", "Dense", units=5, activation="relu", dtype=FLOAT),
    layer("b", "Dense", units=2),
)


def test_the_number_format_of_computing_layers_is_changed():
    before = json.loads(DENSE)
    after = with_policy(before, "mixed_bfloat16")
    layers = after["config"]["layers"]
    assert layers[0]["config"]["dtype"] == "float32"
    assert layers[1]["config"]["dtype"] == "mixed_bfloat16"
    assert layers[1]["config"]["units"] == 5
    assert "dtype" not in layers[2]["config"]
    assert before == json.loads(DENSE)


def test_layers_of_integers_keep_their_format():
    config = layer("x", "Rescaling", dtype="int32")
    assert with_policy([config], "mixed_bfloat16") == [config]


def test_links_between_layers_keep_their_format():
    link = {"class_name": "__keras_tensor__", "config": {"shape": [None, 6], "dtype": "float32"}}
    config = layer("d", "Dense", units=2, dtype=FLOAT)
    config["inbound_nodes"] = [{"args": [link], "kwargs": {}}]
    after = with_policy(config, "mixed_bfloat16")
    assert after["config"]["dtype"] == "mixed_bfloat16"
    assert after["inbound_nodes"][0]["args"] == [link]
