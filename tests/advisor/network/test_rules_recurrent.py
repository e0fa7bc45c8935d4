"""Both directions of recurrent layers, as Keras counts them."""

import pytest

from advisor.errors import NetworkFileError
from advisor.model.kernel import ConvShape, ElementwiseShape, RecurrentShape
from tests.advisor.network.networks_data import built, layer, sequential


def both(inner, **config):
    return layer("Bidirectional", layer=inner, **config)


def test_each_direction_of_a_stack_of_cells_has_a_stack_of_its_own():
    cells = [layer("LSTMCell", units=4), layer("LSTMCell", units=3)]
    network = built(sequential((7, 5), both(layer("RNN", cell=cells))))
    assert network.parameters == 512
    assert network.multiply_adds_per_sample == 2 * 7 * (16 * 9 + 12 * 7)
    assert network.outputs[0].shape == (6,)


@pytest.mark.parametrize("wrap", [lambda inner: inner, both])
def test_a_cell_of_the_user_is_noted(wrap):
    cells = [layer("LSTMCell", units=4), layer("Custom>MyCell", width=3)]
    stacked = layer("StackedRNNCells", cells=cells)
    after = {**layer("Dense", units=2), "build_config": {"input_shape": [None, 6]}}
    body = wrap(layer("RNN", name="loop", cell=stacked))
    body["config"]["name"] = "loop"
    network = built(sequential((7, 5), body, after))
    assert network.parameters == 14
    (note,) = network.notes
    assert note.startswith(f"layer 'loop' ({body['class_name']}, MyCell): the work and the weights")


def test_the_way_back_may_be_another_layer():
    back = layer("LSTM", units=3, go_backwards=True)
    network = built(
        sequential((7, 5), layer("ReLU"), both(layer("SimpleRNN", units=3), backward_layer=back))
    )
    assert (network.parameters, network.multiply_adds_per_sample) == (135, 840)
    assert network.outputs[0].shape == (6,)
    _relu, there, back_again, joined = network.operators
    assert there.inputs == back_again.inputs == (0,)
    assert (joined.shape, joined.inputs) == (
        ElementwiseShape(op="copy", elements=12, n_inputs=2), (1, 2),
    )  # fmt: skip


def test_a_way_back_that_is_written_out_is_the_same_kernel():
    inner = layer("GRU", units=3)
    network = built(sequential((7, 5), both(inner, backward_layer=layer("GRU", units=3))))
    (only,) = network.operators
    assert isinstance(only.shape, RecurrentShape)
    assert only.shape.is_bidirectional


@pytest.mark.parametrize(
    ("merge", "width", "op"),
    [("sum", 4, "add"), ("mul", 4, "multiply"), ("ave", 4, "average"), ("concat", 8, "copy")],
)
def test_films_are_merged_as_asked(merge, width, op):
    film = layer("ConvLSTM2D", filters=4, kernel_size=3, padding="same")
    network = built(sequential((5, 8, 8, 3), both(film, merge_mode=merge)))
    assert network.outputs[0].shape == (8, 8, width)
    last = network.operators[-1]
    assert last.shape == ElementwiseShape(op=op, elements=2 * 64 * width, n_inputs=2)
    assert len(last.inputs) == 2
    assert sum(isinstance(each.shape, ConvShape) for each in network.operators) == 2 * 5 * 8


def test_films_that_are_not_merged_are_two_results():
    film = layer("ConvLSTM2D", filters=4, kernel_size=3, padding="same")
    network = built(sequential((5, 8, 8, 3), both(film, merge_mode=None)))
    assert [each.shape for each in network.outputs] == [(8, 8, 4)] * 2


@pytest.mark.parametrize("merge", ["other", 7, ["sum"]])
def test_another_merge_is_refused(merge):
    film = layer("ConvLSTM2D", filters=4, kernel_size=3)
    with pytest.raises(NetworkFileError, match="merge_mode"):
        built(sequential((5, 8, 8, 3), both(film, merge_mode=merge)))


def test_directions_that_cannot_be_added_are_refused():
    body = both(layer("LSTM", units=3), backward_layer=layer("LSTM", units=4), merge_mode="sum")
    with pytest.raises(NetworkFileError, match="do not fit together"):
        built(sequential((7, 5), body))


def test_different_widths_may_stand_beside_each_other():
    body = both(layer("LSTM", units=3), backward_layer=layer("LSTM", units=4))
    assert built(sequential((7, 5), body)).outputs[0].shape == (7,)
