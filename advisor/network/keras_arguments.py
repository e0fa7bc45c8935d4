"""What a function of TensorFlow is given in a model of Keras 2, and what it is told as.

Keras 2 writes such a function as the layer `TFOpLambda` or `SlicingOpLambda`: its name in the
configuration, its arguments with the call: ["layer", 0, 0, {"perm": [0, 2, 1]}].
Leaves to others: which operation it is (`advisor.network.keras_functions`).
"""

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from advisor.errors import NetworkFileError
from advisor.network.builder import Tensor
from advisor.network.call import Shape
from advisor.network.keras_references import (
    CONSTANT_LAYER,
    MAX_DEPTH,
    Reference,
    array_shape,
    find_references,
    is_array,
    plain_reference,
)

_Find = Callable[[Reference], Tensor | None]
# A tensor, or the whole shape of a constant.
Given = Tensor | Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """What a function is given, with tensors and numbers in place of what stands for them.

    Attributes:
        function: its name without package and signs: "reducemean".
        first: its first argument; named: the others, by their names.
    """

    function: str
    first: Any
    named: Mapping[str, Any]

    def option(self, *names: str, default: Any = None) -> Any:
        """Return the first of some named arguments that is given; a tuple as a list."""
        given = (self.named[name] for name in names if self.named.get(name) is not None)
        value = next(given, default)
        return list(value) if isinstance(value, tuple) else value

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """All tensors among them."""
        return tuple(tensors_in([self.first, *self.named.values()]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """A function as an operation of `keras.ops`: what it is applied to, and its configuration."""

    class_name: str
    given: tuple[Given, ...]
    config: dict[str, Any] = field(default_factory=dict)

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """What of it is no constant."""
        return tuple(each for each in self.given if isinstance(each, Tensor))

    @property
    def operands(self) -> tuple[Shape | None, ...]:
        """Whole shapes of constants, None for each tensor; () where there are no constants."""
        shapes = tuple(None if isinstance(each, Tensor) else each for each in self.given)
        return shapes if len(self.tensors) < len(self.given) else ()


def read_call(entry: Mapping[str, Any], *, call: int, tensors: tuple[Tensor, ...]) -> Arguments:
    """Return what a call of a function is given.

    Args:
        entry: the layer as it stands in the file.
        call: which of its calls.
        tensors: all that the call reads, in the order of `find_references`.

    Raises:
        NetworkFileError: when it is nested too deeply.
    """
    node = entry["inbound_nodes"][call]
    found = dict(zip(find_references(node), tensors, strict=True))
    while isinstance(node, list) and len(node) == 1:
        node = node[0]
    named: dict[str, Any] = {}
    first = _resolved(node, found.get, named=named, depth=0)
    name = str(entry["config"].get("function")).rsplit(".", maxsplit=1)[-1]
    return Arguments(function=re.sub(r"[^a-z0-9]", "", name.lower()), first=first, named=named)


def _resolved(value: Any, find: _Find, *, named: dict[str, Any] | None, depth: int) -> Any:
    """Return a nest with tensors in place of references; `named` takes arguments by name."""
    if depth > MAX_DEPTH:
        raise NetworkFileError("the arguments of a layer are nested too deeply")
    if isinstance(value, dict):
        entries = value.items()
        return {name: _resolved(v, find, named=None, depth=depth + 1) for name, v in entries}
    if not isinstance(value, list) or is_array(value):
        return value
    reference = plain_reference(value)
    is_constant = len(value) > 2 and value[0] == CONSTANT_LAYER
    if reference is None and not is_constant:
        return [_resolved(each, find, named=named, depth=depth + 1) for each in value]
    if named is not None and isinstance(value[-1], dict):
        named.update(_resolved(value[-1], find, named=None, depth=depth + 1))
    if reference is None or is_constant:
        return value[2]
    tensor = find(reference)
    return tensor if tensor is None or tensor.numbers is None else tensor.numbers


def tensors_in(value: Any) -> Iterator[Tensor]:
    """Yield the tensors of a nest in order."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, Mapping):
        yield from tensors_in(list(value.values()))
    elif isinstance(value, list | tuple) and not is_array(value):
        yield from itertools.chain.from_iterable(tensors_in(each) for each in value)


def given_in_order(values: list[Any]) -> tuple[Given, ...] | None:
    """Return tensors as they are and constants as their shapes; None: one is neither."""
    found: list[Given] = []
    for value in values:
        if isinstance(value, Tensor):
            found.append(value)
        elif value is None or isinstance(value, str | Mapping) or [*tensors_in(value)]:
            return None
        else:
            found.append(array_shape(value))
    return tuple(found)
