"""Kernels that are trained through LoRA, or quantised; counts are those of Keras."""

import pytest

from advisor.model.kernel import ConvShape, GemmShape
from tests.advisor.network.networks_data import built, layer, sequential


def policy(class_name, mode):
    return {"class_name": class_name, "config": {"mode": mode}}


INT8 = policy("QuantizedDTypePolicy", "int8")
INT4 = policy("Int4DTypePolicy", "int4/128")
FLOAT8 = policy("QuantizedFloat8DTypePolicy", "float8")
EINSUM = layer("EinsumDense", equation="abc,cd->abd", output_shape=[None, 16])


def counts(shape, body, **config):
    network = built(sequential(shape, {**body, "config": {**body["config"], **config}}))
    return network.parameters, network.trainable_parameters


@pytest.mark.parametrize(
    ("shape", "body", "config", "expected"),
    [
        ((6, 8), EINSUM, {"lora_rank": 2}, (176, 48)),
        ((8, 8, 3), layer("Conv2D", filters=16, kernel_size=3), {"lora_rank": 2}, (534, 102)),
        ((8,), layer("Dense", units=16), {"dtype": INT8}, (160, 16)),
        ((8,), layer("Dense", units=16), {"dtype": INT4}, (120, 16)),
        ((8,), layer("Dense", units=16), {"dtype": policy("Int4DTypePolicy", "int4/-1")}, (96, 16)),
        ((8,), layer("Dense", units=16), {"dtype": FLOAT8}, (3219, 3219)),
        ((8,), layer("Dense", units=16), {"dtype": policy("GPTQDTypePolicy", "gptq")}, (144, 16)),
        ((8,), layer("Dense", units=16), {"dtype": {"class_name": "Int4", "config": 3}}, (144, 16)),
        ((6, 8), EINSUM, {"dtype": INT8, "bias_axes": "d"}, (160, 16)),
        ((7,), layer("Embedding", input_dim=50, output_dim=6), {"dtype": INT8}, (350, 0)),
        ((7,), layer("Embedding", input_dim=50, output_dim=6), {"dtype": INT4}, (256, 0)),
        ((8,), layer("Dense", units=16), {"dtype": "float32"}, (144, 144)),
    ],
)
def test_parameters_are_those_of_keras(shape, body, config, expected):
    assert counts(shape, body, **config) == expected


def test_lora_adds_a_product_of_narrow_matrices_to_a_convolution():
    body = layer("Conv1D", filters=16, kernel_size=3, padding="causal", lora_rank=2)
    network = built(sequential((8, 3), layer("ReLU"), body))
    _relu, padded, merge, convolution = network.operators
    assert merge.shape == GemmShape(m=9, n=16, k=2)
    assert isinstance(convolution.shape, ConvShape)
    assert convolution.inputs == (1,)
    assert padded.inputs == (0,)
