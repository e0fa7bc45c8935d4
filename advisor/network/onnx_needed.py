"""Which operations of an ONNX graph its outputs need; a runtime drops the others, and so do we.

Leaves to others: following what is left (`onnx_graph`).
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from advisor.network.onnx_nodes import OnnxFunction, OnnxGraph, OnnxNode

# What they tell of a tensor is known before anything is computed.
_ASKS_FOR_SIZES = ("Shape", "Size")


def needed(graph: OnnxGraph) -> tuple[OnnxGraph, int]:
    """Return a graph without what no output needs, and how much of that would have computed.

    A graph without outputs stays as it is. So do the inputs: what is fed is fed.
    """
    if not graph.outputs:
        return graph, 0
    kept = _with_needed(graph)
    functions = {key: _function(function) for key, function in graph.functions.items()}
    of_input = _of_input(graph)
    # Equal operations are told apart by what they make.
    left = {output for node in kept.nodes for output in node.outputs}
    n_dropped = sum(1 for node in of_input if not left & set(node.outputs))
    return replace(kept, functions=functions), n_dropped


def _with_needed(graph: OnnxGraph) -> OnnxGraph:
    wanted = (value.name for value in graph.outputs)
    return replace(graph, nodes=_needed_nodes(graph.nodes, wanted))


def _function(function: OnnxFunction) -> OnnxFunction:
    return replace(function, nodes=_needed_nodes(function.nodes, function.outputs))


def _needed_nodes(nodes: Iterable[OnnxNode], wanted: Iterable[str]) -> tuple[OnnxNode, ...]:
    names = set(wanted) - {""}
    found = []
    for node in reversed(tuple(nodes)):
        if names.isdisjoint(node.outputs):
            continue
        parts = {name: _with_needed(part) for name, part in node.graphs.items()}
        kept = replace(node, graphs=parts)
        found.append(kept)
        names.update(_read_by(kept))
    return tuple(reversed(found))


def _read_by(node: OnnxNode) -> Iterator[str]:
    """Yield the names that an operation reads, with those that the graphs inside it see."""
    yield from (name for name in node.inputs if name)
    for part in node.graphs.values():
        yield from (value.name for value in part.outputs)
        for inner in part.nodes:
            yield from _read_by(inner)


def _of_input(graph: OnnxGraph) -> list[OnnxNode]:
    """Return the operations that compute with what the network is fed."""
    names = {value.name for value in graph.inputs} - set(graph.constants)
    found = []
    for node in graph.nodes:
        if node.op_type not in _ASKS_FOR_SIZES and not names.isdisjoint(_read_by(node)):
            found.append(node)
            names.update(output for output in node.outputs if output)
    return found
