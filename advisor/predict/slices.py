"""What taking a part out of a tensor costs: little, but its gradient is as large as the whole.

TensorFlow makes that gradient by filling a tensor of the whole size with zeros and setting the
part. Where a layer is applied to one moment of a sequence after the other (`TimeDistributed` of
Keras), each moment has one, and all of them are added up: that grows with the square of the length.
Leaves to others: times (`advisor.predict.efficiency`), which layers slice (`advisor.network`).
"""

from advisor.model.kernel import Direction, ElementwiseShape, KernelCall, is_slice
from advisor.model.quantity import Phase
from advisor.model.workload import Operator

# Gradients of a copy that filling the whole takes, and adding it to those of other moments. Ten
# shapes of 2 to 352 MiB in all slices, training steps with them over those with `tf.unstack`, by
# turns: 0.17 to 0.39 ms for each MiB, 0.2 in the middle, where such a gradient takes 0.1 (Zen 3).
_FILLED = 1
_ADDED = 1


def slice_calls(operator: Operator, *, phase: Phase) -> tuple[KernelCall, ...] | None:
    """Return what one run of a slice computes: the part, and in training its gradient.

    Returns:
        None for any other operator.
    """
    shape = operator.shape
    if not is_slice(shape):
        return None
    part = max(1, operator.output_elements // operator.repeats)
    taken = KernelCall(
        shape=ElementwiseShape(op="copy", elements=part), direction=Direction.FORWARD
    )
    if phase is Phase.INFERENCE or not operator.needs_input_gradient:
        return (taken,)
    whole = ElementwiseShape(op="copy", elements=shape.elements)
    count = _FILLED + (_ADDED if operator.repeats > 1 else 0)
    gradient = KernelCall(shape=whole, direction=Direction.BACKWARD, count=count)
    return (taken, gradient)
