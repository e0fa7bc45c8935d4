"""The real plan with the real workers; numbers only have to be there and to make sense."""

import pytest

from advisor.model.codec import dump_document, load_document
from advisor.model.kernel import Direction, KernelCall
from advisor.model.measurement import MeasurementSet, Runner
from advisor.model.quantity import Precision
from probes.bench import suite
from probes.bench.plan import Budget, budgets_s, plan
from probes.bench.session import Session


def small(requests):
    """Keep what is quick on any machine."""
    kept = [r for r in requests if getattr(r.shape, "m", 0) <= 512]
    return [r for r in kept if getattr(r.shape, "elements", 0) <= 1 << 25]


@pytest.mark.alone
def test_numpy_measures_products_and_memory(profile):
    requests = plan(profile, budget=Budget.QUICK, device_ids=("cpu",))
    chosen = [r for r in small(requests) if r.runner in (Runner.NUMPY, Runner.STREAM)]
    budget_s = budgets_s(profile, budget=Budget.QUICK)
    measurements = Session(profile=profile).run(chosen, budget_s=budget_s)
    assert [m.request for m in measurements.measured] == chosen, measurements.failed
    by_op = {getattr(m.request.shape, "op", "gemm"): m for m in measurements.measured}
    assert set(by_op) == {"gemm", "triad", "add", "copy"}
    # Between a tenth of a GFLOP/s and a hundred TFLOP/s; between 0.1 GB/s and 10 TB/s.
    assert 1e8 < 2 * 512**3 / by_op["gemm"].min_s < 1e14
    elements = by_op["copy"].request.shape.elements
    assert 1e8 < 8 * elements / by_op["copy"].min_s < 1e13
    assert all(m.check and m.loops >= 1 for m in measurements.measured)
    assert load_document(dump_document(measurements), MeasurementSet) == measurements


@pytest.mark.slow
def test_keras_measures_one_of_everything(profile):
    replay = (
        KernelCall(shape=suite.dense(16, 32, 8), direction=Direction.INPUT_GRADIENT),
        KernelCall(shape=suite.conv(2, 3, 8, 4, 3), direction=Direction.FORWARD),
    )
    requests = plan(
        profile,
        budget=Budget.QUICK,
        device_ids=("cpu",),
        replay=replay,
        precision=Precision.BFLOAT16,
    )
    first_of_each = {}
    for request in requests:
        if request.runner is Runner.KERAS and getattr(request.shape, "m", 0) <= 512:
            key = (type(request.shape), request.direction, request.precision, request.role)
            first_of_each.setdefault(key, request)
    chosen = tuple(first_of_each.values())
    measurements = Session(profile=profile).run(chosen)
    assert measurements.failed == ()
    assert len(measurements.measured) == len(chosen) > 25
    assert {m.stack.framework for m in measurements.measured} == {"keras"}
    assert all(m.min_s > 0 and m.check for m in measurements.measured)
