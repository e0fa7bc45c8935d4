"""Whole networks: their configuration, and (slow) real steps."""

import json

import pytest

from advisor.model.measurement import Outcome
from advisor.model.quantity import Phase, Precision
from probes.bench.trial import TrialRequest, run_trial


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
TEXT = sequential(
    layer("in", "InputLayer", batch_shape=[None, 7], dtype="float32"),
    layer("e", "Embedding", input_dim=20, output_dim=4),
    layer("l", "LSTM", units=3),
)


def test_the_number_format_of_computing_layers_is_changed():
    from keras_network import with_policy

    before = json.loads(DENSE)
    after = with_policy(before, "mixed_bfloat16")
    layers = after["config"]["layers"]
    assert layers[0]["config"]["dtype"] == "float32"
    assert layers[1]["config"]["dtype"] == "mixed_bfloat16"
    assert layers[1]["config"]["units"] == 5
    assert "dtype" not in layers[2]["config"]
    assert before == json.loads(DENSE)


def test_layers_of_integers_keep_their_format():
    from keras_network import with_policy

    config = layer("x", "Rescaling", dtype="int32")
    assert with_policy([config], "mixed_bfloat16") == [config]


def test_links_between_layers_keep_their_format():
    from keras_network import with_policy

    link = {"class_name": "__keras_tensor__", "config": {"shape": [None, 6], "dtype": "float32"}}
    config = layer("d", "Dense", units=2, dtype=FLOAT)
    config["inbound_nodes"] = [{"args": [link], "kwargs": {}}]
    after = with_policy(config, "mixed_bfloat16")
    assert after["config"]["dtype"] == "mixed_bfloat16"
    assert after["inbound_nodes"][0]["args"] == [link]


def trial(model_json, **more):
    values = {"phase": Phase.TRAINING, "batch_size": 4, "min_value_s": 0.002, "n_values": 2}
    return run_trial(TrialRequest(id="x", model_json=model_json, **{**values, **more}))


@pytest.mark.slow
def test_steps_of_a_network_in_training():
    result = trial(DENSE, optimizer="adam", threads=1)
    assert result.outcome is Outcome.COMPLETED, result.message
    assert result.stack.framework == "keras"
    assert len(result.values_s) == 2
    assert result.loss > 0
    assert "4 of 4 weight tensors changed" in result.check


@pytest.mark.slow
def test_steps_of_a_network_that_looks_up_words_in_inference():
    result = trial(TEXT, phase=Phase.INFERENCE, precision=Precision.BFLOAT16)
    assert result.outcome is Outcome.COMPLETED, result.message
    assert result.loss is None
    assert result.check == "all outputs are finite"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model_json", "words"),
    [
        ("{}", "no network"),
        (DENSE.replace("[null, 6]", "[null, null]"), "open"),
        (sequential(layer("l", "Lambda", function="x")), ""),
    ],
)
def test_what_is_no_network_to_run_fails_with_a_reason(model_json, words):
    result = trial(model_json)
    assert result.outcome in (Outcome.FAILED, Outcome.UNSUPPORTED)
    assert result.message
    assert words in result.message or result.outcome is Outcome.FAILED
