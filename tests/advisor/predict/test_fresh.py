"""Memory that the system gives anew, as a result is too large for the C library to keep."""

import pytest

from advisor.knowledge.store import Knowledge
from advisor.model.kernel import (
    Direction,
    ElementwiseShape,
    EmbeddingShape,
    KernelShape,
    NormShape,
    OverheadShape,
    SoftmaxShape,
)
from advisor.model.quantity import Phase, Precision
from advisor.predict.ceilings import fit_ceilings
from advisor.predict.fresh import fresh_bytes, fresh_bytes_of_step
from advisor.predict.workload_time import predict_step
from tests.advisor.predict.builders import (
    calibration,
    conv,
    gemm,
    measure,
    measurement_set,
    operator,
    profile,
    workload,
)

MIB = 1 << 20
LARGE = conv(3, 3, 224, 64)  # 36.75 MiB of results
SMALL = conv(2, 3, 224, 64)  # 24.5 MiB


@pytest.mark.parametrize(
    ("shape", "direction", "mebibytes"),
    [
        (LARGE, Direction.FORWARD, 36.75),
        (SMALL, Direction.FORWARD, 0.0),
        (LARGE, Direction.INPUT_GRADIENT, 0.0),
        (conv(3, 64, 224, 3), Direction.INPUT_GRADIENT, 36.75),
        (conv(3, 64, 224, 3), Direction.FORWARD, 0.0),
        (conv(1, 1024, 7, 1024), Direction.WEIGHT_GRADIENT, 36.0),
        (gemm(4096, 4096, 16), Direction.FORWARD, 64.0),
        (gemm(16, 4096, 4096), Direction.WEIGHT_GRADIENT, 64.0),
        (gemm(4096, 16, 4096), Direction.INPUT_GRADIENT, 64.0),
        (NormShape(kind="batch", elements=10 * MIB, channels=64), Direction.FORWARD, 80.0),
        (NormShape(kind="batch", elements=10 * MIB, channels=64), Direction.BACKWARD, 160.0),
        (NormShape(kind="batch", elements=8 * MIB, channels=64), Direction.BACKWARD, 0.0),
        (NormShape(kind="batch_inference", elements=32 * MIB, channels=64), Direction.FORWARD, 0.0),
        (SoftmaxShape(rows=1024, columns=10_240), Direction.FORWARD, 40.0),
        (EmbeddingShape(indices=64, dim=64, vocabulary=MIB), Direction.FORWARD, 0.0),
        (EmbeddingShape(indices=64, dim=64, vocabulary=MIB), Direction.BACKWARD, 256.0),
        # In the place of what nobody needs any more.
        (ElementwiseShape(op="relu", elements=64 * MIB), Direction.FORWARD, 0.0),
    ],
)
def test_only_results_of_more_than_32_mebibytes_are_given_anew(
    shape: KernelShape, direction: Direction, mebibytes: float
) -> None:
    found = fresh_bytes(shape, direction=direction, precision=Precision.FLOAT32)
    assert found == mebibytes * MIB


def test_a_step_has_those_of_its_gradients_too() -> None:
    layers = (operator(LARGE, parameters=1792, needs_input_gradient=False), operator(SMALL))
    inference = fresh_bytes_of_step(workload(*layers, phase=Phase.INFERENCE))
    assert inference == 36.75 * MIB
    norm = operator(NormShape(kind="batch", elements=10 * MIB, channels=64))
    assert fresh_bytes_of_step(workload(norm, phase=Phase.TRAINING)) == 240 * MIB
    assert fresh_bytes_of_step(workload(norm, phase=Phase.INFERENCE)) == 0


def test_half_as_long_numbers_fit_where_others_do_not() -> None:
    sizes = [
        fresh_bytes(LARGE, direction=Direction.FORWARD, precision=precision) / MIB
        for precision in (Precision.FLOAT32, Precision.BFLOAT16)
    ]
    assert sizes == [36.75, 0.0]


def step(shape: KernelShape, *, fresh_s: float, own_s: float | None = None):
    measured = [*calibration(), measure(OverheadShape(kind="fresh_mebibyte"), fresh_s)]
    if own_s is not None:
        measured.append(measure(shape, own_s))
    ceilings = fit_ceilings(profile(), measurement_set(*measured), Knowledge())
    found = predict_step(
        workload(operator(shape), phase=Phase.INFERENCE), ceilings=ceilings, device_id="cpu"
    )
    assert found is not None
    return found


def test_a_step_waits_for_what_is_given_anew() -> None:
    without, waiting = step(LARGE, fresh_s=0.0), step(LARGE, fresh_s=1e-3)
    assert waiting.step_s.mid - without.step_s.mid == pytest.approx(0.03675, rel=1e-6)
    assert step(SMALL, fresh_s=1e-3).step_s.mid == step(SMALL, fresh_s=0.0).step_s.mid


def test_a_kernel_timed_in_its_own_shape_has_waited_already() -> None:
    assert step(LARGE, fresh_s=1e-3, own_s=0.1).step_s == step(LARGE, fresh_s=0.0, own_s=0.1).step_s


@pytest.mark.parametrize("own_s", [None, 0.1])
def test_much_of_it_is_told(own_s: float | None) -> None:
    told = [any("anew" in note for note in step(LARGE, fresh_s=seconds, own_s=own_s).notes)
            for seconds in (0.0, 1e-6, 1e-3)]  # fmt: skip
    assert told == [False, False, True]
