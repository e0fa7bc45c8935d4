"""Operations of `keras.ops` in a model: their products count; what is the user's own does not."""

import pytest

from advisor.model.kernel import ElementwiseShape, GemmShape, SoftmaxShape, UnknownShape
from advisor.network.call import Call
from advisor.network.fields import Fields
from tests.advisor.network.networks_data import built, functional, layer, sequential

OPS = "keras.src.ops.numpy"


def joined(op, *shapes, **config):
    """The network of one operation on as many inputs."""
    feeds = {f"in{number}": shape for number, shape in enumerate(shapes)}
    return built(functional(feeds, {"op": (layer(op, **config), list(feeds))}, ["op"]))


@pytest.mark.parametrize(
    ("subscripts", "first", "second", "made", "kernel"),
    [
        ("bqhd,bkhd->bhqk", (10, 4, 16), (12, 4, 16), (4, 10, 12),
         GemmShape(m=10, n=12, k=16, batch=8)),
        ("btd,bsd->bts", (10, 16), (9, 16), (10, 9), GemmShape(m=10, n=9, k=16, batch=2)),
        ("bi,bj->bij", (3,), (4,), (3, 4),
         ElementwiseShape(op="multiply", elements=24, n_inputs=2)),
    ],
)  # fmt: skip
def test_a_sum_over_named_dimensions(subscripts, first, second, made, kernel):
    network = joined("Einsum", first, second, subscripts=subscripts)
    assert [op.shape for op in network.operators] == [kernel]
    assert network.outputs[0].shape == made
    assert network.notes == ()


@pytest.mark.parametrize("subscripts", ["...ij,...jk->...ik", "btd,csd->btcs", 7])
def test_other_equations_are_noted(subscripts):
    network = joined("Einsum", (10, 16), (9, 16), subscripts=subscripts)
    assert [type(op.shape) for op in network.operators] == [UnknownShape]
    assert len(network.notes) == 1


def test_attention_of_query_key_and_value():
    network = joined("DotProductAttention", (10, 4, 8), (12, 4, 8), (12, 4, 6))
    assert [op.shape for op in network.operators] == [
        GemmShape(m=10, n=12, k=8, batch=8, transpose_b=True),
        SoftmaxShape(rows=80, columns=12),
        GemmShape(m=10, n=6, k=12, batch=8),
    ]
    assert network.outputs[0].shape == (10, 4, 6)


@pytest.mark.parametrize("op", ["Greater", "NotEqual", "LogicalAnd", "Mod"])
def test_comparisons_are_value_by_value(op):
    network = joined(op, (5,), (5,))
    assert [type(o.shape) for o in network.operators] == [ElementwiseShape]


@pytest.mark.parametrize("shapes", [[(10, 16)], [(8,), (8,)]])
def test_a_product_that_is_not_of_two_matrices_is_noted(shapes):
    assert len(joined("Matmul", *shapes).notes) == 1


def test_a_class_of_the_users_own_is_not_taken_for_an_operation():
    own = {**layer("Sub", name="own"), "module": None, "registered_name": "Sub"}
    network = built(sequential((9,), own))
    assert [op.shape for op in network.operators] == [
        UnknownShape(layer_type="Custom>Sub", elements=18)
    ]
    theirs = {**layer("Exp", name="theirs"), "module": OPS, "registered_name": "Exp"}
    assert built(sequential((9,), theirs)).notes == ()


def test_a_result_that_nothing_uses_is_taken_to_be_like_the_others():
    call = Call(
        class_name="TopK", fields=Fields(config={}, where="layer 'top'"), inputs=((9,),), batch=2,
        is_training=True, declared=(None, (3,)),
    )  # fmt: skip
    assert call.recorded == ((3,), (3,))
