"""References to tensors inside a Keras configuration, as Keras 2 and Keras 3 write them.

Keras 3: {"args": [{"class_name": "__keras_tensor__", ...}], "kwargs": {...}}.
Keras 2: [["layer", node, tensor, {"mask": ["other", 0, 0]}], ...].
Leaves to others: following them (`advisor.network.keras_config`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from advisor.errors import NetworkFileError
from advisor.network.call import Shape
from advisor.network.fields import MAX_DIMENSION, describe, is_integer

# Arguments are tensors, lists of them, and objects of lists.
MAX_DEPTH = 12

# A longer list of numbers is no shape, which may have references among them.
_LONGEST_SHAPE = 64

# How Keras 3 writes an array that stands in a call; Keras 2 names it instead of a layer.
_ARRAYS = ("__numpy__", "__tensor__")
_TENSOR = "__keras_tensor__"
CONSTANT_LAYER = "_CONSTANT_VALUE"

# Arguments that change a result but bring no values into it.
_IGNORED = ("mask", "attention_mask", "query_mask", "value_mask", "key_mask", "training")
# The order in which layers expect named tensors.
_NAMED_FIRST = ("inputs", "query", "value", "key")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """The tensor `tensor` that the call number `node` of `layer` made.

    Attributes:
        shape: all of its shape as the file records it, with the batch, None where it does not;
            a size in it is None where it is open.
        is_short: written as ["layer", 0, 0]; then calls of nested models may count from 1.
    """

    layer: str
    node: int
    tensor: int
    shape: tuple[int | None, ...] | None = None
    is_short: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant:
    """An array that stands in the file; `shape` is all of it: it has no batch."""

    shape: Shape


# What a call is applied to.
Operand = Reference | Constant


def array_shape(value: Any) -> Shape:
    """Return the shape of the array that nested lists of numbers stand for."""
    sizes: list[int] = []
    while isinstance(value, list | tuple) and len(sizes) < MAX_DEPTH:
        sizes.append(len(value))
        value = value[0] if value else None
    return tuple(sizes)


def is_array(value: list[Any] | tuple[Any, ...]) -> bool:
    """Tell whether a long list is one of numbers, by its first one: no references are in it."""
    first: Any = value
    depth = 0
    while isinstance(first, list | tuple) and first and depth < MAX_DEPTH:
        first, depth = first[0], depth + 1
    return len(value) > _LONGEST_SHAPE and (isinstance(first, float) or is_integer(first))


def plain_reference(value: Any) -> Reference | None:
    """Return the reference that ["name", 0, 0] or ["name", 0, 0, {...}] stands for."""
    if not isinstance(value, list | tuple) or not 3 <= len(value) <= 4:
        return None
    layer, node, tensor = value[:3]
    if not isinstance(layer, str) or not is_integer(node) or not is_integer(tensor):
        return None
    return Reference(layer=layer, node=node, tensor=tensor, is_short=True)


def recorded_shape(value: Any) -> tuple[int | None, ...] | None:
    """Return a whole shape like [None, 224, 224, 3] as a tuple; None: it is none."""
    if not isinstance(value, list) or not value:
        return None
    known = [size for size in value if size is not None]
    if not all(is_integer(size) and 0 < size <= MAX_DIMENSION for size in known):
        return None
    return tuple(value)


def without_batch(
    shape: tuple[int | None, ...] | None, *, is_fixed: bool
) -> tuple[int | None, ...] | None:
    """Return a whole shape without the batch; None where it is not told which of its sizes it is.

    Where the batch is open it may stand elsewhere: [3, None, 16, 8] is what is left of a transpose
    that splits queries, keys and values.

    Args:
        shape: as `recorded_shape` gives it.
        is_fixed: whether the model has a batch of fixed size, which is in front.
    """
    if not shape:
        return None
    is_elsewhere = shape[0] is not None and not is_fixed and None in shape
    if is_elsewhere and shape.count(None) > 1:
        return None
    batch = shape.index(None) if is_elsewhere else 0
    return (*shape[:batch], *shape[batch + 1 :])


def _tensor(value: dict[str, Any]) -> Reference:
    config = value.get("config")
    history = config.get("keras_history") if isinstance(config, dict) else None
    plain = plain_reference(history)
    if plain is None or not isinstance(config, dict):
        raise NetworkFileError(f"a tensor without its origin: {describe(value)}")
    return Reference(
        layer=plain.layer,
        node=plain.node,
        tensor=plain.tensor,
        shape=recorded_shape(config.get("shape")),
    )


def find_references(value: Any) -> Iterator[Reference]:
    """Yield the references in any nest of lists and objects, in order."""
    return (found for found in find_operands(value) if isinstance(found, Reference))


def find_operands(value: Any, *, depth: int = 0) -> Iterator[Operand]:
    """Yield the references and the constants in any nest of lists and objects, in order.

    Raises:
        NetworkFileError: when the nest is deeper than any call has arguments.
    """
    if depth > MAX_DEPTH:
        raise NetworkFileError("the arguments of a layer are nested too deeply")
    plain = plain_reference(value)
    if isinstance(value, list) and len(value) > 2 and value[0] == CONSTANT_LAYER:
        yield Constant(shape=array_shape(value[2]))
        yield from _named(value[-1], depth=depth + 1)
    elif plain is not None:
        yield plain
        if len(value) == 4:
            yield from _named(value[3], depth=depth + 1)
    elif isinstance(value, dict):
        yield from _of_object(value, depth=depth)
    elif isinstance(value, list | tuple) and not is_array(value):
        for entry in value:
            yield from find_operands(entry, depth=depth + 1)


def _of_object(value: dict[str, Any], *, depth: int) -> Iterator[Operand]:
    """Yield the tensor or the array that an object is, or those in it."""
    if value.get("class_name") == _TENSOR:
        yield _tensor(value)
    elif value.get("class_name") in _ARRAYS:
        config = value.get("config")
        stated = config.get("value") if isinstance(config, dict) else None
        yield Constant(shape=array_shape(stated))
    elif "args" in value:
        yield from _named(value, depth=depth + 1)
    else:
        # Keras takes apart what it is given by name in the order of the names.
        yield from _named({name: value[name] for name in sorted(value)}, depth=depth + 1)


def _named(arguments: Any, *, depth: int) -> Iterator[Operand]:
    if not isinstance(arguments, dict):
        return
    first = [name for name in _NAMED_FIRST if name in arguments]
    for name in (*first, *(n for n in arguments if n not in _NAMED_FIRST)):
        if name not in _IGNORED:
            yield from find_operands(arguments[name], depth=depth)


def inbound_calls(value: Any, *, where: str) -> tuple[tuple[Operand, ...], ...]:
    """Return, for each call of a layer, what it is applied to.

    Raises:
        NetworkFileError: when the entry has another form.
    """
    if value is None:
        return ()
    if not isinstance(value, list):
        raise NetworkFileError(f"{where}: 'inbound_nodes' must be a list, found {describe(value)}")
    # Keras 2.0 wrote a layer with one input as ["name", 0, 0] without a list around it.
    return tuple(tuple(find_operands(node)) for node in value)


def indexed_by(entry: Mapping[str, Any], *, call: int) -> Any:
    """Return what stands in the brackets behind a tensor ("GetItem"); None where nothing does.

    A tensor or an array there is None, too.
    """
    nodes = entry.get("inbound_nodes")
    node = nodes[call] if isinstance(nodes, list) and call < len(nodes) else None
    args = node.get("args") if isinstance(node, dict) else None
    given = args[1] if isinstance(args, list) and len(args) > 1 else None
    is_tensor = isinstance(given, dict) and given.get("class_name") in (_TENSOR, *_ARRAYS)
    return None if is_tensor else given
