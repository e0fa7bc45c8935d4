"""Arrays of the file that layers and operations are given beside tensors."""

import pytest

from advisor.model.kernel import GemmShape
from tests.advisor.network.networks_data import array, built, functional, layer, operation


def given(entry, *constants):
    """The network of a layer that is given a tensor and arrays, as Keras 2 writes them."""
    config = functional({"in": (6, 8)}, {"op": (entry, ["in"])}, ["op"])
    values = [["_CONSTANT_VALUE", -1, array(*each)["config"]["value"], {}] for each in constants]
    config["config"]["layers"][-1]["inbound_nodes"] = [[["in", 0, 0, {}], *values]]
    return built(config)


@pytest.mark.parametrize(
    ("entry", "constant", "output"),
    [
        (layer("Concatenate", axis=-1), (1, 6, 3), (6, 11)),
        (layer("Concatenate", axis=1), (1, 3, 8), (9, 8)),
        (layer("Dot", axes=[2, 2]), (1, 4, 8), (6, 4)),
        (layer("Add"), (1, 6, 8), (6, 8)),
    ],
)
def test_a_layer_sees_an_array_as_a_tensor(entry, constant, output):
    assert given(entry, constant).outputs[0].shape == output


def test_attention_to_an_array_has_its_weights():
    network = given(layer("MultiHeadAttention", num_heads=2, key_dim=4), (1, 5, 8))
    assert network.parameters == 288  # as Keras counts them
    assert GemmShape(m=6, n=5, k=4, batch=4, transpose_b=True) in [
        operator.shape for operator in network.operators
    ]


def test_an_operation_at_the_end_puts_an_array_beside_its_tensor():
    joined = operation("Concatenate", (6, 8), array(1, 3, 8), axis=1)
    assert (joined.outputs[0].shape, joined.notes) == ((9, 8), ())
    assert operation("Stack", (6, 8), array(1, 6, 8), axis=1).outputs[0].shape == (2, 6, 8)
    assert operation("Add", (1, 8), array(5, 8)).outputs[0].shape == (5, 8)
