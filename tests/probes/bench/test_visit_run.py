"""What is kept of a limit for the kernel that a child is at."""

import pytest

from advisor.model.measurement import Runner
from probes.bench.plan_opencl import QUICK_BUDGET_S, SHORT_BUDGET_S
from probes.bench.visit_run import overtime_s


@pytest.mark.parametrize(
    ("limit_s", "framework_s", "opencl_s"),
    [
        (3.0, 0.18, 1.0),
        (SHORT_BUDGET_S, 0.84, 3.0),
        (QUICK_BUDGET_S, 1.8, 3.0),
        (60.0, 3.6, 3.6),
        (590.0, 5.0, 5.0),
    ],
)
def test_opencl_kernels_have_the_time_to_end_within_a_short_limit(limit_s, framework_s, opencl_s):
    assert overtime_s(limit_s, runner=Runner.KERAS) == pytest.approx(framework_s)
    assert overtime_s(limit_s, runner=Runner.OPENCL) == pytest.approx(opencl_s)
