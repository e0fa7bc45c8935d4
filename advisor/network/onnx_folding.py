"""Lists of sizes that an ONNX graph computes from shapes, so that they are known beforehand.

Exporters write "reshape to (batch, -1)" as Shape, Gather, Concat, Reshape: these are followed.
Leaves to others: operations on data (`onnx_rules_*`).
"""

import math
from collections.abc import Callable

from advisor.network.onnx_call import OnnxCall
from advisor.network.onnx_reading import MAX_CONSTANT, OnnxTensor

# Values in the order of rows, and shape: () for a single number, (n,) for a list.
Folded = tuple[tuple[int, ...], tuple[int, ...]]


def _shape_of(call: OnnxCall) -> Folded | None:
    shape = call.shape()
    rank = len(shape)
    start = call.number("start", default=0)
    end = call.number("end", default=rank)
    sizes = shape[slice(start, end)]
    return sizes, (len(sizes),)


def _constant(call: OnnxCall) -> Folded | None:
    attributes = call.node.attributes
    value = attributes.get("value")
    if isinstance(value, OnnxTensor):
        return None if value.integers is None else (value.integers, value.dims)
    single = attributes.get("value_int")
    if isinstance(single, int):
        return (single,), ()
    listed = attributes.get("value_ints")
    return (listed, (len(listed),)) if isinstance(listed, tuple) else None


def _filled(call: OnnxCall) -> Folded | None:
    dims = call.integers(0)
    value = call.node.attributes.get("value")
    if dims is None or not isinstance(value, OnnxTensor) or value.integers is None:
        return None
    count = math.prod(dims)
    if not 0 <= count <= MAX_CONSTANT or len(dims) > 1 or len(value.integers) != 1:
        return None
    return value.integers * count, tuple(dims)


def _gathered(call: OnnxCall) -> Folded | None:
    values, places = call.integers(0), call.integers(1)
    if values is None or places is None or len(call.shape()) != 1:
        return None
    if any(not -len(values) <= place < len(values) for place in places):
        raise call.refuse(f"position {places} is outside a list of {len(values)}")
    return tuple(values[place] for place in places), call.shape(1)


def _joined(call: OnnxCall) -> Folded | None:
    values: list[int] = []
    for index in range(len(call.inputs)):
        part = call.integers(index)
        if part is None:
            return None
        values += part
    return tuple(values), (len(values),)


def _sliced(call: OnnxCall) -> Folded | None:
    values, shape = call.integers(0), call.shape()
    starts, ends = call.listed("starts", index=1), call.listed("ends", index=2)
    axes = call.listed("axes", index=3) or (0,)
    steps = call.listed("steps", index=4) or (1,)
    if values is None or starts is None or ends is None or 0 in steps[:1] or not shape:
        return None
    if len(starts) != 1 or len(ends) != 1 or axes[0] not in (0, -len(shape)):
        return None
    width = math.prod(shape[1:])
    rows = [values[i * width : (i + 1) * width] for i in range(shape[0])]
    cut = rows[slice(starts[0], ends[0], steps[0])]
    return tuple(value for row in cut for value in row), (len(cut), *shape[1:])


def _as_list(call: OnnxCall) -> Folded | None:
    values = call.integers(0)
    return None if values is None else (values, (len(values),))


def _reshaped(call: OnnxCall) -> Folded | None:
    values, target = call.integers(0), call.listed("shape", index=1)
    if values is None:
        return None
    sizes = list(target) if target is not None else [-1]
    known = math.prod(size for size in sizes if size != -1)
    if sizes.count(-1) == 1 and known > 0 and len(values) % known == 0:
        sizes[sizes.index(-1)] = len(values) // known
    fits = math.prod(sizes) == len(values) and min(sizes, default=1) > 0
    return values, tuple(sizes) if fits else (len(values),)


def _turned(call: OnnxCall) -> Folded | None:
    """Return a table with rows and columns exchanged; lists stay as they are."""
    values, shape = call.integers(0), call.shape()
    if values is None or len(shape) > 2:
        return None
    perm = call.numbers("perm", default=tuple(reversed(range(len(shape)))), length=len(shape))
    if perm != (1, 0):
        return values, shape
    rows, columns = shape
    turned = tuple(values[r * columns + c] for c in range(columns) for r in range(rows))
    return turned, (columns, rows)


def _as_number(call: OnnxCall) -> Folded | None:
    values = call.integers(0)
    if values is None:
        return None
    return values, () if len(values) == 1 else (len(values),)


def _unchanged(call: OnnxCall) -> Folded | None:
    values = call.integers(0)
    return None if values is None else (values, call.shape())


def _counted(call: OnnxCall) -> Folded | None:
    return (math.prod(call.shape()),), ()


def _selected(call: OnnxCall) -> Folded | None:
    given = [call.integers(index) for index in range(3)]
    lists = [values for values in given if values is not None]
    length = max((len(values) for values in lists), default=0)
    if len(lists) < 3 or any(len(values) not in (1, length) for values in lists):
        return None
    wide = [values * length if len(values) == 1 else values for values in lists]
    values = tuple(a if chosen else b for chosen, a, b in zip(*wide, strict=True))
    return values, (length,)


def _counting(call: OnnxCall) -> Folded | None:
    given = [call.integers(index) for index in range(3)]
    numbers = [values[0] for values in given if values is not None and len(values) == 1]
    if len(numbers) != 3 or numbers[2] == 0:
        return None
    values = range(*numbers)
    return (tuple(values), (len(values),)) if len(values) <= MAX_CONSTANT else None


_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "Add": lambda a, b: a + b,
    "Sub": lambda a, b: a - b,
    "Mul": lambda a, b: a * b,
    # Sizes are positive: rounding down and rounding to zero agree.
    "Div": lambda a, b: a // b if b else 0,
    "Max": max,
    "Min": min,
    "Mod": lambda a, b: a % b if b else 0,
    "Equal": lambda a, b: int(a == b),
}


def _computed(call: OnnxCall) -> Folded | None:
    if len(call.inputs) != 2:
        return None
    first, second = call.integers(0), call.integers(1)
    if first is None or second is None:
        return None
    length = max(len(first), len(second))
    if {len(first), len(second)} - {1, length}:
        return None
    compute = _ARITHMETIC[call.node.op_type]
    wide = [x * length if len(x) == 1 else x for x in (first, second)]
    values = tuple(compute(a, b) for a, b in zip(*wide, strict=True))
    if any(abs(value) > 2**63 for value in values):
        raise call.refuse("a size beyond all bounds")
    longer = 0 if len(call.shape(0)) >= len(call.shape(1)) else 1
    return values, call.shape(longer)


_RULES: dict[str, Callable[[OnnxCall], Folded | None]] = {
    "Shape": _shape_of,
    "Size": _counted,
    "Constant": _constant,
    "Where": _selected,
    "Range": _counting,
    "ConstantOfShape": _filled,
    "Gather": _gathered,
    "Concat": _joined,
    "Slice": _sliced,
    "Unsqueeze": _as_list,
    "Squeeze": _as_number,
    "Reshape": _reshaped,
    "Transpose": _turned,
    **dict.fromkeys(("Cast", "Identity", "Floor", "Ceil"), _unchanged),
    **dict.fromkeys(_ARITHMETIC, _computed),
}


def fold(call: OnnxCall) -> Folded | None:
    """Return the values and the shape of a result that the file alone determines, else None."""
    rule = _RULES.get(call.node.op_type)
    folded = None if rule is None else rule(call)
    return None if folded is None or len(folded[0]) > MAX_CONSTANT else folded
