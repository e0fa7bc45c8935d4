"""ONNX operations beyond layers: sums over named dimensions, attention, quantised values, picks."""

import numpy as np
import pytest
from onnx import TensorProto, numpy_helper

from advisor.errors import NetworkFileError
from advisor.model.kernel import (
    Cell,
    ElementwiseShape,
    GemmShape,
    NormShape,
    RecurrentShape,
    SoftmaxShape,
    UnknownShape,
)
from advisor.network.onnx_graph import network_from_onnx
from advisor.network.onnx_reading import read_onnx
from tests.advisor.network.onnx_build import (
    INT64,
    built,
    fed,
    model,
    refuse,
    sizes,
    standard_cases,
    weights,
)

BATCH = 2


def shapes(network):
    return [op.shape for op in network.operators]


def output(network):
    return network.outputs[0].shape


def one(op, feeds, constants=(), *, outputs=("y",), opset=17, **attributes):
    """The network of a single operation on all that is fed, then the constants."""
    names = [value.name for value in feeds] + [tensor.name for tensor in constants]
    return built(model([(op, names, outputs, attributes)], feeds, constants, opset=opset))


def einsum(equation, *dims, weight=None):
    feeds = [fed(f"x{i}", *shape) for i, shape in enumerate(dims)]
    constants = [] if weight is None else [weights("w", *weight)]
    return one("Einsum", feeds, constants, equation=equation)


@pytest.mark.parametrize(
    ("equation", "dims", "weight", "made", "kernel"),
    [
        ("bij,bjk->bik", [("batch", 3, 4), ("batch", 4, 5)], None, (1, 3, 5),
         GemmShape(m=3, n=5, k=4, batch=BATCH)),
        ("btd,hde->bthe", [("batch", 7, 6)], (4, 6, 5), (1, 7, 4, 5),
         GemmShape(m=BATCH * 7, n=20, k=6)),
        ("bthe,hed->btd", [("batch", 7, 4, 5)], (4, 5, 6), (1, 7, 6),
         GemmShape(m=BATCH * 7, n=6, k=20)),
        ("bqhd,bkhd->bhqk", [("batch", 9, 4, 5), ("batch", 8, 4, 5)], None, (1, 4, 9, 8),
         GemmShape(m=9, n=8, k=5, batch=BATCH * 4)),
        ("...ij,...jk->...ik", [("batch", 4, 9, 5), ("batch", 4, 5, 8)], None, (1, 4, 9, 8),
         GemmShape(m=9, n=8, k=5, batch=BATCH * 4)),
        ("btd,de", [("batch", 7, 6)], (6, 5), (1, 5, 7), GemmShape(m=BATCH * 7, n=5, k=6)),
    ],
)  # fmt: skip
def test_a_sum_over_named_dimensions_is_a_product(equation, dims, weight, made, kernel):
    network = einsum(equation, *dims, weight=weight)
    assert output(network) == made
    assert shapes(network) == [kernel]
    assert network.parameters == (0 if weight is None else np.prod(weight))


def test_three_operands_are_taken_from_the_left():
    network = einsum("bi,bj,jik->bk", ("batch", 6), ("batch", 4), weight=(4, 6, 3))
    assert shapes(network) == [
        ElementwiseShape(op="multiply", elements=BATCH * 24, n_inputs=2),
        GemmShape(m=BATCH, n=3, k=24),
    ]
    assert (output(network), network.parameters) == ((1, 3), 72)


def test_one_operand_is_moved():
    network = einsum("bij->bji", ("batch", 3, 4))
    assert output(network) == (1, 4, 3)
    assert network.multiply_adds_per_sample == 0


@pytest.mark.parametrize(
    ("equation", "says"),
    [("bij->bz", "no input has"), ("bi->b", "does not fit"), ("b,b->b", "does not fit"),
     ("b1j->b", "does not fit"), ("", "does not fit"), ("bii->b", "is 3 and 4")],
)  # fmt: skip
def test_an_equation_that_does_not_fit_is_refused(equation, says):
    data = model([("Einsum", ["x"], ["y"], {"equation": equation})], [fed("x", "batch", 3, 4)])
    refuse(data, says)


def attended(queries, values, *, heads, key, value, samples=BATCH):
    batch = samples * heads
    return [
        GemmShape(m=queries, n=values, k=key, batch=batch, transpose_b=True),
        SoftmaxShape(rows=batch * queries, columns=values),
        GemmShape(m=queries, n=value, k=values, batch=batch),
    ]


def test_attention_of_the_standard_with_and_without_heads_apart():
    apart = [fed(name, "batch", 4, n, 8) for name, n in (("q", 5), ("k", 6), ("v", 6))]
    network = one("Attention", apart, opset=23)
    assert shapes(network) == attended(5, 6, heads=4, key=8, value=8)
    assert output(network) == (1, 4, 5, 8)
    together = [fed("q", "batch", 5, 32), fed("k", "batch", 6, 16), fed("v", "batch", 6, 16)]
    network = one("Attention", together, opset=23, q_num_heads=4, kv_num_heads=2)
    assert shapes(network) == attended(5, 6, heads=4, key=8, value=8)
    assert output(network) == (1, 5, 32)


def test_attention_of_the_runtime_projects_its_input():
    constants = [weights("w", 32, 96), weights("b", 96)]
    network = one("Attention", [fed("x", "batch", 5, 32)], constants, num_heads=4)
    assert shapes(network) == [
        GemmShape(m=BATCH * 5, n=96, k=32),
        *attended(5, 5, heads=4, key=8, value=8),
    ]
    assert (output(network), network.parameters) == ((1, 5, 32), 32 * 96 + 96)


def test_attention_whose_heads_share_keys():
    feeds = [fed("q", "batch", 5, 64), fed("k", "batch", 5, 16), fed("v", "batch", 5, 16)]
    given = {"num_heads": 8, "kv_num_heads": 2}
    network = one("GroupQueryAttention", feeds, outputs=("y", "a", "b"), **given)
    assert shapes(network) == attended(5, 5, heads=8, key=8, value=8)
    packed = one("GroupQueryAttention", [fed("q", "batch", 5, 96)], **given)
    assert shapes(packed) == shapes(network)
    assert output(packed) == output(network) == (1, 5, 64)


def test_attention_of_several_heads_in_one_tensor_or_three():
    feeds = [fed("q", "batch", 5, 32), fed("k", "batch", 6, 32), fed("v", "batch", 6, 64)]
    network = one("MultiHeadAttention", feeds, num_heads=4)
    assert shapes(network) == attended(5, 6, heads=4, key=8, value=16)
    assert output(network) == (1, 5, 64)
    packed = one("MultiHeadAttention", [fed("q", "batch", 5, 4, 3, 8)], num_heads=4)
    assert shapes(packed) == attended(5, 5, heads=4, key=8, value=8)


@pytest.mark.parametrize(
    ("op", "dims", "attributes"),
    [
        ("Attention", [(1, 5, 32)], {"num_heads": 5}),
        ("Attention", [(1, 5, 32), (1, 5, 32), (1, 5, 32)], {"q_num_heads": 0, "kv_num_heads": 1}),
        ("Attention", [(5, 32), (5, 32), (5, 32)], {}),
        ("MultiHeadAttention", [(1, 5, 32), (1, 5, 32)], {"num_heads": 3}),
        ("GroupQueryAttention", [(1, 5, 32)], {"num_heads": 4}),
        ("MatMulNBits", [(1, 5, 32)], {"N": 8, "K": 16}),
    ],
)
def test_parts_that_do_not_fit_are_refused(op, dims, attributes):
    feeds = [fed(f"x{i}", *shape) for i, shape in enumerate(dims)]
    names = [value.name for value in feeds]
    constants = [weights("w", 32, 96)] if len(dims) == 1 and op == "Attention" else []
    names += [tensor.name for tensor in constants]
    with pytest.raises(NetworkFileError, match=op):
        built(model([(op, names, ["y"], attributes)], feeds, constants))


def test_fused_norms_have_their_addition():
    constants = [weights("g", 32), weights("b", 32)]
    feeds = [fed("x", "batch", 5, 32), fed("s", "batch", 5, 32)]
    network = one("SkipLayerNormalization", feeds, constants)
    assert [type(shape) for shape in shapes(network)][-1] is NormShape
    assert (output(network), network.parameters) == ((1, 5, 32), 64)


def test_weights_of_four_bits_count_as_weights():
    packed = numpy_helper.from_array(np.zeros((48, 1, 16), np.uint8), "w")
    network = one("MatMulNBits", [fed("x", "batch", 5, 32)], [packed, weights("scale", 48)],
                  N=48, K=32, bits=4, block_size=32)  # fmt: skip
    assert shapes(network) == [GemmShape(m=BATCH * 5, n=48, k=32)]
    assert (output(network), network.parameters) == ((1, 5, 48), 48 * 32)


def test_a_quantised_network_of_the_runtime_is_followed():
    """Convolution, addition of a branch, pooling and product, all on eight bits."""
    scale, zero = weights("s"), numpy_helper.from_array(np.zeros((), np.uint8), "z")
    kernel = numpy_helper.from_array(np.zeros((8, 3, 3, 3), np.int8), "w")
    matrix = numpy_helper.from_array(np.zeros((10, 8), np.int8), "v")
    q = ["s", "z"]
    data = model(
        [
            ("QLinearConv", ["x", *q, "w", *q, *q], ["c"], {"pads": [1, 1, 1, 1]}),
            ("QLinearAdd", ["c", *q, "c", *q, *q], ["a"]),
            ("QLinearGlobalAveragePool", ["a", *q, *q], ["p"]),
            ("QLinearConcat", [*q, "p", *q, "p", *q], ["j"], {"axis": 0}),
            ("Flatten", ["p"], ["f"]),
            ("QGemm", ["f", *q, "v", *q, "", *q], ["y"], {"transB": 1}),
        ],
        [fed("x", "batch", 3, 12, 12, kind=TensorProto.UINT8)],
        [scale, zero, kernel, matrix],
        outputs=[fed("y", "batch", 10), fed("j", None, 8, 1, 1)],
    )
    network = built(data)
    assert network.multiply_adds_per_sample == 12 * 12 * 8 * 27 + 80
    assert output(network) == (1, 10)
    assert network.notes == ()


def test_weights_that_are_quantised_as_the_network_runs():
    """As ONNX Runtime's dynamic quantisation writes a dense layer and an LSTM."""
    matrix = numpy_helper.from_array(np.zeros((6, 5), np.int8), "v")
    data = model(
        [
            ("DynamicQuantizeLinear", ["x"], ["q", "s", "z"]),
            ("MatMulInteger", ["q", "v", "z", "vz"], ["m"]),
            ("Mul", ["s", "vs"], ["k"]),
            ("Mul", ["m", "k"], ["y"]),
        ],
        [fed("x", "batch", 6)],
        [matrix, weights("vs"), numpy_helper.from_array(np.zeros((), np.int8), "vz")],
    )
    network = built(data)
    assert GemmShape(m=BATCH, n=5, k=6) in shapes(network)
    assert (output(network), network.parameters) == ((1, 5), 30)
    cell = [weights("w", 1, 5, 24), weights("r", 1, 6, 24), weights("b", 1, 48)]
    network = one("DynamicQuantizeLSTM", [fed("t", 10, "batch", 5)], cell, hidden_size=6)
    assert shapes(network) == [
        RecurrentShape(
            cell=Cell.LSTM, batch=BATCH, timesteps=10, input=5, hidden=6, return_sequences=True
        )
    ]


def test_a_product_whose_matrix_is_turned_first():
    feeds = [fed("q", "batch", 4, 9, 5), fed("k", "batch", 4, 8, 5)]
    network = one("FusedMatMul", feeds, transB=1)
    assert (shapes(network), output(network)) == (
        [GemmShape(m=9, n=8, k=5, batch=BATCH * 4)], (1, 4, 9, 8),
    )  # fmt: skip


def test_a_product_of_tensors_whose_batch_comes_second():
    feeds = [fed("q", 9, "batch", 5), fed("k", 8, "batch", 5)]
    network = one("FusedMatMul", feeds, transB=1, transBatchA=1, transBatchB=1)
    assert output(network) == (1, 9, 8)


def test_a_file_for_one_kind_of_processor_says_what_to_give_instead():
    data = model(
        [("Relu", ["x"], ["r"]), ("ReorderInput", ["r"], ["y"])], [fed("x", "batch", 16, 8, 8)]
    )
    refuse(data, "give the file that this was made from")


def test_a_spectrum_for_each_frame():
    data = model(
        [("STFT", ["x", "step", "w"], ["y"])],
        [fed("x", "batch", 4000, 1)],
        [numpy_helper.from_array(np.array(100, np.int64), "step"), weights("w", 400)],
    )
    assert output(built(data)) == (1, 37, 201, 2)


def test_picks_and_samples():
    places = fed("i", "batch", 7, kind=INT64)
    assert output(one("GatherElements", [fed("x", "batch", 9), places], axis=1)) == (1, 7)
    network = built(
        model([("TopK", ["x", "k"], ["v", "i"])], [fed("x", "batch", 9)], [sizes("k", 4)])
    )
    assert output(network) == (1, 4)
    assert output(one("GridSample", [fed("x", "batch", 3, 8, 8), fed("g", "batch", 5, 6, 2)])) == (
        1, 3, 5, 6,
    )  # fmt: skip
    regions = [fed("x", "batch", 3, 8, 8), fed("r", "batch", 4), fed("i", "batch", kind=INT64)]
    assert output(one("RoiAlign", regions, output_height=2, output_width=4)) == (1, 3, 2, 4)


# Single operations of the onnx package, each with the shape that its result has.
_FAMILIES = (
    "test_einsum_", "test_attention_", "test_top_k", "test_gather_elements", "test_gathernd_",
    "test_scatter", "test_gridsample", "test_roialign", "test_hardmax", "test_rotary_embedding",
    "test_reversesequence", "test_bitwise", "test_matmul_", "test_averagepool", "test_maxpool",
    "test_layer_normalization", "test_dynamicquantizelinear", "test_dft",
)  # fmt: skip
# What differs: the first size is taken for a batch, which a result need not have in front.
_TAKEN_FOR_A_BATCH = {"test_matmul_1d_3d"}


def test_single_operations_of_the_standard_have_the_shapes_of_their_files():
    cases = [
        case
        for case in standard_cases()
        if case.name.startswith(_FAMILIES) and "expanded" not in case.name
    ]
    assert len(cases) > 200
    wrong = []
    for case in cases:
        data = case.model.SerializeToString()
        network = network_from_onnx(read_onnx(data), name="n", batch_size=1)
        ends = case.model.graph.output
        stated = [tuple(d.dim_value for d in e.type.tensor_type.shape.dim) for e in ends]
        is_unknown = any(isinstance(op.shape, UnknownShape) for op in network.operators)
        if [tensor.shape for tensor in network.outputs] != stated or is_unknown:
            wrong.append(case.name)
    assert set(wrong) <= _TAKEN_FOR_A_BATCH, wrong
