"""What a kernel takes in a step, where others fill the caches, over what it takes by itself.

Leaves to others: times of kernels (`advisor.predict.efficiency`).
"""

from advisor.model.kernel import ConvShape, Direction, GemmShape, KernelCall, OperatorKind
from advisor.model.quantity import Phase, Precision
from advisor.model.workload import Operator, Workload
from advisor.predict.work import kernel_calls, operator_kind

# The gradient of a depthwise convolution's weights takes so many times as long when its data are
# not in the caches as when it is timed in a row: eight shapes of 5x5 windows, batch 4 and 24, took
# 1.4 to 2.2 times as long with 32 MB read between, and 1.8 to 3 times as long within the step
# (Zen 5, two cores, TensorFlow 2.21; profile of an EfficientNet-like network). It does little work
# on much data; other gradients do more on theirs.
_COLD_DEPTHWISE = 1.7

# A kernel of inference that was timed in a row of its own kind takes so many times as long among
# others: its threads have to be woken, its data fetched. Replay told steps too short on all three
# kinds of processor, by 2.6 and 3.5 % (Sapphire Rapids), 3.8 and 5.1 (Zen 5) and 6.3 (Zen 4):
# medians of the families that may shape the model. Recurrent layers are many small kernels by
# themselves; what is told from other shapes has no such error; in training two operators at a time
# make up for it.
_AMONG_OTHERS = 1.043

# A kernel that is timed in a row finds its weights in the caches. Fifteen products and convolutions
# (weights of 0.6 to 17 MB, batch 4 to 256; Zen 4, 32 MB) took as much longer on weights that
# differed as reading 0.45 of these from memory takes, in the middle: the rest hides behind work.
_PASSES_OVER_WEIGHTS = 0.45
# Of most desktop and server processors for the cores of one job, where the system does not tell.
USUAL_LAST_CACHE_BYTES = 32 << 20
# Half of the cache holds other things.
_HELD_ELSEWHERE = 0.5
# Kernels that read all weights of their layer once. Recurrent ones read them at each time step.
_READ_WHOLE = (GemmShape, ConvShape)
_READING = (Direction.FORWARD, Direction.INPUT_GRADIENT)


def cold_factor(kind: OperatorKind, *, direction: Direction) -> float:
    """Return the time of a kernel among others, which fill the caches, over its time alone."""
    is_cold = kind is OperatorKind.DEPTHWISE and direction is Direction.WEIGHT_GRADIENT
    return _COLD_DEPTHWISE if is_cold else 1.0


def among_others(kind: OperatorKind) -> float:
    """Return the time of a kernel without gradients in a step over that in a row of its kind."""
    return 1.0 if kind is OperatorKind.RECURRENT else _AMONG_OTHERS


def has_gradient(operator: Operator, *, phase: Phase) -> bool:
    """Whether a step computes a gradient of the operator: not in inference, not where frozen."""
    is_asked = operator.needs_input_gradient or operator.used_variables > 0
    return phase is Phase.TRAINING and is_asked


def share_fetched(workload: Workload, *, last_cache_bytes: int | None) -> float:
    """Return the share of the weights that a step finds in no cache: 0 where they all fit.

    Steps read them in the same order each time, so that a cache that is a little too small
    keeps next to none. Of tables of embeddings a step reads a few rows.
    """
    read = (op.parameters for op in workload.operators if isinstance(op.shape, _READ_WHOLE))
    size = sum(read) * Precision.FLOAT32.size_bytes
    over = size / (last_cache_bytes or USUAL_LAST_CACHE_BYTES) - _HELD_ELSEWHERE
    return min(1.0, max(0.0, over))


def fetched_bytes(workload: Workload) -> dict[OperatorKind, int]:
    """Return the bytes of weights that a step reads from memory at least, by class of operator.

    They are read forward, and once more for the gradient of the input; those that the last cache
    of usual processors holds are not.
    """
    share = share_fetched(workload, last_cache_bytes=None)
    found: dict[OperatorKind, int] = {}
    for operator in workload.operators:
        calls = kernel_calls(operator, phase=workload.phase, batch_size=workload.batch_size)
        reads = sum(call.direction in _READING for call in calls)
        if isinstance(operator.shape, _READ_WHOLE):
            size = reads * operator.used_parameters * Precision.FLOAT32.size_bytes
            kind = operator_kind(operator.shape)
            found[kind] = found.get(kind, 0) + int(share * size)
    return found


def fetching_s(operator: Operator, call: KernelCall, *, byte_per_s: float) -> float:
    """Return the seconds that a kernel waits for its weights where they are in no cache."""
    reads = call.direction in _READING
    if not reads or not isinstance(call.shape, _READ_WHOLE):
        return 0.0
    size = operator.used_parameters * Precision.FLOAT32.size_bytes
    return _PASSES_OVER_WEIGHTS * size / byte_per_s
