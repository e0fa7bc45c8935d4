"""What the graph of an ONNX file holds: values, operations, functions, graphs within graphs.

Leaves to others: reading it (`onnx_reading`), constants (`onnx_tensors`).
"""

import functools
from dataclasses import dataclass, field

from advisor.network.onnx_tensors import OnnxTensor

# Where operations of these names are those of the standard or of ONNX Runtime.
_KNOWN_DOMAINS = ("", "ai.onnx", "com.microsoft")

# What an attribute holds; lists of fractions are constants.
OnnxAttribute = int | float | str | tuple[int, ...] | OnnxTensor
# Domain, name and overload.
FunctionKey = tuple[str, str, str]


def function_key(domain: str, name: str, overload: str) -> FunctionKey:
    """Return what a function is found by; the standard has two names for its domain."""
    return "" if domain == "ai.onnx" else domain, name, overload


@dataclass(frozen=True, slots=True, kw_only=True)
class OnnxValue:
    """An input, output or described intermediate; a size is None or a name where it is free."""

    name: str
    dims: tuple[int | str | None, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OnnxNode:
    """One operation, or a call of a function of the file.

    Attributes:
        attributes: numbers, texts, lists of integers and constants.
        graphs: the parts of a choice or a loop, by name.
        references: attributes that a function hands on, with the names that it has for them.
    """

    op_type: str
    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: dict[str, OnnxAttribute]
    graphs: dict[str, "OnnxGraph"] = field(default_factory=dict)
    references: dict[str, str] = field(default_factory=dict)
    domain: str = ""
    overload: str = ""

    @property
    def known_as(self) -> str:
        """Name among the operations that are known; "" where others have made its meaning."""
        return self.op_type if self.domain in _KNOWN_DOMAINS else ""

    @property
    def key(self) -> FunctionKey:
        """What a function of the file that it calls is found by."""
        return function_key(self.domain, self.op_type, self.overload)


@dataclass(frozen=True, slots=True, kw_only=True)
class OnnxFunction:
    """A function of the file; a call of it stands for its operations.

    Attributes:
        defaults: attributes that a call may leave out; opset: None for that of the file.
    """

    key: FunctionKey
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    nodes: tuple[OnnxNode, ...]
    defaults: dict[str, OnnxAttribute]
    described: dict[str, OnnxValue]
    opset: int | None


@dataclass(frozen=True, kw_only=True)
class OnnxGraph:
    """The graph of a file; `opset` is the version of the standard operations.

    `functions` are those of the file, none in a graph within a graph.
    """

    nodes: tuple[OnnxNode, ...]
    constants: dict[str, OnnxTensor]
    inputs: tuple[OnnxValue, ...]
    outputs: tuple[OnnxValue, ...]
    described: dict[str, OnnxValue]
    opset: int
    functions: dict[FunctionKey, OnnxFunction] = field(default_factory=dict)

    @functools.cached_property
    def n_operations(self) -> int:
        """Operations with those of the graphs inside."""
        inside = (part.n_operations for node in self.nodes for part in node.graphs.values())
        return len(self.nodes) + sum(inside)
