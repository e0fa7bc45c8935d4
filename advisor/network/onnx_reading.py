"""The graph of an ONNX file: nodes, shapes, functions and short constants; weights stay unread.

Field numbers are those of onnx.proto3 (IR version 3 and later).
Leaves to others: bytes (`onnx_wire`), constants (`onnx_tensors`), what a graph is
(`onnx_nodes`), what it means (`onnx_graph`).
"""

import functools
import mmap
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from advisor.errors import NetworkFileError, why_unreadable
from advisor.network.onnx_nodes import (
    OnnxAttribute,
    OnnxFunction,
    OnnxGraph,
    OnnxNode,
    OnnxValue,
    function_key,
)
from advisor.network.onnx_tensors import (
    MAX_CONSTANT,
    OnnxTensor,
    listed_floats,
    parse_sparse_tensor,
    parse_tensor,
)
from advisor.network.onnx_wire import (
    float_of,
    integers_of,
    message_of,
    read_fields,
    signed,
    text_of,
)

_T = TypeVar("_T")

# Limits of a usable graph.
MAX_NODES = 20_000
MAX_TENSORS = 100_000
# Fields of a graph that describe values.
_VALUE_LISTS = {11: "inputs", 12: "outputs", 13: "described"}
# Graphs within graphs.
_MOST_DEPTH = 16
# Of the name of an operation or a function: it stands in the names of what is within.
_MOST_LETTERS = 200


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


@dataclass(slots=True, kw_only=True)
class _Attribute:
    """An attribute while it is read; `graph` where it is one, `reference` where it is handed on."""

    name: str = ""
    value: OnnxAttribute = 0
    graph: memoryview | None = None
    reference: str = ""


def _attribute(data: memoryview) -> _Attribute:
    found = _Attribute()
    integers: list[int] = []
    floats: list[memoryview] = []
    for number, value in read_fields(data):
        if number == 1:
            found.name = text_of(value)
        elif number == 6 and found.graph is None:
            found.graph = message_of(value)
        elif number == 7:
            floats.append(message_of(value))
        elif number == 8:
            integers += integers_of(value, limit=MAX_CONSTANT)
        elif number == 21:
            found.reference = text_of(value)
        else:
            found.value = _single(number, value, before=found.value)
    if integers:
        found.value = tuple(integers)
    elif floats:
        found.value = listed_floats(floats)
    return found


def _single(number: int, value: int | memoryview, *, before: OnnxAttribute) -> OnnxAttribute:
    """Return the value of an attribute that is no list, `before` where the field is another."""
    if number == 2:
        return float_of(value)
    if number == 3 and isinstance(value, int):
        return signed(value)
    if number == 4:
        return text_of(value)
    if number == 5:
        return parse_tensor(message_of(value))
    return parse_sparse_tensor(message_of(value)) if number == 22 else before


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
    functions: _Entries = field(default_factory=lambda: _Entries(MAX_NODES))
    tensors: _Entries = field(default_factory=lambda: _Entries(MAX_TENSORS))
    values: _Entries = field(default_factory=lambda: _Entries(2 * MAX_TENSORS))


# Texts of an operation, by field.
_NODE_TEXTS = {3: "name", 4: "op_type", 7: "domain", 8: "overload"}


def _node(data: memoryview, *, opset: int, budget: _Budget, depth: int) -> OnnxNode:
    inputs: list[str] = []
    outputs: list[str] = []
    texts = dict.fromkeys(_NODE_TEXTS.values(), "")
    attributes: dict[str, OnnxAttribute] = {}
    graphs: dict[str, OnnxGraph] = {}
    references: dict[str, str] = {}
    for number, value in read_fields(data):
        if number == 1:
            inputs.append(text_of(value))
        elif number == 2:
            outputs.append(text_of(value))
        elif number in _NODE_TEXTS:
            texts[_NODE_TEXTS[number]] = text_of(value)[-_MOST_LETTERS:]
        elif number == 5:
            read = _attribute(message_of(value))
            if read.reference:
                references[read.name] = read.reference
                continue
            attributes[read.name] = read.value
            if read.graph is not None:
                graphs[read.name] = _graph(read.graph, opset=opset, budget=budget, depth=depth + 1)
    return OnnxNode(
        inputs=tuple(inputs),
        outputs=tuple(outputs),
        attributes=attributes,
        graphs=graphs,
        references=references,
        **texts,
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
            budget.tensors.add(parts.constants, parse_tensor, message_of(value))
        elif number == 15:
            budget.tensors.add(parts.constants, parse_sparse_tensor, message_of(value))
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


def _function(data: memoryview, *, budget: _Budget) -> OnnxFunction:
    names: dict[int, list[str]] = {4: [], 5: []}
    texts = {1: "", 10: "", 13: ""}
    defaults: dict[str, OnnxAttribute] = {}
    nodes: list[OnnxNode] = []
    described: list[OnnxValue] = []
    opset = 0
    # Of its own operator set only a few rules ask, and none in a graph inside.
    node = functools.partial(_node, opset=0, budget=budget, depth=0)
    for number, value in read_fields(data):
        if number in names:
            names[number].append(text_of(value))
        elif number in texts:
            texts[number] = text_of(value)[-_MOST_LETTERS:]
        elif number == 7:
            budget.nodes.add(nodes, node, message_of(value))
        elif number == 9:
            opset = max(opset, _opset(message_of(value)))
        elif number == 11:
            default = _attribute(message_of(value))
            defaults[default.name] = default.value
        elif number == 12:
            budget.values.add(described, _value, message_of(value))
    return OnnxFunction(
        key=function_key(texts[10], texts[1], texts[13]),
        inputs=tuple(names[4]),
        outputs=tuple(names[5]),
        nodes=tuple(nodes),
        defaults=defaults,
        described={value.name: value for value in described},
        opset=opset or None,
    )


def _model(data: memoryview) -> OnnxGraph:
    graph, opset = None, 0
    budget = _Budget()
    functions: list[OnnxFunction] = []
    for number, value in read_fields(data):
        if number == 7:
            graph = message_of(value)
        elif number == 8:
            opset = max(opset, _opset(message_of(value)))
        elif number == 25:
            read = functools.partial(_function, budget=budget)
            budget.functions.add(functions, read, message_of(value))
    opset = opset or max((function.opset or 0 for function in functions), default=0)
    if graph is None or opset == 0:
        raise NetworkFileError("not an ONNX file: it has no graph or no operator set")
    return replace(
        _graph(graph, opset=opset, budget=budget),
        functions={function.key: function for function in functions},
    )


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
