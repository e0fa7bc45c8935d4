"""Layers over time: one after the other at each moment, as Keras runs them."""

import pytest

from advisor.model.kernel import (
    SLICE,
    ConvShape,
    Direction,
    ElementwiseShape,
    GemmShape,
    KernelCall,
)
from advisor.model.quantity import Phase
from advisor.predict.work import kernel_calls
from tests.advisor.network.networks_data import built, layer, sequential


def test_a_layer_at_each_step_of_time_is_run_once_for_each():
    inner = layer("Dense", units=4)
    network = built(sequential((7, 5), layer("TimeDistributed", layer=inner)), batch=3)
    first, apart, *steps, joined, turned = network.operators
    assert [each.shape for each in steps] == [GemmShape(m=3, n=4, k=5)] * 7
    assert [each.inputs for each in steps] == [(1,)] * 7
    assert joined.inputs == tuple(range(2, 9))
    assert apart.shape == ElementwiseShape(op=SLICE, elements=3 * 7 * 5)
    assert (apart.repeats, apart.output_elements) == (7, 3 * 7 * 5)
    assert first.shape == ElementwiseShape(op="copy", elements=3 * 7 * 5)
    assert turned.shape == ElementwiseShape(op="copy", elements=3 * 7 * 4)
    assert [each.parameters for each in steps] == [24, 0, 0, 0, 0, 0, 0]
    assert {(each.used_parameters, each.used_variables) for each in steps} == {(24, 2)}
    assert (network.parameters, network.variables) == (24, 2)


def test_a_model_at_each_step_of_time_is_run_once_for_each():
    inner = sequential((5,), layer("Dense", units=4, name="d"), layer("Dense", units=3, name="e"))
    network = built(sequential((6, 5), layer("TimeDistributed", layer=inner)), batch=2)
    products = [each for each in network.operators if isinstance(each.shape, GemmShape)]
    assert [each.shape.m for each in products] == [2] * 12
    assert network.parameters == 24 + 15
    assert sum(each.used_parameters > 0 for each in products) == 12
    assert network.outputs[0].shape == (6, 3)


@pytest.mark.parametrize("kind", ["layer", "model"])
def test_each_moment_has_a_gradient_as_large_as_the_sequence(kind):
    # StridedSliceGrad fills the whole with zeros but for the moment: its square, not its length.
    dense = layer("Dense", units=4)
    inner = dense if kind == "layer" else sequential((8,), dense)
    network = built(
        sequential((50, 8), layer("Dense", units=8), layer("TimeDistributed", layer=inner)), batch=2
    )
    (apart,) = (each for each in network.operators if getattr(each.shape, "op", None) == SLICE)

    def calls(phase):
        return kernel_calls(apart, phase=phase, batch_size=2)

    taken = KernelCall(
        shape=ElementwiseShape(op="copy", elements=2 * 8), direction=Direction.FORWARD, count=50
    )
    whole = ElementwiseShape(op="copy", elements=2 * 50 * 8)
    filled = KernelCall(shape=whole, direction=Direction.BACKWARD, count=2 * 50)
    assert calls(Phase.INFERENCE) == (taken,)
    assert calls(Phase.TRAINING) == (taken, filled)


def test_nobody_asks_for_the_gradient_of_what_a_network_is_given():
    inner = layer("Dense", units=4)
    network = built(sequential((50, 8), layer("TimeDistributed", layer=inner)), batch=2)
    calls = kernel_calls(network.operators[1], phase=Phase.TRAINING, batch_size=2)
    assert [call.direction for call in calls] == [Direction.FORWARD]


@pytest.mark.parametrize("timesteps", [1, 47, 48, 49, 96, 101, 1000])
def test_long_sequences_are_run_in_few_parts_that_make_up_the_whole(timesteps):
    inner = layer("Dense", units=4)
    network = built(sequential((timesteps, 5), layer("TimeDistributed", layer=inner)))
    products = [each for each in network.operators if isinstance(each.shape, GemmShape)]
    assert sum(each.repeats for each in products) == timesteps
    assert {each.shape for each in products} == {GemmShape(m=2, n=4, k=5)}
    assert sum(each.output_elements for each in products) == 2 * timesteps * 4
    assert network.multiply_adds_per_sample == timesteps * 20
    assert len(products) <= 49


SEQUENCES = {
    "layer": lambda n: sequential((n, 5), layer("TimeDistributed", layer=layer("Dense", units=4))),
    "model": lambda n: sequential(
        (n, 5), layer("TimeDistributed", layer=sequential((5,), layer("Dense", units=4)))
    ),
    "film": lambda n: sequential((n, 6, 6, 2), layer("ConvLSTM2D", filters=3, kernel_size=3)),
    "films": lambda n: sequential(
        (2, n, 6, 6, 2),
        layer("TimeDistributed", layer=layer("ConvLSTM2D", filters=3, kernel_size=3)),
    ),
}


@pytest.mark.parametrize("kind", SEQUENCES)
@pytest.mark.parametrize("phase", list(Phase))
def test_the_work_of_a_sequence_grows_with_its_length(kind, phase):
    def calls(timesteps):
        network = built(SEQUENCES[kind](timesteps))
        return sum(
            call.count
            for each in network.operators
            for call in kernel_calls(each, phase=phase, batch_size=2)
        )

    counts = [calls(n) for n in (46, 47, 48, 49, 50, 95, 96, 97)]
    each = counts[1] - counts[0]
    assert each > 0
    assert [count - counts[0] for count in counts] == [
        each * n for n in (0, 1, 2, 3, 4, 49, 50, 51)
    ]


def test_the_time_steps_of_a_convolutional_recurrence_wait_for_each_other():
    network = built(sequential((4, 6, 6, 2), layer("ConvLSTM2D", filters=3, kernel_size=3)))
    convolutions = [
        (at, each) for at, each in enumerate(network.operators) if isinstance(each.shape, ConvShape)
    ]
    assert len(convolutions) == 4 * 8
    assert {each.shape.n for _at, each in convolutions} == {2}
    of_state = [(at, each) for at, each in convolutions if each.shape.c == 3]
    assert len(of_state) == 16
    # The first ones read what the layer is given, the others the state before.
    ends = {each.inputs for _at, each in of_state}
    assert len(ends) == 4
    assert all(max(each.inputs, default=-1) < at for at, each in of_state)
    assert sum(each.parameters > 0 for _at, each in convolutions) == 2
    assert network.variables == 3


def test_films_within_a_sequence_have_a_gradient_of_their_states():
    film = layer("ConvLSTM2D", filters=3, kernel_size=3)
    network = built(sequential((2, 9, 6, 6, 2), layer("TimeDistributed", layer=film)))
    of_state = [
        op for op in network.operators if isinstance(op.shape, ConvShape) and op.shape.c == 3
    ]
    assert [(op.repeats, op.needs_input_gradient) for op in of_state] == [(9, True)] * 8


def test_both_directions_of_a_convolutional_recurrence_read_the_input():
    inner = layer("ConvLSTM2D", filters=3, kernel_size=3)
    network = built(sequential((4, 6, 6, 2), layer("ReLU"), layer("Bidirectional", layer=inner)))
    of_input = [
        op for op in network.operators if isinstance(op.shape, ConvShape) and op.shape.c == 2
    ]
    assert len(of_input) == 2 * 4 * 4
    assert {op.inputs for op in of_input} == {(0,)}


def test_a_frozen_layer_is_trained_at_no_moment():
    inner = layer("Dense", units=4)
    frozen = layer("TimeDistributed", layer=inner, trainable=False)
    network = built(sequential((4, 5), layer("Dense", units=5), frozen))
    directions = [
        call.direction
        for each in network.operators[3:-2]
        for call in kernel_calls(each, phase=Phase.TRAINING, batch_size=2)
    ]
    assert directions == [Direction.FORWARD, Direction.INPUT_GRADIENT] * 4
    assert network.trainable_parameters == 30


def in_time(body, n):
    for _ in range(n):
        body = layer("TimeDistributed", layer=body)
    return body


def test_sequences_of_sequences_are_unfolded_once():
    deep = built(sequential((40, 40, 40, 5), in_time(layer("Dense", units=2), 3)))
    assert len(deep.operators) < 400
    products = [
        each.shape.m * each.repeats for each in deep.operators if isinstance(each.shape, GemmShape)
    ]
    assert sum(products) == 2 * 40**3
    film = layer("ConvLSTM2D", filters=2, kernel_size=3)
    films = built(sequential((40, 9, 8, 8, 2), in_time(film, 1)))
    assert len(films.operators) < 1000


def test_models_of_sequences_in_models_of_sequences_are_unfolded_once():
    shape, body = (5,), sequential((5,), layer("Dense", units=2))
    for _ in range(3):
        shape = (30, *shape)
        body = sequential(shape, layer("TimeDistributed", layer=body))
    network = built(body)
    assert sum(isinstance(each.shape, GemmShape) for each in network.operators) == 30
    assert len(network.operators) == 2 + 30 * (1 + 2 * 2)
    assert network.multiply_adds_per_sample == 30**3 * 10


def test_a_large_model_within_a_model_is_applied_to_several_moments_at_once():
    dense = [layer("Dense", units=5, name=f"dense{n}") for n in range(600)]
    large = {**sequential((5,), *dense), "name": "large"}
    large["config"] = {**large["config"], "name": "large"}
    outer = layer("TimeDistributed", layer=sequential((5,), large))
    network = built(sequential((48, 5), outer))
    assert len(network.operators) <= 2000
    assert network.parameters == 600 * 30
