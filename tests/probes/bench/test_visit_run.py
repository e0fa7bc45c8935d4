"""What is kept of a limit for the kernel that a child is at, and when none is started."""

import pytest

from advisor.model.kernel import Direction, PeakShape
from advisor.model.measurement import BenchmarkRequest, Outcome, Runner
from advisor.model.quantity import Precision
from probes.bench.collector import Collector
from probes.bench.plan_opencl import QUICK_BUDGET_S, SHORT_BUDGET_S
from probes.bench.session import DEADLINES
from probes.bench.visit_run import Surroundings, VisitRun, overtime_s


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


REQUEST = BenchmarkRequest(
    id="a", role="setting", runner=Runner.KERAS, device_id="cpu", shape=PeakShape(),
    direction=Direction.FORWARD, precision=Precision.FLOAT32, threads=2,
)  # fmt: skip


class Started(Exception):
    """A child was to be started."""


def visit(profile, *, rest_s, loaded_s):
    def start(*_words, **_more):
        raise Started

    collector = Collector([REQUEST], lambda _event: None)
    around = Surroundings(
        profile=profile, python=None, command=start, deadlines=DEADLINES, tuning=None,
        collector=collector, cancel=None, loaded_s=loaded_s,
    )  # fmt: skip
    list(VisitRun([REQUEST], around=around, rest_s=lambda: rest_s).steps())
    return collector.results


@pytest.mark.parametrize("loaded_s", [{Runner.KERAS: 5.0}, {Runner.KERAS: 5.0, Runner.NUMPY: 0.1}])
def test_no_child_is_started_in_less_than_it_takes_to_load(profile, loaded_s):
    (failed,) = visit(profile, rest_s=1.8, loaded_s=loaded_s)
    assert failed.outcome is Outcome.SKIPPED
    assert failed.message == "the time set aside was used up"


@pytest.mark.parametrize("loaded_s", [{}, {Runner.NUMPY: 5.0}, {Runner.KERAS: 1.7}])
def test_a_child_that_may_load_in_time_is_started(profile, loaded_s):
    with pytest.raises(Started):
        visit(profile, rest_s=1.8, loaded_s=loaded_s)


def test_without_a_limit_a_child_is_started(profile):
    with pytest.raises(Started):
        visit(profile, rest_s=None, loaded_s={Runner.KERAS: 5.0})
