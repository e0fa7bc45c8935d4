"""What an ONNX graph makes from constants of its file: sizes, and weights in other shapes.

Leaves to others: computing sizes (`onnx_folding`), what depends on the input (`onnx_graph`).
"""

import math
from dataclasses import replace

import numpy as np

from advisor.network.builder import Tensor
from advisor.network.onnx_batch import Evidence
from advisor.network.onnx_call import OnnxCall, OnnxInput
from advisor.network.onnx_folding import fold, value_of
from advisor.network.onnx_rules import computed, unknown
from advisor.network.onnx_tensors import OnnxTensor

# Operations that may stand between a constant of the file and what uses it as a weight.
_WEIGHT_PASSING = (
    "DequantizeLinear", "QuantizeLinear", "Cast", "Identity", "Transpose", "Reshape", "Flatten",
    "Unsqueeze", "Squeeze",
)  # fmt: skip


def constant_input(tensor: OnnxTensor, *, name: str) -> OnnxInput:
    """Return a constant of the file under a name that no other has."""
    count = ((name, math.prod(tensor.dims)),)
    return OnnxInput(
        tensor=Tensor(shape=tensor.dims),
        weights=count if tensor.is_weight else (),
        numbers=() if tensor.is_weight else count,
        value=value_of(tensor),
    )


def scalar_input() -> OnnxInput:
    """Return a single number of which nothing is known."""
    return OnnxInput(tensor=Tensor(shape=()))


def constants_of(call: OnnxCall, *, origin: str) -> tuple[OnnxInput, ...] | None:
    """Return results that depend on the file alone; None when they depend on the input.

    Args:
        call: the operation.
        origin: what names of its constants begin with.
    """
    if call.node.known_as == "Constant":
        return (_constant(call, origin=origin),)
    folded = fold(call)
    if folded is not None:
        tensor = Tensor(shape=tuple(folded.shape))
        # A short bias is a weight all the same; sizes are none.
        is_weight = folded.dtype != np.int64 or call.node.known_as in _WEIGHT_PASSING
        made = _passed(call, tensor) if is_weight else OnnxInput(tensor=tensor)
        return (replace(made, value=folded),)
    if any(x is not None and x.is_data for x in call.inputs):
        return None
    return _derived(call, origin=origin)


def _constant(call: OnnxCall, *, origin: str) -> OnnxInput:
    for name in ("value", "value_floats", "sparse_value"):
        value = call.node.attributes.get(name)
        if isinstance(value, OnnxTensor):
            return constant_input(value, name=f"{origin}{_result_name(call)}")
    folded = fold(call)
    tensor = Tensor(shape=() if folded is None else tuple(folded.shape))
    return OnnxInput(tensor=tensor, value=folded)


def _result_name(call: OnnxCall) -> str:
    return call.node.outputs[0] if call.node.outputs else call.where


def _derived(call: OnnxCall, *, origin: str) -> tuple[OnnxInput, ...]:
    """Return constants made from constants: weights again, of the shape that they then have."""
    dims = call.integers(0) if call.node.known_as == "ConstantOfShape" else None
    if dims is not None:
        # Files without weights have them made so; masks and grids begin so too.
        weights = ((f"{origin}{_result_name(call)}", math.prod(dims)),)
        return (OnnxInput(tensor=Tensor(shape=dims), weights=weights, is_filled=True),)
    apart = replace(call, counted=set(), evidence=Evidence())
    outputs = (computed(apart) if call.inputs and call.inputs[0] else unknown(apart)).outputs
    return tuple(_passed(call, Tensor(shape=shape)) for shape in outputs)


def _passed(call: OnnxCall, tensor: Tensor) -> OnnxInput:
    """Return a constant with the weights of the file that it comes from."""
    given = [value for value in call.inputs if value is not None]
    if call.node.known_as in _WEIGHT_PASSING and given:
        first = given[0]
        # Whole numbers that are scaled were quantised.
        is_scaled = call.node.known_as == "DequantizeLinear"
        weights = (*first.weights, *first.numbers) if is_scaled else first.weights
        return OnnxInput(
            tensor=tensor, weights=weights, numbers=first.numbers, is_filled=first.is_filled
        )
    every = dict.fromkeys(
        weight for value in given if not value.is_filled for weight in value.weights
    )
    return OnnxInput(tensor=tensor, weights=tuple(every))
