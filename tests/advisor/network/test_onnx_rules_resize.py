"""ONNX operations that give images another size."""

import numpy as np
import pytest
from onnx import numpy_helper

from tests.advisor.network.onnx_build import built, fed, model, refuse, sizes, standard_cases

IMAGE = [fed("x", "N", 3, 8, 8)]


def floats(name, *values):
    return numpy_helper.from_array(np.array(values, np.float32), name)


def shape(op, inputs, constants=(), feeds=IMAGE, *, opset=19, before=(), **attributes):
    data = model([*before, (op, inputs, ["y"], attributes)], feeds, constants, opset=opset)
    network = built(data)
    assert network.notes == ()
    return network.outputs[0].shape


def test_some_axes_are_scaled_to_sizes_or_by_factors():
    to = ["x", "", "", "to"]
    assert shape("Resize", to, [sizes("to", 12, 10)], axes=[2, 3]) == (1, 3, 12, 10)
    assert shape("Resize", to, [sizes("to", 10, 12)], axes=[-1, 2]) == (1, 3, 12, 10)
    assert shape("Resize", to, [sizes("to", 9)], axes=[3]) == (1, 3, 8, 9)
    by = ["x", "", "by"]
    assert shape("Resize", by, [floats("by", 2, 0.5)], axes=[2, 3]) == (1, 3, 16, 4)


@pytest.mark.parametrize(
    ("policy", "made"), [("not_larger", (4, 4)), ("not_smaller", (20, 20)), ("stretch", (20, 4))]
)
def test_proportions_may_be_kept(policy, made):
    given = {"axes": [2, 3], "keep_aspect_ratio_policy": policy}
    assert shape("Resize", ["x", "", "", "to"], [sizes("to", 20, 4)], **given) == (1, 3, *made)


def test_factors_may_stand_in_a_list_of_the_operation_or_of_a_constant():
    listed = ("Constant", [], ["by"], {"value_floats": [1.0, 1.0, 2.0, 3.0]})
    assert shape("Resize", ["x", "", "by"], before=[listed], opset=13) == (1, 3, 16, 24)
    assert shape("Upsample", ["x"], opset=7, scales=[1.0, 1.0, 2.0, 3.0]) == (1, 3, 16, 24)


def test_some_axes_are_padded():
    pads, axes = sizes("p", 1, 2, 3, 4), sizes("a", 2, -1)
    assert shape("Pad", ["x", "p", "", "a"], [pads, axes]) == (1, 3, 12, 14)
    assert shape("Pad", ["x", "p"], [sizes("p", 0, 0, 1, 2, 0, 0, 3, 4)]) == (1, 3, 12, 14)


def test_values_go_back_to_where_they_were_the_largest():
    pool = ("MaxPool", ["x"], ["p", "i"], {"kernel_shape": [2, 2], "strides": [2, 2]})
    window = {"kernel_shape": [2, 2], "strides": [2, 2]}
    assert shape("MaxUnpool", ["p", "i"], before=[pool], **window) == (1, 3, 8, 8)
    for stated in ((9, 9), (1, 3, 9, 9)):
        made = shape("MaxUnpool", ["p", "i", "to"], [sizes("to", *stated)], before=[pool], **window)
        assert made == (1, 3, 9, 9)


def test_blocks_become_an_image():
    feeds = [fed("x", "N", 12, 16)]
    constants = [sizes("image", 8, 8), sizes("block", 2, 2)]
    assert shape("Col2Im", ["x", "image", "block"], constants, feeds) == (1, 3, 8, 8)


@pytest.mark.parametrize("image", [(3, 8, 9), (3, 4, 8, 9)])
def test_a_grid_of_places_is_sampled(image):
    _channels, *spatial = image
    rank = len(spatial)
    grid = ("AffineGrid", ["turn", "size"], ["g"])
    feeds = [fed("x", "N", *image), fed("turn", "N", rank, rank + 1)]
    made = shape("GridSample", ["x", "g"], [sizes("size", 1, *image)], feeds, before=[grid])
    assert made == (1, *image)


@pytest.mark.parametrize(
    ("op", "inputs", "constants", "attributes", "says"),
    [
        ("Resize", ["x", "", "", "a"], [sizes("a", 5, 5)], {"axes": [2, 2]}, "stands twice"),
        ("Resize", ["x", "", "", "a"], [sizes("a", 5, 5)], {"axes": [2, 9]}, "axis 9"),
        ("Resize", ["x", "", "", "a"], [sizes("a", 0, 5)], {"axes": [2, 3]}, "would be"),
        ("Resize", ["x", "", "", "a"], [sizes("a", 2**40, 5)], {"axes": [2, 3]}, "would be"),
        ("Resize", ["x", "", "a"], [floats("a", 1, 1, float("nan"), 1)], {}, "infer_shapes"),
        ("Resize", ["x", "", "a"], [floats("a", 1, 1, float("inf"), 1)], {}, "infer_shapes"),
        ("Resize", ["x", "", "a"], [floats("a", 1, 1, -2, 1)], {}, "infer_shapes"),
        ("Pad", ["x", "a", "", "b"], [sizes("a", 1, 1), sizes("b", 7)], {}, "axis 7"),
        ("Pad", ["x", "a", "", "b"], [sizes("a", -9, 1), sizes("b", 2)], {}, "nothing is left"),
        ("Pad", ["x", "a", "", "b"], [sizes("a", 2**40, 1), sizes("b", 2)], {}, "would be"),
        ("MaxUnpool", ["x", "x"], [], {}, "kernel_shape"),
        ("MaxUnpool", ["x", "x"], [], {"kernel_shape": [0, -9]}, "would be"),
        ("MaxUnpool", ["x", "x"], [], {"kernel_shape": [2**31, 1], "strides": [2**31, 1]},
         "would be"),
        ("Col2Im", ["x", "a", "b"], [sizes("a", 8), sizes("b", 2)], {}, "needs 3 dimensions"),
        ("AffineGrid", ["x", "a"], [sizes("a", 1, 3, 8, 8)], {}, "needs 3 dimensions"),
    ],
)  # fmt: skip
def test_sizes_that_cannot_be_are_refused(op, inputs, constants, attributes, says):
    refuse(model([(op, inputs, ["y"], attributes)], IMAGE, constants, opset=19), says)


@pytest.mark.parametrize(
    ("op", "inputs", "constants", "says"),
    [
        ("Col2Im", ["x", "a", "b"], [sizes("a", 8), sizes("b", 2, 2)], "do not fit"),
        ("Col2Im", ["x", "a", "b"], [sizes("a", 8, 0), sizes("b", 2, 2)], "do not fit"),
        ("Col2Im", ["x", "a", "b"], [sizes("a", 8, 8), sizes("b", 5, 7)], "do not fit"),
        ("Col2Im", ["x", "a", "b"], [sizes("a", 8, 2**40), sizes("b", 2, 2)], "would be"),
        ("AffineGrid", ["x", "a"], [sizes("a", 1, 3, 8)], "its images would be"),
        ("AffineGrid", ["x", "a"], [sizes("a", 1, 3, 8, -8)], "its images would be"),
    ],
)
def test_blocks_and_grids_that_cannot_be_are_refused(op, inputs, constants, says):
    refuse(model([(op, inputs, ["y"])], [fed("x", "N", 12, 16)], constants, opset=20), says)


@pytest.mark.parametrize("op", ["Pad", "Resize", "MaxUnpool", "Col2Im", "AffineGrid"])
def test_a_size_that_only_the_data_tell_is_not_guessed(op):
    rank = {"Col2Im": 3, "AffineGrid": 3}.get(op, 4)
    feeds = [fed("x", "N", *(4,) * (rank - 1)), fed("s", 4, kind=7)]
    inputs = {"Resize": ["x", "", "", "s"], "MaxUnpool": ["x", "x", "s"], "Col2Im": ["x", "s", "s"]}
    kernel = {"kernel_shape": [2, 2]} if op == "MaxUnpool" else {}
    data = model([(op, inputs.get(op, ["x", "s"]), ["y"], kernel)], feeds, opset=19)
    refuse(data, "infer_shapes")


_FAMILIES = (
    "test_resize_", "test_upsample_", "test_maxunpool_", "test_col2im", "test_affine_grid",
    "test_edge_pad", "test_constant_pad", "test_reflect_pad", "test_wrap_pad",
)  # fmt: skip


def test_images_of_the_standard_have_the_shapes_of_their_files():
    cases = [
        case
        for case in standard_cases()
        if case.name.startswith(_FAMILIES) and "expanded" not in case.name
    ]
    assert len(cases) > 40
    wrong = []
    for case in cases:
        ends = case.model.graph.output
        stated = [tuple(d.dim_value for d in e.type.tensor_type.shape.dim) for e in ends]
        # What is fed for a size is a constant here, as exporters write it.
        graph = case.model.graph
        (inputs, _outputs), *_more = case.data_sets
        for value, given in list(zip(graph.input, inputs, strict=True))[1:]:
            graph.initializer.append(numpy_helper.from_array(np.asarray(given), value.name))
        network = built(case.model.SerializeToString(), batch=1)
        if [tensor.shape for tensor in network.outputs] != stated:
            wrong.append(case.name)
    assert wrong == []
