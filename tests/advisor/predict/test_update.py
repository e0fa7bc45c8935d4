"""The optimiser's part of a step: fitted to its own points, or told from a relative."""

import dataclasses

import pytest

from advisor.model.kernel import Direction, EmbeddingShape, OptimizerShape
from advisor.model.quantity import Precision
from advisor.predict.ceilings import fit_ceilings
from advisor.predict.point import KernelPoint
from advisor.predict.replay import replay_kernels
from advisor.predict.update import fit_update, update_s
from advisor.predict.workload_time import step_on
from tests.advisor.predict.builders import (
    calibration,
    knowledge,
    measure,
    measurement_set,
    operator,
    profile,
    small_cnn,
    workload,
)

SMALL = 900_000


def seconds(optimizer, *measured):
    plain = [m for m in calibration() if not isinstance(m.request.shape, OptimizerShape)]
    found = fit_ceilings(profile(), measurement_set(*plain, *measured), knowledge())
    return update_s(small_cnn(optimizer=optimizer), device=found.cpu)


def update(optimizer, time_s, *, parameters=SMALL):
    shape = OptimizerShape(optimizer=optimizer, parameters=parameters, variables=1)
    return measure(shape, time_s, direction=Direction.UPDATE)


def test_update_is_fitted_on_parameters_and_variables():
    def point(parameters, variables):
        return KernelPoint(
            shape=OptimizerShape(optimizer="sgd", parameters=parameters, variables=variables),
            direction="update", precision=Precision.FLOAT32, flop=0, bytes_moved=0,
            time_s=2e-9 * parameters + 3e-6 * variables, spread=0.0,
        )  # fmt: skip

    prior = (1e-9, 1e-6)
    fitted = fit_update([point(1_000_000, 10), point(1_000, 100), point(10_000, 1)], prior=prior)
    assert fitted == pytest.approx((2e-9, 3e-6))
    # One point cannot tell two costs: the variable keeps its prior.
    per_parameter, per_variable = fit_update([point(1_000_000, 10)], prior=prior)
    assert per_variable == 1e-6
    assert per_parameter == pytest.approx(2e-9, rel=0.02)
    assert fit_update([point(0, 10)], prior=prior) == (1e-9, pytest.approx(1e-6))


def test_one_that_was_not_measured_follows_its_relative():
    # Keras does each operation of the formula by itself, which the measured one shows.
    slow, fast = (seconds("rmsprop", update("adam", time_s)) for time_s in (20e-3, 10e-3))
    assert slow == pytest.approx(2 * fast, rel=0.2)
    assert seconds("rmsprop", update("adam", 20e-3)) < seconds("adam", update("adam", 20e-3))
    assert seconds("momentum", update("sgd", 5e-3)) > seconds("sgd", update("sgd", 5e-3))


def test_the_relative_that_is_most_alike_counts():
    both = update("adam", 20e-3), update("sgd", 50e-3)
    assert seconds("rmsprop", *both) == pytest.approx(seconds("rmsprop", both[0]))
    assert seconds("momentum", *both) == pytest.approx(seconds("momentum", both[1]))


def test_its_own_points_count_before_any_relative():
    both = update("adam", 20e-3), update("rmsprop", 4e-3)
    assert seconds("rmsprop", *both) == pytest.approx(seconds("rmsprop", both[1]))


def with_table(parameters):
    """A network whose only large part is a table of embeddings."""
    network = small_cnn(optimizer="adam")
    table = dataclasses.replace(network.operators[0], parameters=parameters)
    return dataclasses.replace(
        network,
        operators=(table, *network.operators[1:]),
        trainable_parameters=network.trainable_parameters + parameters,
    )


def step_s(network, *measured):
    plain = [m for m in calibration() if not isinstance(m.request.shape, OptimizerShape)]
    found = fit_ceilings(profile(), measurement_set(*plain, *measured), knowledge())
    return update_s(network, device=found.cpu)


def test_a_large_variable_takes_what_a_large_one_was_timed_at():
    small, large = (
        update("adam", 4e-3),
        update("adam", 80e-3, parameters=8 * 10**6),
    )
    table = with_table(6_000_000)
    around = step_s(small_cnn(optimizer="adam"), small, large)
    assert step_s(table, small, large) - around == pytest.approx(60e-3, rel=0.01)
    # Small variables are told by small ones alone.
    assert around == step_s(small_cnn(optimizer="adam"), small)
    sgd = dataclasses.replace(table, optimizer="sgd")
    assert step_s(sgd, small, large) < 0.3 * step_s(table, small, large)


def test_an_update_of_a_large_variable_is_part_of_the_replay():
    updates = [
        c
        for c in replay_kernels(with_table(6_000_000), limit_s=9.0)
        if c.direction is Direction.UPDATE
    ]
    assert [call.shape.parameters for call in updates] == [6_000_000]
    huge = replay_kernels(with_table(90_000_000), limit_s=9.0)
    assert huge[-1].shape.parameters == 8_000_000
    assert all(
        c.direction is not Direction.UPDATE for c in replay_kernels(small_cnn(), limit_s=9.0)
    )


def test_the_gradient_of_a_table_is_made_dense_but_under_plain_descent():
    table = operator(EmbeddingShape(indices=320, dim=64, vocabulary=20_000), parameters=64 * 20_000)
    device = fit_ceilings(profile(), measurement_set(*calibration()), knowledge()).cpu

    def looking_up_s(optimizer):
        work = workload(table, optimizer=optimizer)
        step = step_on(work, device=device, precision=Precision.FLOAT32)
        return sum(p.time_s for p in step.breakdown if p.operator_kind == "embedding")

    assert 0.0 < looking_up_s("sgd") < 0.7 * looking_up_s("momentum")


@pytest.mark.parametrize(("cache_mib", "is_beyond"), [(None, True), (32, True), (480, False)])
def test_an_untimed_variable_leaves_a_cache_that_it_does_not_fit(cache_mib, is_beyond):
    plain = [m for m in calibration() if not isinstance(m.request.shape, OptimizerShape)]
    found = fit_ceilings(profile(), measurement_set(*plain, update("adam", 9e-5)), knowledge()).cpu
    size = None if cache_mib is None else cache_mib << 20
    device = dataclasses.replace(found, last_cache_bytes=size)
    one = update_s(with_table(2_000_000), device=device) - update_s(
        small_cnn(optimizer="adam"), device=device
    )
    in_caches = 2_000_000 * 9e-5 / SMALL
    assert (one > 1.5 * in_caches) is is_beyond
    far = update_s(with_table(6_000_000), device=device)
    assert far > update_s(small_cnn(optimizer="adam"), device=device) + 4.5 * in_caches
