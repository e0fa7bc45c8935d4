"""A layer over time that is written for all moments at once is the plain layer."""

import pytest

from advisor.model.quantity import Phase
from advisor.predict.at_once import has_layer_over_time, written_at_once
from advisor.predict.work import kernel_calls
from tests.advisor.network.networks_data import built, layer, sequential
from tests.advisor.recommend.builders import a_workload

DENSE = layer("Dense", units=4, activation="softmax")
BEFORE = layer("LSTM", units=8, return_sequences=True)
AFTER = layer("Dense", units=3)


def job(*layers, shape=(50, 6)):
    return a_workload(operators=built(sequential(shape, *layers), batch=2).operators)


def over_time(inner):
    return layer("TimeDistributed", layer=inner)


def told(workload):
    """All that decides a time, without names."""
    return [
        (
            o.shape, o.inputs, o.parameters, o.variables, o.output_elements, o.repeats,
            o.needs_input_gradient, o.shared_parameters, o.kept_elements,
        )
        for o in workload.operators
    ]  # fmt: skip


@pytest.mark.parametrize("timesteps", [1, 5, 48, 49, 101])
@pytest.mark.parametrize(
    "around",
    [(BEFORE, None, AFTER), (None,), (None, AFTER), (BEFORE, None), (None, BEFORE, None)],
)
def test_what_is_written_at_once_is_the_plain_layer(around, timesteps):
    shape = (timesteps, 6)
    given = job(*(each or over_time(DENSE) for each in around), shape=shape)
    plain = job(*(each or DENSE for each in around), shape=shape)
    assert has_layer_over_time(given)
    assert not has_layer_over_time(plain)
    assert told(written_at_once(given)) == told(plain)
    assert written_at_once(plain) == plain


@pytest.mark.parametrize(
    ("shape", "inner"),
    [
        ((7, 8, 8, 3), layer("Conv2D", filters=4, kernel_size=3)),
        ((7, 5, 3), layer("LSTM", units=4)),
        ((7, 6), sequential((6,), DENSE)),
    ],
)
def test_other_layers_over_time_stay(shape, inner):
    given = job(over_time(inner), shape=shape)
    assert not has_layer_over_time(given)
    assert written_at_once(given) == given


def test_what_stays_of_two_layers_over_time_is_wired_as_it_was():
    images = over_time(layer("Conv2D", filters=4, kernel_size=3))
    flat = over_time(layer("Flatten"))
    given = job(images, flat, over_time(DENSE), AFTER, shape=(7, 5, 5, 2))
    plain = job(images, flat, DENSE, AFTER, shape=(7, 5, 5, 2))
    assert told(written_at_once(given)) == told(plain)


def test_training_has_far_fewer_kernels():
    def count(workload):
        return sum(
            call.count
            for each in workload.operators
            for call in kernel_calls(each, phase=Phase.TRAINING, batch_size=2)
        )

    given = job(BEFORE, over_time(DENSE))
    assert count(given) > 30 * count(written_at_once(given))
