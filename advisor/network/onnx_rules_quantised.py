"""ONNX operations on quantised values that ONNX Runtime writes beside those of the standard.

Each is its plain operation; scales and zero points, which stand between the inputs, cost nothing.
Leaves to others: `QLinearConv`, `QLinearMatMul` and the plain operations (`onnx_rules_layers`).
"""

from dataclasses import replace

from advisor.network.call import Result
from advisor.network.onnx_call import OnnxCall
from advisor.network.onnx_rules_layers import (
    OnnxRule,
    gemm,
    global_pooling,
    pooling,
    product,
    softmax,
)
from advisor.network.onnx_rules_shape import binary, concat, unary


def _on(rule: OnnxRule, *indices: int) -> OnnxRule:
    """Return a rule that sees only some of the inputs, in this order."""

    def seen(call: OnnxCall) -> Result:
        inputs = tuple(call.inputs[i] if i < len(call.inputs) else None for i in indices)
        return rule(replace(call, inputs=inputs))

    return seen


def _quantised(call: OnnxCall) -> Result:
    """Rule of `DynamicQuantizeLinear`: values on eight bits, their scale and zero point."""
    shape = call.shape()
    step = call.elementwise("quantize", shape)
    return Result(outputs=(shape, (), ()), steps=(step,))


def _joined(call: OnnxCall) -> Result:
    """Rule of `QLinearConcat`: its own scale and zero point, then three inputs for each tensor."""
    return concat(replace(call, inputs=call.inputs[2::3]))


def _channels_last(rule: OnnxRule) -> OnnxRule:
    """Return a rule of an operation whose channels may come last."""

    def turned(call: OnnxCall) -> Result:
        if call.number("channels_last", default=0) != 1:
            return rule(call)
        first = call.given(0)
        samples, *spatial, channels = call.shape()
        tensor = replace(first.tensor, shape=(samples, channels, *spatial))
        result = rule(replace(call, inputs=(replace(first, tensor=tensor), *call.inputs[1:])))
        ((samples, channels, *spatial),) = result.outputs
        return replace(result, outputs=((samples, *spatial, channels),))

    return turned


RULES: dict[str, OnnxRule] = {
    "DynamicQuantizeLinear": _quantised,
    **dict.fromkeys(("QLinearAdd", "QLinearMul"), _on(binary, 0, 3)),
    **dict.fromkeys(("QLinearSigmoid", "QLinearLeakyRelu"), _on(unary, 0)),
    "QLinearSoftmax": _on(softmax, 0),
    "QLinearAveragePool": _channels_last(pooling),
    "QLinearGlobalAveragePool": _channels_last(global_pooling),
    "QLinearConcat": _joined,
    "QGemm": _on(gemm, 0, 3, 6),
    **dict.fromkeys(("MatMulIntegerToFloat", "DynamicQuantizeMatMul"), product),
}
