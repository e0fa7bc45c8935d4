"""How a recurrent layer is made and called for its timing; `test_keras_kernels` runs it."""

from types import SimpleNamespace

import pytest
import worker_keras_recurrent

SHAPE = {
    "cell": "lstm", "batch": 3, "timesteps": 5, "input": 4, "hidden": 6, "is_masked": False,
    "is_bidirectional": False, "return_sequences": False, "is_split": True,
}  # fmt: skip
TF = SimpleNamespace(ones=lambda sizes, kind: (sizes, kind))


def made(drops):
    shape = {**SHAPE, **{f"drops_{what}": what in drops for what in ("inputs", "states")}}
    layers = SimpleNamespace(LSTM=lambda units, **options: {"units": units, **options})
    keras = SimpleNamespace(layers=layers)
    return (
        worker_keras_recurrent._layer_of(keras, shape, "float32"),
        worker_keras_recurrent._options_of_call(TF, shape),
    )


@pytest.mark.parametrize("drops", [(), ("inputs",), ("states",), ("inputs", "states")])
def test_dropout_is_timed_as_training_does_it(drops):
    layer, call = made(drops)
    assert (layer["dropout"] > 0.0) == ("inputs" in drops)
    assert (layer["recurrent_dropout"] > 0.0) == ("states" in drops)
    assert call == {"training": bool(drops)}


def test_a_mask_lets_every_moment_count():
    shape = {**SHAPE, "is_masked": True, "drops_inputs": False, "drops_states": False}
    assert worker_keras_recurrent._options_of_call(TF, shape)["mask"] == ((3, 5), "bool")
