"""Waking the threads of a framework: once a step, where a kernel is shared out among them."""

import pytest

from advisor.knowledge.store import Knowledge
from advisor.model.kernel import OverheadShape
from advisor.model.quantity import Phase
from advisor.predict.ceilings import fit_ceilings
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

WAKING_S = 5e-4
LARGE, SMALL = conv(32, 64, 56, 64), gemm(2, 3, 4)


def step_s(*shapes, waking_s: float, phase: Phase = Phase.INFERENCE) -> float:
    measured = [*calibration(), measure(OverheadShape(kind="waking"), waking_s)]
    ceilings = fit_ceilings(profile(), measurement_set(*measured), Knowledge())
    job = workload(*(operator(shape) for shape in shapes), phase=phase)
    found = predict_step(job, ceilings=ceilings, device_id="cpu")
    assert found is not None
    return found.step_s.mid


@pytest.mark.parametrize("phase", Phase)
def test_a_step_of_shared_kernels_wakes_their_threads_once(phase: Phase) -> None:
    for shapes in ([LARGE], [LARGE, SMALL, LARGE]):
        longer = step_s(*shapes, waking_s=WAKING_S, phase=phase)
        plain = step_s(*shapes, waking_s=0.0, phase=phase)
        assert longer - plain == pytest.approx(WAKING_S, rel=0.1)


def test_a_step_of_small_kernels_wakes_nobody() -> None:
    assert step_s(SMALL, SMALL, waking_s=WAKING_S) == step_s(SMALL, SMALL, waking_s=0.0)
