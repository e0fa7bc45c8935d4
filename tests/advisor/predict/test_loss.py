"""The loss at the end of a step of training."""

import dataclasses

import pytest

from advisor.model.kernel import ElementwiseShape, SoftmaxShape
from advisor.model.quantity import Phase, Precision
from advisor.predict.beside import fed_bytes, loss_calls
from advisor.predict.ceilings import fit_ceilings
from advisor.predict.loss import LossKind, loss_kind, loss_passes, target_elements
from advisor.predict.workload_time import step_on
from tests.advisor.predict.builders import (
    calibration,
    gemm,
    knowledge,
    measurement_set,
    operator,
    profile,
    workload,
)

ROWS, CLASSES, BATCH = 512, 3_000, 8
WORDS = ROWS * CLASSES
PRODUCT = dataclasses.replace(
    operator(gemm(ROWS, CLASSES, 64), parameters=9), output_elements=WORDS
)
SOFTMAX = operator(SoftmaxShape(rows=ROWS, columns=CLASSES), inputs=(0,))
BITS = operator(ElementwiseShape(op="sigmoid", elements=WORDS), inputs=(0,))


def network(*operators, loss=None, phase=Phase.TRAINING):
    last = dataclasses.replace(operators[-1], output_elements=WORDS)
    return dataclasses.replace(workload(*operators[:-1], last, phase=phase, batch=BATCH), loss=loss)


def kind(work):
    return loss_kind(work, work.outputs[-1])


@pytest.mark.parametrize(
    ("operators", "expected"),
    [
        ((PRODUCT, SOFTMAX), LossKind.CLASSES),
        ((PRODUCT, BITS), LossKind.BITS),
        ((PRODUCT,), LossKind.DIFFERENCE),
        ((operator(gemm(BATCH, 10, 64), parameters=9),), LossKind.CLASSES),
        ((operator(gemm(BATCH, 1, 64), parameters=9),), LossKind.DIFFERENCE),
    ],
)
def test_without_a_name_the_last_layer_says_which_loss_it_is(operators, expected):
    assert kind(network(*operators)) is expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("mse", LossKind.DIFFERENCE),
        ("MeanAbsoluteError", LossKind.DIFFERENCE),
        ("huber", LossKind.BENT),
        ("log_cosh", LossKind.BENT),
        ("binary_crossentropy", LossKind.BITS),
        ("sparse_categorical_crossentropy", LossKind.CLASSES),
        ("my_own", LossKind.DIFFERENCE),
    ],
)
def test_a_name_says_which_loss_it_is_whatever_the_last_layer(name, expected):
    assert kind(network(PRODUCT, SOFTMAX, loss=name)) is expected


def test_classes_behind_a_softmax_take_less_than_from_the_product_itself():
    name = "sparse_categorical_crossentropy"
    behind, plain = network(PRODUCT, SOFTMAX, loss=name), network(PRODUCT, loss=name)
    assert loss_passes(behind, behind.outputs[0]) < loss_passes(plain, plain.outputs[0])


def test_targets_are_numbers_for_each_output_or_one_class_for_each_row():
    assert target_elements(network(PRODUCT, SOFTMAX)) == ROWS
    assert target_elements(network(PRODUCT, SOFTMAX, loss="mse")) == WORDS
    assert target_elements(network(PRODUCT, SOFTMAX, loss="categorical_crossentropy")) == WORDS
    assert target_elements(network(PRODUCT, BITS)) == WORDS


def test_training_is_given_its_targets():
    few, many = network(PRODUCT, SOFTMAX), network(PRODUCT, SOFTMAX, loss="mse")
    assert fed_bytes(many) - fed_bytes(few) == 4 * (WORDS - ROWS)


def test_a_step_of_training_ends_with_its_loss_and_inference_has_none():
    for loss in (None, "mse"):
        work = network(PRODUCT, SOFTMAX, loss=loss)
        (call,) = loss_calls(work.outputs[0], workload=work)
        assert call.shape == ElementwiseShape(op="relu", elements=WORDS)
        assert call.count == loss_passes(work, work.outputs[0])
    inference = network(PRODUCT, SOFTMAX, phase=Phase.INFERENCE)
    assert loss_calls(inference.outputs[0], workload=inference) == ()


def seconds(work):
    cpu = fit_ceilings(profile(), measurement_set(*calibration()), knowledge()).cpu
    return step_on(work, device=cpu, precision=Precision.FLOAT32).step_s.mid


def test_every_output_has_a_loss():
    one = network(PRODUCT, SOFTMAX, loss="mse")
    two = dataclasses.replace(one, operators=(*one.operators, one.operators[-1]))
    own = dataclasses.replace(
        one, operators=(*one.operators, dataclasses.replace(one.operators[-1], output_elements=0))
    )
    # The same softmax twice: with and without a loss on the second.
    assert seconds(two) > seconds(own) > seconds(one)
