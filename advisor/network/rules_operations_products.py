"""Products among the operations of `keras.ops`: of tensors with each other and with constants.

What sums over samples, or mixes them, is left out: its result has no sizes per sample.
Leaves to others: sums over named dimensions (`rules_operations_einsum`), windows
(`rules_operations_windows`).
"""

import math
from collections.abc import Callable

from advisor.model.kernel import GemmShape
from advisor.network.call import Argument, Call, Result, Shape, Step
from advisor.network.fields import is_integer
from advisor.network.rules_merge import broadcast


def _made(call: Call, output: Shape, gemm: GemmShape) -> Result:
    """Return a product of the first two arguments; `output` is whole, with the batch in front."""
    reads = tuple(each.read for each in call.arguments[:2] if each.read is not None)
    step = Step(shape=gemm, elements=math.prod(output), reads=reads, is_product=True)
    return Result(outputs=(output[1:],), steps=(step,))


def _require_fit(call: Call, *, fits: bool) -> None:
    if not fits:
        first, second = call.arguments[:2]
        raise call.fields.refuse(f"its inputs do not fit together: {first.shape}, {second.shape}")


def _keeps_samples(first: Argument, second: Argument) -> bool:
    """Whether a product of matrices has the samples in front, each for itself."""
    if first.is_data and second.is_data:
        return min(len(first.shape), len(second.shape)) > 2
    if first.is_data:
        return len(first.shape) >= max(2, len(second.shape)) and bool(second.shape)
    return len(second.shape) >= max(3, len(first.shape)) and bool(first.shape)


def matrix_product(call: Call) -> Result | None:
    """Return `matmul`: of matrices, row by row of the samples; None: across the batch."""
    first, second = call.arguments[:2]
    if not _keeps_samples(first, second):
        return None
    one, two = first.shape, second.shape
    is_row, is_column = len(one) == 1, len(two) == 1
    one = (1, *one) if is_row else one
    two = (*two, 1) if is_column else two
    (*rows, m, k), (*columns, k_too, n) = one, two
    _require_fit(call, fits=k == k_too)
    outer = broadcast(call, (tuple(rows), tuple(columns)))
    output = (*outer, *(() if is_row else (m,)), *(() if is_column else (n,)))
    if math.prod(columns) == 1 and not second.is_data:  # one matrix for all rows
        gemm = GemmShape(m=math.prod(outer) * m, n=n, k=k)
    else:
        gemm = GemmShape(m=m, n=n, k=k, batch=math.prod(outer))
    return _made(call, output, gemm)


def _contracted(
    call: Call, own: list[int], other: list[int], *, first: Argument, second: Argument
) -> Result | None:
    """Return the sum of products over axes of a tensor and those of a constant."""
    one, two = first.shape, second.shape
    own = [axis % len(one) for axis in own]
    other = [axis % len(two) for axis in other]
    if not first.is_data or second.is_data or 0 in own:
        return None
    _require_fit(call, fits=[one[axis] for axis in own] == [two[axis] for axis in other])
    rows = tuple(size for axis, size in enumerate(one) if axis not in own)
    columns = tuple(size for axis, size in enumerate(two) if axis not in other)
    inner = math.prod(one[axis] for axis in own)
    gemm = GemmShape(m=math.prod(rows), n=math.prod(columns), k=inner)
    return _made(call, (*rows, *columns), gemm)


def dot(call: Call) -> Result | None:
    """Return `dot`: over the last axis of a tensor and the last but one of a constant."""
    first, second = call.arguments[:2]
    if not first.shape or not second.shape:
        return None
    other = [max(0, len(second.shape) - 2)]
    return _contracted(call, [-1], other, first=first, second=second)


def inner(call: Call) -> Result | None:
    """Return `inner`: over the last axis of a tensor and of a constant."""
    first, second = call.arguments[:2]
    if not first.shape or not second.shape:
        return None
    return _contracted(call, [-1], [-1], first=first, second=second)


def _axes(value: object, *, rank: int) -> tuple[list[int], list[int]] | None:
    """Return the axes that are summed over in a tensor of a rank and in another one."""
    if is_integer(value):
        assert isinstance(value, int)
        if not 0 <= value <= rank:
            return None
        return list(range(rank - value, rank)), list(range(value))
    if not isinstance(value, list) or len(value) != 2:
        return None
    own, other = ([each] if is_integer(each) else each for each in value)
    if not isinstance(own, list) or not isinstance(other, list) or len(own) != len(other):
        return None
    return (own, other) if all(is_integer(each) for each in (*own, *other)) else None


def tensor_dot(call: Call) -> Result | None:
    """Return `tensordot`: over any axes of a tensor and of a constant."""
    first, second = call.arguments[:2]
    axes = _axes(call.fields.raw("axes"), rank=len(first.shape))
    if axes is None:
        return None
    is_within = all(
        -len(one.shape) <= axis < len(one.shape)
        for one, listed in zip((first, second), axes, strict=True)
        for axis in listed
    )
    return _contracted(call, *axes, first=first, second=second) if is_within else None


def distances(call: Call) -> Result | None:
    """Return `cdist`: the distance of each place of a tensor to each of another."""
    first, second = call.arguments[:2]
    if not (first.is_data and second.is_data and len(first.shape) == len(second.shape) > 2):
        return None
    (*rows, m, k), (*columns, n, k_too) = first.shape, second.shape
    _require_fit(call, fits=k == k_too)
    outer = broadcast(call, (tuple(rows), tuple(columns)))
    gemm = GemmShape(m=m, n=n, k=k, batch=math.prod(outer), transpose_b=True)
    result = _made(call, (*outer, m, n), gemm)
    root = call.elementwise("sqrt", result.outputs[0])
    return Result(outputs=result.outputs, steps=(*result.steps, root))


_PRODUCTS: dict[str, Callable[[Call], Result | None]] = {
    "matmul": matrix_product,
    "dot": dot,
    "inner": inner,
    "tensordot": tensor_dot,
    "cdist": distances,
}


def find_product(name: str, call: Call) -> Result | None:
    """Return a product of two arguments by its name; None: its sizes are not known."""
    product = _PRODUCTS.get(name)
    if product is None:
        return None
    sizes = [size for each in call.arguments for size in each.shape]
    if len(call.arguments) > 1:
        return product(call) if all(sizes) else None
    is_unseen = name != "cdist" and name != "inner" and bool(call.recorded)
    return _by_unseen(name, call) if is_unseen else None


def _by_unseen(name: str, call: Call) -> Result | None:
    """Return a product with a matrix on the right that the file does not show (Keras 2)."""
    output, axes = call.recorded[0], call.fields.raw("axes")
    if name == "tensordot" and axes not in (1, [[len(call.input)], [0]], [[-1], [0]]):
        return None
    if not len(output) == len(call.input) > 0 or output[:-1] != call.input[:-1]:
        return None
    gemm = GemmShape(m=call.total(output[:-1]), n=output[-1], k=call.input[-1])
    step = Step(shape=gemm, elements=call.total(output), reads=(-1,), is_product=True)
    return Result(outputs=(output,), steps=(step,))
