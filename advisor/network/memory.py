"""How much memory a network needs, for training and for inference.

Training   = weights in float32 + gradients and optimizer state of the trainable ones in float32
             + `UPDATE_COPIES` of the largest layer's weights, while they are updated
             + every result of the forward pass, the input, and `LOSS_COPIES` of the outputs
               (targets, and the gradient of the loss), in the precision of the kernels
             + what a recurrent layer keeps of each time step: gates, states, its input
             + what functions and normalisations of several passes keep between them
             + the gradients of a sequence that is taken apart moment by moment
             + workspace of kernels: the largest input and output of an operator once more.
Inference  = weights in the precision + the most results that are alive at once (a result lives
             until the last operator that reads it has run) + the same workspace.
Against the growth of a process in its first Keras steps (peak resident memory, seven of the
bundled networks, two optimizers) the training figure lies between 25 % too low and 45 % too high;
of 26 recurrent networks (`kept_over_time`) between 14 % too low and 30 % too high, of 17
convolutional ones (`rules_recurrent`) between 23 % too low and 16 % too high, of nine with
functions of several passes between 23 % too low and 17 % too high.
The framework itself (some hundred MB) and the data set come on top, and where oneDNN does not
compute the windows that gradients of convolutions lay out (`laid_out_bytes`): of seven networks of
two and three dimensions (batch 1 to 8) they were 0.10 to 0.53 of their training without, and are
0.53 to 1.15 with them; of one whose volumes an older program computed, 3.
Leaves to others: whether a device has that much (`advisor.recommend.requirements`).
"""

import math
from collections.abc import Sequence

from advisor.model.kernel import (
    Cell,
    ConvShape,
    Direction,
    ElementwiseShape,
    RecurrentShape,
    is_slice,
)
from advisor.model.quantity import Precision
from advisor.model.workload import Operator
from advisor.network.builder import Network
from advisor.network.im2col import laid_out_elements

# Tensors of the size of the weights that an optimizer keeps beside them.
OPTIMIZER_SLOTS = {
    "sgd": 0,
    "momentum": 1,
    "adagrad": 1,
    "rmsprop": 1,
    "lion": 1,
    "adadelta": 2,
    "adam": 2,
    "adamw": 2,
    "adamax": 2,
    "nadam": 2,
    "ftrl": 2,
}

# Master weights, gradients and optimizer state stay in float32 under mixed precision.
_FLOAT32_BYTES = 4

# Gradient in the layout of the kernel, and the new value, of the layer that is being updated.
UPDATE_COPIES = 2
# Targets, and the gradient that the loss hands back.
LOSS_COPIES = 2

# What training keeps of each time step of a recurrent layer, beside its result. Peak resident
# memory of the first steps (Keras 3.15, TensorFlow 2.21, gradient descent) of 26 networks: 50 to
# 500 time steps, 32 to 512 features, 64 to 512 units, batch 64. Values of the width of the state:
_STATES_KEPT = {Cell.LSTM: 8.5, Cell.GRU: 8.5, Cell.RNN: 1.2}
# Further ones where every moment is handed on, and where a mask chooses between the states.
_STATES_HANDED_ON = 2.0
_STATES_MASKED = 3.0
# Copies of the input: moment first, moment by moment, and its gradient in part.
_INPUTS_KEPT = 2.5
# What a function keeps of each value beside its result, where Keras computes it in several passes.
# Peak memory of chains of 4 and 14 GELUs tells 3.4, three whole networks are met best by this; of
# hard SiLU and Mish, whose chains tell as much (6.0, 4.3 and 4.2 values each, a ReLU 1.7), dense
# networks and networks of convolutions were told 0.37 to 0.70, and are now 0.77 to 1.07.
_SEVERAL_PASSES = 2.5
# SiLU keeps its sigmoid: dense layers took 3.2 values each, where 2 were told.
_KEPT_BETWEEN_PASSES = {
    **dict.fromkeys(("gelu", "hard_silu", "hard_swish", "mish"), _SEVERAL_PASSES),
    **dict.fromkeys(("silu", "swish"), 1.0),
}
# Gradients of slices are as large as the whole, and wait for each other; TensorFlow adds them up
# early from so many bytes on (`kMinAggregateBytes` in tensorflow/c/eager/tape.h). Five networks
# with a `TimeDistributed` of 50 to 200 moments, one of them twice, were told 0.05 to 0.26 of their
# training without them, and are told 0.39 to 0.96.
_EARLY_SUM_BYTES = 128 << 20
# The program of a loop over time and of its gradient: 19 and 22 MB in the two smallest of them.
LOOP_BYTES = 18_000_000


def _largest_step(operators: Sequence[Operator], *, input_elements: int) -> int:
    """Return the most values that one operator reads and writes."""

    def read(operator: Operator) -> int:
        if not operator.inputs:
            return input_elements
        return sum(operators[source].output_elements for source in operator.inputs)

    return max((op.output_elements + read(op) for op in operators), default=0)


def most_alive(operators: Sequence[Operator], *, input_elements: int) -> int:
    """Return the most values that results hold at once when run in order.

    Args:
        operators: in running order.
        input_elements: values of the input for the whole batch; it lives until it was last read.
    """
    last_read = {position: position for position in range(len(operators))}
    last_input = 0
    for position, operator in enumerate(operators):
        for source in operator.inputs:
            last_read[source] = position
        if not operator.inputs:
            last_input = position
    dying: dict[int, list[int]] = {}
    for source, position in last_read.items():
        dying.setdefault(position, []).append(source)
    alive = most = input_elements
    for position, operator in enumerate(operators):
        alive += operator.output_elements
        most = max(most, alive)
        alive -= sum(operators[source].output_elements for source in dying.get(position, ()))
        alive -= input_elements if position == last_input else 0
    return most


def kept_over_time(shape: RecurrentShape) -> int:
    """Return the values that a recurrent layer keeps of its time steps until their gradients."""
    states = _STATES_KEPT[shape.cell]
    states += _STATES_HANDED_ON if shape.return_sequences else 0.0
    states += _STATES_MASKED if shape.is_masked else 0.0
    places = shape.batch * shape.timesteps * _directions(shape)
    return round(places * (states * shape.hidden + _INPUTS_KEPT * shape.input))


def _directions(shape: RecurrentShape) -> int:
    return 2 if shape.is_bidirectional else 1


def _kept_between_passes(operator: Operator) -> int:
    shape = operator.shape
    each = _KEPT_BETWEEN_PASSES.get(shape.op, 0.0) if isinstance(shape, ElementwiseShape) else 0.0
    return round(each * operator.output_elements)


def _gradients_of_slices(operator: Operator) -> int:
    """Return the values that wait to be added up where a tensor was taken apart."""
    if not (operator.needs_input_gradient and is_slice(operator.shape)):
        return 0
    waiting = operator.repeats * operator.shape.elements
    return min(waiting, _EARLY_SUM_BYTES // _FLOAT32_BYTES)


def training_bytes(network: Network, *, precision: Precision, optimizer: str) -> int:
    """Return the bytes that one training step needs; `optimizer` is a key of OPTIMIZER_SLOTS."""
    operators = network.operators
    input_elements = network.batch_size * network.input_elements_per_sample
    tensors = 1 + OPTIMIZER_SLOTS[optimizer]
    largest = max((op.parameters for op in operators if op.variables), default=0)
    states = network.parameters + tensors * network.trainable_parameters + UPDATE_COPIES * largest
    ends = network.batch_size * sum(end.fold * math.prod(end.shape) for end in network.outputs)
    kept = input_elements + sum(op.output_elements for op in operators) + LOSS_COPIES * ends
    workspace = _largest_step(operators, input_elements=input_elements)
    loops = [(op.shape, op.repeats) for op in operators if isinstance(op.shape, RecurrentShape)]
    kept += sum(repeats * kept_over_time(shape) for shape, repeats in loops)
    kept += sum(op.kept_elements + _kept_between_passes(op) for op in operators)
    kept += sum(_gradients_of_slices(op) for op in operators)
    programs = LOOP_BYTES * sum(_directions(shape) for shape, _repeats in loops)
    return programs + _FLOAT32_BYTES * states + precision.size_bytes * (kept + workspace)


def laid_out_bytes(network: Network, *, precision: Precision) -> int:
    """Return the bytes of the windows that the gradients of one convolution lay out, the largest.

    Both gradients are computed at the same time. Nothing is laid out where oneDNN computes.
    """
    return precision.size_bytes * max(map(_laid_out_elements, network.operators), default=0)


def _laid_out_elements(operator: Operator) -> int:
    shape = operator.shape
    if not isinstance(shape, ConvShape):
        return 0
    by_input = laid_out_elements(shape, direction=Direction.INPUT_GRADIENT)
    by_weights = laid_out_elements(shape, direction=Direction.WEIGHT_GRADIENT)
    forward = laid_out_elements(shape, direction=Direction.FORWARD)
    gradients = by_input * operator.needs_input_gradient + by_weights * (
        operator.used_variables > 0
    )
    return max(forward, gradients)


def inference_bytes(network: Network, *, precision: Precision) -> int:
    """Return the bytes that one forward pass needs."""
    operators = network.operators
    input_elements = network.batch_size * network.input_elements_per_sample
    alive = most_alive(operators, input_elements=input_elements)
    workspace = _largest_step(operators, input_elements=input_elements)
    return precision.size_bytes * (network.parameters + alive + workspace)
