"""Open sizes of the inputs of an ONNX graph that its weights fix: channels and features.

Exporters that leave every size open leave those open, too, though no other ones fit.
Leaves to others: what is assumed for the sizes that stay open (`onnx_graph`).
"""

from collections.abc import Sequence

from advisor.network.onnx_nodes import OnnxGraph, OnnxNode


def _conv(node: OnnxNode, weights: Sequence[int]) -> tuple[int, int] | None:
    groups = node.attributes.get("group", 1)
    if len(weights) < 3 or not isinstance(groups, int):
        return None
    return 1, weights[1] * groups


def _matmul(_node: OnnxNode, weights: Sequence[int]) -> tuple[int, int] | None:
    return (-1, weights[-2]) if len(weights) > 1 else None


def _gemm(node: OnnxNode, weights: Sequence[int]) -> tuple[int, int] | None:
    if len(weights) != 2 or node.attributes.get("transA"):
        return None
    return -1, weights[1 if node.attributes.get("transB") else 0]


_RULES = {"Conv": _conv, "MatMul": _matmul, "Gemm": _gemm}


def sizes_by_weights(graph: OnnxGraph) -> dict[str, tuple[int, int]]:
    """Return, for each tensor that is multiplied with weights, a position of it and its size.

    The position of features is -1, the last.
    """
    found: dict[str, tuple[int, int]] = {}
    for node in graph.nodes:
        rule = _RULES.get(node.known_as)
        weights = graph.constants.get(node.inputs[1]) if len(node.inputs) > 1 else None
        told = rule(node, weights.dims) if rule and weights is not None else None
        if told is not None and told[1] > 0:
            found.setdefault(node.inputs[0], told)
    return found
