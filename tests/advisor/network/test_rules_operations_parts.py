"""Operations that take tensors apart have the shapes of Keras where the file records none."""

import pytest

from advisor.model.kernel import ElementwiseShape, UnknownShape
from tests.advisor.network.networks_data import operation

_SIZES = {"target_height": None, "target_width": None}
_EDGES = {"top": 1, "left": 2, "bottom": 3, "right": 4}


def edges(what):
    return {f"{end}_{what}": size for end, size in _EDGES.items()}


# Results of Keras 3.15.
@pytest.mark.parametrize(
    ("op", "given", "config", "made"),
    [
        ("Unstack", [(8, 6)], {"num": None, "axis": -1}, ((8,),) * 6),
        ("Unstack", [(3, 6)], {"num": None, "axis": 1}, ((6,),) * 3),
        ("TakeAlongAxis", [(8, 6), (8, 2)], {"axis": -1}, ((8, 2),)),
        ("Hstack", [(8, 6), (4, 6)], {}, ((12, 6),)),
        ("Diff", [(8, 6)], {"n": 1, "axis": 1}, ((7, 6),)),
        ("Diff", [(8, 6)], {"n": 2, "axis": -1}, ((8, 4),)),
        ("DepthToSpace", [(8, 6, 12)], {"block_size": 2}, ((16, 12, 3),)),
        (
            "DepthToSpace", [(12, 8, 6)],
            {"block_size": 2, "data_format": "channels_first"}, ((3, 16, 12),),
        ),
        ("SpaceToDepth", [(8, 6, 3)], {"block_size": 2}, ((4, 3, 12),)),
        ("PadImages", [(8, 6, 3)], {**edges("padding"), **_SIZES}, ((12, 12, 3),)),
        ("CropImages", [(8, 9, 3)], {**edges("cropping"), **_SIZES}, ((4, 3, 3),)),
        (
            "PadImages", [(16, 16, 3)],
            {"top_padding": 1, "left_padding": 2, "target_height": 20, "target_width": 19},
            ((20, 19, 3),),
        ),
    ],
)  # fmt: skip
def test_parts_of_a_tensor_have_the_shape_of_keras(op, given, config, made):
    network = operation(op, *given, **config)
    assert tuple(network.layers[0].outputs) == made
    assert isinstance(network.operators[0].shape, ElementwiseShape)
    assert network.notes == ()


@pytest.mark.parametrize(
    ("op", "given", "config"),
    [
        ("Unstack", [(8, 6)], {"axis": 0}), ("Unstack", [(8, 6)], {"axis": 9}),
        ("Unstack", [(4096, 6)], {"axis": 1}), ("TakeAlongAxis", [(8, 6)], {"axis": 1}),
        ("TakeAlongAxis", [(8, 6), (8, 2)], {"axis": None}), ("Hstack", [(8, 6), (8, 5)], {}),
        ("Diff", [(8, 6)], {"n": 8, "axis": 1}), ("Diff", [(8, 6)], {"n": "x", "axis": 1}),
        ("DepthToSpace", [(8, 6, 3)], {"block_size": 2}),
        ("DepthToSpace", [(8, 6)], {"block_size": 2}), ("SpaceToDepth", [(7, 6, 3)], {}),
        ("SpaceToDepth", [(7, 6, 3)], {"block_size": 2}), ("PadImages", [(8, 6, 3)], {}),
        ("CropImages", [(8, 6)], {}), ("PadImages", [(8, 6, 3)], {"target_height": "x"}),
        ("CropImages", [(8, 6, 3)], {"target_height": 0, "target_width": 4}),
    ],
)  # fmt: skip
def test_parts_that_do_not_follow_are_noted(op, given, config):
    network = operation(op, *given, **config)
    assert isinstance(network.operators[0].shape, UnknownShape)
    assert len(network.notes) == 1
