"""Operations of `keras.ops` in a model: their products count; what is the user's own does not."""

import pytest

from advisor.model.kernel import (
    ElementwiseShape,
    GemmShape,
    NormShape,
    PoolShape,
    SoftmaxShape,
    UnknownShape,
)
from advisor.network.call import Call
from advisor.network.fields import Fields
from tests.advisor.network.networks_data import built, functional, layer, sequential
from tests.advisor.network.networks_data import operation as numbered

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
        ("...ij,...jk->...ik", (10, 9), (9, 16), (10, 16), GemmShape(m=10, n=16, k=9, batch=2)),
        ("bi,bj->bij", (3,), (4,), (3, 4),
         ElementwiseShape(op="multiply", elements=24, n_inputs=2)),
    ],
)  # fmt: skip
def test_a_sum_over_named_dimensions(subscripts, first, second, made, kernel):
    network = joined("Einsum", first, second, subscripts=subscripts)
    assert [op.shape for op in network.operators] == [kernel]
    assert network.outputs[0].shape == made
    assert network.notes == ()


@pytest.mark.parametrize("subscripts", ["i...j,...jk->...ik", "btd,csd->btcs", "btd,bsd", 7])
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


def operation(op, shape, made, **config):
    """The network of an operation on one input, and constants that the file records the shape of.

    `made` is the recorded shape, batch included; None: the file records none.
    """
    feed = {
        **layer("InputLayer", batch_shape=[None, *shape], name="in"), "name": "in",
        "inbound_nodes": [],
    }  # fmt: skip

    def tensor(name, sizes):
        history = {"shape": sizes, "keras_history": [name, 0, 0]}
        return {"class_name": "__keras_tensor__", "config": history}

    def call(name, given):
        return {"name": name, "inbound_nodes": [{"args": [given], "kwargs": {}}]}

    entry = {
        **layer(op, name="op", **config), "module": OPS,
        **call("op", tensor("in", [None, *shape])),
    }  # fmt: skip
    after = {**layer("ReLU", name="after"), **call("after", tensor("op", made))}
    return built(
        {
            "class_name": "Functional",
            "config": {
                "layers": [feed, entry, after],
                "input_layers": [["in", 0, 0]],
                "output_layers": [["after", 0, 0]],
            },
        }
    )


@pytest.mark.parametrize("op", ["Add", "Subtract", "Where", "Power", "Maximum"])
def test_constants_may_make_a_result_larger(op):
    network = operation(op, (1, 4), [None, 100, 4])
    assert network.outputs[0].shape == (100, 4)
    assert network.operators[0].output_elements == 2 * 400
    assert network.notes == ()


@pytest.mark.parametrize("made", [[None, 5], [None, None, 4], [None, 1, 9], [None]])
def test_a_recorded_shape_that_does_not_fit_is_not_taken(made):
    assert operation("Add", (2, 4), made).outputs[0].shape == (2, 4)


def test_a_constant_may_add_dimensions():
    assert operation("Multiply", (4,), [None, 7, 4]).outputs[0].shape == (7, 4)


@pytest.mark.parametrize(("axis", "made"), [(1, (6,)), (2, (8,)), (-1, (8,))])
def test_an_average_along_an_axis_is_not_the_layer_of_this_name(axis, made):
    network = operation("Average", (8, 6), [None, *made], axis=axis)
    assert network.outputs[0].shape == made
    (averaged, _relu) = network.operators
    assert isinstance(averaged.shape, PoolShape)
    assert averaged.shape.mode == "average"
    assert built(functional({"a": (8, 6), "b": (8, 6)},
                            {"op": (layer("Average"), ["a", "b"])}, ["op"])).outputs[0].shape == (
        8, 6,
    )  # fmt: skip


@pytest.mark.parametrize("axis", [0, -2, [0], [0, 1]])
@pytest.mark.parametrize("keeps", [True, False])
def test_a_mean_over_the_batch_is_one_for_all_samples(axis, keeps):
    network = operation("Mean", (6,), None, axis=axis, keepdims=keeps)
    (mean, *_) = network.operators
    over_both = axis == [0, 1]
    assert isinstance(mean.shape, PoolShape)
    assert mean.shape.n == 1
    assert (mean.shape.c, mean.shape.kernel) == ((1, (12,)) if over_both else (6, (2,)))
    assert mean.output_elements == mean.shape.c


@pytest.mark.parametrize(
    ("op", "config"),
    [
        ("Dot", {}), ("Matmul", {}), ("Tensordot", {"axes": 1}),
        ("Tensordot", {"axes": [[2], [0]]}), ("Tensordot", {"axes": [[-1], [0]]}),
    ],
)  # fmt: skip
def test_a_product_with_a_constant_matrix_counts(op, config):
    network = operation(op, (8, 6), [None, 8, 3], **config)
    assert network.operators[0].shape == GemmShape(m=16, n=3, k=6)
    assert network.multiply_adds_per_sample == 8 * 6 * 3
    assert (network.parameters, network.notes) == (0, ())


@pytest.mark.parametrize(
    ("op", "made", "config"),
    [
        ("Dot", None, {}), ("Dot", [None, 3], {}), ("Matmul", [None, 5, 6], {}),
        ("Tensordot", [None, 3], {"axes": 2}), ("Tensordot", [None, 8, 3], {"axes": "x"}),
        ("Concatenate", [None, None, 6], {"axis": 1}),
    ],
)  # fmt: skip
def test_a_product_of_unknown_size_is_noted(op, made, config):
    network = operation(op, (8, 6), made, **config)
    assert isinstance(network.operators[0].shape, UnknownShape)
    assert "weights" not in network.notes[0]


def test_tensors_without_a_recorded_shape_are_joined_all_the_same():
    entry = {**layer("Concatenate", axis=1), "module": OPS}
    network = built(functional({"a": (8, 6), "b": (3, 6)}, {"op": (entry, ["a", "b"])}, ["op"]))
    assert network.outputs[0].shape == (11, 6)
    assert network.notes == ()


@pytest.mark.parametrize("subscripts", ["btd,dk->btk", "dk,btd->btk"])
def test_a_sum_over_named_dimensions_with_a_constant_counts(subscripts):
    network = operation("Einsum", (8, 6), [None, 8, 3], subscripts=subscripts)
    assert network.operators[0].shape == GemmShape(m=16, n=3, k=6)
    assert network.notes == ()


def test_each_place_may_have_a_constant_matrix_of_its_own():
    network = operation("Einsum", (8, 6), [None, 8, 3], subscripts="btd,tdk->btk")
    assert network.operators[0].shape == GemmShape(m=2, n=3, k=6, batch=8)


@pytest.mark.parametrize(
    ("subscripts", "made"),
    [
        ("btd,kde->btk", [None, 8, 3]),
        ("btd,dk->btk", None),
        ("btd,dk->bt", [None, 8, 3]),
        (7, [None, 8]),
    ],
)
def test_a_constant_of_unknown_size_is_noted(subscripts, made):
    network = operation("Einsum", (8, 6), made, subscripts=subscripts)
    assert isinstance(network.operators[0].shape, UnknownShape)


@pytest.mark.parametrize(
    ("op", "config", "made", "kernel"),
    [
        ("BatchNorm", {"axis": -1}, (8, 6),
         NormShape(kind="batch_inference", elements=96, channels=6)),
        ("LayerNorm", {"axis": [1, 2]}, (8, 6), NormShape(kind="layer", elements=96, channels=48)),
        ("RMSNorm", {"axis": -1}, (8, 6), NormShape(kind="layer", elements=96, channels=6)),
        ("Normalize", {"axis": -1}, (8, 6), NormShape(kind="layer", elements=96, channels=6)),
        ("Sort", {"axis": 1}, (8, 6), ElementwiseShape(op="sort", elements=3 * 96)),
        ("Sort", {"axis": None}, (8, 6), ElementwiseShape(op="sort", elements=6 * 96)),
        ("Median", {"axis": 1}, (6,), ElementwiseShape(op="sort", elements=3 * 96)),
        ("OneHot", {"num_classes": 5}, (8, 6, 5), ElementwiseShape(op="one_hot", elements=480)),
        ("MultiHot", {"num_classes": 5}, (8, 5), ElementwiseShape(op="one_hot", elements=80)),
        ("Glu", {"axis": -1}, (8, 3), ElementwiseShape(op="sigmoid", elements=48)),
        ("SegmentSum", {"num_segments": 4}, (8, 6),
         ElementwiseShape(op="add", elements=96, n_inputs=2)),
        ("Norm", {"axis": -1, "ord": None}, (8,), None),
        ("Moments", {"axes": [1], "keepdims": True}, (1, 6), None),
        ("Squareplus", {}, (8, 6), ElementwiseShape(op="squareplus", elements=96)),
    ],
)  # fmt: skip
def test_operations_that_cost_something_count(op, config, made, kernel):
    network = numbered(op, (8, 6), **config)
    first = network.operators[0].shape
    assert first == kernel or (kernel is None and isinstance(first, PoolShape))
    assert network.outputs[0].shape == made
    assert network.notes == ()


def test_what_a_sort_keeps_is_its_result():
    assert numbered("Sort", (8, 6), axis=1).operators[0].output_elements == 96


@pytest.mark.parametrize("op", ["SegmentSum", "SegmentMax"])
def test_what_segments_keep_is_as_many_as_they_are(op):
    network = operation(op, (64, 6), [None, 4, 6], num_segments=4)
    added = network.operators[0]
    assert added.shape == ElementwiseShape(op="add", elements=2 * 64 * 6, n_inputs=2)
    assert added.output_elements == 2 * 4 * 6


def test_a_cross_product_is_two_products_and_a_difference():
    network = numbered("Cross", (8, 3), (8, 3))
    assert [op.shape.op for op in network.operators] == ["multiply", "multiply", "subtract"]
    assert network.outputs[0].shape == (8, 3)


@pytest.mark.parametrize("function", ["image.resize", "one_hot", "transpose", "nn.max_pool"])
def test_functions_of_keras_2_without_their_arguments_are_unknown(function):
    network = joined("TFOpLambda", (8, 8, 6), function=function)
    assert isinstance(network.operators[0].shape, UnknownShape)


def test_a_constant_in_a_file_of_keras_2_is_seen():
    product = layer("TFOpLambda", function="linalg.matmul")
    config = functional({"in": (8, 6)}, {"op": (product, ["in"])}, ["op"])
    value = [[0.0] * 3] * 6
    config["config"]["layers"][1]["inbound_nodes"] = [["in", 0, 0, {"b": value}]]
    assert built(config).operators[0].shape == GemmShape(m=16, n=3, k=6)
    config["config"]["layers"][1]["inbound_nodes"] = [
        [["in", 0, 0, {}], ["_CONSTANT_VALUE", -1, value, {}]]
    ]
    assert built(config).operators[0].shape == GemmShape(m=16, n=3, k=6)
