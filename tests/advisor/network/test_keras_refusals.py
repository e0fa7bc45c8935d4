"""Keras configurations that cannot be, or are no layers: refused in one line."""

import copy
import time

import pytest

from advisor.errors import NetworkFileError
from tests.advisor.network.networks_data import built, functional, layer, sequential


def refuse(config, says):
    with pytest.raises(NetworkFileError, match=says) as caught:
        built(config)
    assert "\n" not in str(caught.value)


IMAGE = (12, 10, 6)


CHAIN = functional(
    {"feed": (9,)},
    {"a": (layer("Dense", units=9), ["feed"]), "b": (layer("Dense", units=9), ["a"])},
    ["b"],
)


def changed(change):
    config = copy.deepcopy(CHAIN)
    change(config["config"])
    return config


def _cycle(config):
    config["layers"][1]["inbound_nodes"] = [[["b", 0, 0, {}]]]


def _missing(config):
    config["layers"][1]["inbound_nodes"] = [[["gone", 0, 0, {}]]]


def _uncalled(config):
    config["layers"][2]["inbound_nodes"] = [[["a", 5, 0, {}]]]


def _no_such_result(config):
    config["layers"][2]["inbound_nodes"] = [[["a", 0, 3, {}]]]


def _applied_to_nothing(config):
    config["layers"][1]["inbound_nodes"] = [[]]


def _no_outputs(config):
    config["output_layers"] = []


def _no_units(config):
    del config["layers"][1]["config"]["units"]


def _wrong_units(config):
    config["layers"][1]["config"]["units"] = "nine"


def _no_shape(config):
    del config["layers"][0]["config"]["batch_shape"]


def _wrong_shape(config):
    config["layers"][0]["config"]["batch_shape"] = [None, "nine"]


def _huge(config):
    config["layers"][1]["config"]["units"] = 2**31
    config["layers"][2]["config"]["units"] = 2**31


def _doubled(config):
    config["layers"].append(copy.deepcopy(config["layers"][1]))


def _inbound_text(config):
    config["layers"][1]["inbound_nodes"] = "feed"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (_cycle, "form a cycle"),
        (_missing, "'gone' is used but not in the file"),
        (_uncalled, "call 6 of layer 'a'"),
        (_no_such_result, "has 1 results, number 4"),
        (_applied_to_nothing, "'a' .Dense. is applied to nothing"),
        (_no_outputs, "which layers are its inputs and outputs"),
        (_no_units, "layer 'a' .Dense.: has no 'units'"),
        (_wrong_units, "must be a whole number, found 'nine'"),
        (_no_shape, "input 'feed' has no shape"),
        (_wrong_shape, "is not a shape"),
        (_huge, "too large for any machine"),
        (_inbound_text, "must be a list"),
        (_doubled, "two layers are called 'a'"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_cannot_be_is_refused_in_one_line(change, says):
    refuse(changed(change), says)


def einsum(**config):
    return layer("EinsumDense", equation="ab,bc->ac", **config)


@pytest.mark.parametrize(
    ("shape", "body", "says"),
    [
        ((4, 4, 3), layer("Conv2D", filters=2, kernel_size=5), "larger than its input"),
        ((9,), layer("Conv2D", filters=2, kernel_size=5), "needs 3 dimensions"),
        (IMAGE, layer("Conv2D", filters=2, kernel_size=1, groups=4), "do not divide"),
        (IMAGE, layer("Conv2D", filters=2, kernel_size=1, data_format="odd"), "data_format"),
        (IMAGE, layer("Cropping2D", cropping=6), "nothing is left"),
        (IMAGE, layer("Reshape", target_shape=[7, -1]), "cannot reshape"),
        (IMAGE, layer("Permute", dims=[1, 2]), "do not permute"),
        (IMAGE, layer("BatchNormalization", axis=9), "axis 9"),
        (IMAGE, layer("BatchNormalization", axis=0), "axis 0"),
        ((7, 5), layer("Bidirectional"), "'layer'"),
        ((7, 5), layer("Bidirectional", layer=layer("LSTM", units=2), merge_mode="x"), "merge"),
        ((7, 5), layer("EinsumDense", equation="ab", output_shape=3), "not of the form"),
        ((7, 5), layer("EinsumDense", equation="ab,bc->ac", output_shape=3), "does not fit"),
        ((9,), einsum(output_shape=[1, 2, 3, 4]), "does not fit its equation"),
        ((9,), einsum(output_shape=["c"]), "not a shape"),
        ((9,), einsum(output_shape=[-3]), "not a shape"),
        ((9,), einsum(output_shape=[3], bias_axes=5), "must be a text"),
        ((9,), einsum(output_shape=[3], bias_axes="x"), "are not in its equation"),
        ((9,), layer("Dense", units=2, activation=3), "must name a function"),
        ((7, 5), layer("MultiHeadAttention", num_heads=2, key_dim=3), "a query and a value"),
    ],
)  # fmt: skip
def test_layers_that_do_not_fit_say_why(shape, body, says):
    refuse(sequential(shape, {**body, "config": {"name": "x", **body["config"]}}), says)


def test_layers_of_a_sequential_model_must_differ_in_name():
    twice = [layer("Dense", units=2, name="same")] * 2
    refuse(sequential((9,), *twice), "two layers are called 'same'")
    refuse(sequential((9,), layer("Dense", units=2, name="feed")), "two layers are called 'feed'")


def test_inputs_that_do_not_fit_together_are_shown():
    for kind, says in (("Add", "fit together"), ("Concatenate", "fit together along")):
        config = functional({"a": (4, 3), "b": (5, 2)}, {"j": (layer(kind), ["a", "b"])}, ["j"])
        refuse(config, says)


def test_wrappers_around_wrappers_end():
    body = layer("Dense", units=2)
    for _ in range(12):
        body = layer("TimeDistributed", layer=body)
    refuse(sequential((2,) * 14, body), "around each other")


def test_a_model_in_code_is_refused_with_advice():
    refuse({"class_name": "MyModel", "config": {"width": 3}}, "keeps its layers in code")


def test_an_input_whose_configuration_is_a_list_is_refused():
    def change(config):
        config["layers"][0] = {"class_name": "InputLayer", "name": "feed", "config": []}

    refuse(changed(change), "has no shape")


def test_a_model_that_was_never_built_is_refused_with_advice():
    config = {"class_name": "Sequential", "config": {"layers": [layer("Dense", units=2)]}}
    refuse(config, "keras.Input")


def test_a_model_built_without_an_input_layer_is_read_by_its_build_shape():
    config = {
        "class_name": "Sequential",
        "config": {"layers": [layer("Dense", units=2)], "build_input_shape": [None, 9]},
    }
    assert built(config).parameters == 20


def test_an_empty_model_is_refused():
    refuse({"class_name": "Sequential", "config": {"layers": []}}, "no layers")
    refuse(sequential((9,)), "compute")


@pytest.mark.alone
def test_a_long_chain_backwards_is_ordered_in_time():
    calls = {
        f"d{i}": (layer("Dense", units=2), [f"d{i - 1}" if i else "feed"]) for i in range(5000)
    }
    config = functional({"feed": (2,)}, calls, ["d4999"])
    config["config"]["layers"].reverse()
    began = time.perf_counter()
    assert len(built(config).operators) == 5000
    assert time.perf_counter() - began < 2.0
