"""From the name of an ONNX operation to its rule, and what an operation without one makes.

Leaves to others: the rules (`onnx_rules_*`), operations that hold graphs (`onnx_control`), lists of
tensors (`onnx_lists`).
"""

from advisor.model.kernel import UnknownShape
from advisor.network import (
    onnx_rules_attention,
    onnx_rules_einsum,
    onnx_rules_layers,
    onnx_rules_quantised,
    onnx_rules_resize,
    onnx_rules_select,
    onnx_rules_shape,
    onnx_rules_spectrum,
)
from advisor.network.call import Result, Step
from advisor.network.onnx_call import OnnxCall

RULES = {
    **onnx_rules_layers.RULES,
    **onnx_rules_shape.RULES,
    **onnx_rules_select.RULES,
    **onnx_rules_einsum.RULES,
    **onnx_rules_attention.RULES,
    **onnx_rules_quantised.RULES,
    **onnx_rules_spectrum.RULES,
    **onnx_rules_resize.RULES,
}

# They make lists of tensors, whose length and shapes depend on values.
_OF_LISTS = ("SequenceMap", "SequenceErase", "SplitToSequence")


def computed(call: OnnxCall) -> Result:
    """Return what an operation makes."""
    rule = RULES.get(call.node.known_as)
    return unknown(call) if rule is None else rule(call)


def unknown(call: OnnxCall) -> Result:
    """Return what an operation without a rule makes: as described, else like its input."""
    if call.node.known_as in _OF_LISTS and None in call.described:
        raise call.refuse("holds a part that runs so often as the data say: it is not followed")
    recorded = tuple(shape for shape in call.described if shape is not None)
    is_complete = bool(recorded) and len(recorded) == len(call.described)
    outputs = recorded if is_complete else (call.shape(),) * max(1, len(call.described))
    elements = sum(call.total(shape) for shape in outputs)
    shape = UnknownShape(layer_type=call.node.op_type, elements=elements)
    where = "described in the file" if is_complete else "taken to be that of its input"
    note = (
        f"{call.where}: the work of this kind of operation is not known and counts as "
        f"nothing; the shape of its result is {where}."
    )
    return Result(outputs=outputs, steps=(Step(shape=shape, elements=elements),), note=note)
