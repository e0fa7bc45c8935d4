"""How much work a kernel is: floating-point operations, memory traffic, and its part in a step.

Every formula counts 2 flop for one multiply-add and each operand once per kernel, which is what a
perfect cache would move. Times are left to others (`advisor.predict.ceilings`).
"""

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from advisor.model.kernel import (
    CLOCK_CYCLES,
    PEAK_FLOP,
    TRANSPOSE,
    Cell,
    ClockShape,
    ConvShape,
    Direction,
    ElementwiseShape,
    EmbeddingShape,
    GemmShape,
    KernelCall,
    KernelShape,
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
from advisor.model.measurement import Measurement
from advisor.model.quantity import Phase, Precision
from advisor.model.workload import Operator, Workload
from advisor.predict.slices import slice_calls

_KINDS: dict[type, OperatorKind] = {
    GemmShape: OperatorKind.GEMM,
    RecurrentShape: OperatorKind.RECURRENT,
    NormShape: OperatorKind.NORMALISATION,
    PoolShape: OperatorKind.POOLING,
    ElementwiseShape: OperatorKind.ELEMENTWISE,
    SoftmaxShape: OperatorKind.SOFTMAX,
    EmbeddingShape: OperatorKind.EMBEDDING,
    OptimizerShape: OperatorKind.OPTIMIZER,
    StreamShape: OperatorKind.STREAM,
    PeakShape: OperatorKind.PEAK,
    ClockShape: OperatorKind.PEAK,
    OverheadShape: OperatorKind.OVERHEAD,
    TransferShape: OperatorKind.TRANSFER,
    UnknownShape: OperatorKind.UNKNOWN,
}

# Gates of a cell: each is one product with the input and one with the state.
GATES = {Cell.LSTM: 4, Cell.GRU: 3, Cell.RNN: 1}

# Flop of one result of a function that is evaluated by a polynomial or a table.
_TRANSCENDENTAL_FLOP = 8
_TRANSCENDENTAL = frozenset(
    {"sigmoid", "tanh", "exp", "log", "elu", "selu", "gelu", "silu", "swish", "softplus", "mish"}
)

# Values that one update reads and writes per parameter (parameter, gradient, slots), and its flop.
_OPTIMIZER_TRAFFIC = {"sgd": (3, 2), "momentum": (5, 4), "rmsprop": (5, 7), "adam": (7, 12)}

# Values moved and flop per element by each stream kernel.
_STREAM = {"copy": (2, 0), "scale": (2, 1), "add": (3, 1), "triad": (3, 2), "read": (1, 1)}

# Kinds that do multiply-adds on weights: their time follows the arithmetic rate of a device.
COMPUTE_KINDS = frozenset(
    {
        OperatorKind.GEMM,
        OperatorKind.CONVOLUTION,
        OperatorKind.DEPTHWISE,
        OperatorKind.GROUPED,
        OperatorKind.RECURRENT,
        OperatorKind.PEAK,
    }
)


def operator_kind(shape: KernelShape) -> OperatorKind:
    """Return the class of operators whose efficiency the shape shares."""
    if isinstance(shape, ConvShape):
        if shape.is_grouped:
            return OperatorKind.GROUPED
        return OperatorKind.DEPTHWISE if shape.is_depthwise else OperatorKind.CONVOLUTION
    return _KINDS[type(shape)]


def gemm_multiply_adds(shape: GemmShape) -> int:
    """Return batch x m x n x k."""
    return shape.batch * shape.m * shape.n * shape.k


def conv_multiply_adds(shape: ConvShape) -> int:
    """Return results x filter taps x input channels of the group (transposed: by its inputs)."""
    taps = math.prod(shape.kernel)
    if shape.is_transposed:
        places = math.prod(shape.spatial) * shape.c
        return shape.n * places * taps * (shape.k // shape.groups)
    places = math.prod(shape.output) * shape.k
    return shape.n * places * taps * (shape.c // shape.groups)


def _recurrent_weights(shape: RecurrentShape) -> int:
    """Return the weights of one direction, without its bias."""
    return GATES[shape.cell] * shape.hidden * (shape.input + shape.hidden)


def recurrent_multiply_adds(shape: RecurrentShape) -> int:
    """Return batch x timesteps x gates x hidden x (input + hidden), twice if bidirectional."""
    per_step = _recurrent_weights(shape)
    return shape.batch * shape.timesteps * per_step * (2 if shape.is_bidirectional else 1)


def _elementwise_flop(shape: ElementwiseShape) -> int:
    each = _TRANSCENDENTAL_FLOP if shape.op in _TRANSCENDENTAL else max(1, shape.n_inputs - 1)
    return shape.elements * each


def _optimizer_row(optimizer: str) -> tuple[int, int]:
    name = optimizer.lower()
    for known in ("adam", "rmsprop", "momentum"):
        if known in name:
            return _OPTIMIZER_TRAFFIC[known]
    return _OPTIMIZER_TRAFFIC["momentum" if "ada" in name or "nesterov" in name else "sgd"]


# Forward flop, and flop of BACKWARD as a multiple of it. A gradient by input or weights of a
# product costs what the product costs; BACKWARD of a recurrent layer is both.
_FORWARD: dict[type, Callable[[Any], int]] = {
    GemmShape: lambda s: 2 * gemm_multiply_adds(s),
    ConvShape: lambda s: 2 * conv_multiply_adds(s),
    RecurrentShape: lambda s: 2 * recurrent_multiply_adds(s),
    # mean 1, variance 3, normalise 2, scale and shift 2
    NormShape: lambda s: 8 * s.elements,
    PoolShape: lambda s: s.n * s.c * math.prod(s.output) * math.prod(s.kernel),
    ElementwiseShape: _elementwise_flop,
    # maximum, subtract, exponential counted as one, sum, divide
    SoftmaxShape: lambda s: 5 * s.rows * s.columns,
    EmbeddingShape: lambda _s: 0,
    OptimizerShape: lambda s: s.parameters * _optimizer_row(s.optimizer)[1],
    StreamShape: lambda s: s.elements * _STREAM.get(s.op, (2, 0))[1],
    PeakShape: lambda _s: PEAK_FLOP,
    ClockShape: lambda _s: 0,
    OverheadShape: lambda _s: 0,
    TransferShape: lambda _s: 0,
    UnknownShape: lambda s: s.elements,
}


def flop(shape: KernelShape, *, direction: Direction) -> int:
    """Return the floating-point operations of one execution.

    FORWARD is the layer's own formula; INPUT_GRADIENT and WEIGHT_GRADIENT cost the same;
    BACKWARD costs both (twice forward), for an embedding one addition per value; BOTH is FORWARD
    and BACKWARD together; UPDATE is the optimiser's. 0 where nothing is computed.
    """
    forward = _FORWARD[type(shape)](shape)
    if direction is Direction.BOTH:
        return forward + flop(shape, direction=Direction.BACKWARD)
    if direction is not Direction.BACKWARD:
        return forward
    if isinstance(shape, EmbeddingShape):
        return shape.indices * shape.dim
    return 2 * forward


def _gemm_elements(shape: GemmShape) -> int:
    # A gradient moves the same three matrices, in other roles.
    return shape.batch * (shape.m * shape.k + shape.k * shape.n + shape.m * shape.n)


def _conv_elements(shape: ConvShape) -> int:
    images = shape.n * shape.c * math.prod(shape.spatial)
    results = shape.n * shape.k * math.prod(shape.output)
    return images + results + math.prod(shape.kernel) * shape.c * shape.k // shape.groups


def _recurrent_elements(shape: RecurrentShape) -> int:
    # The weights are read at each step; inputs and all states pass once.
    per_step = _recurrent_weights(shape)
    per_step += shape.batch * (shape.input + 2 * GATES[shape.cell] * shape.hidden)
    return shape.timesteps * per_step * (2 if shape.is_bidirectional else 1)


def gate_bytes(shape: RecurrentShape, *, precision: Precision) -> int:
    """Return the bytes of all gates of a recurrent layer, those of all its steps together."""
    per_step = shape.batch * GATES[shape.cell] * shape.hidden
    ways = 2 if shape.is_bidirectional else 1
    return shape.timesteps * per_step * ways * precision.size_bytes


def weight_bytes(shape: RecurrentShape, *, precision: Precision) -> int:
    """Return the bytes of a recurrent layer's weights, once for each of its steps."""
    ways = 2 if shape.is_bidirectional else 1
    return shape.timesteps * _recurrent_weights(shape) * ways * precision.size_bytes


def _pool_elements(shape: PoolShape) -> int:
    return shape.n * shape.c * (math.prod(shape.spatial) + math.prod(shape.output))


# Values moved forward, and backward. Normalisation reads twice (statistics, then values) and
# writes once; backward reads the values and their gradient twice and writes once. With stored
# statistics its gradient is a product with a constant, and sums where its weights are trained.
_ELEMENTS: dict[type, Callable[[Any], tuple[int, int]]] = {
    GemmShape: lambda s: (_gemm_elements(s), 2 * _gemm_elements(s)),
    ConvShape: lambda s: (_conv_elements(s), 2 * _conv_elements(s)),
    RecurrentShape: lambda s: (_recurrent_elements(s), 2 * _recurrent_elements(s)),
    NormShape: lambda s: (
        (2 if s.kind == "batch_inference" else 3) * s.elements + 4 * s.channels,
        (4 if s.kind == "batch_inference" else 5) * s.elements + 6 * s.channels,
    ),
    PoolShape: lambda s: (_pool_elements(s), 2 * _pool_elements(s)),
    ElementwiseShape: lambda s: (s.elements * (s.n_inputs + 1), s.elements * (s.n_inputs + 2)),
    SoftmaxShape: lambda s: (2 * s.rows * s.columns, 3 * s.rows * s.columns),
    EmbeddingShape: lambda s: (2 * s.indices * s.dim, 3 * s.indices * s.dim),
    OptimizerShape: lambda s: (s.parameters * _optimizer_row(s.optimizer)[0],) * 2,
    StreamShape: lambda s: (s.elements * _STREAM.get(s.op, (2, 0))[0],) * 2,
    PeakShape: lambda _s: (0, 0),
    ClockShape: lambda _s: (0, 0),
    OverheadShape: lambda _s: (0, 0),
    # An addition of two tensors.
    UnknownShape: lambda s: (3 * s.elements, 4 * s.elements),
}


def bytes_moved(shape: KernelShape, *, direction: Direction, precision: Precision) -> int:
    """Return the bytes that one execution reads and writes at least.

    Each operand is counted once; weights of a recurrent layer at each timestep. Optimisers keep
    float32 parameters and slots whatever the precision of the kernels; transfers are as asked.
    """
    if isinstance(shape, TransferShape):
        return shape.size_bytes
    forward, backward = _ELEMENTS[type(shape)](shape)
    elements = {Direction.BACKWARD: backward, Direction.BOTH: forward + backward}.get(
        direction, forward
    )
    if isinstance(shape, OptimizerShape):
        return elements * Precision.FLOAT32.size_bytes
    return elements * precision.size_bytes


# Layers whose product with their weights goes sample by sample, as a batch of products.
_BATCHED_LAYERS = frozenset({"MultiHeadAttention", "GroupQueryAttention", "EinsumDense"})


def _as_run(operator: Operator, batch_size: int) -> KernelShape:
    """Return the shape that a framework gives an operator: of attention one product per sample."""
    shape = operator.shape
    if not isinstance(shape, GemmShape) or operator.layer_type not in _BATCHED_LAYERS:
        return shape
    if operator.used_parameters == 0 or shape.batch > 1 or shape.m % batch_size or batch_size == 1:
        return shape
    return dataclasses.replace(shape, m=shape.m // batch_size, batch=batch_size)


def kernel_calls(operator: Operator, *, phase: Phase, batch_size: int) -> tuple[KernelCall, ...]:
    """Return what an operator computes in a step: forward, and its gradients when training.

    A product without parameters (attention) has two inputs: both gradients are computed, unless
    one of them is a constant or data. A frozen
    layer has parameters and no trainable variables: no gradient of its weights. Batch
    normalisation uses its stored statistics in inference. The gradient of a transpose is another.
    """
    return repeated(_single_calls(operator, phase=phase, batch_size=batch_size), operator)


def repeated(calls: Iterable[KernelCall], operator: Operator) -> tuple[KernelCall, ...]:
    """Return the calls of one run of an operator as often as a step runs it."""
    return tuple(dataclasses.replace(call, count=operator.repeats * call.count) for call in calls)


def without_dropout(shape: RecurrentShape) -> RecurrentShape:
    """Return the layer as inference runs it."""
    return dataclasses.replace(shape, drops_inputs=False, drops_states=False)


def _single_calls(operator: Operator, *, phase: Phase, batch_size: int) -> tuple[KernelCall, ...]:
    if (sliced := slice_calls(operator, phase=phase)) is not None:
        return sliced
    shape = _as_run(operator, batch_size)
    if phase is Phase.INFERENCE and isinstance(shape, NormShape) and shape.kind == "batch":
        shape = NormShape(kind="batch_inference", elements=shape.elements, channels=shape.channels)
    if phase is Phase.INFERENCE and isinstance(shape, RecurrentShape):
        shape = without_dropout(shape)
    calls = [KernelCall(shape=shape, direction=Direction.FORWARD)]
    if phase is Phase.INFERENCE:
        return tuple(calls)
    if isinstance(shape, GemmShape | ConvShape):
        if operator.needs_input_gradient:
            calls.append(KernelCall(shape=shape, direction=Direction.INPUT_GRADIENT))
        has_two_factors = operator.used_parameters == 0 and not operator.has_one_gradient
        is_product_of_two = has_two_factors and operator.needs_input_gradient
        if operator.used_variables > 0 or is_product_of_two:
            # What all samples add to the gradient of the weights is one product.
            calls.append(KernelCall(shape=operator.shape, direction=Direction.WEIGHT_GRADIENT))
    elif operator.needs_input_gradient or operator.used_variables > 0:
        if isinstance(shape, ElementwiseShape) and shape.op == TRANSPOSE:
            return (KernelCall(shape=shape, direction=Direction.FORWARD, count=2),)
        calls.append(KernelCall(shape=shape, direction=Direction.BACKWARD))
    return tuple(calls)


def fixed_calls(workload: Workload) -> tuple[KernelCall, ...]:
    """Return what a step does once: the call from Python, and the update of all variables."""
    if workload.phase is Phase.INFERENCE:
        shape = OverheadShape(kind="predict_call")
        return (KernelCall(shape=shape, direction=Direction.FORWARD),)
    update = OptimizerShape(
        optimizer=workload.optimizer,
        parameters=workload.trainable_parameters,
        variables=workload.variables,
    )
    call = KernelCall(shape=OverheadShape(kind="train_call"), direction=Direction.FORWARD)
    return (call, KernelCall(shape=update, direction=Direction.UPDATE))


def step_calls(workload: Workload) -> tuple[KernelCall, ...]:
    """Return every kernel of one step, operator by operator, then the fixed calls."""
    phase, batch = workload.phase, workload.batch_size
    per_operator = (kernel_calls(op, phase=phase, batch_size=batch) for op in workload.operators)
    return (*(call for calls in per_operator for call in calls), *fixed_calls(workload))


@dataclass(frozen=True, slots=True, kw_only=True)
class StepTotals:
    """Work of one step.

    Attributes:
        calls: number of kernels of each class.
        memory_bound_bytes: traffic of kernels that do little arithmetic.
        launches: kernels that are started one after another, each timestep of a recurrent layer
            apart, and one update for each variable.
    """

    flop: int
    memory_bound_bytes: int
    calls: Mapping[OperatorKind, int]
    launches: int


# Kernels of one timestep of a recurrent layer: product and gates.
_LAUNCHES_PER_TIMESTEP = 2


def step_totals(workload: Workload) -> StepTotals:
    """Return the work of one step of a workload, added up."""
    operations = moved = launches = 0
    counts: dict[OperatorKind, int] = {}
    for call in step_calls(workload):
        kind = operator_kind(call.shape)
        counts[kind] = counts.get(kind, 0) + call.count
        operations += flop(call.shape, direction=call.direction) * call.count
        if kind not in COMPUTE_KINDS:
            moved += call.count * bytes_moved(
                call.shape, direction=call.direction, precision=workload.precision
            )
        if isinstance(call.shape, RecurrentShape):
            launches += call.count * call.shape.timesteps * _LAUNCHES_PER_TIMESTEP
        elif kind is OperatorKind.OPTIMIZER:
            launches += workload.variables
        elif kind is not OperatorKind.OVERHEAD:
            launches += call.count
    return StepTotals(
        flop=operations,
        memory_bound_bytes=moved,
        calls=MappingProxyType(counts),
        launches=launches,
    )


def rate(measurement: Measurement) -> tuple[float, str]:
    """Return the figure of a measurement as people state it, with its unit.

    Arithmetic kernels in "flop/s", memory-bound ones in "B/s", clocks in "Hz", fixed costs in "s".
    """
    request = measurement.request
    kind = operator_kind(request.shape)
    seconds = measurement.figure_s
    operations = flop(request.shape, direction=request.direction)
    moved = bytes_moved(request.shape, direction=request.direction, precision=request.precision)
    if seconds > 0.0 and kind in COMPUTE_KINDS and operations:
        return operations / seconds, "flop/s"
    if seconds > 0.0 and moved:
        return moved / seconds, "B/s"
    if seconds > 0.0 and isinstance(request.shape, ClockShape):
        return CLOCK_CYCLES / seconds, "Hz"
    return seconds, "s"
