"""Kernels whose data are not in the caches within a step, or whose threads sleep."""

import dataclasses

import pytest

from advisor.model.kernel import Direction, EmbeddingShape, KernelCall, OperatorKind
from advisor.model.quantity import Phase
from advisor.predict.cold import (
    among_others,
    cold_factor,
    fetching_s,
    has_gradient,
    share_fetched,
)
from tests.advisor.predict.builders import gemm, operator, workload

MIB = 1 << 20


def test_only_the_weight_gradient_of_a_depthwise_convolution_misses_the_caches():
    cold = {
        (kind, direction)
        for kind in OperatorKind
        for direction in Direction
        if cold_factor(kind, direction=direction) != 1.0
    }
    assert cold == {(OperatorKind.DEPTHWISE, Direction.WEIGHT_GRADIENT)}
    assert 1.4 <= cold_factor(*next(iter(cold))[:1], direction=Direction.WEIGHT_GRADIENT) <= 2.2


def test_kernels_of_inference_take_longer_among_others_but_for_those_that_are_many():
    longer = {kind for kind in OperatorKind if among_others(kind) > 1.0}
    assert set(OperatorKind) - longer == {OperatorKind.RECURRENT}


def test_a_frozen_base_has_no_gradients_and_inference_none_at_all():
    layer = operator(gemm(8, 96, 96), parameters=9312)
    first = dataclasses.replace(layer, needs_input_gradient=False)
    frozen = dataclasses.replace(first, variables=0)
    above = dataclasses.replace(layer, variables=0)  # passes gradients on
    assert all(has_gradient(op, phase=Phase.TRAINING) for op in (layer, first, above))
    assert not has_gradient(frozen, phase=Phase.TRAINING)
    assert not has_gradient(layer, phase=Phase.INFERENCE)


@pytest.mark.parametrize(
    ("weights_mib", "share"), [(8, 0.0), (16, 0.0), (32, 0.5), (48, 1.0), (400, 1.0)]
)
def test_weights_that_fill_half_of_the_cache_stay_there(weights_mib, share):
    layers = [operator(gemm(8, 1024, 256 * weights_mib), parameters=weights_mib * MIB // 4)]
    found = share_fetched(workload(*layers), last_cache_bytes=32 * MIB)
    assert found == pytest.approx(share)
    # Nothing known of the caches: those of most processors.
    assert share_fetched(workload(*layers), last_cache_bytes=None) == pytest.approx(share)


def test_of_an_embedding_few_rows_are_read():
    table = EmbeddingShape(indices=64, dim=64, vocabulary=1_000_000)
    layers = [operator(table, parameters=64_000_000)]
    assert share_fetched(workload(*layers), last_cache_bytes=32 * MIB) == 0.0


def test_what_reads_its_weights_waits_for_them():
    layer = operator(gemm(8, 2000, 1000), parameters=2_000_000)
    waits = {
        direction: fetching_s(
            layer, KernelCall(shape=layer.shape, direction=direction), byte_per_s=16e9
        )
        for direction in (Direction.FORWARD, Direction.INPUT_GRADIENT, Direction.WEIGHT_GRADIENT)
    }
    assert waits[Direction.FORWARD] == waits[Direction.INPUT_GRADIENT]
    # 8 MB at 16 GB/s are half a millisecond; part of it hides behind the work.
    assert 1e-4 < waits[Direction.FORWARD] < 5e-4
    assert waits[Direction.WEIGHT_GRADIENT] == 0.0
