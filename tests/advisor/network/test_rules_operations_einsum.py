"""Sums of products of several tensors and constants, two at a time."""

import pytest

from advisor.errors import NetworkFileError
from advisor.model.kernel import TRANSPOSE, ElementwiseShape, GemmShape, UnknownShape
from tests.advisor.network.networks_data import array, built, functional, layer, operation


def joined_with_root(subscripts):
    """The network of an einsum of one tensor and of a root behind it."""
    calls = {
        "op": (layer("Einsum", subscripts=subscripts), ["in"]),
        "root": (layer("Sqrt"), ["op"]),
    }
    return built(functional({"in": (5, 7)}, calls, ["root"]))


def test_several_factors_are_multiplied_two_at_a_time():
    network = operation("Einsum", (20, 16), (16, 8), (20,), subscripts="bnd,bde,bn->bne")
    assert [one.shape for one in network.operators] == [
        GemmShape(m=20, n=8, k=16, batch=2),
        ElementwiseShape(op="multiply", elements=2 * 20 * 8, n_inputs=2),
    ]
    assert network.outputs[0].shape == (20, 8)


def test_constants_are_multiplied_before_the_network_runs():
    network = operation("Einsum", (5, 6), array(6, 7), array(7, 3), subscripts="btd,de,ef->btf")
    assert [one.shape for one in network.operators] == [GemmShape(m=10, n=3, k=6)]
    assert network.outputs[0].shape == (5, 3)


def test_the_smallest_product_comes_first():
    network = operation("Einsum", (50, 4), array(4, 30), (30, 2), subscripts="btd,de,bef->btf")
    assert network.multiply_adds_per_sample == 4 * 30 * 2 + 50 * 4 * 2


@pytest.mark.parametrize("subscripts", ["btd,dk->btk", "dk,btd->btk", "...d,dk->...k"])
def test_a_constant_matrix_on_either_side(subscripts):
    given = [(8, 6), array(6, 3)]
    network = operation("Einsum", *(given[::-1] if subscripts[0] == "d" else given),
                        subscripts=subscripts)  # fmt: skip
    assert [one.shape for one in network.operators] == [GemmShape(m=16, n=3, k=6)]
    assert network.outputs[0].shape == (8, 3)


@pytest.mark.parametrize(
    ("subscripts", "made", "kernels"),
    [
        ("bij->bji", (7, 5), [ElementwiseShape(op=TRANSPOSE, elements=70)]),
        ("bij->bi", (5,), [ElementwiseShape(op="sum", elements=70)]),
    ],
)
def test_one_tensor_is_turned_or_summed(subscripts, made, kernels):
    network = operation("Einsum", (5, 7), made=[[None, *made]], subscripts=subscripts)
    assert [one.shape for one in network.operators] == kernels
    assert network.outputs[0].shape == made


def test_a_tensor_that_stays_as_it_is_costs_nothing():
    network = joined_with_root("bij->bij")
    assert [one.shape.op for one in network.operators] == ["sqrt"]


@pytest.mark.parametrize("subscripts", ["bij->ij", "ij,jk->ik", "b1j->bj", ""])
def test_what_mixes_samples_or_does_not_fit_is_noted(subscripts):
    network = operation("Einsum", (5, 7), subscripts=subscripts)
    assert isinstance(network.operators[0].shape, UnknownShape)


@pytest.mark.parametrize(
    ("subscripts", "says"),
    [("btd,dk->btk", "do not fit together"), ("btd,ek->btx", "that no input has")],
)
def test_what_cannot_be_is_refused(subscripts, says):
    with pytest.raises(NetworkFileError, match=says):
        operation("Einsum", (8, 6), array(5, 3), subscripts=subscripts)
