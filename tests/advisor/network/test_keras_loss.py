"""The loss that a Keras file was compiled with."""

import pytest

from advisor.model.workload import Job
from advisor.network.keras_loss import compiled_loss
from advisor.network.load import workload_from_bytes


def filed(loss):
    return {"class_name": "Functional", "compile_config": {"optimizer": "adam", "loss": loss}}


@pytest.mark.parametrize(
    ("loss", "expected"),
    [
        ("mse", "mse"),
        ({"class_name": "function", "config": "binary_crossentropy"}, "binary_crossentropy"),
        ({"class_name": "BinaryCrossentropy", "config": {"from_logits": False}},
         "binary_crossentropy"),
        ({"class_name": "MeanSquaredError"}, "mse"),
        ({"class_name": "SparseCategoricalCrossentropy", "config": {"from_logits": True}}, None),
        ({"class_name": "Own", "config": {}}, None),
        (["mse", "mae"], None),
        (None, None),
    ],
)  # fmt: skip
def test_the_name_of_a_loss_is_read_and_code_is_not(loss, expected):
    assert compiled_loss(filed(loss)) == expected


@pytest.mark.parametrize("config", [None, [], {}, {"compile_config": None}])
def test_a_file_without_a_loss_has_none(config):
    assert compiled_loss(config) is None


def test_a_workload_carries_the_loss_of_its_file():
    text = b"""{"class_name": "Sequential", "config": {"name": "s", "layers": [
        {"class_name": "InputLayer", "config": {"batch_shape": [null, 4], "name": "i"}},
        {"class_name": "Dense", "config": {"units": 2, "name": "d"}}]}%s}"""
    plain = workload_from_bytes(text % b"", name="a.json", job=Job())
    assert plain.loss is None
    compiled = workload_from_bytes(
        text % b', "compile_config": {"loss": "mae"}', name="a.json", job=Job()
    )
    assert compiled.loss == "mae"
