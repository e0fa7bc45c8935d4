"""Sizes that a model of Keras 2 asks of its tensors, and what it computes of them.

`tf.shape(x)[1] * 2` is a number once the network has a batch size; nothing of it costs time.
Leaves to others: what a number is an argument of (`advisor.network.keras_functions`).
"""

import itertools
import math
from collections.abc import Callable
from typing import Any

from advisor.network.builder import Numbers, Tensor
from advisor.network.fields import MAX_DIMENSION, is_integer
from advisor.network.keras_arguments import Arguments

# Sizes of a tensor, and places along a dimension: more are files made to harm.
_MOST_NUMBERS = 2**16

_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "floordiv": lambda a, b: a // b,
    "truediv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "floormod": lambda a, b: a % b,
    "maximum": max,
    "minimum": min,
}
_DIVISIONS = ("floordiv", "truediv", "mod", "floormod")
_ALIKE = ("cast", "identity", "stopgradient", "converttotensor")


def numbers_of(given: Arguments, *, batch: int) -> Numbers | None:
    """Return what a function of sizes makes of them; None: it is none.

    Args:
        given: its arguments.
        batch: samples at once.
    """
    found = _asked(given, batch=batch)
    if found is None and not given.tensors:
        found = _computed(given)
    listed = found if isinstance(found, tuple) else (found,)
    is_usable = len(listed) <= _MOST_NUMBERS and all(
        isinstance(each, int) and abs(each) <= MAX_DIMENSION for each in listed
    )
    return found if is_usable else None


def _asked(given: Arguments, *, batch: int) -> Numbers | None:
    if not isinstance(given.first, Tensor):
        return None
    whole = (batch * given.first.fold, *given.first.shape)
    answers: dict[str, Numbers] = {"shape": whole, "size": math.prod(whole), "rank": len(whole)}
    return answers.get(given.function)


def _computed(given: Arguments) -> Numbers | None:
    first = given.first
    name = given.function
    if name in (*_ALIKE, "unstack") and _is_numbers(first):
        return _as_numbers(first)
    if name == "getitem" and isinstance(first, tuple):
        return _indexed(first, given.named.get("slice_spec"))
    if name in _ARITHMETIC and is_integer(first) and is_integer(given.option("y")):
        other = given.option("y")
        is_open = name in _DIVISIONS and (other == 0 or (name == "truediv" and first % other))
        return None if is_open else _ARITHMETIC[name](first, other)
    if name == "range" and is_integer(first):
        return _counted(first, given)
    if name in ("stack", "concat") and isinstance(first, list | tuple):
        parts = [each if isinstance(each, list | tuple) else [each] for each in first]
        return tuple(size for part in parts for size in part)
    if name in ("reduceprod", "prod") and isinstance(first, list | tuple):
        return math.prod(first) if _is_numbers(first) else None
    return None


def _is_numbers(value: Any) -> bool:
    return is_integer(value) or (
        isinstance(value, list | tuple) and all(is_integer(each) for each in value)
    )


def _as_numbers(value: Any) -> Numbers:
    return tuple(value) if isinstance(value, list | tuple) else int(value)


def _indexed(numbers: tuple[int, ...], spec: Any) -> Numbers | None:
    entry = spec[0] if isinstance(spec, list) and len(spec) == 1 else spec
    if is_integer(entry):
        return numbers[entry] if -len(numbers) <= entry < len(numbers) else None
    if not isinstance(entry, dict):
        return None
    bounds = [entry.get(name) for name in ("start", "stop", "step")]
    if bounds[2] == 0 or not all(each is None or is_integer(each) for each in bounds):
        return None
    return numbers[slice(*bounds)]


def _counted(first: int, given: Arguments) -> Numbers | None:
    """Return the places that `range` counts."""
    limit, step = given.option("limit"), given.option("delta", default=1)
    if not is_integer(step) or step == 0 or not (limit is None or is_integer(limit)):
        return None
    places = range(0, first, step) if limit is None else range(first, limit, step)
    told = tuple(itertools.islice(places, _MOST_NUMBERS + 1))
    return told if 0 < len(told) <= _MOST_NUMBERS else None
