"""Values that an ONNX graph computes from shapes and constants, so that sizes are known beforehand.

Exporters write "reshape to (batch, -1)", paddings, grids and positions as chains of small
operations: these are computed. Whole numbers are int64, all others float64.
Leaves to others: operations on data (`onnx_rules_*`).
"""

import math
from collections.abc import Callable

import numpy as np

from advisor.errors import NetworkFileError
from advisor.network.onnx_call import OnnxCall, Value
from advisor.network.onnx_tensors import OnnxTensor

# Grids of detectors and tables of positions are kept; what is longer is no size.
MAX_VALUES = 65_536
# Beyond it whole numbers of 64 bits would turn round.
_LARGEST = 2.0**62
# Types of ONNX (TensorProto.DataType) that hold fractions.
_FRACTIONS = (1, 10, 11, 16)

Fold = Callable[[OnnxCall], Value | None]


def value_of(tensor: OnnxTensor) -> Value | None:
    """Return the values of a short constant of the file, None where they are not read."""
    if tensor.integers is not None:
        return np.array(tensor.integers, np.int64).reshape(tensor.dims)
    if tensor.fractions is not None:
        return np.array(tensor.fractions, np.float64).reshape(tensor.dims)
    return None


def _integer(values: object) -> Value:
    return np.asarray(values, np.int64)


def _known(call: OnnxCall, *indices: int) -> list[Value] | None:
    """Return the values of some inputs, None when one of them is not known."""
    found = [call.value(index) for index in indices]
    known = [value for value in found if value is not None]
    return known if len(known) == len(found) else None


def _every(call: OnnxCall) -> list[Value] | None:
    return _known(call, *range(len(call.inputs)))


def _shape_of(call: OnnxCall) -> Value | None:
    shape = call.shape()
    start = call.number("start", default=0)
    end = call.number("end", default=len(shape))
    return _integer(shape[slice(start, end)])


def _counted(call: OnnxCall) -> Value | None:
    return _integer(math.prod(call.shape()))


def _constant(call: OnnxCall) -> Value | None:
    attributes = call.node.attributes
    value = attributes.get("value", attributes.get("value_floats"))
    if isinstance(value, OnnxTensor):
        return value_of(value)
    for name in ("value_int", "value_ints"):
        if isinstance(attributes.get(name), int | tuple):
            return _integer(attributes[name])
    single = attributes.get("value_float")
    return np.asarray(single, np.float64) if isinstance(single, int | float) else None


def _filled(call: OnnxCall) -> Value | None:
    dims, filling = call.integers(0), call.node.attributes.get("value")
    if dims is None or min(dims, default=0) < 0 or math.prod(dims) > MAX_VALUES:
        return None
    # Floats filled in stand for weights in files without any.
    value = value_of(filling) if isinstance(filling, OnnxTensor) else None
    if value is None or value.dtype != np.int64 or value.size != 1:
        return None
    return np.full(dims, value.reshape(()))


def _gathered(call: OnnxCall) -> Value | None:
    known = _known(call, 0, 1)
    if known is None:
        return None
    table, places = known
    axis = call.axis(call.number("axis", default=0), rank=max(1, table.ndim))
    length = table.shape[axis] if table.ndim else 0
    if places.dtype != np.int64 or np.any((places < -length) | (places >= length)):
        raise call.refuse(f"position {places.ravel()[:4].tolist()} is outside a list of {length}")
    return np.take(table, places.astype(np.int64), axis=axis)


def _joined(call: OnnxCall) -> Value | None:
    parts = _every(call)
    if not parts or any(part.ndim != max(1, parts[0].ndim) for part in parts):
        return None
    axis = call.axis(call.number("axis", default=0), rank=parts[0].ndim)
    return np.concatenate(parts, axis=axis)


def _sliced(call: OnnxCall) -> Value | None:
    value = call.value(0)
    starts, ends = call.listed("starts", index=1), call.listed("ends", index=2)
    if value is None or starts is None or ends is None:
        return None
    axes = call.listed("axes", index=3) or tuple(range(len(starts)))
    steps = call.listed("steps", index=4) or (1,) * len(starts)
    if not len(starts) == len(ends) == len(axes) == len(steps) or 0 in steps:
        return None
    cuts = [slice(None)] * value.ndim
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        position = call.axis(axis, rank=value.ndim)
        # Python takes an end before the beginning for one counted from the end.
        cuts[position] = slice(
            start, None if step < 0 and end < -value.shape[position] else end, step
        )
    return value[tuple(cuts)]


def _unsqueezed(call: OnnxCall) -> Value | None:
    value, axes = call.value(0), call.listed("axes", index=1)
    if value is None or axes is None:
        return None
    rank = value.ndim + len(axes)
    return np.expand_dims(value, tuple(call.axis(axis, rank=rank) for axis in axes))


def _squeezed(call: OnnxCall) -> Value | None:
    value, axes = call.value(0), call.listed("axes", index=1)
    if value is None:
        return None
    if axes is None:
        return np.squeeze(value)
    return np.squeeze(value, tuple(call.axis(axis, rank=value.ndim) for axis in axes))


def _reshaped(call: OnnxCall) -> Value | None:
    value, target = call.value(0), call.listed("shape", index=1)
    if value is None or target is None:
        return None
    kept = call.number("allowzero", default=0) == 0
    sizes = [
        value.shape[i] if size == 0 and kept and i < value.ndim else size
        for i, size in enumerate(target)
    ]
    return value.reshape(sizes)


def _turned(call: OnnxCall) -> Value | None:
    value = call.value(0)
    if value is None:
        return None
    backwards = tuple(reversed(range(value.ndim)))
    return np.transpose(value, call.numbers("perm", default=backwards, length=value.ndim))


def _expanded(call: OnnxCall) -> Value | None:
    value, target = call.value(0), call.integers(1)
    if value is None or target is None:
        return None
    shape = np.broadcast_shapes(value.shape, target)
    return np.broadcast_to(value, shape) if math.prod(shape) <= MAX_VALUES else None


def _tiled(call: OnnxCall) -> Value | None:
    value, repeats = call.value(0), call.integers(1)
    if value is None or repeats is None or value.size * math.prod(repeats) > MAX_VALUES:
        return None
    return np.tile(value, repeats)


def _cast(call: OnnxCall) -> Value | None:
    value = call.value(0)
    if value is None:
        return None
    to = call.number("to", default=0)
    if to in _FRACTIONS:
        return value.astype(np.float64)
    return (value != 0).astype(np.int64) if to == 9 else np.trunc(value).astype(np.int64)


def _cast_like(call: OnnxCall) -> Value | None:
    value, other = call.value(0), call.value(1)
    if value is None or other is None:
        return value
    return np.trunc(value).astype(np.int64) if other.dtype == np.int64 else value.astype(np.float64)


def _selected(call: OnnxCall) -> Value | None:
    known = _known(call, 0, 1, 2)
    if known is None or not _fits(known):
        return None
    chosen, first, second = known
    return np.where(chosen != 0, first, second)


def _counting(call: OnnxCall) -> Value | None:
    known = _known(call, 0, 1, 2)
    if known is None or any(value.size != 1 for value in known):
        return None
    start, limit, delta = (value.reshape(()).item() for value in known)
    if delta == 0 or not 0 <= (limit - start) / delta <= MAX_VALUES:
        return None
    return np.arange(start, limit, delta)


def _one_hot(call: OnnxCall) -> Value | None:
    known = _known(call, 0, 1, 2)
    if known is None or known[1].size != 1 or known[2].size != 2:
        return None
    places, (depth,), (off, on) = known[0], known[1].ravel(), known[2].ravel()
    if places.size * depth > MAX_VALUES or depth < 1:
        return None
    axis = call.axis(call.number("axis", default=-1), rank=places.ndim + 1)
    hot = np.arange(depth) == np.expand_dims(places % depth, -1)
    return np.asarray(np.moveaxis(np.where(hot, on, off), -1, axis))


def _clipped(call: OnnxCall) -> Value | None:
    value = call.value(0)
    limits = [call.value(index) for index in (1, 2)]
    if value is None or any(call.has(i + 1) and limits[i] is None for i in (0, 1)):
        return None
    low, high = limits
    return value if low is None and high is None else np.asarray(np.clip(value, low, high))


def _fits(values: list[Value]) -> bool:
    """Whether the common shape of some values is one that is kept."""
    shape = np.broadcast_shapes(*(value.shape for value in values))
    return math.prod(shape) <= MAX_VALUES


def _divided(a: Value, b: Value) -> Value:
    if a.dtype == np.int64 and b.dtype == np.int64:
        # ONNX rounds towards zero.
        return _integer(np.trunc(a / np.where(b == 0, 1, b)))
    return a / np.where(b == 0, 1.0, b)


_TWO: dict[str, Callable[[Value, Value], Value]] = {
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Div": _divided,
    "Pow": lambda a, b: np.power(a, np.abs(b) if b.dtype == np.int64 else b),
    "Max": np.maximum,
    "Min": np.minimum,
    "Mod": lambda a, b: np.mod(a, np.where(b == 0, 1, b)),
    "Equal": lambda a, b: _integer(a == b),
    "Greater": lambda a, b: _integer(a > b),
    "GreaterOrEqual": lambda a, b: _integer(a >= b),
    "Less": lambda a, b: _integer(a < b),
    "LessOrEqual": lambda a, b: _integer(a <= b),
    "And": lambda a, b: _integer((a != 0) & (b != 0)),
    "Or": lambda a, b: _integer((a != 0) | (b != 0)),
}
_ONE: dict[str, Callable[[Value], Value]] = {
    "Identity": lambda a: a,
    "Floor": np.floor,
    "Ceil": np.ceil,
    "Round": np.round,
    "Neg": np.negative,
    "Abs": np.abs,
    "Sqrt": lambda a: np.sqrt(np.abs(a)),
    "Not": lambda a: _integer(a == 0),
}
_OVER: dict[str, Callable[..., Value]] = {
    "ReduceProd": np.prod,
    "ReduceSum": np.sum,
    "ReduceMax": np.max,
    "ReduceMin": np.min,
}


def _computed(call: OnnxCall) -> Value | None:
    values = _every(call)
    if values is None or len(values) != 2 or not _fits(values):
        return None
    with np.errstate(all="ignore"):
        made = _TWO[call.node.op_type](*values)
        if made.dtype == np.int64:
            wide = _TWO[call.node.op_type](*(value.astype(np.float64) for value in values))
            if not np.max(np.abs(wide), initial=0.0) < _LARGEST:
                raise call.refuse("a size beyond all bounds")
    return made


def _mapped(call: OnnxCall) -> Value | None:
    value = call.value(0)
    return None if value is None else _ONE[call.node.op_type](value)


def _reduced(call: OnnxCall) -> Value | None:
    value, axes = call.value(0), call.listed("axes", index=1)
    if value is None or not value.size:
        return None
    chosen = None if not axes else tuple(call.axis(axis, rank=value.ndim) for axis in axes)
    keeps = call.number("keepdims", default=1) == 1
    return np.asarray(_OVER[call.node.op_type](value, axis=chosen, keepdims=keeps))


_RULES: dict[str, Fold] = {
    "Shape": _shape_of,
    "Size": _counted,
    "Constant": _constant,
    "Where": _selected,
    "Range": _counting,
    "ConstantOfShape": _filled,
    "Gather": _gathered,
    "Concat": _joined,
    "Slice": _sliced,
    "Unsqueeze": _unsqueezed,
    "Squeeze": _squeezed,
    "Reshape": _reshaped,
    "Transpose": _turned,
    "Expand": _expanded,
    "Tile": _tiled,
    "Cast": _cast,
    "CastLike": _cast_like,
    "OneHot": _one_hot,
    "Clip": _clipped,
    **dict.fromkeys(_TWO, _computed),
    **dict.fromkeys(_ONE, _mapped),
    **dict.fromkeys(_OVER, _reduced),
}


def fold(call: OnnxCall) -> Value | None:
    """Return the values of a result that the file alone determines, else None."""
    rule = _RULES.get(call.node.known_as)
    try:
        value = None if rule is None else rule(call)
    except NetworkFileError:
        raise
    except (ValueError, IndexError, OverflowError, TypeError) as error:
        raise call.refuse(f"cannot be computed: {' '.join(str(error).split())}") from None
    return None if value is None or value.size > MAX_VALUES else value
