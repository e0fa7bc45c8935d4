"""Products with constants have the sizes of the constants, and one gradient."""

import pytest

from advisor.errors import NetworkFileError
from advisor.model.kernel import ConvShape, Direction, ElementwiseShape, GemmShape, UnknownShape
from advisor.model.quantity import Phase
from advisor.predict.work import kernel_calls
from tests.advisor.network.networks_data import array, built, functional, layer, operation


@pytest.mark.parametrize(
    ("op", "given", "config", "made", "kernel"),
    [
        ("Matmul", [(8, 6), array(6, 3)], {}, (8, 3), GemmShape(m=16, n=3, k=6)),
        ("Matmul", [array(5, 8), (8, 6)], {}, (5, 6), GemmShape(m=5, n=6, k=8, batch=2)),
        ("Matmul", [(8, 6), array(6)], {}, (8,), GemmShape(m=16, n=1, k=6)),
        ("Matmul", [array(8), (8, 6)], {}, (6,), GemmShape(m=1, n=6, k=8, batch=2)),
        ("Matmul", [(6,), array(6, 3)], {}, (3,), GemmShape(m=2, n=3, k=6)),
        ("Matmul", [(4, 8, 6), array(4, 6, 3)], {}, (4, 8, 3), GemmShape(m=8, n=3, k=6, batch=8)),
        ("Matmul", [(4, 8, 6), (1, 6, 3)], {}, (4, 8, 3), GemmShape(m=8, n=3, k=6, batch=8)),
        ("Dot", [(8, 6), array(6, 3)], {}, (8, 3), GemmShape(m=16, n=3, k=6)),
        ("Dot", [(8, 6), array(4, 6, 3)], {}, (8, 4, 3), GemmShape(m=16, n=12, k=6)),
        ("Inner", [(8, 6), array(3, 6)], {}, (8, 3), GemmShape(m=16, n=3, k=6)),
        ("Tensordot", [(8, 6), array(6, 3)], {"axes": 1}, (8, 3), GemmShape(m=16, n=3, k=6)),
        ("Tensordot", [(5, 4, 6), array(4, 6, 7)], {"axes": [[2, 3], [0, 1]]}, (5, 7),
         GemmShape(m=10, n=7, k=24)),
        ("Tensordot", [(5, 6), array(7, 6)], {"axes": [-1, 1]}, (5, 7),
         GemmShape(m=10, n=7, k=6)),
    ],
)  # fmt: skip
def test_products_with_constants_and_tensors(op, given, config, made, kernel):
    network = operation(op, *given, **config)
    assert [one.shape for one in network.operators] == [kernel]
    assert network.outputs[0].shape == made
    assert (network.parameters, network.notes) == (0, ())


def test_distances_are_a_product_and_a_root():
    network = operation("CDist", (8, 3), (5, 3))
    assert [one.shape for one in network.operators] == [
        GemmShape(m=8, n=5, k=3, batch=2, transpose_b=True),
        ElementwiseShape(op="sqrt", elements=80),
    ]
    assert network.outputs[0].shape == (8, 5)


@pytest.mark.parametrize(
    ("op", "given", "config"),
    [
        ("Matmul", [(6,), (6,)], {}),
        ("Matmul", [array(4, 2), (6,)], {}),
        ("Matmul", [(6,), array(4, 6, 3)], {}),
        ("Matmul", [(8, 6), array()], {}),
        ("Matmul", [(8, 6), array(0)], {}),
        ("Dot", [array(3, 8), (8, 6)], {}),
        ("Dot", [(8, 6), array()], {}),
        ("Dot", [(8, 6), (6, 8)], {}),
        ("Inner", [(8, 6), array()], {}),
        ("Tensordot", [(8, 6), array(2, 3)], {"axes": [[0], [0]]}),
        ("Tensordot", [(8, 6), array(6, 3)], {"axes": [[2], [5]]}),
        ("Tensordot", [(8, 6), array(6, 3)], {"axes": [[2], [0, 1]]}),
        ("Tensordot", [(8, 6), array(6, 3)], {"axes": [["x"], [0]]}),
        ("Tensordot", [(8, 6), array(6, 3)], {"axes": ["x", 0]}),
        ("Tensordot", [(8, 6), array(6, 3)], {"axes": "x"}),
        ("CDist", [(8, 3), (3,)], {}),
        ("Outer", [(8,), (8,)], {}),
    ],
)  # fmt: skip
def test_what_mixes_samples_is_noted(op, given, config):
    network = operation(op, *given, **config)
    assert isinstance(network.operators[0].shape, UnknownShape)
    assert len(network.notes) == 1


@pytest.mark.parametrize("op", ["Matmul", "Dot"])
def test_a_constant_that_does_not_fit_is_refused(op):
    with pytest.raises(NetworkFileError, match="do not fit together"):
        operation(op, (8, 6), array(5, 3))


def test_places_that_do_not_fit_are_refused():
    with pytest.raises(NetworkFileError, match="do not fit together"):
        operation("CDist", (8, 3), (5, 4))


def directions(network, *, shape):
    """What each product or convolution of a network computes in a training step."""
    return [
        [call.direction for call in kernel_calls(op, phase=Phase.TRAINING, batch_size=2)]
        for op in network.operators
        if isinstance(op.shape, shape)
    ]


def trained(op, *given, **config):
    """The network of an operation behind a trained layer, and its operator's directions."""
    feeds = {f"in{place}": one for place, one in enumerate(given)}
    calls = {"dense": (layer("Dense", units=given[0][-1]), ["in0"])}
    calls["op"] = (layer(op, **config), ["dense", *list(feeds)[1:]])
    network = built(functional(feeds, calls, ["op"]))
    return directions(network, shape=GemmShape)[-1]


def test_a_factor_that_nothing_trained_comes_before_has_no_gradient():
    ways = [Direction.FORWARD, Direction.INPUT_GRADIENT]
    assert trained("Matmul", (8, 6), (6, 5)) == ways
    assert trained("Dot", (8, 6), (5, 6), axes=2) == ways
    assert trained("Einsum", (8, 6), (5, 6), subscripts="btd,bsd->bts") == ways


def test_both_factors_have_one_where_both_are_trained():
    calls = {
        "one": (layer("Dense", units=6), ["in"]),
        "two": (layer("Dense", units=6), ["in"]),
        "op": (layer("Dot", axes=2), ["one", "two"]),
        "same": (layer("Dot", axes=1), ["op", "op"]),
    }
    network = built(functional({"in": (8, 6)}, calls, ["same"]))
    both = [Direction.FORWARD, Direction.INPUT_GRADIENT, Direction.WEIGHT_GRADIENT]
    assert directions(network, shape=GemmShape)[2:] == [both, both]


def test_a_constant_has_no_gradient():
    network = operation("Conv", (8, 8, 3), array(3, 3, 3, 4), strides=1, padding="same")
    assert directions(network, shape=ConvShape) == [[Direction.FORWARD]]
