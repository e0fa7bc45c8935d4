"""Messages of children become answers."""

import pytest

from advisor.model.kernel import Direction, PeakShape
from advisor.model.measurement import BenchmarkRequest, Outcome, Runner, StabilityWarning
from advisor.model.quantity import Precision
from probes.bench.collector import Collector
from probes.bench.events import KernelProgress

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


BEGIN = {"type": "stage", "stage": "warm_up", "id": "a", "check": "right"}
PROGRESS = {"type": "progress", "id": "a", "value_s": 0.2, "loops": 3}


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


def test_all_values_of_a_kernel_that_went_on_take_the_place_of_its_first(collector):
    collector.take(READY)
    collector.take({**VALUE, "moved": 0.06})
    collector.take({**VALUE, "values_s": [0.1, 0.2, 0.1, 0.1]})
    (answer,) = collector.results
    assert answer.values_s == (0.1, 0.2, 0.1, 0.1)
    assert StabilityWarning.UNSTEADY in answer.warnings
    assert StabilityWarning.OUTLIER in answer.warnings


@pytest.mark.parametrize(("moved", "expected"), [(None, ()), (0.04, ()), (0.06, ("unsteady",))])
def test_values_between_references_that_moved_carry_a_warning(collector, moved, expected):
    collector.take(READY)
    collector.take({**VALUE, "values_s": [0.1, 0.1], "moved": moved})
    assert collector.results[0].warnings == expected


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


def test_values_that_were_told_are_kept_when_the_kernel_is_stopped():
    events = []
    collector = Collector((REQUEST,), events.append)
    for message in (READY, BEGIN, PROGRESS, {"type": "progress", "id": "a"}, PROGRESS):
        collector.take(message)
    told = [event for event in events if isinstance(event, KernelProgress)]
    assert [event.at_s for event in told] == pytest.approx([0.6, 1.2])
    collector.keep_values(REQUEST)
    (answer,) = collector.results
    assert (answer.values_s, answer.loops, answer.check) == ((0.2, 0.2), 3, "right")


def test_where_no_value_was_told_there_is_nothing_to_keep(collector):
    collector.take(READY)
    collector.take(BEGIN)
    collector.keep_values(REQUEST)
    assert collector.results == []


def test_values_of_the_child_before_are_not_mixed_in(collector):
    for message in (READY, BEGIN, PROGRESS):
        collector.take(message)
    collector.begin_child()
    for message in (READY, BEGIN, {**PROGRESS, "value_s": 0.5}):
        collector.take(message)
    collector.keep_values(REQUEST)
    assert collector.results[0].values_s == (0.5,)


def test_a_difference_and_the_values_it_lost_are_told(collector):
    collector.take(READY)
    collector.take({**VALUE, "values_s": [0.1, 0.1], "is_difference": True, "n_dropped": 1})
    (answer,) = collector.results
    assert (answer.is_difference, answer.n_dropped) == (True, 1)
    assert answer.warnings == (StabilityWarning.NOISY,)
    collector.take({**VALUE, "values_s": [0.1] * 4, "n_dropped": 3})
    assert collector.results[0].n_dropped == 3
    assert collector.results[0].warnings == (StabilityWarning.NOISY,)


@pytest.mark.parametrize("n_dropped", [None, -1, "2", 0])
def test_a_number_that_is_none_is_not_counted(collector, n_dropped):
    collector.take(READY)
    collector.take({**VALUE, "values_s": [0.1, 0.1], "n_dropped": n_dropped})
    assert collector.results[0].n_dropped == 0
