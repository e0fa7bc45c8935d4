"""ONNX files: our own reader against the onnx package, and against published networks."""

import time
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

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
from advisor.network.onnx_reading import read_onnx, read_onnx_file

PACKAGE = Path(onnx.__file__).parent / "backend" / "test" / "data"
FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


def weights(name, *dims):
    return numpy_helper.from_array(np.zeros(dims, np.float32), name)


def sizes(name, *values):
    return numpy_helper.from_array(np.array(values, np.int64), name)


def fed(name, *dims, kind=FLOAT):
    return helper.make_tensor_value_info(name, kind, list(dims))


def model(nodes, feeds, constants=(), outputs=None, opset=17):
    """The bytes of a file; nodes are (operation, inputs, outputs, attributes)."""
    made = [
        helper.make_node(op, list(ins), list(outs), **(attributes[0] if attributes else {}))
        for op, ins, outs, *attributes in nodes
    ]
    ends = outputs or [helper.make_tensor_value_info(made[-1].output[0], FLOAT, None)]
    graph = helper.make_graph(made, "g", list(feeds), ends, list(constants))
    opsets = [helper.make_opsetid("", opset)]
    return helper.make_model(graph, opset_imports=opsets).SerializeToString()


def built(data, *, batch=2, is_training=True):
    return network_from_onnx(read_onnx(data), name="n", batch_size=batch, is_training=is_training)


def refuse(data, says, name="mine.onnx"):
    began = time.monotonic()
    with pytest.raises(NetworkFileError, match=says) as caught:
        workload_from_bytes(data, name=name, job=Job())
    assert time.monotonic() - began < 2.0
    assert "\n" not in str(caught.value)


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
    # Two of them compute nothing, one splits the batch.
    assert refused == {"test_operator_flatten", "test_operator_view", "test_operator_chunk"}


def test_a_file_is_mapped_and_its_weights_are_not_read(tmp_path):
    """A gigabyte of weights (a hole in the file) costs no time."""
    data = model([("MatMul", ["x", "w"], ["y"])], [fed("x", "batch", 4)], [weights("w", 4, 2)])
    size = 2**30
    tensor = b"\x08\x80\x80\x40\x08\x80\x02\x10\x01\x42\x03big\x4a" + _varint(size)
    head = _length_field(5, len(tensor) + size) + tensor
    graph = onnx.load_from_string(data).graph.SerializeToString()
    path = tmp_path / "big.onnx"
    opset = b"\x42\x04\x0a\x00\x10\x11"
    body = opset + _length_field(7, len(graph) + len(head) + size) + graph + head
    with path.open("wb") as file:
        file.write(body)
        file.truncate(len(body) + size)
    began = time.monotonic()
    assert workload_from_file(path, job=Job()).parameters == 8
    assert time.monotonic() - began < 1.0


def _varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _length_field(number, size):
    return bytes([number << 3 | 2]) + _varint(size)


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


X = [fed("x", "batch", 3, 8, 8)]
MATRIX = [fed("x", "batch", 4)]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "no graph"),
        (b"\x00" * 40, "not an ONNX file"),
        (b"PK\x03\x04", "not an ONNX file"),
        (model([("Relu", ["gone"], ["y"])], MATRIX), "'gone' is read before"),
        (model([("Relu", ["y"], ["y"])], MATRIX), "cycle"),
        (model([("Identity", ["x"], ["y"])], MATRIX), "compute"),
        (model([("MatMul", ["x", "w"], ["y"])], MATRIX, [weights("w", 5, 2)]), "fit together"),
        (model([("Gemm", ["x"], ["y"])], MATRIX), "no input 2"),
        (model([("Gemm", ["x", "w"], ["y"])], X, [weights("w", 5, 2)]), "needs 2 dimensions"),
        (model([("Conv", ["x", "w"], ["y"])], X, [weights("w", 4, 2, 3, 3)]), "3 channels"),
        (model([("Conv", ["x", "w"], ["y"])], X, [weights("w", 4, 3, 9, 9)]), "larger than"),
        (model([("MaxPool", ["x"], ["y"])], X), "kernel_shape"),
        (model([("MaxPool", ["x"], ["y"], {"kernel_shape": [0, 2]})], X), "1 or more"),
        (model([("Reshape", ["x", "s"], ["y"])], X, [sizes("s", 7, -1)]), "cannot reshape"),
        (model([("Transpose", ["x"], ["y"], {"perm": [0, 1]})], X), "'perm'"),
        (model([("Softmax", ["x"], ["y"], {"axis": 9})], X), "axis 9"),
        (model([("Softmax", ["x"], ["y"], {"axis": "a"})], X), "whole number"),
        (model([("Tile", ["x", "x"], ["y"])], X), "infer_shapes"),
        (model([("Split", ["x", "s"], ["a", "b"])], X, [sizes("s", 5, 5)]), "cannot split"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(data, says):
    refuse(data, says)


def test_a_shape_is_stated_or_refused():
    graph = helper.make_graph(
        [helper.make_node("Relu", ["x"], ["y"])], "g",
        [helper.make_tensor_value_info("x", FLOAT, None)],
        [helper.make_tensor_value_info("y", FLOAT, None)],
    )  # fmt: skip
    refuse(helper.make_model(graph).SerializeToString(), "has no shape")


def test_too_many_operations_are_refused():
    nodes = b"".join([b"\x0a\x0a\x0a\x01x\x12\x01y\x22\x02Op"] * 20_001)
    data = b"\x42\x04\x0a\x00\x10\x11" + b"\x3a" + _varint(len(nodes)) + nodes
    refuse(data, "more than 20000 entries")


def test_a_message_of_very_many_fields_is_refused():
    refuse(b"\x08\x01" * 2_000_000, "more than 300000 fields")


def test_files_on_disk_are_checked_too(tmp_path):
    empty = tmp_path / "empty.onnx"
    empty.touch()
    with pytest.raises(NetworkFileError, match=r"empty\.onnx: the file is empty"):
        workload_from_file(empty, job=Job())
    with pytest.raises(NetworkFileError, match="cannot be read"):
        workload_from_file(tmp_path / "none.onnx", job=Job())
    cut = tmp_path / "cut.onnx"
    cut.write_bytes((PACKAGE / "light" / "light_squeezenet.onnx").read_bytes()[:5000])
    with pytest.raises(NetworkFileError, match="cut off"):
        workload_from_file(cut, job=Job())


SEED = model(
    [
        ("Conv", ["x", "w"], ["c"], {"pads": [1, 1, 1, 1]}),
        ("Flatten", ["c"], ["f"]),
        ("Gemm", ["f", "v"], ["y"]),
    ],
    X,
    [weights("w", 2, 3, 3, 3), weights("v", 128, 2), sizes("s", 1, 2, 3)],
)


@given(changes=st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), max_size=6))
@settings(max_examples=300, deadline=None)
def test_any_bytes_are_read_or_refused(changes):
    data = bytearray(SEED)
    for position, value in changes:
        data[position % len(data)] = value
    said = ""
    try:
        workload_from_bytes(bytes(data), name="x.onnx", job=Job())
    except NetworkFileError as error:
        said = str(error)
    assert "\n" not in said


@given(batch=st.integers(1, 512))
@settings(max_examples=20, deadline=None)
def test_counts_of_a_sample_do_not_depend_on_the_batch(batch):
    one, many = built(SEED, batch=1), built(SEED, batch=batch)
    assert many.parameters == one.parameters == 54 + 256
    assert many.multiply_adds_per_sample == one.multiply_adds_per_sample == 64 * 54 + 256
