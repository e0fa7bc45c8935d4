"""ONNX files: our own reader against the onnx package, and against published networks."""

import time

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from advisor.errors import NetworkFileError
from advisor.model.kernel import (
    Cell,
    ElementwiseShape,
    EmbeddingShape,
    GemmShape,
    RecurrentShape,
    SoftmaxShape,
    UnknownShape,
)
from advisor.model.quantity import Phase
from advisor.model.workload import Job
from advisor.network.load import workload_from_bytes, workload_from_file
from advisor.network.onnx_graph import network_from_onnx
from advisor.network.onnx_reading import read_onnx_file
from tests.advisor.network.onnx_build import (
    FLOAT,
    INT64,
    PACKAGE,
    built,
    fed,
    length_field,
    model,
    sizes,
    varint,
    weights,
)

# Networks that the onnx package carries without weights; figures that others print for them.
KNOWN = {
    "resnet50": (25_557_032, 4_089_184_256),
    "vgg19": (143_667_240, 19_632_062_464),
    "squeezenet": (1_235_496, None),
    "bvlc_alexnet": (60_965_224, None),
    "densenet121": (8_062_504, 2_834_161_664),
}


@pytest.mark.parametrize("name", KNOWN)
def test_published_networks_have_their_counts(name):
    trainable, multiply_adds = KNOWN[name]
    network = network_from_onnx(
        read_onnx_file(PACKAGE / "light" / f"light_{name}.onnx"), name=name, batch_size=3
    )
    assert network.trainable_parameters == trainable
    assert multiply_adds in (None, network.multiply_adds_per_sample)
    assert network.notes == ()
    assert network.inputs == ((1, 3, 224, 224),)


def _is_followed(path):
    """Whether we give the shapes that the file states, but for the batch."""
    proto = onnx.load(path).graph
    wanted = [tuple(d.dim_value for d in end.type.tensor_type.shape.dim) for end in proto.output]
    try:
        network = network_from_onnx(read_onnx_file(path), name="n", batch_size=1)
    except NetworkFileError:
        return False
    made = [tensor.shape for tensor in network.outputs]
    return made == wanted or made == [(1, *shape[1:]) for shape in wanted]


def test_operations_exported_from_pytorch_have_the_shapes_of_their_files():
    paths = sorted(PACKAGE.glob("pytorch-converted/*/model.onnx"))
    assert len(paths) > 60
    assert [path.parent.name for path in paths if not _is_followed(path)] == []


def test_most_single_operations_have_the_shapes_of_their_files():
    paths = sorted(PACKAGE.glob("pytorch-operator/*/model.onnx"))
    refused = {path.parent.name for path in paths if not _is_followed(path)}
    # They compute nothing.
    assert refused == {"test_operator_flatten", "test_operator_view"}


@pytest.mark.alone
def test_a_file_is_mapped_and_its_weights_are_not_read(tmp_path):
    """A gigabyte of weights (a hole in the file) costs no time."""
    data = model([("MatMul", ["x", "w"], ["y"])], [fed("x", "batch", 4)], [weights("w", 4, 2)])
    size = 2**30
    tensor = b"\x08\x80\x80\x40\x08\x80\x02\x10\x01\x42\x03big\x4a" + varint(size)
    head = length_field(5, len(tensor) + size) + tensor
    graph = onnx.load_from_string(data).graph.SerializeToString()
    path = tmp_path / "big.onnx"
    opset = b"\x42\x04\x0a\x00\x10\x11"
    body = opset + length_field(7, len(graph) + len(head) + size) + graph + head
    with path.open("wb") as file:
        file.write(body)
        file.truncate(len(body) + size)
    began = time.monotonic()
    assert workload_from_file(path, job=Job()).parameters == 8
    assert time.monotonic() - began < 1.0


def test_a_dense_layer_as_pytorch_and_tensorflow_write_it():
    constants = [weights("w", 4, 9), weights("b", 4), weights("v", 4, 3), weights("c", 3)]
    data = model(
        [
            ("Gemm", ["x", "w", "b"], ["h"], {"transB": 1}),
            ("Relu", ["h"], ["r"]),
            ("MatMul", ["r", "v"], ["m"]),
            ("Add", ["m", "c"], ["y"]),
            ("Softmax", ["y"], ["p"]),
        ],
        [fed("x", "batch", 9)],
        constants,
    )
    network = built(data)
    assert [op.shape for op in network.operators] == [
        GemmShape(m=2, n=4, k=9),
        ElementwiseShape(op="relu", elements=8),
        GemmShape(m=2, n=3, k=4),
        ElementwiseShape(op="add", elements=6, n_inputs=2),
        SoftmaxShape(rows=2, columns=3),
    ]
    assert (network.parameters, network.variables) == (36 + 4 + 12 + 3, 4)
    assert [op.needs_input_gradient for op in network.operators] == [False, *[True] * 4]
    assert [op.inputs for op in network.operators] == [(), (0,), (1,), (2,), (3,)]


def test_sizes_computed_in_the_graph_are_followed():
    """reshape(x, (x.shape[0], -1)) and transposition into heads, with a free batch."""
    data = model(
        [
            ("Shape", ["x"], ["s"]),
            ("Gather", ["s", "zero"], ["n"]),
            ("Unsqueeze", ["n", "axis"], ["n1"]),
            ("Concat", ["n1", "rest"], ["target"], {"axis": 0}),
            ("Reshape", ["x", "target"], ["heads"]),
            ("Transpose", ["heads"], ["q"], {"perm": [0, 2, 1, 3]}),
            ("Transpose", ["heads"], ["k"], {"perm": [0, 2, 3, 1]}),
            ("MatMul", ["q", "k"], ["scores"]),
        ],
        [fed("x", "batch", 7, 12)],
        [
            numpy_helper.from_array(np.array(0, np.int64), "zero"),
            sizes("axis", 0),
            sizes("rest", 7, 3, 4),
        ],
    )
    network = built(data)
    assert network.operators[-1].shape == GemmShape(m=7, n=7, k=4, batch=6)
    assert network.parameters == 0
    assert network.outputs[0].shape == (1, 3, 7, 7)


def test_a_batch_that_the_file_fixes_is_replaced():
    data = model(
        [("Reshape", ["x", "to"], ["f"]), ("Gemm", ["f", "w"], ["y"])],
        [fed("x", 8, 3, 4)],
        [sizes("to", 8, -1), weights("w", 12, 5)],
    )
    assert built(data, batch=32).operators[0].shape == GemmShape(m=32, n=5, k=12)


def test_a_fixed_batch_may_stand_anywhere():
    """As PyTorch exports its encoder: the sequence comes first inside, sizes are written out."""
    data = model(
        [
            ("Transpose", ["x"], ["t"], {"perm": [1, 0, 2]}),
            ("MatMul", ["t", "w"], ["p"]),
            ("Reshape", ["p", "to"], ["heads"]),
            ("Transpose", ["heads"], ["q"], {"perm": [1, 0, 2]}),
            ("Transpose", ["heads"], ["k"], {"perm": [1, 2, 0]}),
            ("MatMul", ["q", "k"], ["scores"]),
            ("ReduceMean", ["scores"], ["y"], {"axes": [2]}),
        ],
        [fed("x", 8, 5, 6)],
        [weights("w", 6, 12), sizes("to", 5, 32, 3)],
        opset=13,
    )
    fixed, more = built(data, batch=8), built(data, batch=24)
    for network, batch in ((fixed, 8), (more, 24)):
        products = [op.shape for op in network.operators if isinstance(op.shape, GemmShape)]
        assert products == [
            GemmShape(m=5 * batch, n=12, k=6),
            GemmShape(m=5, n=5, k=3, batch=4 * batch),
        ]
        assert network.operators[-1].output_elements == 4 * 5 * batch
    assert fixed.inputs == more.inputs == ((1, 5, 6),)
    assert fixed.multiply_adds_per_sample == more.multiply_adds_per_sample


def test_padding_computed_in_the_graph_is_followed():
    """As PyTorch exports `pad`: pairs from the last dimension on, turned round in the graph."""
    data = model(
        [
            ("Concat", ["given", "rest"], ["pairs"], {"axis": 0}),
            ("Reshape", ["pairs", "two"], ["table"]),
            ("Slice", ["table", "last", "lowest", "axis", "last"], ["reversed"]),
            ("Transpose", ["reversed"], ["turned"], {"perm": [1, 0]}),
            ("Reshape", ["turned", "flat"], ["pads"]),
            ("Pad", ["x", "pads"], ["y"]),
        ],
        [fed("x", "batch", 3, 8)],
        [
            sizes("given", 2, 1),
            sizes("rest", 0, 0, 0, 0),
            sizes("two", -1, 2),
            sizes("last", -1),
            sizes("lowest", -(2**63) + 1),
            sizes("axis", 0),
            sizes("flat", -1),
        ],
    )
    assert built(data).outputs[0].shape == (1, 3, 11)


def test_an_image_is_scaled_by_factors():
    factors = numpy_helper.from_array(np.array([1, 1, 2, 0.5], np.float32), "by")
    data = model([("Resize", ["x", "", "by"], ["y"])], [fed("x", "batch", 3, 8, 9)], [factors])
    assert built(data).outputs[0].shape == (1, 3, 16, 4)


def test_a_product_with_a_vector_has_one_dimension_less():
    data = model([("MatMul", ["x", "w"], ["y"])], [fed("x", "batch", 7, 4)], [weights("w", 4)])
    network = built(data)
    assert network.operators[0].shape == GemmShape(m=14, n=1, k=4)
    assert network.outputs[0].shape == (1, 7)


def test_an_embedding_and_a_recurrent_layer():
    data = model(
        [
            ("Gather", ["table", "ids"], ["e"]),
            ("Transpose", ["e"], ["t"], {"perm": [1, 0, 2]}),
            ("LSTM", ["t", "w", "r", "b"], ["", "h"], {"hidden_size": 6}),
        ],
        [fed("ids", "batch", 10, kind=INT64)],
        [
            weights("table", 50, 5),
            weights("w", 1, 24, 5),
            weights("r", 1, 24, 6),
            weights("b", 1, 48),
        ],
        outputs=[helper.make_tensor_value_info("h", FLOAT, None)],
    )
    network = built(data)
    assert network.operators[0].shape == EmbeddingShape(indices=20, dim=5, vocabulary=50)
    assert network.operators[2].shape == RecurrentShape(
        cell=Cell.LSTM, batch=2, timesteps=10, input=5, hidden=6
    )
    assert network.parameters == 250 + 24 * 11 + 48
    assert network.multiply_adds_per_sample == 10 * 24 * 11


def test_statistics_of_a_normalisation_are_frozen():
    data = model(
        [
            ("Conv", ["x", "w"], ["c"], {"pads": [1, 1, 1, 1], "strides": [2, 2]}),
            ("BatchNormalization", ["c", "g", "b", "m", "v"], ["y"]),
        ],
        [fed("x", "N", 3, 8, 8)],
        [weights("w", 4, 3, 3, 3), *(weights(n, 4) for n in "gbmv")],
    )
    network = built(data)
    assert (network.parameters, network.trainable_parameters) == (108 + 16, 108 + 8)
    assert network.outputs[0].shape == (1, 4, 4, 4)


def test_quantised_weights_count_once():
    data = model(
        [
            ("DequantizeLinear", ["q", "scale"], ["w"]),
            ("MatMul", ["x", "w"], ["a"]),
            ("MatMul", ["a", "w"], ["y"]),
        ],
        [fed("x", "batch", 4)],
        [numpy_helper.from_array(np.zeros((4, 4), np.int8), "q"), weights("scale")],
    )
    network = built(data)
    assert network.parameters == 16
    assert [type(op.shape) for op in network.operators] == [GemmShape, GemmShape]


def test_masks_and_scalars_are_no_weights():
    mask = numpy_helper.from_array(np.ones((4, 4), bool), "mask")
    data = model(
        [("Where", ["mask", "x", "low"], ["m"]), ("Mul", ["m", "half"], ["y"])],
        [fed("x", "batch", 4, 4)],
        [mask, weights("low"), weights("half", 1)],
    )
    assert built(data).parameters == 0


def test_dropout_works_in_training_only():
    data = model([("Relu", ["x"], ["r"]), ("Dropout", ["r"], ["y"])], [fed("x", "batch", 4)])
    assert len(built(data).operators) == 2
    assert len(built(data, is_training=False).operators) == 1
    job = Job(phase=Phase.INFERENCE)
    assert len(workload_from_bytes(data, name="x.onnx", job=job).operators) == 1


def test_an_unknown_operation_takes_the_shape_that_the_file_describes():
    nodes = [helper.make_node("Mystery", ["x"], ["y"]), helper.make_node("Relu", ["y"], ["z"])]
    graph = helper.make_graph(
        nodes,
        "g",
        [fed("x", "batch", 4)],
        [fed("z", "batch", 7)],
        value_info=[fed("y", "batch", 7)],
    )
    network = built(helper.make_model(graph).SerializeToString())
    assert network.operators[0].shape == UnknownShape(layer_type="Mystery", elements=14)
    assert network.outputs[0].shape == (1, 7)
    (note,) = network.notes
    assert "described in the file" in note


def test_free_sizes_are_assumed_and_said():
    data = model([("Relu", ["x"], ["y"])], [fed("x", "batch", 3, "height", "width")])
    network = built(data)
    assert network.inputs == ((1, 3, 224, 224),)
    assert "taken as 1 x 3 x 224 x 224" in network.notes[0]


def test_a_batch_that_is_not_first_is_found_by_its_name():
    data = model([("Relu", ["x"], ["y"])], [fed("x", 10, "batch_size", 5)])
    network = built(data, batch=4)
    assert network.inputs == ((10, 1, 5),)
    assert network.operators[0].output_elements == 4 * 50
