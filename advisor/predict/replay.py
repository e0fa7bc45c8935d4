"""Which kernels of a network are worth timing by themselves: its distinct heavy shapes.

Leaves to others: how long they may take in all (`probes.bench.plan`), what they are good for
(`advisor.predict.efficiency`).
"""

from collections.abc import Iterator

from advisor.model.kernel import (
    Direction,
    ElementwiseShape,
    KernelCall,
    OperatorKind,
    OptimizerShape,
)
from advisor.model.quantity import Phase
from advisor.model.workload import Workload
from advisor.predict.functions import cost_over_relu, is_costly
from advisor.predict.grouped import grouped_flop, is_grouped
from advisor.predict.launch import launches_of
from advisor.predict.update import LARGE_PARAMETERS
from advisor.predict.work import bytes_moved, flop, operator_kind, step_calls

# Kinds whose shapes differ from network to network; the rest is interpolated well enough.
_REPLAYED = frozenset(
    {
        OperatorKind.GEMM,
        OperatorKind.CONVOLUTION,
        OperatorKind.DEPTHWISE,
        OperatorKind.GROUPED,
        OperatorKind.RECURRENT,
        OperatorKind.NORMALISATION,
        OperatorKind.POOLING,
    }
)
# A modest processor: only the order of the shapes and the cost of timing them depend on it.
_FLOP_PER_S = 100e9
_BYTE_PER_S = 15e9
# Starting one, which is most of what a small one takes.
_LAUNCH_S = {
    OperatorKind.CONVOLUTION: 100e-6,
    OperatorKind.DEPTHWISE: 100e-6,
    OperatorKind.GROUPED: 100e-6,
    OperatorKind.RECURRENT: 40e-6,
}
# One timing: warm-up, five values of at least a tenth of a second, building and tracing.
_LEAST_TIMING_S = 0.25
_TIMED_EXECUTIONS = 8
# Larger variables take as long for each parameter, and more memory than need be.
_MOST_UPDATED = 8_000_000
# A kernel below this share of the step changes nothing.
_LEAST_SHARE = 0.002


def replay_kernels(workload: Workload, *, limit_s: float) -> tuple[KernelCall, ...]:
    """Return the distinct heavy kernels of a step, longest first, `count` times in it.

    Args:
        workload: the network at its batch.
        limit_s: seconds that timing them may take, by a rough estimate on a modest processor.
    """
    counts: dict[KernelCall, int] = {}
    for call in step_calls(workload):
        if _is_replayed(call):
            counts[call] = counts.get(call, 0) + call.count
    estimates = {call: _estimate_s(call, workload) for call in counts}
    whole = sum(estimates[call] * count for call, count in counts.items())
    chosen: list[KernelCall] = []
    spent = 0.0
    ordered = sorted(counts, key=lambda call: (-estimates[call] * counts[call], repr(call)))
    for call in ordered:
        if estimates[call] * counts[call] < _LEAST_SHARE * whole:
            break
        cost = max(_LEAST_TIMING_S, _TIMED_EXECUTIONS * estimates[call])
        if spent + cost > limit_s:
            continue
        spent += cost
        chosen.append(KernelCall(shape=call.shape, direction=call.direction, count=counts[call]))
    return (*chosen, *_large_update(workload))


def _large_update(workload: Workload) -> Iterator[KernelCall]:
    """Yield the update of a large variable, which leaves the caches, where the network has one."""
    sizes = [operator.parameters for operator in workload.operators]
    largest = min(max(sizes, default=0), _MOST_UPDATED)
    if workload.phase is Phase.TRAINING and largest >= LARGE_PARAMETERS:
        shape = OptimizerShape(optimizer=workload.optimizer, parameters=largest, variables=1)
        yield KernelCall(shape=shape, direction=Direction.UPDATE)


def _is_replayed(call: KernelCall) -> bool:
    if isinstance(call.shape, ElementwiseShape):
        return is_costly(call.shape)
    return operator_kind(call.shape) in _REPLAYED


def _estimate_s(call: KernelCall, workload: Workload) -> float:
    if is_grouped(call.shape):
        operations = grouped_flop(call.shape, direction=call.direction)
    else:
        operations = flop(call.shape, direction=call.direction)
    moved = bytes_moved(call.shape, direction=call.direction, precision=workload.precision)
    launch_s = _LAUNCH_S.get(operator_kind(call.shape), 0.0) * launches_of(
        call.shape, direction=call.direction
    )
    passes = cost_over_relu(call.shape, direction=call.direction)
    return max(operations / _FLOP_PER_S, passes * moved / _BYTE_PER_S) + launch_s
