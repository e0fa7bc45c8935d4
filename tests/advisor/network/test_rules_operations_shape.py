"""Operations that arrange values have the shapes that Keras gives them, also at the end."""

import pytest

from advisor.model.kernel import ElementwiseShape, GemmShape, UnknownShape
from tests.advisor.network.networks_data import array, built, functional, layer, operation


# Results of Keras 3.15.
@pytest.mark.parametrize(
    ("op", "given", "config", "made"),
    [
        ("Reshape", [(8, 6)], {"newshape": [-1, 48]}, (48,)),
        ("Reshape", [(8, 6)], {"newshape": [-1, 4, 2, 6]}, (4, 2, 6)),
        ("Reshape", [(8, 6)], {"newshape": [2, -1, 3]}, (16, 3)),
        ("Squeeze", [(1, 6, 1)], {"axis": None}, (6,)),
        ("Squeeze", [(1, 6, 1)], {"axis": 1}, (6, 1)),
        ("Squeeze", [(1, 6, 1)], {"axis": [1, -1]}, (6,)),
        ("ExpandDims", [(8, 6)], {"axis": 1}, (1, 8, 6)),
        ("ExpandDims", [(8, 6)], {"axis": -1}, (8, 6, 1)),
        ("ExpandDims", [(8,)], {"axis": [1, 3]}, (1, 8, 1)),
        ("Transpose", [(8, 6, 5)], {"axes": [0, 3, 1, 2]}, (5, 8, 6)),
        ("Transpose", [(8, 3, 6)], {"axes": [2, 0, 1, 3]}, (3, 8, 6)),
        ("SwapAxes", [(8, 6, 5)], {"axis1": 1, "axis2": -1}, (5, 6, 8)),
        ("Moveaxis", [(8, 6, 5)], {"source": 1, "destination": -1}, (6, 5, 8)),
        ("Moveaxis", [(8, 6, 5)], {"source": [3], "destination": [1]}, (5, 8, 6)),
        ("Flip", [(8, 6)], {"axis": 1}, (8, 6)),
        ("Pad", [(8, 6)], {"pad_width": [[0, 0], [1, 2], [0, 3]]}, (11, 9)),
        ("Pad", [(8, 6)], {"pad_width": 0}, (8, 6)),
        ("Tile", [(8, 6)], {"repeats": [1, 2, 3]}, (16, 18)),
        ("Tile", [(8, 6)], {"repeats": 2}, (8, 12)),
        ("Repeat", [(8, 6)], {"repeats": 3, "axis": 1}, (24, 6)),
        ("Stack", [(8, 6), (8, 6), (8, 6)], {"axis": -1}, (8, 6, 3)),
        ("Stack", [(8, 6), (8, 6)], {"axis": 1}, (2, 8, 6)),
        ("TopK", [(8, 6)], {"k": 2}, (8, 2)),
        ("BroadcastTo", [(1, 6)], {"shape": [2, 8, 6]}, (8, 6)),
        ("Take", [array(50, 12), (8,)], {"axis": 0}, (8, 12)),
        ("Take", [(8, 6), array(3)], {"axis": 1}, (3, 6)),
        ("Split", [(8, 6)], {"indices_or_sections": 3, "axis": -1}, (8, 2)),
        ("Reshape", [(8, 6)], {"newshape": [None, -1, 3]}, (16, 3)),
        ("Reshape", [(8, 6)], {"newshape": [-1, None, 2, 3]}, (8, 2, 3)),
        ("Reshape", [(8, 6)], {"newshape": [None, 2, None]}, (2, 24)),
        ("Split", [(8, 6)], {"indices_or_sections": [1, 3], "axis": 2}, (8, 1)),
    ],
)  # fmt: skip
def test_the_last_operation_has_the_shape_of_keras(op, given, config, made):
    given = [one if isinstance(one, dict) else tuple(one) for one in given]
    feeds = {f"in{place}": one for place, one in enumerate(given) if isinstance(one, tuple)}
    if len(feeds) == len(given) == 1 and op in ("Squeeze", "ExpandDims", "Reshape"):
        entry = {**layer(op, **config), "module": "keras.src.ops.numpy"}
        calls = {"root": (layer("ReLU"), ["in0"]), "op": (entry, ["root"])}
        network = built(functional(feeds, calls, ["op"]))
    else:
        network = operation(op, *given, **config)
    assert network.outputs[0].shape == made
    assert network.notes == ()


@pytest.mark.parametrize(
    ("op", "config"),
    [
        ("Reshape", {}), ("Reshape", {"newshape": []}), ("Reshape", {"newshape": [2, -1, 7]}),
        ("Reshape", {"newshape": [-1, 0]}), ("Squeeze", {"axis": 1}), ("ExpandDims", {"axis": 9}),
        ("Transpose", {"axes": [0, 1]}), ("Transpose", {"axes": "x"}), ("SwapAxes", {"axis1": 1}),
        ("Moveaxis", {"source": 1}), ("Pad", {"pad_width": "x"}),
        ("Pad", {"pad_width": [[0, 0]] * 2}),
        ("Pad", {"pad_width": [[0, 0], [1, 2, 3], [0, 0]]}), ("Tile", {"repeats": [1] * 9}),
        ("Repeat", {"repeats": 3, "axis": 9}), ("Stack", {"axis": 9}), ("Split", {"axis": 0}),
        ("Split", {"indices_or_sections": [4, 2], "axis": 1}),
        ("Split", {"indices_or_sections": [4, 9], "axis": 1}), ("TopK", {"k": 99}),
        ("Split", {"indices_or_sections": 2**30, "axis": 1}),
        ("ExpandDims", {"axis": [0] * 65}), ("BroadcastTo", {"shape": [2]}),
        ("Take", {"axis": 0}), ("Reshape", {"newshape": [-1, None, 7]}), ("GetItem", {}),
        ("Squeeze", {"axis": "x"}),
    ],
)  # fmt: skip
def test_a_shape_that_does_not_follow_is_noted(op, config):
    network = operation(op, (8, 6), **config)
    assert isinstance(network.operators[0].shape, UnknownShape)
    assert len(network.notes) == 1


@pytest.mark.parametrize(
    ("places", "axis", "made"),
    [([0, 2], -1, (8, 2)), (1, 1, (6,)), ([0] * 100, 1, (100, 6)), ([0, 2], 2, (8, 2))],
)
def test_places_that_stand_in_the_file_are_taken(places, axis, made):
    network = operation("Take", (8, 6), places, axis=axis)
    assert network.outputs[0].shape == made
    assert network.notes == ()


def test_what_is_moved_is_a_copy():
    network = operation("Roll", (8, 6), axis=1, shift=2)
    assert network.operators[0].shape == ElementwiseShape(op="copy", elements=96)


def windows(*, back):
    """Windows of an image that are taken for samples: what each is multiplied by, and back."""
    ops = {"module": "keras.src.ops.numpy"}
    calls = {
        "apart": ({**layer("Reshape", newshape=[-1, 16, 12]), **ops}, ["in"]),
        "dense": (layer("Dense", units=5), ["apart"]),
        "scores": (layer("Dot", axes=2), ["dense", "dense"]),
        "whole": ({**layer("Reshape", newshape=[-1, 16, 16, 5]), **ops}, ["dense"]),
    }
    return built(functional({"in": (16, 16, 12)}, calls, ["whole" if back else "scores"]))


def test_windows_of_an_image_are_as_many_as_they_are():
    network = windows(back=False)
    assert [one.shape for one in network.operators] == [
        GemmShape(m=2 * 16 * 16, n=5, k=12),
        GemmShape(m=16, n=16, k=5, batch=2 * 16),
    ]
    (end,) = network.outputs
    assert (end.shape, end.fold) == ((16, 16), 16)
    assert network.multiply_adds_per_sample == 256 * 12 * 5 + 16 * 16 * 16 * 5


def test_windows_that_are_put_together_are_one_sample_again():
    (end,) = windows(back=True).outputs
    assert (end.shape, end.fold) == ((16, 16, 5), 1)


@pytest.mark.parametrize("is_operation", [True, False])
def test_batches_that_are_joined_are_more_samples(is_operation):
    entry = layer("Concatenate", axis=0)
    if is_operation:
        entry["module"] = "keras.src.ops.numpy"
    calls = {"both": (entry, ["a", "b"]), "dense": (layer("Dense", units=5), ["both"])}
    network = built(functional({"a": (6,), "b": (6,)}, calls, ["dense"]))
    assert network.operators[-1].shape == GemmShape(m=4, n=5, k=6)


def test_a_batch_that_stands_elsewhere_is_found():
    network = operation("Transpose", (8, 3, 6), made=[[3, None, 8, 6]], axes=[2, 0, 1, 3])
    assert network.outputs[0].shape == (3, 8, 6)
    assert network.notes == ()


def samples_behind(op, **config):
    """How many rows a layer has behind an operation on two batches that are joined."""
    ops = {"module": "keras.src.ops.numpy"}
    calls = {
        "both": (layer("Concatenate", axis=0), ["a", "b"]),
        "op": ({**layer(op, **config), **ops}, ["both"]),
        "dense": (layer("Dense", units=5), ["op"]),
    }
    network = built(functional({"a": (6,), "b": (6,)}, calls, ["dense"]), batch=4)
    (product,) = (each.shape for each in network.operators if isinstance(each.shape, GemmShape))
    return product.m


def test_a_batch_is_taken_apart_and_repeated():
    assert samples_behind("Split", axis=0, indices_or_sections=2) == 4
    assert samples_behind("Repeat", axis=0, repeats=3) == 24
    assert samples_behind("Tile", repeats=[3, 1]) == 24
    assert samples_behind("Split", axis=0, indices_or_sections=3) == 8  # not known: as before


def part(start=None, stop=None, step=None):
    """A slice as it stands in a file."""
    return {"class_name": "__slice__", "config": {"start": start, "stop": stop, "step": step}}


DOTS = {"class_name": "__ellipsis__", "config": {}}


# Results of Keras 3.15.
@pytest.mark.parametrize(
    ("key", "made"),
    [
        ([part(), -1], (6, 4)),
        ([DOTS, part(1, 3)], (8, 6, 2)),
        ([part(), part(step=2), part(1)], (4, 5, 4)),
        ([part(), None], (1, 8, 6, 4)),
        ([part(), part(0, 1), DOTS, 2], (1, 6)),
        ([DOTS, None], (8, 6, 4, 1)),
        (DOTS, (8, 6, 4)),
    ],
)
def test_brackets_behind_a_tensor_have_the_shape_of_keras(key, made):
    network = operation("GetItem", (8, 6, 4), key)
    assert network.outputs[0].shape == made
    assert network.notes == ()


@pytest.mark.parametrize(
    "key",
    [
        0, None, [None, 1], [part(), 1, 1, 1, 1], [DOTS, DOTS], [part(0, 1)], [part(), part(9)],
        [part(), part(0, "x")], [part(), part(0, 3, 0)], [part(), "x"],
        [part(), {"class_name": "__slice__", "config": [1]}, array(2)],
    ],
)  # fmt: skip
def test_brackets_that_pick_samples_or_nothing_known_are_noted(key):
    network = operation("GetItem", (8, 6, 4), key)
    assert isinstance(network.operators[0].shape, UnknownShape)
