"""What we read from a file agrees with what Keras says of the same model."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from advisor.network.bundled import bundled_config_text
from advisor.network.keras_config import network_from_config

_CASES = Path(__file__).with_name("keras_cases.py")


@pytest.fixture(scope="module")
def cases() -> dict[str, dict[str, Any]]:
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(
        [sys.executable, str(_CASES)], capture_output=True, check=True, env=environment, timeout=120
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return {line["case"]: line for line in lines}


def _fits(ours: list[int], theirs: list[int | None]) -> bool:
    """Keras leaves a size open (None) where it does not follow it."""
    return len(ours) == len(theirs) and all(
        b is None or a == b for a, b in zip(ours, theirs, strict=True)
    )


def test_every_layer_type_has_the_counts_and_shapes_of_keras(
    cases: dict[str, dict[str, Any]],
) -> None:
    assert len(cases) > 90
    wrong = {}
    for name, case in cases.items():
        network = network_from_config(json.loads(case["model"]), name=name, batch_size=3)
        ours = (network.parameters, network.trainable_parameters, network.variables)
        shapes = sorted(list(tensor.shape) for tensor in network.outputs)
        theirs = sorted(case["outputs"], key=lambda shape: [size or 0 for size in shape])
        counts_fit = ours == (case["parameters"], case["trainable"], case["variables"])
        is_open = name == "einsum"  # Keras does not follow one of its sizes
        fits = _fits(shapes[0], theirs[0]) if is_open else shapes == theirs
        if not (counts_fit and fits) or network.notes:
            wrong[name] = (ours, shapes, network.notes)
    assert wrong == {}


def test_recorded_shapes_of_keras_agree_with_ours_inside_the_graph(
    cases: dict[str, dict[str, Any]],
) -> None:
    """The file records the shape of every tensor; each layer's result must have it."""
    config = json.loads(cases["transformer"]["model"])
    recorded = {}
    for entry in config["config"]["layers"]:
        for node in entry["inbound_nodes"]:
            for value in [*node["args"], *node["kwargs"].values()]:
                if isinstance(value, dict) and value["class_name"] == "__keras_tensor__":
                    name = value["config"]["keras_history"][0]
                    recorded[name] = tuple(value["config"]["shape"][1:])
    network = network_from_config(config, name="transformer", batch_size=1)
    ours = {layer.name: layer.outputs[0] for layer in network.layers}
    compared = {name: ours[name] for name in recorded if name in ours}
    assert len(compared) > 10
    assert compared == {name: recorded[name] for name in compared}


def test_custom_code_is_named_and_takes_its_shape_from_the_file(
    cases: dict[str, dict[str, Any]],
) -> None:
    config = json.loads(cases["transformer"]["model"])
    for entry in config["config"]["layers"]:
        if entry["class_name"] == "GlobalAveragePooling1D":
            entry["class_name"] = "Custom>Fancy"
    network = network_from_config(config, name="custom", batch_size=2)
    (note,) = network.notes
    assert "Fancy" in note
    assert "recorded in the file" in note
    assert network.outputs[0].shape == (3,)


@pytest.mark.slow
def test_bundled_files_train_in_keras_and_have_its_counts() -> None:
    script = """
import json, sys
import numpy as np, keras
from advisor.network.bundled import bundled_config_text
for name in sys.argv[1:]:
    model = keras.models.model_from_json(bundled_config_text(name))
    model.compile(optimizer="sgd", loss="mse")
    feeds = [np.ones((2, *shape.shape[1:]), "float32") for shape in model.inputs]
    ends = [np.zeros((2, *shape.shape[1:]), "float32") for shape in model.outputs]
    one = lambda values: values if len(values) > 1 else values[0]
    loss = model.train_on_batch(one(feeds), one(ends))
    trainable = sum(int(np.prod(w.shape)) for w in model.trainable_weights)
    print(json.dumps([name, model.count_params(), trainable, bool(np.all(np.isfinite(loss)))]))
"""
    names = [
        "alexnet-r", "resnet-56", "lstm-ptb", "mnist-cnn", "imdb-bidirectional-lstm",
        "text-generator", "mobilenetv3small", "convnexttiny", "inceptionresnetv2",
    ]  # fmt: skip
    environment = {
        **os.environ,
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "CUDA_VISIBLE_DEVICES": "",
        "PYTHONPATH": str(Path(__file__).parents[3]),
    }
    done = subprocess.run(
        [sys.executable, "-c", script, *names], capture_output=True, check=True, env=environment
    )
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith(b"[")]
    assert [line[0] for line in lines] == names
    for name, parameters, trainable, is_finite in lines:
        network = network_from_config(
            json.loads(bundled_config_text(name)), name=name, batch_size=1
        )
        assert (network.parameters, network.trainable_parameters) == (parameters, trainable)
        assert is_finite
