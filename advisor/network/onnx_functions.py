"""Functions of an ONNX file: a call of one stands for the operations of its body.

A body sees only what it is given, so each call has names of its own. Weights that stand in a body
are the same in all its calls.
Leaves to others: following the operations (`onnx_graph`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from advisor.network.onnx_call import OnnxCall, OnnxInput
from advisor.network.onnx_nodes import (
    FunctionKey,
    OnnxAttribute,
    OnnxFunction,
    OnnxGraph,
    OnnxNode,
    OnnxValue,
)

# Exporters nest a function for each module of a network.
_MOST_DEPTH = 32
# Of the name of a call, in the names of what it holds.
_MOST_LETTERS = 80


@dataclass(slots=True, kw_only=True)
class Scope:
    """What names stand for: in the graph of the file, or in one call of a function.

    Attributes:
        values: None for an input that the call leaves out.
        described: shapes that the file states.
        attributes: those of the call, graphs apart.
        path: what names of operations begin with; origin: those of constants.
        within: functions that are being followed, the outermost first.
    """

    opset: int
    values: dict[str, OnnxInput | None] = field(default_factory=dict)
    described: dict[str, OnnxValue] = field(default_factory=dict)
    attributes: Mapping[str, OnnxAttribute] = field(default_factory=dict)
    graphs: Mapping[str, OnnxGraph] = field(default_factory=dict)
    path: str = ""
    origin: str = ""
    within: tuple[FunctionKey, ...] = ()


def entered(function: OnnxFunction, call: OnnxCall, *, name: str, scope: Scope) -> Scope:
    """Return the names inside a call of a function that stands in `scope`.

    Raises:
        NetworkFileError: when it calls itself, is nested too deeply, or is given too much.
    """
    if function.key in scope.within:
        raise call.refuse("is a function that calls itself")
    if len(scope.within) >= _MOST_DEPTH:
        raise call.refuse(f"more than {_MOST_DEPTH} functions within each other")
    given, wanted = call.inputs, function.inputs
    if len(given) > len(wanted):
        raise call.refuse(f"its function has {len(wanted)} inputs, it gives {len(given)}")
    domain, own_name, overload = function.key
    return Scope(
        opset=function.opset or scope.opset,
        values=dict(zip(wanted, (*given, *(None,) * (len(wanted) - len(given))), strict=True)),
        described=dict(function.described),
        attributes={**function.defaults, **call.node.attributes},
        graphs=call.node.graphs,
        path=f"{name[-_MOST_LETTERS:]}/",
        origin=f"{domain}:{own_name}:{overload}/",
        within=(*scope.within, function.key),
    )


def with_attributes(node: OnnxNode, scope: Scope) -> OnnxNode:
    """Return an operation with the attributes that the function around it hands on.

    One that the call leaves out is left out here too.
    """
    if not node.references:
        return node
    handed = node.references.items()
    values = {own: scope.attributes[name] for own, name in handed if name in scope.attributes}
    graphs = {own: scope.graphs[name] for own, name in handed if name in scope.graphs}
    return replace(node, attributes={**node.attributes, **values}, graphs={**node.graphs, **graphs})
