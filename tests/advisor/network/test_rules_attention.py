"""Results of attention beside the usual one."""

import pytest

from advisor.errors import NetworkFileError
from tests.advisor.network.networks_data import built, functional, layer


def attended(class_name, *, results=("a",), **config):
    feeds = {"q": (6, 8), "v": (7, 8)}
    return functional(feeds, {"a": (layer(class_name, **config), ["q", "v"])}, list(results))


@pytest.mark.parametrize("class_name", ["Attention", "AdditiveAttention"])
def test_scores_are_a_second_result(class_name):
    config = attended(class_name)
    config["config"]["output_layers"] = [["a", 0, 0], ["a", 0, 1]]
    assert [each.shape for each in built(config).outputs] == [(6, 8), (6, 7)]
    assert [each.shape for each in built(attended(class_name)).outputs] == [(6, 8)]


def test_the_result_may_have_several_dimensions():
    network = built(attended("MultiHeadAttention", num_heads=2, key_dim=3, output_shape=[3, 4]))
    assert network.outputs[0].shape == (6, 3, 4)
    assert network.parameters == 3 * (8 * 6 + 6) + 6 * 12 + 12


@pytest.mark.parametrize("shape", [[], [-3, -4], [0]])
def test_a_result_without_a_shape_is_refused(shape):
    with pytest.raises(NetworkFileError, match="is not a shape"):
        built(attended("MultiHeadAttention", num_heads=2, key_dim=3, output_shape=shape))
