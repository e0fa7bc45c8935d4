"""Numbers that tell shapes of a class apart."""

import itertools
import math

import pytest

from advisor.model.kernel import Direction, ElementwiseShape, OperatorKind
from advisor.predict.kernel_features import features, numbers
from advisor.predict.work import operator_kind
from probes.bench import suite
from tests.accuracy.shapes_drawn import DRAWS, random_shapes

ROWS = (
    *suite.CONVOLUTIONS, *suite.DEPTHWISES, *suite.DENSES, *suite.RECURRENTS, *suite.ELEMENTWISES,
    *suite.NORMALISATIONS, *suite.INFERENCE_NORMALISATIONS, *suite.POOLS, *suite.OTHERS,
)  # fmt: skip


def test_all_shapes_of_a_class_have_as_many_numbers():
    lengths: dict[OperatorKind, set[int]] = {}
    for row in ROWS:
        count = len(numbers(row.shape, direction=Direction.FORWARD))
        lengths.setdefault(operator_kind(row.shape), set()).add(count)
    assert {len(found) for found in lengths.values()} == {1}


def test_different_shapes_have_different_numbers():
    shapes = [shape for draw in DRAWS for shape, _ in random_shapes(draw)]
    told = {(operator_kind(s), numbers(s, direction=Direction.FORWARD)) for s in shapes}
    # A product has the same sizes whatever it is called; nothing else is alike.
    assert len(told) == len(shapes)


@pytest.mark.parametrize(("name", "same"), [("swish", "silu"), ("hardswish", "hard_silu")])
def test_a_function_is_the_same_under_another_name(name, same):
    one, other = (
        numbers(ElementwiseShape(op=op, elements=4096), direction=Direction.FORWARD)[2:]
        for op in (name, same)
    )
    assert one[2:] == other[2:]


def test_sizes_are_the_first_numbers():
    for row in itertools.islice(ROWS, 5):
        _, sizes = features(row.shape)
        found = numbers(row.shape, direction=Direction.FORWARD)
        assert len(found) > len(sizes)
        assert found[: len(sizes)] == tuple(math.log(size) for size in sizes)
