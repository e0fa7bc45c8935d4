"""ONNX files that cannot be: each is refused in one line, whatever its bytes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import helper

from advisor.errors import NetworkFileError
from advisor.model.workload import Job
from advisor.network.load import workload_from_bytes, workload_from_file
from tests.advisor.network.onnx_build import (
    FLOAT,
    PACKAGE,
    built,
    fed,
    model,
    refuse,
    sizes,
    varint,
    weights,
)

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
    data = b"\x42\x04\x0a\x00\x10\x11" + b"\x3a" + varint(len(nodes)) + nodes
    refuse(data, "more than 20000 entries")


def test_a_message_of_very_many_fields_is_refused():
    refuse(b"\x08\x01" * 2_000_000, "more than 300000 fields")


def test_files_on_disk_are_checked_too(tmp_path):
    empty = tmp_path / "empty.onnx"
    empty.touch()
    with pytest.raises(NetworkFileError, match=r"empty\.onnx: the file is empty"):
        workload_from_file(empty, job=Job())
    with pytest.raises(NetworkFileError, match=r"none\.onnx: there is no such file"):
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
