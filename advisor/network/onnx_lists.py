"""ONNX operations on lists of tensors: making one, picking from one, joining what is in one.

A list is known by what it holds; nothing of it costs but splitting and joining.
Leaves to others: joining (`onnx_rules_shape`), lists whose length only the data tell (refused).
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from advisor.network.builder import Tensor
from advisor.network.call import Shape
from advisor.network.onnx_call import OnnxCall, OnnxInput

# A tensor cut in more pieces than this was made to harm.
_MOST_PIECES = 4096


def list_of(parts: tuple[OnnxInput, ...]) -> OnnxInput:
    """Return a list; as a tensor it stands for its first."""
    sources = tuple(dict.fromkeys(source for part in parts for source in part.tensor.sources))
    shape = parts[0].shape if parts else ()
    is_data = any(part.is_data for part in parts)
    return OnnxInput(tensor=Tensor(shape=shape, sources=sources), is_data=is_data, parts=parts)


def _held(call: OnnxCall) -> tuple[OnnxInput, ...]:
    parts = call.given(0).parts
    if parts is None:
        raise call.refuse("its list depends on the data: it is not followed")
    return parts


def _place(call: OnnxCall, index: int, *, count: int) -> int | None:
    """Return a place in a list, counted from its begin, None where only the data tell it."""
    numbers = call.integers(index)
    if numbers is None or len(numbers) != 1:
        return None
    place = numbers[0] + count if numbers[0] < 0 else numbers[0]
    if not 0 <= place < count:
        raise call.refuse(f"position {numbers[0]} is outside a list of {count}")
    return place


def _constructed(call: OnnxCall) -> OnnxInput:
    return list_of(tuple(call.given(index) for index in range(len(call.inputs))))


def _empty(_call: OnnxCall) -> OnnxInput:
    return list_of(())


def _inserted(call: OnnxCall) -> OnnxInput:
    parts, added = _held(call), call.given(1)
    place = _place(call, 2, count=len(parts) + 1) if call.has(2) else len(parts)
    place = len(parts) if place is None else place
    return list_of((*parts[:place], added, *parts[place:]))


def _picked(call: OnnxCall) -> OnnxInput:
    parts = _held(call)
    place = _place(call, 1, count=len(parts))
    if place is not None:
        return parts[place]
    if len({part.shape for part in parts}) != 1:
        raise call.refuse("which tensor it picks depends on the data: it is not followed")
    return replace(list_of(parts), parts=None)


def _length(call: OnnxCall) -> OnnxInput:
    return OnnxInput(tensor=Tensor(shape=()), value=np.asarray(len(_held(call)), np.int64))


_RULES: dict[str, Callable[[OnnxCall], OnnxInput]] = {
    "SequenceConstruct": _constructed,
    "SequenceEmpty": _empty,
    "SequenceInsert": _inserted,
    "SequenceAt": _picked,
    "SequenceLength": _length,
}


def picked_or_listed(call: OnnxCall) -> OnnxInput | None:
    """Return the list that an operation makes, or what it picks; None where it does neither."""
    rule = _RULES.get(call.node.known_as)
    return None if rule is None else rule(call)


def with_parts(call: OnnxCall) -> OnnxCall:
    """Return an operation that joins a list as one that joins what is in the list."""
    if call.node.known_as != "ConcatFromSequence":
        return call
    parts = _held(call)
    if not parts:
        raise call.refuse("its list is empty")
    return replace(call, inputs=parts)


def split_off(call: OnnxCall) -> tuple[Shape, ...] | None:
    """Return the shapes of the pieces that `SplitToSequence` makes; None where data tell them."""
    if call.node.known_as != "SplitToSequence":
        return None
    shape = call.shape()
    axis = call.axis(call.number("axis", default=0), rank=len(shape))
    length = shape[axis]
    given = call.value(1)
    if call.has(1) and given is None:
        return None
    # Single places of the first dimension are samples: how many, the data tell.
    if given is None and axis == 0:
        return None
    sizes = _sizes(call, length)
    if len(sizes) > _MOST_PIECES or sum(sizes) != length or min(sizes) < 1:
        raise call.refuse(f"cannot split {shape} into {len(sizes)} pieces")
    keeps = call.has(1) or call.number("keepdims", default=1) == 1
    before, behind = shape[:axis], shape[axis + 1 :]
    return tuple((*before, *((size,) if keeps else ()), *behind) for size in sizes)


def _sizes(call: OnnxCall, length: int) -> Shape:
    given, sizes = call.value(1), call.integers(1)
    if given is None or sizes is None:
        each = 1
    elif given.ndim:
        return sizes
    else:
        each = sizes[0]
    if each < 1 or length > _MOST_PIECES * each:
        raise call.refuse(f"cannot split {length} places into pieces of {each}")
    return (*(each,) * (length // each), *((length % each,) if length % each else ()))
