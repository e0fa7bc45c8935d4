"""Open sizes that the weights of a file fix are not assumed."""

import pytest

from tests.advisor.network.onnx_build import built, fed, model, weights


@pytest.mark.parametrize(
    ("dims", "node", "filters", "made"),
    [
        (("n", "c", "h", "w"), ("Conv",), (8, 3, 3, 3), (1, 3, 224, 224)),
        (("n", "c", "h", "w"), ("Conv", {"group": 2}), (8, 3, 3, 3), (1, 6, 224, 224)),
        (("n", "c", 50), ("Conv",), (8, 3, 3), (1, 3, 50)),
        (("n", "t", "d"), ("MatMul",), (32, 8), (1, 128, 32)),
        (("n", "d"), ("Gemm", {"transB": 1}), (8, 32), (1, 32)),
        (("n", "d"), ("Gemm",), (32, 8), (1, 32)),
    ],
)
def test_channels_and_features_are_those_of_the_weights(dims, node, filters, made):
    op, *attributes = node
    network = built(model([(op, ["x", "w"], ["y"], *attributes)], [fed("x", *dims)],
                          [weights("w", *filters)]))  # fmt: skip
    assert network.inputs[0] == made
    text = " x ".join(str(size) for size in made)
    is_open = made in ((1, 3, 224, 224), (1, 6, 224, 224), (1, 128, 32))
    said = f"The size of input 'x' is not fixed in the file: taken as {text}."
    assert network.notes == ((said,) if is_open else ())


def test_a_size_that_the_file_states_is_not_changed():
    nodes = [("MatMul", ["x", "w"], ["y"])]
    network = built(model(nodes, [fed("x", "n", "t", 32)], [weights("w", 32, 8)]))
    assert network.inputs[0] == (1, 128, 32)


def test_what_is_multiplied_turned_is_not_told():
    nodes = [("Gemm", ["x", "w"], ["y"], {"transA": 1})]
    network = built(model(nodes, [fed("x", 16, "d")], [weights("w", 16, 8)]))
    assert network.inputs[0][-1] == 128
