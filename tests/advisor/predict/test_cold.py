"""Kernels whose data are not in the caches within a step."""

from advisor.model.kernel import Direction, OperatorKind
from advisor.predict.cold import cold_factor


def test_only_the_weight_gradient_of_a_depthwise_convolution_misses_the_caches():
    cold = {
        (kind, direction)
        for kind in OperatorKind
        for direction in Direction
        if cold_factor(kind, direction=direction) != 1.0
    }
    assert cold == {(OperatorKind.DEPTHWISE, Direction.WEIGHT_GRADIENT)}
    assert 1.4 <= cold_factor(*next(iter(cold))[:1], direction=Direction.WEIGHT_GRADIENT) <= 2.2
