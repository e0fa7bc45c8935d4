"""Class factors: bounded, of inference alone."""

import pytest

from advisor.model.kernel import Direction, OperatorKind
from advisor.model.quantity import Phase
from advisor.predict.typical import GROUPS, LEAST, MOST, cold_factor, typical_factor


@pytest.mark.parametrize("kind", OperatorKind)
def test_factors_are_bounded_and_training_has_none(kind):
    assert LEAST <= typical_factor(kind, phase=Phase.INFERENCE) <= MOST
    assert typical_factor(kind, phase=Phase.TRAINING) == 1.0


def test_a_class_has_one_group():
    kinds = [kind for group in GROUPS.values() for kind in group]
    assert len(kinds) == len(set(kinds))
    factors = {typical_factor(kind, phase=Phase.INFERENCE) for kind in GROUPS["convolution"]}
    assert len(factors) == 1


def test_only_the_weight_gradient_of_a_depthwise_convolution_misses_the_caches():
    cold = {
        (kind, direction)
        for kind in OperatorKind
        for direction in Direction
        if cold_factor(kind, direction=direction) != 1.0
    }
    assert cold == {(OperatorKind.DEPTHWISE, Direction.WEIGHT_GRADIENT)}
    assert 1.4 <= cold_factor(*next(iter(cold))[:1], direction=Direction.WEIGHT_GRADIENT) <= 2.2
