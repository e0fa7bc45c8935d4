"""Operations of `keras.ops` that only arrange values, with the shape of what they make.

A file records the shape of each result that another operation reads, so not that of an output of
the model: it follows from what the operation was given. What moves values is a copy; what only
renames dimensions costs nothing. Samples may be taken apart (windows of an image, nodes of a
graph): a step then has more of them.
Leaves to others: windows (`rules_operations_windows`), the layers (`rules_arrangement`).
"""

import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from advisor.model.kernel import SLICE, ElementwiseShape
from advisor.network.call import Call, Result, Shape, Step
from advisor.network.fields import MAX_DIMENSION, is_integer
from advisor.network.rules_operations_parts import MAX_RESULTS, PARTS, Shapes

# How a file writes parts of what stands in brackets.
_SLICE, _DOTS = "__slice__", "__ellipsis__"
# Dimensions of a tensor: more are files made to harm.
_MAX_RANK = 64


def _numbers(value: object) -> tuple[int, ...] | None:
    """Return a whole number or a list of them as a tuple."""
    listed = [value] if is_integer(value) else value
    if not isinstance(listed, list) or len(listed) > _MAX_RANK:
        return None
    if not all(is_integer(each) for each in listed):
        return None
    return tuple(listed)


def _position(axis: object, rank: int) -> int | None:
    """Return an axis of a whole shape as a position."""
    if not isinstance(axis, int) or isinstance(axis, bool) or not -rank <= axis < rank:
        return None
    return axis % rank


def reshape(call: Call) -> Result | None:
    """Return `reshape`, `ravel`: what the batch takes in or gives away makes more or less of it."""
    total = call.total(call.input)
    if call.recorded:
        output = call.recorded[0]
    else:
        stated = call.fields.raw("newshape")
        # None: a size that was asked of a tensor, `ops.shape(x)[0]`; then the samples stay whole.
        asks = isinstance(stated, list) and None in stated
        target = _numbers([-1 if size is None else size for size in stated] if asks else stated)
        if target is None or len(target) < 1:
            return None
        output = target[1:]
        if output.count(-1) == 1 and (target[0] != -1 or asks):
            known = call.batch * -math.prod(output)
            if known < 1 or total % known:
                return None
            output = tuple(total // known if size == -1 else size for size in output)
    size = math.prod(output)
    if min(output, default=1) < 1 or max(output, default=1) > MAX_DIMENSION:
        return None
    if total % size:
        return Result(outputs=(output,))
    return Result(outputs=(output,), samples=total // size)


def _squeezed(call: Call) -> Shapes:
    axes = call.fields.raw("axis")
    shape = (call.batch, *call.input)
    if axes is None:
        return (tuple(size for size in call.input if size != 1),)
    positions = [_position(axis, len(shape)) for axis in _numbers(axes) or (None,)]
    if any(p is None or p == 0 or shape[p] != 1 for p in positions):
        return None
    return (tuple(size for p, size in enumerate(shape) if p not in positions)[1:],)


def _expanded(call: Call) -> Shapes:
    shape, axes = list(call.input), _numbers(call.fields.raw("axis"))
    if not axes:
        return None
    for axis in axes:
        position = axis - 1 if axis > 0 else axis + len(shape) + 1 if axis < 0 else 0
        if not 0 <= position <= len(shape):
            return None
        shape.insert(position, 1)
    return (tuple(shape),)


def _permuted(call: Call, order: list[int]) -> Shapes:
    whole = (call.batch, *call.input)
    if sorted(order) != list(range(len(whole))):
        return None
    return (tuple(whole[axis] for axis in order if axis),)


def _transposed(call: Call) -> Shapes:
    rank = len(call.input) + 1
    axes = call.fields.raw("axes")
    order = tuple(reversed(range(rank))) if axes is None else _numbers(axes)
    return None if order is None else _permuted(call, [axis % rank for axis in order])


def _swapped(call: Call) -> Shapes:
    order = list(range(len(call.input) + 1))
    one, two = (_position(call.fields.raw(name), len(order)) for name in ("axis1", "axis2"))
    if one is None or two is None:
        return None
    order[one], order[two] = order[two], order[one]
    return _permuted(call, order)


def _shifted(call: Call) -> Shapes:
    rank = len(call.input) + 1
    sources, goals = (_numbers(call.fields.raw(name)) for name in ("source", "destination"))
    if sources is None or goals is None or len(sources) != len(goals):
        return None
    order = [axis for axis in range(rank) if axis not in [each % rank for each in sources]]
    for goal, source in sorted(zip((g % rank for g in goals), sources, strict=True)):
        order.insert(goal, source % rank)
    return _permuted(call, order)


def _alike(call: Call) -> Shapes:
    return (call.input,)


def _padded(call: Call) -> Shapes:
    width = call.fields.raw("pad_width")
    if is_integer(width):
        width = [[width, width]]
    if not isinstance(width, list) or not width:
        return None
    pairs = [_numbers(each) for each in (width if isinstance(width[0], list) else [width])]
    if len(pairs) == 1:
        pairs *= len(call.input) + 1
    if len(pairs) != len(call.input) + 1:
        return None
    sizes = []
    for size, pair in zip(call.input, pairs[1:], strict=True):
        if pair is None or len(pair) not in (1, 2) or min(pair) < 0:
            return None
        sizes.append(size + pair[0] + pair[-1])
    return (tuple(sizes),)


def _tiled(call: Call) -> Shapes:
    repeats = _numbers(call.fields.raw("repeats"))
    rank = len(call.input) + 1
    if repeats is None or len(repeats) > rank or min(repeats, default=1) < 1:
        return None
    times = ((1,) * (rank - len(repeats)) + repeats)[1:]
    return (tuple(n * often for n, often in zip(call.input, times, strict=True)),)


def _repeated(call: Call) -> Shapes:
    repeats = _numbers(call.fields.raw("repeats"))
    position = _position(call.fields.raw("axis"), len(call.input) + 1)
    if repeats is None or len(repeats) != 1 or repeats[0] < 1 or not position:
        return None
    shape = list(call.input)
    shape[position - 1] *= repeats[0]
    return (tuple(shape),)


def _stacked(call: Call) -> Shapes:
    rank = len(call.input) + 2
    position = _position(call.fields.raw("axis", default=0), rank)
    if position is None or len(set(call.inputs)) != 1:
        return None
    place = max(0, position - 1)
    return ((*call.input[:place], len(call.inputs), *call.input[place:]),)


def _split(call: Call) -> Shapes:
    position = _position(call.fields.raw("axis", default=0), len(call.input) + 1)
    parts = call.fields.raw("indices_or_sections")
    if not position:
        return None
    size = call.input[position - 1]
    if is_integer(parts) and 0 < parts <= MAX_RESULTS and size % parts == 0:
        sizes = [size // parts] * parts
    else:
        cuts = _numbers(parts)
        if cuts is None or is_integer(parts) or list(cuts) != sorted({*cuts}):
            return None
        ends = (0, *cuts, size)
        sizes = [after - before for before, after in itertools.pairwise(ends)]
    if min(sizes) < 1:
        return None
    front, back = call.input[: position - 1], call.input[position:]
    return tuple((*front, each, *back) for each in sizes)


def _largest(call: Call) -> Shapes:
    k = call.fields.raw("k")
    if not call.input or not is_integer(k) or not 1 <= k <= call.input[-1]:
        return None
    return ((*call.input[:-1], k),) * 2


def _spread(call: Call) -> Shapes:
    target = _numbers(call.fields.raw("shape"))
    if target is None or len(target) < 2 or not 0 < min(target[1:]) <= MAX_DIMENSION:
        return None
    return (target[1:],)


def _sizes(numbers: Any) -> Shape | None:
    """Return the shape of numbers that stand in the file: one of them, or a list."""
    if isinstance(numbers, list) and numbers and all(is_integer(each) for each in numbers):
        return (len(numbers),)
    return () if is_integer(numbers) else None


def _looked_up(call: Call) -> Shapes:
    """Return the shape of `take`: of rows of a constant, or of some places of a tensor."""
    numbers = call.fields.raw("indices")
    if len(call.arguments) != (1 if numbers is not None else 2):
        return None
    table = call.arguments[0]
    places = call.arguments[1].shape if numbers is None else _sizes(numbers)
    position = _position(call.fields.raw("axis"), len(table.shape))
    if position is None or places is None or table.is_data == (position == 0):
        return None
    made = (*table.shape[:position], *places, *table.shape[position + 1 :])
    return (made[1:],)


def _indexed(call: Call) -> Shapes:
    """Return the shape of a tensor with brackets behind it, where the samples stay whole."""
    key = call.fields.raw("key")
    entries = list(key) if isinstance(key, list) else [key]
    kinds = [each.get("class_name") if isinstance(each, dict) else each for each in entries]
    free = len(call.input) + 1 - sum(kind not in (None, _DOTS) for kind in kinds)
    if len(entries) > _MAX_RANK or free < 0 or kinds.count(_DOTS) > 1:
        return None
    if _DOTS not in kinds:
        kinds, entries = [*kinds, _DOTS], [*entries, None]
    place = kinds.index(_DOTS)
    whole: dict[str, Any] = {"class_name": _SLICE, "config": {}}
    entries[place : place + 1] = [whole] * free
    rest = iter((call.batch, *call.input))
    made = [1 if each is None else _cut(each, next(rest)) for each in entries]
    if entries[0] is None or made[0] != call.batch or None in made:
        return None
    return (tuple(size for size in made[1:] if size),)


def _cut(entry: Any, size: int) -> int | None:
    """Return what is left of a dimension: 0 where one place is taken, None where it is open."""
    if is_integer(entry):
        return 0
    if not isinstance(entry, dict) or entry.get("class_name") != _SLICE:
        return None
    config = entry.get("config")
    names = ("start", "stop", "step")
    bounds = [config.get(name) if isinstance(config, dict) else None for name in names]
    if not all(each is None or is_integer(each) for each in bounds) or bounds[2] == 0:
        return None
    return len(range(*slice(*bounds).indices(size))) or None


# These take a part out of one tensor.
_SLICES = ("getitem", "slice")
RENAMED: dict[str, Callable[[Call], Shapes]] = {"squeeze": _squeezed, "expanddims": _expanded}
MOVED: dict[str, Callable[[Call], Shapes]] = {
    "transpose": _transposed,
    "swapaxes": _swapped,
    "moveaxis": _shifted,
    "pad": _padded,
    "tile": _tiled,
    "repeat": _repeated,
    "stack": _stacked,
    "split": _split,
    "topk": _largest,
    "broadcastto": _spread,
    "take": _looked_up,
    "getitem": _indexed,
    **PARTS,
    **dict.fromkeys(
        ("flip", "fliplr", "flipud", "roll", "tril", "triu", "sliceupdate", "scatterupdate",
         "copy"),
        _alike,
    ),
    **dict.fromkeys(
        ("concat", "concatenate", "diagonal", "append", "arraysplit", "hsplit", "vsplit",
         "dsplit", "vstack", "dstack", "rot90", "slice", "scatter", "diag", "meshgrid",
         "unfold", "fold", "extractsequences", "array", "converttotensor", "viewascomplex",
         "viewasreal", "select"),
        lambda _call: None,
    ),
}  # fmt: skip


def _along_batch(name: str, call: Call) -> Result | None:
    """Return what makes more or fewer samples of the batch; None: it is something else."""
    axis = _position(call.fields.raw("axis", default=0), len(call.input) + 1)
    if name == "split" and axis == 0:
        parts = call.fields.raw("indices_or_sections")
        if not is_integer(parts) or not 0 < parts <= MAX_RESULTS or call.batch % parts:
            return None
        return _with_samples(call, call.batch // parts, n_results=parts)
    repeats = _numbers(call.fields.raw("repeats")) or (0,)
    is_repeated = name == "repeat" and axis == 0 and len(repeats) == 1
    is_tiled = name == "tile" and len(repeats) == len(call.input) + 1 and {*repeats[1:]} == {1}
    if (is_repeated or is_tiled) and repeats[0] > 0:
        return _with_samples(call, call.batch * repeats[0], n_results=1)
    return None


def _with_samples(call: Call, samples: int, *, n_results: int) -> Result:
    elements = n_results * samples * math.prod(call.input)
    shape = ElementwiseShape(op="copy", elements=elements)
    step = Step(shape=shape, elements=elements)
    return Result(outputs=(call.input,) * n_results, steps=(step,), samples=samples)


def find_arranged(name: str, call: Call) -> Result | None:
    """Return an operation that arranges values; None: it is none, or its result is not known."""
    if name in ("reshape", "ravel"):
        return reshape(call)
    rule = RENAMED.get(name) or MOVED.get(name)
    if rule is None:
        return None
    along_batch = _along_batch(name, call)
    if along_batch is not None:
        return along_batch
    outputs = call.recorded or rule(call)
    if not outputs or any(not all(0 < n <= MAX_DIMENSION for n in shape) for shape in outputs):
        return None
    if name in RENAMED:
        return Result(outputs=outputs)
    elements = sum(math.prod(shape) for shape in outputs)
    step = call.elementwise("copy", (elements,), n_inputs=len(call.inputs))
    if name in _SLICES:
        whole = ElementwiseShape(op=SLICE, elements=call.total(call.input))
        step = replace(step, shape=whole)
    return Result(outputs=outputs, steps=(step,))
