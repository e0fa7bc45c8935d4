"""The loss at the end of a step of training: passes over the outputs, and targets to compare with.

Without a name it is the one that a trial chooses: by the last layer of the network.
Leaves to others: how long a pass takes (`advisor.predict.efficiency`).
"""

import enum
import re

from advisor.model.kernel import ElementwiseShape, GemmShape, KernelShape, SoftmaxShape
from advisor.model.workload import Operator, Workload


class LossKind(enum.Enum):
    """What a loss computes for each output."""

    DIFFERENCE = "difference"
    BENT = "bent"
    BITS = "bits"
    CLASSES = "classes"


# Passes of ReLU over the outputs that a loss and its gradient take beside the last activation.
# Keras 3.15 on TensorFlow 2.21, two cores of an AVX-512 server processor, six shapes of 0.07 to
# 1.9 million outputs, least to most: differences 2.6 to 5.2, Huber 7 to 18, bits 8 to 27. Below
# 1,000 outputs it is a few launches.
_PASSES = {LossKind.DIFFERENCE: 4, LossKind.BENT: 12, LossKind.BITS: 16, LossKind.CLASSES: 12}
# The same for classes that a softmax goes before: the framework takes both together (2 to 13).
_BEHIND_SOFTMAX = 6
_BENT = ("huber", "cosh", "kl", "poisson")


def loss_kind(workload: Workload, output: Operator) -> LossKind:
    """Return what the loss on an output computes."""
    if workload.loss is not None:
        return _named(workload.loss)
    shape = output.shape
    if isinstance(shape, SoftmaxShape):
        return LossKind.CLASSES
    if isinstance(shape, ElementwiseShape) and shape.op == "sigmoid":
        return LossKind.BITS
    is_row_of_sample = isinstance(shape, GemmShape) and shape.batch * shape.m <= workload.batch_size
    return LossKind.CLASSES if is_row_of_sample and _row(shape) > 1 else LossKind.DIFFERENCE


def _named(loss: str) -> LossKind:
    """Return the kind of a loss by its name in Keras, of the function or of the class."""
    name = re.sub("[^a-z]", "", loss.lower())
    if "binary" in name or name == "bce":
        return LossKind.BITS
    if "categorical" in name:
        return LossKind.CLASSES
    return LossKind.BENT if any(word in name for word in _BENT) else LossKind.DIFFERENCE


def _row(shape: KernelShape) -> int:
    """Return the classes that an output chooses from, 1 where it is not known."""
    if isinstance(shape, SoftmaxShape):
        return shape.columns
    return shape.n if isinstance(shape, GemmShape) else 1


def loss_passes(workload: Workload, output: Operator) -> int:
    """Return how many times the loss on an output and its gradient go over its elements."""
    kind = loss_kind(workload, output)
    if kind is LossKind.CLASSES and isinstance(output.shape, SoftmaxShape):
        return _BEHIND_SOFTMAX
    return _PASSES[kind]


def target_elements(workload: Workload) -> int:
    """Return the values that a step of training compares its outputs with: of classes the number.

    Classes written out ("categorical_crossentropy") are as many as the outputs.
    """
    is_sparse = workload.loss is None or "sparse" in workload.loss.lower()
    elements = 0
    for output in workload.outputs:
        is_number = is_sparse and loss_kind(workload, output) is LossKind.CLASSES
        elements += output.output_elements // (_row(output.shape) if is_number else 1)
    return elements
