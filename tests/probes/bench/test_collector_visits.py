"""One answer from several visits."""

import pytest

from advisor.model.kernel import Direction, PeakShape
from advisor.model.measurement import (
    BenchmarkRequest,
    FailedMeasurement,
    Outcome,
    Runner,
    StabilityWarning,
)
from advisor.model.quantity import Precision
from probes.bench.collector import Collector
from probes.bench.events import KernelFinished

REQUEST = BenchmarkRequest(
    id="a",
    role="headline",
    runner=Runner.NUMPY,
    device_id="cpu",
    shape=PeakShape(),
    direction=Direction.FORWARD,
    precision=Precision.FLOAT32,
)
READY = {"type": "stage", "stage": "ready", "stack": {"framework": "x"}}


@pytest.fixture
def events():
    return []


@pytest.fixture
def collector(events):
    return Collector((REQUEST,), events.append)


def visit(collector, *messages):
    collector.begin_visit((REQUEST,))
    collector.begin_child((REQUEST,))
    for message in (READY, *messages):
        collector.take({"id": "a", **message})


def value(*values_s, **more):
    fields = {"values_s": list(values_s), "warmups_s": [1.0], "loops": 1, "check": "fine"}
    return {"type": "value", **fields, **more}


FAILED = {"type": "kernel_failed", "outcome": "failed", "message": "no"}


def test_values_of_all_visits_are_kept_in_order(collector, events):
    visit(collector, value(0.3, 0.2))
    assert not collector.is_open(REQUEST)
    visit(collector, value(0.1))
    visit(collector, value(0.4), value(0.4, 0.5))  # told once more, with all of its values
    (answer,) = collector.results
    assert answer.values_s == (0.3, 0.2, 0.1, 0.4, 0.5)
    assert answer.warmups_s == (1.0,)
    assert [type(event) for event in events].count(KernelFinished) == 1
    assert not collector.is_open(REQUEST)


def test_a_machine_that_moved_in_one_visit_makes_all_values_unsteady(collector):
    visit(collector, value(0.1, 0.1))
    visit(collector, value(0.1), value(0.1, 0.1, moved=0.2))
    visit(collector, value(0.1))
    (answer,) = collector.results
    assert answer.warnings == (StabilityWarning.UNSTEADY,)


@pytest.mark.parametrize("later", [FAILED, value(-1.0)])
def test_what_was_measured_stands_when_a_later_visit_fails(collector, later):
    visit(collector, value(0.1, 0.1))
    visit(collector, later)
    (answer,) = collector.results
    assert answer.values_s == (0.1, 0.1)
    assert not collector.is_open(REQUEST)


def test_a_kernel_that_computes_wrong_in_a_later_visit_has_no_figure(collector):
    visit(collector, value(0.1))
    visit(collector, {**FAILED, "outcome": "wrong_result"})
    (answer,) = collector.results
    assert answer.outcome is Outcome.WRONG_RESULT


def test_what_has_failed_is_not_asked_again(collector):
    visit(collector, FAILED)
    visit(collector, value(0.1))
    (answer,) = collector.results
    assert isinstance(answer, FailedMeasurement)
    assert not collector.is_open(REQUEST)


def test_a_child_that_was_not_asked_cannot_add_values(collector):
    visit(collector, value(0.1))
    collector.begin_child(())
    collector.take(READY)
    collector.take({"id": "a", **value(0.01)})
    assert collector.results[0].values_s == (0.1,)


def test_a_child_that_rested_goes_on_where_it_was(collector):
    collector.begin_child((REQUEST,))
    collector.take(READY)
    collector.take({"type": "stage", "id": "a", "stage": "timing"})
    child = collector.begin_child(())
    assert collector.current is None
    collector.return_to(child)
    assert collector.current == "a"
    collector.take({"id": "a", **value(0.1)})
    assert collector.results[0].stack.framework == "x"
