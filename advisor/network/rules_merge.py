"""Layers that join several inputs: sums, products, concatenation, dot.

Leaves to others: attention (`rules_attention`).
"""

import math

from advisor.model.kernel import GemmShape
from advisor.network.call import Call, Result, Shape, Step, axis_position
from advisor.network.fields import is_integer


def broadcast(call: Call, shapes: tuple[Shape, ...]) -> Shape:
    """Return the common shape of tensors that are combined value by value.

    Raises:
        NetworkFileError: when two sizes differ and neither is 1.
    """
    rank = max(len(shape) for shape in shapes)
    output = []
    for position in range(rank):
        sizes = {
            shape[position - rank + len(shape)]
            for shape in shapes
            if position - rank + len(shape) >= 0
        }
        if len(sizes - {1}) > 1:
            listed = ", ".join(str(shape) for shape in shapes)
            raise call.fields.refuse(f"its inputs do not fit together: {listed}")
        output.append(max(sizes))
    return tuple(output)


def _combine(op: str, call: Call) -> Result:
    output = broadcast(call, call.inputs)
    return Result(
        outputs=(output,), steps=(call.elementwise(op, output, n_inputs=len(call.inputs)),)
    )


def combine(call: Call) -> Result:
    """Rule of `Add`, `Subtract`, `Multiply`, `Average`, `Maximum`, `Minimum`."""
    return _combine(call.class_name.lower(), call)


def concatenate(call: Call) -> Result:
    """Rule of `Concatenate`: a copy of all inputs; along the batch there are more samples."""
    axis = call.fields.raw("axis", default=-1)
    if not is_integer(axis):
        raise call.fields.refuse(f"'axis' must be a whole number, found {axis!r}")
    if axis == 0 and len(set(call.inputs)) == 1:
        count = len(call.inputs)
        step = call.elementwise("copy", (count, *call.input), n_inputs=count)
        return Result(outputs=(call.input,), steps=(step,), samples=count * call.batch)
    position = axis_position(call, axis, shape=call.input)
    for other in call.inputs[1:]:
        ours = (*call.input[:position], 0, *call.input[position + 1 :])
        if len(other) != len(ours) or (*other[:position], 0, *other[position + 1 :]) != ours:
            raise call.fields.refuse(
                f"its inputs do not fit together along axis {axis}: {call.input}, {other}"
            )
    total = sum(shape[position] for shape in call.inputs)
    output = (*call.input[:position], total, *call.input[position + 1 :])
    step = call.elementwise("copy", output, n_inputs=len(call.inputs))
    return Result(outputs=(output,), steps=(step,))


def dot(call: Call) -> Result:
    """Rule of `Dot`: a batch of matrix products."""
    if len(call.inputs) != 2:
        raise call.fields.refuse(f"Dot needs two inputs, found {len(call.inputs)}")
    first, second = call.inputs
    one, two = call.fields.integers("axes", length=2, minimum=-8)
    at_first = axis_position(call, one, shape=first)
    at_second = axis_position(call, two, shape=second)
    if first[at_first] != second[at_second]:
        raise call.fields.refuse(f"its inputs do not fit together: {first}, {second}")
    rows = (*first[:at_first], *first[at_first + 1 :])
    columns = (*second[:at_second], *second[at_second + 1 :])
    output = (*rows, *columns) or (1,)
    gemm = GemmShape(m=math.prod(rows), n=math.prod(columns), k=first[at_first], batch=call.batch)
    step = Step(shape=gemm, elements=call.total(output), is_product=True)
    return Result(outputs=(output,), steps=(step,))


_COMBINED = ("Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum")
RULES = {**dict.fromkeys(_COMBINED, combine), "Concatenate": concatenate, "Dot": dot}
