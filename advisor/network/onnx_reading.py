"""The graph of an ONNX file: nodes, shapes and small integer constants; weights stay unread.

Field numbers are those of onnx.proto3 (IR version 3 and later).
Leaves to others: bytes (`onnx_wire`), meaning (`onnx_graph`).
"""

import functools
import math
import mmap
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from advisor.errors import NetworkFileError, why_unreadable
from advisor.network.onnx_wire import (
    float_of,
    integers_of,
    message_of,
    read_fields,
    signed,
    text_of,
)

_T = TypeVar("_T")

# Limits of a usable graph. Constants that shape it are short; longer ones are weights.
MAX_NODES = 20_000
MAX_TENSORS = 100_000
MAX_CONSTANT = 1024
# Fields of a graph that describe values.
_VALUE_LISTS = {11: "inputs", 12: "outputs", 13: "described"}
# Graphs within graphs.
_MOST_DEPTH = 16
# Factors of a resize: one for each dimension.
_MOST_FRACTIONS = 16

_FLOAT32, _INT32, _INT64, _BOOL = 1, 6, 7, 9
# Letter and bytes of whole numbers in raw data, by type.
_RAW = {_INT32: ("i", 4), _INT64: ("q", 8), _BOOL: ("b", 1)}
# float, uint8, int8, float16, double, bfloat16; the others are sizes, indices and masks.
_WEIGHT_TYPES = (1, 2, 3, 10, 11, 16)
# Fields of a constant that list whole numbers: int32_data and int64_data.
_NUMBER_LISTS = (5, 7)


@dataclass(frozen=True, slots=True, kw_only=True)
class OnnxTensor:
    """A constant of the file.

    Attributes:
        integers: its values where they are few and whole, else None; fractions: where they are
            very few and of 32 bits.
        is_weight: whether it is of a type that weights have.
    """

    name: str
    dims: tuple[int, ...]
    integers: tuple[int, ...] | None
    is_weight: bool
    fractions: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OnnxValue:
    """An input, output or described intermediate; a size is None or a name where it is free."""

    name: str
    dims: tuple[int | str | None, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OnnxNode:
    """One operation.

    `attributes` hold numbers, texts, lists of integers and constants; `graphs` the parts of a
    choice or a loop, by name.
    """

    op_type: str
    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: dict[str, int | float | str | tuple[int, ...] | OnnxTensor]
    graphs: dict[str, "OnnxGraph"] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class OnnxGraph:
    """The graph of a file; `opset` is the version of the standard operations."""

    nodes: tuple[OnnxNode, ...]
    constants: dict[str, OnnxTensor]
    inputs: tuple[OnnxValue, ...]
    outputs: tuple[OnnxValue, ...]
    described: dict[str, OnnxValue]
    opset: int

    @functools.cached_property
    def n_operations(self) -> int:
        """Operations with those of the graphs inside."""
        inside = (part.n_operations for node in self.nodes for part in node.graphs.values())
        return len(self.nodes) + sum(inside)


def _raw_integers(raw: memoryview, data_type: int, count: int) -> tuple[int, ...] | None:
    letter, size = _RAW[data_type]
    if len(raw) != count * size:
        return None
    return tuple(struct.unpack(f"<{count}{letter}", raw))


def _number_of(number: int, value: int | memoryview) -> list[int]:
    """Return the whole numbers of a constant that stand as a list, none for other fields."""
    if number not in _NUMBER_LISTS:
        return []
    if not isinstance(value, int) and len(value) > 10 * MAX_CONSTANT:
        return []  # weights, not sizes
    return integers_of(value, limit=10 * MAX_CONSTANT)


def _tensor(data: memoryview) -> OnnxTensor:
    dims: list[int] = []
    listed: list[int] = []
    plain: dict[int, int | memoryview] = {}
    for number, value in read_fields(data):
        if number == 1:
            dims += integers_of(value, limit=64)
        else:
            listed += _number_of(number, value)
            plain[number] = value
    name = text_of(plain.get(8, memoryview(b"")))
    if any(size < 0 for size in dims):
        raise NetworkFileError(f"constant {name!r} has a negative size")
    data_type = plain.get(2)
    return OnnxTensor(
        name=name,
        dims=tuple(dims),
        integers=_integers(plain.get(9), data_type, listed, count=math.prod(dims)),
        is_weight=data_type in _WEIGHT_TYPES,
        fractions=_fractions(plain, data_type, count=math.prod(dims)),
    )


def _fractions(
    plain: dict[int, int | memoryview], data_type: object, *, count: int
) -> tuple[float, ...] | None:
    """Return the values of a very short constant of 32-bit floats, None for any other."""
    packed = plain.get(9, plain.get(4))
    if data_type != _FLOAT32 or not 1 <= count <= _MOST_FRACTIONS:
        return None
    if not isinstance(packed, memoryview) or len(packed) != 4 * count:
        return None
    return struct.unpack(f"<{count}f", packed)


def _integers(
    raw: int | memoryview | None, data_type: object, listed: list[int], *, count: int
) -> tuple[int, ...] | None:
    """Return the values of a short constant of whole numbers, None for any other."""
    if not isinstance(data_type, int) or data_type not in _RAW or count > MAX_CONSTANT:
        return None
    if raw is not None:
        return _raw_integers(message_of(raw), data_type, count)
    return tuple(listed) if len(listed) == count else None


def _dimension(data: memoryview) -> int | str | None:
    for number, value in read_fields(data):
        if number == 1 and isinstance(value, int):
            size = signed(value)
            return size if size > 0 else None
        if number == 2:
            return text_of(value)
    return None


def _shape(data: memoryview) -> tuple[int | str | None, ...]:
    dims = [_dimension(message_of(v)) for number, v in read_fields(data) if number == 1]
    if len(dims) > 16:
        raise NetworkFileError("a tensor of more than 16 dimensions in the graph")
    return tuple(dims)


def _value(data: memoryview) -> OnnxValue:
    name, dims = "", None
    for number, value in read_fields(data):
        if number == 1:
            name = text_of(value)
        elif number == 2:
            for kind, tensor_type in read_fields(message_of(value)):
                if kind == 1:
                    for part, shape in read_fields(message_of(tensor_type)):
                        if part == 2:
                            dims = _shape(message_of(shape))
    return OnnxValue(name=name, dims=dims)


def _attribute(
    data: memoryview,
) -> tuple[str, int | float | str | tuple[int, ...] | OnnxTensor, memoryview | None]:
    """Return name and value of an attribute, and the graph that it is, where it is one."""
    name = ""
    graph: memoryview | None = None
    found: int | float | str | tuple[int, ...] | OnnxTensor = 0
    integers: list[int] = []
    for number, value in read_fields(data):
        if number == 1:
            name = text_of(value)
        elif number == 2:
            found = float_of(value)
        elif number == 3 and isinstance(value, int):
            found = signed(value)
        elif number == 4:
            found = text_of(value)
        elif number == 5:
            found = _tensor(message_of(value))
        elif number == 6 and graph is None:
            graph = message_of(value)
        elif number == 8:
            integers += integers_of(value, limit=MAX_CONSTANT)
    return name, tuple(integers) if integers else found, graph


@dataclass(slots=True)
class _Entries:
    """How many entries of a kind there are so far, in all graphs of the file."""

    limit: int
    n: int = 0

    def add(self, rows: list[_T], parse: Callable[[memoryview], _T], data: memoryview) -> None:
        """Read one more into its graph."""
        self.n += 1
        if self.n > self.limit:
            raise NetworkFileError(
                f"more than {self.limit} entries in the graph: not a usable model"
            )
        rows.append(parse(data))


@dataclass(slots=True)
class _Budget:
    """What a file may hold, its graphs within graphs included."""

    nodes: _Entries = field(default_factory=lambda: _Entries(MAX_NODES))
    tensors: _Entries = field(default_factory=lambda: _Entries(MAX_TENSORS))
    values: _Entries = field(default_factory=lambda: _Entries(2 * MAX_TENSORS))


def _node(data: memoryview, *, opset: int, budget: _Budget, depth: int) -> OnnxNode:
    inputs: list[str] = []
    outputs: list[str] = []
    name = op_type = ""
    attributes = {}
    graphs: dict[str, OnnxGraph] = {}
    for number, value in read_fields(data):
        if number == 1:
            inputs.append(text_of(value))
        elif number == 2:
            outputs.append(text_of(value))
        elif number == 3:
            name = text_of(value)
        elif number == 4:
            op_type = text_of(value)
        elif number == 5:
            key, attribute, part = _attribute(message_of(value))
            attributes[key] = attribute
            if part is not None:
                graphs[key] = _graph(part, opset=opset, budget=budget, depth=depth + 1)
    return OnnxNode(
        op_type=op_type,
        name=name,
        inputs=tuple(inputs),
        outputs=tuple(outputs),
        attributes=attributes,
        graphs=graphs,
    )


@dataclass(slots=True, kw_only=True)
class _Parts:
    """What a graph message holds, while it is read."""

    nodes: list[OnnxNode] = field(default_factory=list)
    constants: list[OnnxTensor] = field(default_factory=list)
    inputs: list[OnnxValue] = field(default_factory=list)
    outputs: list[OnnxValue] = field(default_factory=list)
    described: list[OnnxValue] = field(default_factory=list)


def _graph(data: memoryview, *, opset: int, budget: _Budget, depth: int = 0) -> OnnxGraph:
    if depth > _MOST_DEPTH:
        raise NetworkFileError(f"more than {_MOST_DEPTH} graphs within each other")
    parts = _Parts()
    node = functools.partial(_node, opset=opset, budget=budget, depth=depth)
    for number, value in read_fields(data):
        if number == 1:
            budget.nodes.add(parts.nodes, node, message_of(value))
        elif number == 5:
            budget.tensors.add(parts.constants, _tensor, message_of(value))
        elif number in _VALUE_LISTS:
            rows: list[OnnxValue] = getattr(parts, _VALUE_LISTS[number])
            budget.values.add(rows, _value, message_of(value))
    return OnnxGraph(
        nodes=tuple(parts.nodes),
        constants={tensor.name: tensor for tensor in parts.constants},
        inputs=tuple(parts.inputs),
        outputs=tuple(parts.outputs),
        described={value.name: value for value in (*parts.described, *parts.outputs)},
        opset=opset,
    )


def _opset(data: memoryview) -> int:
    domain, version = "", 1
    for number, value in read_fields(data):
        if number == 1:
            domain = text_of(value)
        elif number == 2 and isinstance(value, int):
            version = value
    return version if domain in ("", "ai.onnx") else 0


def _model(data: memoryview) -> OnnxGraph:
    graph, opset = None, 0
    for number, value in read_fields(data):
        if number == 7:
            graph = message_of(value)
        elif number == 8:
            opset = max(opset, _opset(message_of(value)))
    if graph is None or opset == 0:
        raise NetworkFileError("not an ONNX file: it has no graph or no operator set")
    return _graph(graph, opset=opset, budget=_Budget())


def read_onnx(data: bytes) -> OnnxGraph:
    """Return the graph in the bytes of an ONNX file.

    Raises:
        NetworkFileError: when the bytes are not an ONNX model, or beyond the limits.
    """
    return _model(memoryview(data))


def read_onnx_file(path: Path) -> OnnxGraph:
    """Return the graph of an ONNX file; its weights are mapped, never loaded.

    Raises:
        NetworkFileError: when the file cannot be read or is refused.
    """
    try:
        with path.open("rb") as file:
            if not file.read(1):
                raise NetworkFileError("the file is empty")
            # Closed by its last reference: views into it may outlive this call in an error.
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            return _model(memoryview(mapped))
    except OSError as error:
        raise NetworkFileError(why_unreadable(error)) from None
