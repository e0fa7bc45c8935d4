"""What an element-wise function costs in a framework, over the cheapest one.

A framework computes GELU by five operators one after another, and its gradient by a dozen: each
reads and writes the whole tensor. Kernels of our own do it in one pass and have no such factor.
A transpose writes in another order than it reads, and its library prepares it at each call.
Leaves to others: times (`advisor.predict.efficiency`), what is timed (`advisor.predict.replay`).
"""

from advisor.model.kernel import TRANSPOSE, Direction, ElementwiseShape, KernelShape

# Forward and backward over those of ReLU, measured side by side: Keras 3.11, TensorFlow 2.21, two
# cores with AVX-512, 98,304 and 524,288 elements, the mean of both sizes. GELU on values below and
# above one, as it has them in a network: on values below one alone it takes half of that.
_OVER_RELU: dict[str, tuple[float, float]] = {
    "elu": (1.8, 1.3),
    "selu": (1.8, 1.5),
    "gelu": (6.6, 9.0),
    "sigmoid": (1.8, 1.3),
    "hard_sigmoid": (1.8, 1.3),
    "hard_silu": (3.3, 5.5),
    "tanh": (1.4, 1.2),
    "softplus": (5.0, 2.5),
    "silu": (2.5, 3.5),
    "mish": (2.2, 11.0),
    "dropout": (5.0, 1.2),
    TRANSPOSE: (2.2, 2.2),
}
# Other names of the same functions: in Keras, and in ONNX, whose names no framework times.
_IN_KERAS = {"swish": "silu", "hard_swish": "hard_silu"}
_IN_ONNX = {"hardsigmoid": "hard_sigmoid", "hardsilu": "hard_silu", "hardswish": "hard_silu"}
_SAME = _IN_KERAS | _IN_ONNX


def name_in_keras(op: str) -> str:
    """Return the name of a function in Keras, whichever name it came by."""
    return _SAME.get(op, op)


def cost_over_relu(shape: KernelShape, *, direction: Direction) -> float:
    """Return how many times the work of ReLU a function is; 1 for what is no such function."""
    if not isinstance(shape, ElementwiseShape):
        return 1.0
    forward, backward = _OVER_RELU.get(name_in_keras(shape.op), (1.0, 1.0))
    return forward if direction is Direction.FORWARD else backward


def is_costly(shape: KernelShape) -> bool:
    """Whether a function is worth timing for itself: ReLU and sums tell little of it."""
    if isinstance(shape, ElementwiseShape) and shape.op in _IN_ONNX:
        return False
    return cost_over_relu(shape, direction=Direction.FORWARD) >= 2.0
