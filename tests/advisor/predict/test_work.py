"""Counts against hand-made arithmetic, and rates in the units of people."""

import dataclasses

import pytest

from advisor.model.kernel import (
    Cell,
    ConvShape,
    Direction,
    ElementwiseShape,
    EmbeddingShape,
    GemmShape,
    NormShape,
    OperatorKind,
    OptimizerShape,
    OverheadShape,
    PeakShape,
    PoolShape,
    RecurrentShape,
    SoftmaxShape,
    StreamShape,
    TransferShape,
    UnknownShape,
)
from advisor.model.quantity import Phase, Precision
from advisor.predict.work import (
    bytes_moved,
    fixed_calls,
    flop,
    kernel_calls,
    operator_kind,
    rate,
    repeated,
    step_calls,
    step_totals,
)
from tests.advisor.predict.builders import (
    GRADIENTS,
    conv,
    gemm,
    measure,
    operator,
    small_cnn,
    workload,
)

LSTM = RecurrentShape(cell=Cell.LSTM, batch=8, timesteps=20, input=10, hidden=16)
POOL = PoolShape(mode="max", n=2, c=3, spatial=(8, 8), kernel=(2, 2), strides=(2, 2), output=(4, 4))
NORM = NormShape(kind="batch", elements=1000, channels=10)
ALL_SHAPES = (
    gemm(2, 3, 4), conv(1, 2, 4, 3), LSTM, NORM, POOL, ElementwiseShape(op="relu", elements=10),
    SoftmaxShape(rows=2, columns=5), EmbeddingShape(indices=4, dim=8, vocabulary=100),
    OptimizerShape(optimizer="adam", parameters=100, variables=2),
    StreamShape(op="copy", elements=10), PeakShape(), OverheadShape(kind="dispatch"),
    TransferShape(to="device", size_bytes=64), UnknownShape(layer_type="Odd", elements=7),
)  # fmt: skip


@pytest.mark.parametrize(
    ("shape", "kind"),
    [
        (conv(1, 8, 4, 8), OperatorKind.CONVOLUTION),
        (conv(1, 8, 4, 8, groups=8), OperatorKind.DEPTHWISE),
        (conv(1, 8, 4, 8, groups=2), OperatorKind.GROUPED),
        (dataclasses.replace(conv(1, 8, 4, 8, groups=8), as_groups=True), OperatorKind.GROUPED),
        (conv(1, 1, 4, 8), OperatorKind.CONVOLUTION),
        (gemm(1, 1, 1), OperatorKind.GEMM),
        (UnknownShape(layer_type="Odd", elements=1), OperatorKind.UNKNOWN),
    ],
)
def test_kind_of_shape(shape, kind):
    assert operator_kind(shape) is kind


def test_every_shape_has_kind_flop_and_bytes():
    for shape in ALL_SHAPES:
        operator_kind(shape)
        for direction in Direction:
            assert flop(shape, direction=direction) >= 0
            moved = bytes_moved(shape, direction=direction, precision=Precision.FLOAT32)
            assert moved >= 0


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        (GemmShape(m=2, n=3, k=5, batch=7), 2 * 2 * 3 * 5 * 7),
        # 4 x 4 results, 3 filters of 3 x 3 x 2
        (conv(1, 2, 4, 3), 2 * 16 * 3 * 9 * 2),
        (conv(1, 8, 4, 8, groups=8), 2 * 16 * 8 * 9),
        (LSTM, 2 * 8 * 20 * 4 * 16 * (10 + 16)),
        (dataclasses.replace(LSTM, cell=Cell.GRU), 2 * 8 * 20 * 3 * 16 * 26),
        (dataclasses.replace(LSTM, is_bidirectional=True), 2 * 2 * 8 * 20 * 4 * 16 * 26),
        (POOL, 2 * 3 * 16 * 4),
        (ElementwiseShape(op="add", elements=10, n_inputs=3), 20),
        (ElementwiseShape(op="relu", elements=10), 10),
        (StreamShape(op="triad", elements=10), 20),
        (PeakShape(), 10**9),
    ],
)
def test_forward_flop(shape, expected):
    assert flop(shape, direction=Direction.FORWARD) == expected


def test_transposed_convolution_counts_by_its_inputs():
    shape = ConvShape(
        n=1, c=4, spatial=(5, 5), k=6, kernel=(2, 2), strides=(2, 2), output=(10, 10),
        dilation=(1, 1), is_transposed=True,
    )  # fmt: skip
    assert flop(shape, direction=Direction.FORWARD) == 2 * 25 * 4 * 4 * 6


def test_gradients_of_a_product_cost_what_it_costs():
    shape = conv(2, 3, 8, 5)
    assert len({flop(shape, direction=d) for d in GRADIENTS}) == 1
    backward = flop(LSTM, direction=Direction.BACKWARD)
    assert backward == 2 * flop(LSTM, direction=Direction.FORWARD)


def test_backward_of_a_look_up_adds_rows():
    shape = EmbeddingShape(indices=4, dim=8, vocabulary=100)
    assert flop(shape, direction=Direction.FORWARD) == 0
    assert flop(shape, direction=Direction.BACKWARD) == 32


def test_bytes_count_each_operand_once():
    moved = bytes_moved(gemm(2, 3, 4), direction=Direction.FORWARD, precision=Precision.FLOAT32)
    assert moved == 4 * (8 + 12 + 6)
    half = bytes_moved(gemm(2, 3, 4), direction=Direction.FORWARD, precision=Precision.BFLOAT16)
    assert half * 2 == moved


def test_update_stays_in_float32():
    shape = OptimizerShape(optimizer="adam", parameters=100, variables=2)
    moved = {
        bytes_moved(shape, direction=Direction.UPDATE, precision=precision)
        for precision in (Precision.FLOAT32, Precision.BFLOAT16)
    }
    assert moved == {7 * 100 * 4}


@pytest.mark.parametrize(
    ("optimizer", "values"),
    [("sgd", 3), ("momentum", 5), ("rmsprop", 5), ("Adam", 7), ("adamw", 7), ("adadelta", 5)],
)
def test_traffic_of_optimizers(optimizer, values):
    shape = OptimizerShape(optimizer=optimizer, parameters=1, variables=1)
    moved = bytes_moved(shape, direction=Direction.UPDATE, precision=Precision.FLOAT32)
    assert moved == 4 * values


def directions(op, phase=Phase.TRAINING):
    return [call.direction for call in kernel_calls(op, phase=phase, batch_size=8)]


def test_calls_of_products():
    shape = conv(1, 3, 8, 4)
    assert directions(operator(shape, parameters=10)) == list(GRADIENTS)
    first = operator(shape, parameters=10, needs_input_gradient=False)
    assert directions(first) == [Direction.FORWARD, Direction.WEIGHT_GRADIENT]
    assert directions(operator(shape, parameters=10), Phase.INFERENCE) == [Direction.FORWARD]
    # Attention: both operands are results of other layers.
    assert directions(operator(gemm(2, 2, 2))) == list(GRADIENTS)


def test_calls_of_other_operators():
    both = [Direction.FORWARD, Direction.BACKWARD]
    assert directions(operator(LSTM, parameters=9, needs_input_gradient=False)) == both
    assert directions(operator(POOL)) == both
    assert directions(operator(POOL, needs_input_gradient=False)) == [Direction.FORWARD]


def test_batch_normalisation_uses_stored_statistics_in_inference():
    normed = operator(NORM, parameters=20)
    (call,) = kernel_calls(normed, phase=Phase.INFERENCE, batch_size=8)
    assert call.shape == NormShape(kind="batch_inference", elements=1000, channels=10)
    by_layer = operator(NormShape(kind="layer", elements=10, channels=2))
    (layer,) = kernel_calls(by_layer, phase=Phase.INFERENCE, batch_size=8)
    assert layer.shape.kind == "layer"


def test_fixed_calls_of_both_phases():
    call, update = fixed_calls(small_cnn())
    assert call.shape == OverheadShape(kind="train_call")
    assert update.shape == OptimizerShape(optimizer="sgd", parameters=674_762, variables=6)
    (only,) = fixed_calls(small_cnn(phase=Phase.INFERENCE))
    assert only.shape == OverheadShape(kind="predict_call")


def test_totals_of_a_step_are_sums_over_its_calls():
    work = small_cnn()
    totals = step_totals(work)
    calls = step_calls(work)
    assert totals.flop == sum(flop(c.shape, direction=c.direction) for c in calls)
    assert totals.calls[OperatorKind.CONVOLUTION] == 5
    # Ten kernels of layers (first convolution has no input gradient), six updates.
    assert totals.launches == 2 + 2 + 3 + 2 + 3 + 6


def test_each_timestep_is_a_launch_of_its_own():
    totals = step_totals(workload(operator(LSTM, parameters=9), phase=Phase.INFERENCE))
    assert totals.launches == 2 * 20


@pytest.mark.parametrize(
    ("shape", "seconds", "expected", "unit"),
    [
        (gemm(100, 100, 100), 1e-3, 2e9, "flop/s"),
        (StreamShape(op="copy", elements=1000), 1e-6, 8e9, "B/s"),
        (ElementwiseShape(op="relu", elements=1000), 1e-6, 8e9, "B/s"),
        (TransferShape(to="device", size_bytes=1000), 1e-6, 1e9, "B/s"),
        (OverheadShape(kind="dispatch"), 5e-6, 5e-6, "s"),
    ],
)
def test_rate_for_people(shape, seconds, expected, unit):
    value, found = rate(measure(shape, seconds))
    assert (pytest.approx(expected), unit) == (value, found)


def test_rate_is_that_of_the_lower_quartile_and_of_differences_that_of_the_median():
    measured = measure(gemm(100, 100, 100), (1e-3, 2e-3, 9e-3))
    assert rate(measured)[0] == pytest.approx(2e9 / 1.5)
    difference = dataclasses.replace(measured, is_difference=True)
    assert rate(difference)[0] == pytest.approx(1e9)


def test_the_gradient_of_a_transpose_is_another_transpose():
    turned = operator(ElementwiseShape(op="transpose", elements=6000))
    (forward,) = kernel_calls(turned, phase=Phase.INFERENCE, batch_size=8)
    (both,) = kernel_calls(turned, phase=Phase.TRAINING, batch_size=8)
    assert (forward.count, both.count) == (1, 2)
    assert both.direction is Direction.FORWARD
    first = dataclasses.replace(turned, needs_input_gradient=False)
    assert kernel_calls(first, phase=Phase.TRAINING, batch_size=8) == (forward,)


def test_attention_projects_sample_by_sample():
    # As its equation says; the gradient of its weights is one product over all samples.
    projection = dataclasses.replace(
        operator(gemm(512, 96, 96), parameters=9312), layer_type="MultiHeadAttention"
    )
    forward, by_input, by_weights = kernel_calls(projection, phase=Phase.TRAINING, batch_size=8)
    assert forward.shape == by_input.shape == GemmShape(m=64, n=96, k=96, batch=8)
    assert by_weights.shape == projection.shape
    dense = dataclasses.replace(projection, layer_type="Dense")
    (plain,) = kernel_calls(dense, phase=Phase.INFERENCE, batch_size=8)
    assert plain.shape == dense.shape


@pytest.mark.parametrize("phase", list(Phase))
def test_an_operator_that_is_run_again_and_again_counts_as_often(phase):
    once = operator(gemm(8, 16, 32), parameters=512)
    often = dataclasses.replace(once, repeats=7)
    calls = kernel_calls(once, phase=phase, batch_size=8)
    assert kernel_calls(often, phase=phase, batch_size=8) == tuple(
        dataclasses.replace(call, count=7) for call in calls
    )
    assert repeated(calls, once) == calls
    one, seven = (step_totals(workload(op, phase=phase)) for op in (once, often))
    update = step_totals(workload(phase=phase))
    assert seven.calls[OperatorKind.GEMM] == 7 * one.calls[OperatorKind.GEMM]
    assert seven.flop - update.flop >= 6 * (one.flop - update.flop)
