"""Of a plan only what a new network adds is timed; the figures of a moment ago stay."""

import dataclasses

from advisor.model.kernel import ClockShape, Direction, RecurrentShape
from advisor.model.measurement import FailedMeasurement, MeasurementSet, Outcome, Runner
from advisor.model.quantity import Phase
from advisor.model.workload import Job
from advisor.network.load import bundled_workload
from advisor.predict.disturbed import disturbance
from advisor.predict.replay import replay_kernels
from probes.bench.plan import HEADLINE, REFERENCE, REPLAY, plan
from probes.bench.plan_builder import Budget
from tests.advisor.predict.builders import gemm, measure, profile
from ui import dataset
from ui.rest_of_run import still_to_time, together, with_reference

HERE = profile()
KERNEL = measure(gemm(512, 512, 512), 1e-3)


def work(name, phase=Phase.TRAINING):
    networks = dataset.bundled_knowledge().networks
    return bundled_workload(name, job=Job(phase=phase), networks=networks)


def planned(workload):
    shapes = tuple(operator.shape for operator in workload.operators)
    replay = replay_kernels(workload, limit_s=6.0)
    requests = plan(
        HERE, budget=Budget.QUICK, replay=replay, phase=workload.phase, layers=shapes,
        batch_size=workload.batch_size,
    )  # fmt: skip
    return requests, {"replay": replay, "layers": shapes}


def a_set(*results, **changes):
    return MeasurementSet(
        **{"measured_on": "2026-11-28", "duration_s": 60.0, "results": results, **changes}
    )


def answered(requests, outcome=None):
    if outcome is None:
        return a_set(*(dataclasses.replace(KERNEL, request=each) for each in requests))
    return a_set(
        *(FailedMeasurement(request=each, outcome=outcome, message="") for each in requests)
    )


def test_the_same_network_again_asks_for_nothing():
    requests, details = planned(work("mnist-cnn"))
    assert still_to_time(requests, answered(requests), **details) == ()


def test_of_another_network_of_the_same_kinds_its_own_kernels_are_left():
    known = answered(planned(work("mnist-cnn"))[0])
    requests, details = planned(work("cifar10-deep-cnn"))
    left = still_to_time(requests, known, **details)
    assert {each.role for each in left} == {REPLAY}
    assert 0 < len(left) < len(requests) / 2


def test_layers_of_a_kind_that_was_never_timed_have_their_headlines():
    requests, details = planned(work("lstm-ptb"))
    recurrent = {each.id for each in requests if isinstance(each.shape, RecurrentShape)}
    known = answered([each for each in requests if each.id not in recurrent])
    left = still_to_time(requests, known, **details)
    assert {each.id for each in left} == recurrent
    assert HEADLINE in {each.role for each in left}


def test_training_after_inference_times_gradients_and_the_call():
    known = answered(planned(work("mnist-cnn", Phase.INFERENCE))[0])
    requests, details = planned(work("mnist-cnn"))
    left = still_to_time(requests, known, **details)
    assert {each.direction for each in left} > {Direction.WEIGHT_GRADIENT}
    assert any("train_call" in each.id for each in left)


def test_what_crashed_is_not_tried_again_and_what_had_no_time_is():
    requests, details = planned(work("mnist-cnn"))
    assert still_to_time(requests, answered(requests, Outcome.CRASHED), **details) == ()
    skipped = answered(requests, Outcome.SKIPPED)
    own = {(call.shape, call.direction) for call in details["replay"]}
    left = still_to_time(requests, skipped, **details)
    assert {(each.shape, each.direction) for each in left} >= own


def test_an_answer_takes_the_place_of_none():
    skipped = answered([KERNEL.request], Outcome.SKIPPED).results
    other = measure(gemm(256, 256, 256), 1e-3, runner=Runner.NUMPY)
    whole = together(a_set(other, *skipped), a_set(KERNEL, duration_s=5.0))
    assert whole.results == (other, KERNEL)
    assert whole.duration_s == 65.0


def test_the_reference_is_timed_again_beside_what_is_left_and_alone_never():
    whole, _details = planned(work("mnist-cnn"))
    (reference,) = [
        each for each in whole if each.role == REFERENCE and not isinstance(each.shape, ClockShape)
    ]
    assert with_reference((), whole) == ()
    left = whole[5:8]
    assert with_reference(left, whole) == (*left, reference)
    assert with_reference((*left, reference), whole) == (*left, reference)


def test_a_machine_that_became_slower_since_is_seen_by_the_reference_of_both_runs():
    whole, _details = planned(work("mnist-cnn"))
    request = next(each for each in whole if each.id.endswith("/reference"))
    first, again = (
        a_set(dataclasses.replace(KERNEL, request=request, values_s=(seconds,) * 6))
        for seconds in (0.01, 0.02)
    )
    (both,) = together(first, again).measured
    assert both.values_s == (0.01,) * 6 + (0.02,) * 6
    assert disturbance(first, n_cpus=4).log_sd == disturbance(again, n_cpus=4).log_sd == 0.0
    assert disturbance(together(first, again), n_cpus=4).log_sd > 0.1


def test_a_reference_that_failed_takes_no_figure_away():
    whole, _details = planned(work("mnist-cnn"))
    request = next(each for each in whole if each.id.endswith("/reference"))
    timed = dataclasses.replace(KERNEL, request=request)
    lost = answered([request], Outcome.SKIPPED)
    assert together(a_set(timed), lost).results == (timed,)
    assert together(lost, a_set(timed)).results == (timed,)
