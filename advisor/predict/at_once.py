"""A layer of Keras that is applied to one moment after the other, written for all of them at once.

`TimeDistributed(Dense(n))` computes what `Dense(n)` computes on a sequence, with a product for each
moment and, in training, a gradient of the whole sequence for each (`advisor.predict.slices`).
Leaves to others: when that is advised (`advisor.recommend`), the time of a step
(`advisor.predict.workload_time`).
"""

import dataclasses
import itertools

from advisor.model.kernel import (
    ElementwiseShape,
    GemmShape,
    KernelShape,
    SoftmaxShape,
    is_slice,
)
from advisor.model.workload import Operator, Workload

_WRAPPER = "TimeDistributed"
# Around the steps of the moments: the sequence is turned and taken apart, the results are joined
# and turned.
_BEFORE, _BEHIND = 2, 2


def has_layer_over_time(workload: Workload) -> bool:
    """Whether a layer is applied to each moment of a sequence that takes all of them at once."""
    # Most networks have none, and are asked for each row of the options table.
    is_wrapped = any(operator.layer_type == _WRAPPER for operator in workload.operators)
    return is_wrapped and any(_at_once(run) is not None for run in _runs(workload))


def written_at_once(workload: Workload) -> Workload:
    """Return the job with every such layer applied to the whole sequence."""
    made: list[Operator] = []
    places: dict[int, int] = {}
    for run in _runs(workload):
        operators = _at_once(run) or [operator for _position, operator in run]
        first, old = len(made), run[0][0]
        is_same = len(operators) == len(run)
        for at, operator in enumerate(operators):
            # Within the run its own places count, before it those that the others have now.
            inputs = tuple(
                places[source] if source < old else first + source - old
                for source in operator.inputs
            )
            made.append(dataclasses.replace(operator, inputs=inputs))
            if is_same:
                places[old + at] = first + at
        places[run[-1][0]] = len(made) - 1
    return dataclasses.replace(workload, operators=tuple(made))


def _runs(workload: Workload) -> list[list[tuple[int, Operator]]]:
    """Return the operators of each call of a wrapper together, all others one by one."""
    runs: list[list[tuple[int, Operator]]] = []
    numbers = itertools.count()

    def call(entry: tuple[int, Operator]) -> object:
        _position, operator = entry
        return operator.layer if operator.layer_type == _WRAPPER else next(numbers)

    for _key, together in itertools.groupby(enumerate(workload.operators), key=call):
        runs.append(list(together))
    return runs


def _at_once(run: list[tuple[int, Operator]]) -> list[Operator] | None:
    """Return the steps of a wrapper's layer on the whole sequence; None where it is no such one."""
    operators = [operator for _position, operator in run]
    if len(operators) <= _BEFORE + _BEHIND:
        return None
    turned, apart = operators[:_BEFORE]
    n_told = len(operators[-_BEHIND].inputs)
    n_steps, rest = divmod(len(operators) - _BEFORE - _BEHIND, n_told)
    if not is_slice(apart.shape) or rest or apart.repeats % turned.repeats:
        return None
    timesteps, first = apart.repeats // turned.repeats, run[0][0]
    made = []
    for operator in operators[_BEFORE : _BEFORE + n_steps]:
        shape = _over_all(operator.shape, timesteps)
        # A step of the moment reads the one that takes it out, or steps before it.
        inputs = tuple(
            place for source in operator.inputs for place in _place(source, first, turned)
        )
        if shape is None:
            return None
        made.append(
            dataclasses.replace(
                operator,
                shape=shape,
                inputs=inputs,
                output_elements=timesteps * turned.repeats * _once(operator),
                kept_elements=operator.kept_elements // operator.repeats * timesteps,
                repeats=turned.repeats,
            )
        )
    return made


def _place(source: int, first: int, turned: Operator) -> tuple[int, ...]:
    is_slice = source == first + _BEFORE - 1
    return turned.inputs if is_slice else (source - _BEFORE,)


def _once(operator: Operator) -> int:
    return operator.output_elements // operator.repeats


def _over_all(shape: KernelShape, timesteps: int) -> KernelShape | None:
    """Return a kernel on all moments; None: it is not known that it takes them alike."""
    if isinstance(shape, GemmShape) and shape.batch == 1:
        return dataclasses.replace(shape, m=timesteps * shape.m)
    if isinstance(shape, ElementwiseShape) and not is_slice(shape):
        return dataclasses.replace(shape, elements=timesteps * shape.elements)
    if isinstance(shape, SoftmaxShape):
        return dataclasses.replace(shape, rows=timesteps * shape.rows)
    return None
