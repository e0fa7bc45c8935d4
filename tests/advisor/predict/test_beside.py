"""What a step does beside the kernels of its layers."""

import dataclasses
import math

from advisor.model.kernel import (
    ConvShape,
    ElementwiseShape,
    EmbeddingShape,
    GemmShape,
    NormShape,
    RecurrentShape,
)
from advisor.model.quantity import Phase, Precision
from advisor.predict.beside import (
    calls_beside,
    conversions,
    fed_bytes,
    fed_s,
    inputs_s,
)
from tests.advisor.predict.builders import conv, gemm, operator, small_cnn, workload

SEQUENCE = operator(gemm(512, 96, 96), parameters=9312)
SCORES = operator(GemmShape(m=64, n=64, k=32, batch=24, transpose_b=True), inputs=(0, 0))
MIXED = operator(GemmShape(m=64, n=32, k=64, batch=24), inputs=(0, 0))


def moved(op, *, phase=Phase.INFERENCE):
    calls = calls_beside(op, workload=dataclasses.replace(workload(op, phase=phase), batch_size=8))
    assert all(isinstance(call.shape, ElementwiseShape) for call in calls)
    return sum(call.shape.elements * call.count for call in calls)


def test_the_bias_of_a_product_over_sequences_is_added_and_summed_up():
    assert moved(SEQUENCE) == 512 * 96
    assert moved(SEQUENCE, phase=Phase.TRAINING) == 2 * 512 * 96


def test_the_bias_of_a_plain_product_comes_with_it():
    assert moved(operator(gemm(8, 96, 96), parameters=9312)) == 0
    assert moved(dataclasses.replace(SEQUENCE, variables=1)) == 0
    assert moved(operator(conv(8, 3, 8, 4), parameters=10)) == 0


def test_the_bias_of_a_convolution_is_free_forward_and_its_gradient_is_a_sum_of_all_results():
    layer = operator(conv(8, 3, 8, 4), parameters=10)
    results = layer.shape.n * layer.shape.k * math.prod(layer.shape.output)
    assert moved(layer) == 0
    assert moved(layer, phase=Phase.TRAINING) == results
    assert moved(dataclasses.replace(layer, variables=1), phase=Phase.TRAINING) == 0


def test_in_one_dimension_the_bias_is_added_by_itself():
    shape = ConvShape(
        n=2, c=8, spatial=(50,), k=4, kernel=(3,), strides=(1,), output=(50,), dilation=(1,)
    )
    layer = operator(shape, parameters=100)
    assert moved(layer) == 2 * 50 * 4
    assert moved(layer, phase=Phase.TRAINING) == 2 * 2 * 50 * 4
    assert moved(dataclasses.replace(layer, variables=1)) == 0


def test_a_dilated_window_is_made_a_plain_one_by_copies():
    plain = dataclasses.replace(operator(conv(8, 3, 8, 4), parameters=9), variables=1)
    dilated = dataclasses.replace(plain, shape=dataclasses.replace(plain.shape, dilation=(2, 2)))
    shape = dilated.shape
    both = shape.n * (shape.c * math.prod(shape.spatial) + shape.k * math.prod(shape.output))
    assert moved(plain) == 0
    assert moved(dilated) == 4 * both
    assert moved(dilated, phase=Phase.TRAINING) == 12 * both


def test_each_further_input_costs_a_part_of_a_call():
    one = workload(SEQUENCE)
    three = dataclasses.replace(one, n_inputs=3)
    assert inputs_s(one, call_s=1.0) == 0.0
    assert 0.1 < inputs_s(three, call_s=1.0) < 0.3


def test_a_second_call_of_a_layer_is_no_product_of_two_inputs():
    shared = dataclasses.replace(
        SEQUENCE, parameters=0, variables=0, shared_parameters=9312, shared_variables=2
    )
    assert moved(shared) == moved(SEQUENCE)


def test_operands_of_a_product_of_two_tensors_are_copied():
    # Queries, keys and values are copied, the scores are not; what comes out is turned back.
    copied = 24 * 2 * 64 * 32
    assert moved(SCORES) == 2 * copied
    assert moved(MIXED) == 4 * copied
    assert moved(SCORES, phase=Phase.TRAINING) == 4 * copied


def transposed(op, *, phase=Phase.INFERENCE):
    calls = calls_beside(op, workload=dataclasses.replace(workload(op, phase=phase), batch_size=8))
    return [c.shape.elements for c in calls if c.shape.op == "transpose" for _ in range(c.count)]


def test_heads_are_brought_together_and_apart_by_transposes():
    heads = dataclasses.replace(SCORES, layer_type="MultiHeadAttention")
    weighed = dataclasses.replace(MIXED, layer_type="GroupQueryAttention")
    one = 24 * 64 * 32
    assert transposed(heads) == transposed(weighed) == [one, one]
    assert moved(heads) == 3 * one  # the queries are scaled besides
    assert moved(weighed) == 2 * one
    assert transposed(heads, phase=Phase.TRAINING) == [one] * 4
    assert transposed(SCORES) == []


def converted(op, *, phase=Phase.INFERENCE, precision=Precision.BFLOAT16):
    calls = conversions(op, phase=phase, precision=precision)
    return sum(call.shape.elements * call.count for call in calls)


def test_weights_and_normalisations_are_converted_in_a_short_format():
    dense = operator(gemm(8, 96, 96), parameters=10_000)
    assert converted(dense) == 7_500  # 6 of the 8 bytes that ReLU moves
    assert converted(dense, phase=Phase.TRAINING) == 15_000
    norm = operator(NormShape(kind="batch", elements=10_000, channels=10), parameters=40)
    assert converted(norm) == 15_000
    assert converted(dense, precision=Precision.FLOAT32) == 0


def test_what_is_timed_with_its_conversions_or_has_none_is_not_converted_again():
    lstm = RecurrentShape(cell="lstm", batch=8, timesteps=4, input=8, hidden=8)
    table = EmbeddingShape(indices=10, dim=8, vocabulary=100)
    for shape in (lstm, table, ElementwiseShape(op="relu", elements=10)):
        assert converted(operator(shape, parameters=1_000)) == 0
    assert converted(operator(conv(8, 3, 8, 4), parameters=0)) == 0


def test_inputs_are_given_and_in_inference_results_come_back():
    work = small_cnn()
    given = 4 * work.batch_size * work.input_elements_per_sample
    assert fed_bytes(dataclasses.replace(work, loss="mse")) == given + 4  # one number to compare
    back = small_cnn(phase=Phase.INFERENCE)
    assert fed_bytes(back) == given + 4 * back.operators[-1].output_elements
    assert fed_s(work, byte_per_s=2e10) == 2 * fed_s(work, byte_per_s=4e10) > given / 2e10
