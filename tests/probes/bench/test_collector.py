"""Messages of children become answers."""

import pytest

from advisor.model.kernel import Direction, PeakShape
from advisor.model.measurement import BenchmarkRequest, Outcome, Runner
from advisor.model.quantity import Precision
from probes.bench.collector import Collector

REQUEST = BenchmarkRequest(
    id="a",
    role="headline",
    runner=Runner.KERAS,
    device_id="cpu",
    shape=PeakShape(),
    direction=Direction.FORWARD,
    precision=Precision.FLOAT32,
)
READY = {"type": "stage", "stage": "ready", "stack": {"framework": "x"}}
VALUE = {"type": "value", "id": "a", "values_s": [0.1, 0.2], "loops": 1, "check": "fine"}


@pytest.fixture
def collector():
    return Collector((REQUEST,), lambda _event: None)


def test_a_value_is_an_answer_once(collector):
    collector.take(READY)
    collector.take(VALUE)
    collector.take({**VALUE, "values_s": [9.0]})
    (answer,) = collector.results
    assert answer.values_s == (0.1, 0.2)
    assert not collector.is_open(REQUEST)


def test_a_value_of_a_child_that_has_not_told_its_software_is_none(collector):
    collector.take(VALUE)
    assert collector.results[0].outcome is Outcome.PROTOCOL_ERROR


def test_the_next_child_must_tell_its_software_again(collector):
    collector.take(READY)
    collector.begin_child()
    collector.take(VALUE)
    assert collector.results[0].outcome is Outcome.PROTOCOL_ERROR


def test_loading_lasts_from_the_import_to_the_next_stage(collector):
    assert not collector.is_loading
    collector.take({"type": "stage", "stage": "import"})
    assert collector.is_loading
    collector.take({"type": "stage", "stage": "prepare", "id": "a"})
    assert not collector.is_loading
    assert collector.current == "a"


@pytest.mark.parametrize("loops", [0, "1", None])
def test_loops_that_are_no_number_are_refused(collector, loops):
    collector.take(READY)
    collector.take({**VALUE, "loops": loops})
    assert collector.results[0].outcome is Outcome.PROTOCOL_ERROR
