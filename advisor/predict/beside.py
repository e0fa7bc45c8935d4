"""What a step does beside the kernels of its layers: feeding, biases, operands put in order.

A framework copies what it is given from Python and what it gives back; adds the bias of a product
over sequences by an operator of its own; and brings the heads of an attention together before it
multiplies them. Each is small, together they are a fifth of an attention network. In a short
format it also keeps the weights and the normalisations in float32, and converts at each use.
Leaves to others: how long such a kernel takes (`advisor.predict.efficiency`).
"""

import math

from advisor.model.kernel import (
    TRANSPOSE,
    ConvShape,
    Direction,
    ElementwiseShape,
    EmbeddingShape,
    GemmShape,
    KernelCall,
    NormShape,
)
from advisor.model.quantity import Phase, Precision
from advisor.model.workload import Operator, Workload
from advisor.predict.grouped import is_grouped
from advisor.predict.loss import loss_passes, target_elements

# Copying an array from Python or to it runs at this share of the memory bandwidth: it goes
# through fresh pages, and more than once. Measured with inputs and outputs of 0.1 to 10 MB on
# Keras 3 and TensorFlow 2.21: 3 to 6 GB/s where memory gives 29 GB/s.
_FED_SHARE = 0.15
# Each further array that a step is given takes this share of a call from Python. Keras 3 and
# TensorFlow 2.21, 9 and 17 inputs against one by turns (two cores of a Zen 3): 0.19 and 0.20 in
# inference, 0.11 and 0.11 in training.
_INPUT_SHARE = {Phase.INFERENCE: 0.19, Phase.TRAINING: 0.11}
# Keras counts from the end where an index is below zero: compares, adds, chooses, converts.
_OF_INDICES = 4
# Of images and results of a dilated convolution, by whether it has one dimension: passes of ReLU
# over both, in each of the three directions. Nine shapes on a Zen 4, against the same convolution
# with the library's own dilation: 0 to 2 in one dimension (in a network 2), 2 to 5 in two, where
# the turned images are not smaller than the windows.
_OF_DILATION = {True: 2, False: 4}
# A conversion moves 6 bytes an element, reading one format and writing the other; the kernel that
# stands for it moves 8.
_CONVERTED_SHARE = 0.75
# Layers that keep the values of a head apart, place by place, and multiply head by head.
_WITH_HEADS = frozenset({"MultiHeadAttention", "GroupQueryAttention", "GroupedQueryAttention"})
# Copies that another product of two tensors takes over a plain one of the same size, in passes of
# ReLU over what is copied: of weights and values, and of queries and keys. TensorFlow 2.21, four
# shapes of 0.05 to 0.3 million elements, side by side: 1.8 to 5.6 and 0.5 to 3.2.
_TURNED = {False: 4, True: 2}


def fed_bytes(workload: Workload) -> int:
    """Return the bytes that come from Python in a step, and in inference those that go back."""
    elements = workload.batch_size * workload.input_elements_per_sample
    if workload.phase is Phase.INFERENCE:
        elements += sum(output.output_elements for output in workload.outputs)
    else:
        elements += target_elements(workload)
    return elements * Precision.FLOAT32.size_bytes


def fed_s(workload: Workload, *, byte_per_s: float) -> float:
    """Return the seconds of copying what a step is given and gives back."""
    return fed_bytes(workload) / (_FED_SHARE * byte_per_s)


def inputs_s(workload: Workload, *, call_s: float) -> float:
    """Return the seconds that further inputs add to one call from Python."""
    return _INPUT_SHARE[workload.phase] * (workload.n_inputs - 1) * call_s


def calls_beside(operator: Operator, *, workload: Workload) -> tuple[KernelCall, ...]:
    """Return the element-wise kernels that a product or a convolution brings with it."""
    shape = operator.shape
    if isinstance(shape, ConvShape):
        return (
            *_of_bias(operator, shape, phase=workload.phase),
            *_of_dilation(shape, phase=workload.phase),
        )
    if isinstance(shape, EmbeddingShape):
        return (_passes(shape.indices, count=_OF_INDICES),)
    if not isinstance(shape, GemmShape):
        return ()
    if operator.used_parameters == 0:
        if operator.layer_type in _WITH_HEADS:
            return _of_heads(shape, phase=workload.phase)
        return _of_two_tensors(shape, phase=workload.phase)
    if operator.used_variables < 2 or shape.batch * shape.m <= workload.batch_size:
        return ()  # the library adds the bias of a plain product as it goes
    added = ElementwiseShape(op="add", elements=shape.batch * shape.m * shape.n, n_inputs=2)
    calls = [KernelCall(shape=added, direction=Direction.FORWARD)]
    if workload.phase is Phase.TRAINING:
        calls.append(_passes(added.elements))
    return tuple(calls)


def loss_calls(output: Operator, *, workload: Workload) -> tuple[KernelCall, ...]:
    """Return what the loss on an output and its gradient take at the end of a training step."""
    if workload.phase is Phase.INFERENCE or output.output_elements == 0:
        return ()
    return (_passes(output.output_elements, count=loss_passes(workload, output)),)


def _of_bias(operator: Operator, shape: ConvShape, *, phase: Phase) -> tuple[KernelCall, ...]:
    """Return what the bias of a convolution takes: its gradient adds all results up.

    Forward the library adds it as it goes, but in one dimension: that is run as two, and the bias
    is added once the second one is gone.
    """
    if operator.used_variables < 2:
        return ()
    count = (len(shape.output) == 1) + (phase is Phase.TRAINING)
    return (_passes(_results(shape), count=count),) if count else ()


def _results(shape: ConvShape) -> int:
    return shape.n * shape.k * math.prod(shape.output)


def _of_dilation(shape: ConvShape, *, phase: Phase) -> tuple[KernelCall, ...]:
    """Return what TensorFlow's copies take by which it turns a dilated window into a plain one."""
    if max(shape.dilation) == 1 or is_grouped(shape):
        return ()
    copied = shape.n * shape.c * math.prod(shape.spatial) + _results(shape)
    count = _OF_DILATION[len(shape.output) == 1] * (1 if phase is Phase.INFERENCE else 3)
    return (_passes(copied, count=count),)


def _passes(elements: int, *, count: int = 1) -> KernelCall:
    """Return reading so many values and writing as many, which ReLU stands for."""
    shape = ElementwiseShape(op="relu", elements=elements)
    return KernelCall(shape=shape, direction=Direction.FORWARD, count=count)


def conversions(
    operator: Operator, *, phase: Phase, precision: Precision
) -> tuple[KernelCall, ...]:
    """Return the conversions from float32 and back that a layer needs in a shorter format.

    Keras keeps variables in float32 and converts them at each use, and their gradients back; it
    normalises in float32. Recurrent layers are timed with theirs, embeddings have none.
    """
    if precision.size_bytes >= Precision.FLOAT32.size_bytes:
        return ()
    shape = operator.shape
    if isinstance(shape, GemmShape | ConvShape):
        elements = operator.used_parameters
    elif isinstance(shape, NormShape):
        elements = 2 * shape.elements
    else:
        return ()
    elements = int(_CONVERTED_SHARE * elements)
    if elements == 0:
        return ()
    return (_passes(elements, count=1 if phase is Phase.INFERENCE else 2),)


def _of_heads(shape: GemmShape, *, phase: Phase) -> tuple[KernelCall, ...]:
    """Return what putting the heads of an attention in order takes.

    Queries and keys are transposed before they are multiplied, and scaled; values before, and the
    result after they are weighed. Each transpose has a gradient, which is another one.
    """
    moved = (shape.m * shape.k, shape.k * shape.n)
    if not shape.transpose_b:
        moved = (shape.k * shape.n, shape.m * shape.n)
    count = 1 if phase is Phase.INFERENCE else 2
    calls = [
        KernelCall(
            shape=ElementwiseShape(op=TRANSPOSE, elements=shape.batch * size),
            direction=Direction.FORWARD,
            count=count,
        )
        for size in moved
    ]
    if shape.transpose_b:
        calls.append(_passes(shape.batch * shape.m * shape.k, count=count))
    return tuple(calls)


def _of_two_tensors(shape: GemmShape, *, phase: Phase) -> tuple[KernelCall, ...]:
    """Return the copies of a product of two tensors: the two that are not places by places."""
    sizes = sorted((shape.m * shape.k, shape.k * shape.n, shape.m * shape.n))
    copied = shape.batch * (sizes[0] + sizes[1])
    count = _TURNED[shape.transpose_b]
    if phase is Phase.TRAINING:
        count += 2  # each gradient has its own
    return (_passes(max(1, copied), count=count),)
