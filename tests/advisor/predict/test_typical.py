"""Class factors: bounded, of inference alone."""

import pytest

from advisor.model.kernel import OperatorKind
from advisor.model.quantity import Phase
from advisor.predict.typical import GROUPS, LEAST, MOST, typical_factor


@pytest.mark.parametrize("kind", OperatorKind)
def test_factors_are_bounded_and_training_has_none(kind):
    assert LEAST <= typical_factor(kind, phase=Phase.INFERENCE) <= MOST
    assert typical_factor(kind, phase=Phase.TRAINING) == 1.0


def test_a_class_has_one_group():
    kinds = [kind for group in GROUPS.values() for kind in group]
    assert len(kinds) == len(set(kinds))
    factors = {typical_factor(kind, phase=Phase.INFERENCE) for kind in GROUPS["convolution"]}
    assert len(factors) == 1
