"""What a step does beside the kernels of its layers."""

import dataclasses

from advisor.model.kernel import ElementwiseShape, GemmShape
from advisor.model.quantity import Phase
from advisor.predict.beside import calls_beside, fed_bytes, fed_s
from tests.advisor.predict.builders import conv, gemm, operator, small_cnn, workload

SEQUENCE = operator(gemm(512, 96, 96), parameters=9312)
SCORES = operator(GemmShape(m=64, n=64, k=32, batch=24), inputs=(0, 0))


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


def test_heads_are_brought_together_and_apart():
    # Queries and keys are copied, the scores are not.
    assert moved(SCORES) == 24 * 2 * 64 * 32
    assert moved(SCORES, phase=Phase.TRAINING) == 3 * 24 * 2 * 64 * 32


def test_inputs_are_given_and_in_inference_results_come_back():
    work = small_cnn()
    given = 4 * work.batch_size * work.input_elements_per_sample
    assert fed_bytes(work) == given
    back = small_cnn(phase=Phase.INFERENCE)
    assert fed_bytes(back) == given + 4 * back.operators[-1].output_elements
    assert fed_s(work, byte_per_s=2e10) == 2 * fed_s(work, byte_per_s=4e10) > given / 2e10
