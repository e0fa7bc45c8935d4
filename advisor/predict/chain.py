"""The longest chain of operators of a step that have to wait for each other.

Leaves to others: the time of each operator (`advisor.predict.workload_time`).
"""

from collections.abc import Mapping, Sequence

from advisor.model.kernel import Direction
from advisor.model.quantity import Phase
from advisor.model.workload import Workload


def critical_path(
    workload: Workload, forward: Sequence[float], backward: Sequence[Mapping[Direction, float]]
) -> float:
    """Return the seconds of the longest chain: forward, then gradients back.

    Gradients of weights hang aside: nothing waits for them but the end.

    Args:
        workload: whose operators name those that they wait for.
        forward: seconds of each operator.
        backward: seconds of its gradients, by direction.
    """
    done = [0.0] * len(forward)
    for index, operator in enumerate(workload.operators):
        before = max((done[i] for i in operator.inputs if i < index), default=0.0)
        done[index] = before + forward[index]
    loss_at = max(done, default=0.0)
    if workload.phase is Phase.INFERENCE:
        return loss_at
    arrived = [loss_at] * len(forward)
    end = loss_at
    for index in range(len(forward) - 1, -1, -1):
        times = backward[index]
        aside = times.get(Direction.WEIGHT_GRADIENT, 0.0)
        along = sum(times.values()) - aside
        end = max(end, arrived[index] + aside, arrived[index] + along)
        for before in workload.operators[index].inputs:
            if before < index:
                arrived[before] = max(arrived[before], arrived[index] + along)
    return end
