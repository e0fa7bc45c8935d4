"""ONNX operations with weights or windows: products, convolutions, recurrence, pooling, norms.

Leaves to others: value-by-value operations and shapes (`onnx_rules_values`, `onnx_rules_shape`).
"""

import math
from collections.abc import Callable

from advisor.model.kernel import (
    Cell,
    ConvShape,
    EmbeddingShape,
    GemmShape,
    NormShape,
    PoolShape,
    RecurrentShape,
    SoftmaxShape,
)
from advisor.network.call import Result, Shape, Step
from advisor.network.onnx_call import OnnxCall

OnnxRule = Callable[[OnnxCall], Result]

_CELLS = {
    "LSTM": Cell.LSTM, "GRU": Cell.GRU, "RNN": Cell.RNN, "DynamicQuantizeLSTM": Cell.LSTM,
}  # fmt: skip


def _window(call: OnnxCall, rank: int, default: Shape | None) -> tuple[Shape, Shape, Shape]:
    ones = (1,) * rank
    kernel = call.numbers("kernel_shape", default=default, length=rank)
    strides = call.numbers("strides", default=ones, length=rank)
    dilation = call.numbers("dilations", default=ones, length=rank)
    if min(*kernel, *strides, *dilation) < 1:
        raise call.refuse("its window, strides and dilations must be 1 or more")
    return kernel, strides, dilation


def _slid(call: OnnxCall, spatial: Shape, window: tuple[Shape, Shape, Shape]) -> Shape:
    """Return how many windows fit along each dimension."""
    rank = len(spatial)
    auto = call.text("auto_pad", default="NOTSET")
    pads = call.numbers("pads", default=(0,) * 2 * rank, length=2 * rank)
    rounds_up = call.number("ceil_mode", default=0) == 1
    sizes = []
    for position, (kernel, stride, dilation) in enumerate(zip(*window, strict=True)):
        size = spatial[position]
        reach = (kernel - 1) * dilation
        if auto.startswith("SAME"):
            sizes.append(-(-size // stride))
            continue
        extra = 0 if auto == "VALID" else pads[position] + pads[position + rank]
        room = size + extra - reach - 1
        count = (-(-room // stride) if rounds_up else room // stride) + 1
        # A window that would begin in the padding behind is left out.
        is_behind = rounds_up and (count - 1) * stride >= size + pads[position]
        sizes.append(count - is_behind)
    if min(sizes, default=0) < 1:
        raise call.refuse(f"its window {window[0]} is larger than its input {spatial}")
    return tuple(sizes)


def _image(call: OnnxCall) -> tuple[int, int, Shape]:
    """Return samples, channels and space of the first input."""
    shape = call.shape()
    if not 3 <= len(shape) <= 5:
        raise call.refuse(f"works on 1 to 3 dimensions of space, its input is {shape}")
    if call.given(0).is_data:
        call.check_batch(shape[0])
    return shape[0], shape[1], shape[2:]


def convolution(call: OnnxCall) -> Result:
    """Rule of `Conv`, `ConvInteger`, `QLinearConv`."""
    index = 3 if call.node.op_type == "QLinearConv" else 1
    samples, channels, spatial = _image(call)
    kernel_shape = call.shape(index, rank=2 + len(spatial))
    groups = call.number("group", default=1)
    filters = kernel_shape[0]
    if groups < 1 or kernel_shape[1] * groups != channels:
        raise call.refuse(f"its weights {kernel_shape} do not fit {channels} channels")
    window = _window(call, len(spatial), kernel_shape[2:])
    output = _slid(call, spatial, window)
    shape = ConvShape(
        n=call.count(samples), c=channels, spatial=spatial, k=filters, kernel=window[0],
        strides=window[1], output=output, dilation=window[2], groups=groups,
    )  # fmt: skip
    result = (samples, filters, *output)
    # Beside quantised values the bias is of 32 bits.
    plain = 3 if call.node.op_type == "DeformConv" else 2
    bias = call.take_numbers(8) if index == 3 else call.take(plain)
    step = Step(shape=shape, elements=call.total(result), weights=(*call.take(index), *bias))
    return Result(outputs=(result,), steps=(step,))


def transposed(call: OnnxCall) -> Result:
    """Rule of `ConvTranspose`."""
    samples, channels, spatial = _image(call)
    rank = len(spatial)
    kernel_shape = call.shape(1, rank=2 + rank)
    groups = call.number("group", default=1)
    filters = kernel_shape[1] * groups
    kernel, strides, dilation = _window(call, rank, kernel_shape[2:])
    pads = call.numbers("pads", default=(0,) * 2 * rank, length=2 * rank)
    more = call.numbers("output_padding", default=(0,) * rank, length=rank)
    if call.text("auto_pad", default="NOTSET").startswith("SAME"):
        output = tuple(size * stride for size, stride in zip(spatial, strides, strict=True))
    else:
        output = tuple(
            strides[i] * (spatial[i] - 1) + more[i] + (kernel[i] - 1) * dilation[i] + 1
            - pads[i] - pads[i + rank]
            for i in range(rank)
        )  # fmt: skip
    output = call.numbers("output_shape", default=output, length=rank)
    shape = ConvShape(
        n=call.count(samples), c=channels, spatial=spatial, k=filters, kernel=kernel,
        strides=strides, output=output, dilation=dilation, groups=groups, is_transposed=True,
    )  # fmt: skip
    result = (samples, filters, *output)
    step = Step(shape=shape, elements=call.total(result), weights=call.take(1, 2))
    return Result(outputs=(result,), steps=(step,))


def gemm(call: OnnxCall) -> Result:
    """Rule of `Gemm`."""
    first, second = call.shape(0, rank=2), call.shape(1, rank=2)
    m, k = reversed(first) if call.number("transA", default=0) else first
    k_too, n = reversed(second) if call.number("transB", default=0) else second
    if k != k_too:
        raise call.refuse(f"its inputs do not fit together: {first}, {second}")
    is_turned = call.given(1).is_data and not call.given(0).is_data
    shape = _matrix(call, m, n, k=k, is_turned=is_turned)
    if call.given(0).is_data and call.given(1).is_data:
        call.check_products(1)
    weights = (*call.take(0, 1), *call.take_numbers(2))
    step = Step(shape=shape, elements=call.total((m, n)), weights=weights)
    return Result(outputs=((m, n),), steps=(step,))


def _matrix(call: OnnxCall, m: int, n: int, *, k: int, is_turned: bool) -> GemmShape:
    """Return one product for all samples, which are columns where the weights come first."""
    if is_turned:
        return GemmShape(m=m, n=call.count(n), k=k)
    return GemmShape(m=call.count(m), n=n, k=k)


def _common(call: OnnxCall, first: Shape, second: Shape) -> Shape:
    """Return the common shape of tensors that are combined value by value."""
    rank = max(len(first), len(second))
    padded = [(1,) * (rank - len(shape)) + shape for shape in (first, second)]
    for a, b in zip(*padded, strict=True):
        if a != b and 1 not in (a, b):
            raise call.refuse(f"its inputs do not fit together: {first}, {second}")
    return tuple(max(pair) for pair in zip(*padded, strict=True))


def broadcast(call: OnnxCall, *indices: int) -> Shape:
    """Return the common shape of some inputs."""
    shape: Shape = ()
    for index in indices:
        shape = _common(call, shape, call.shape(index))
    return shape


def product(call: OnnxCall) -> Result:
    """Rule of `MatMul`, `MatMulInteger`, `QLinearMatMul`: also for more than two dimensions."""
    index = 3 if call.node.op_type == "QLinearMatMul" else 1
    first, second = call.shape(0), call.shape(index)
    if not first or not second:
        raise call.refuse("needs matrices")
    is_row, is_column = len(first) == 1, len(second) == 1
    first = (1, *first) if is_row else first
    second = (*second, 1) if is_column else second
    (*rows, m, k), (*columns, k_too, n) = first, second
    if k != k_too:
        raise call.refuse(f"its inputs do not fit together: {first}, {second}")
    outer = _common(call, tuple(rows), tuple(columns))
    output = (*outer, *(() if is_row else (m,)), *(() if is_column else (n,)))
    weights = call.take(0, index)
    are_data = [call.given(position).is_data for position in (0, index)]
    if all(are_data):
        call.check_products(math.prod(outer))
    if math.prod(columns) == 1:  # one matrix for all rows
        is_turned = are_data == [False, True] and math.prod(outer) == 1
        rows_of_all = math.prod((*outer, m))
        shape = _matrix(call, rows_of_all, n, k=k, is_turned=is_turned)
    else:
        shape = GemmShape(m=m, n=n, k=k, batch=call.count(*outer))
    step = Step(shape=shape, elements=call.total(output), weights=weights)
    return Result(outputs=(output,), steps=(step,))


def batch_normalisation(call: OnnxCall) -> Result:
    """Rule of `BatchNormalization`; mean and variance are weights that no gradient updates."""
    shape = call.shape()
    channels = shape[1] if len(shape) > 1 else 1
    elements = call.total(shape)
    norm = NormShape(kind="batch", elements=elements, channels=channels)
    step = Step(shape=norm, elements=elements, weights=call.take(1, 2), frozen=call.take(3, 4))
    return Result(outputs=(shape,), steps=(step,))


def other_normalisation(call: OnnxCall) -> Result:
    """Rule of `LayerNormalization`, `InstanceNormalization`, `GroupNormalization` and others."""
    shape = call.shape()
    is_group = call.node.op_type in ("InstanceNormalization", "GroupNormalization")
    channels = shape[min(1, len(shape) - 1)] if is_group else shape[-1]
    elements = call.total(shape)
    norm = NormShape(kind="group" if is_group else "layer", elements=elements, channels=channels)
    step = Step(shape=norm, elements=elements, weights=call.take(1, 2))
    return Result(outputs=(shape,), steps=(step,))


def pooling(call: OnnxCall) -> Result:
    """Rule of `MaxPool`, `AveragePool`, `LpPool`."""
    samples, channels, spatial = _image(call)
    window = _window(call, len(spatial), None)
    output = _slid(call, spatial, window)
    return _pooled(call, samples, channels, spatial=spatial, window=window, output=output)


def global_pooling(call: OnnxCall) -> Result:
    """Rule of `GlobalMaxPool`, `GlobalAveragePool`, `GlobalLpPool`."""
    samples, channels, spatial = _image(call)
    window = (spatial, spatial, (1,) * len(spatial))
    output = (1,) * len(spatial)
    return _pooled(call, samples, channels, spatial=spatial, window=window, output=output)


def _pooled(
    call: OnnxCall,
    samples: int,
    channels: int,
    *,
    spatial: Shape,
    window: tuple[Shape, Shape, Shape],
    output: Shape,
) -> Result:
    shape = PoolShape(
        mode="max" if "Max" in call.node.op_type else "average", n=call.count(samples),
        c=channels, spatial=spatial, kernel=window[0], strides=window[1], output=output,
    )  # fmt: skip
    result = (samples, channels, *output)
    return Result(outputs=(result,), steps=(Step(shape=shape, elements=call.total(result)),))


def softmax(call: OnnxCall) -> Result:
    """Rule of `Softmax`, `LogSoftmax`; before operator set 13 over all axes from the given."""
    shape = call.shape()
    is_old = call.opset < 13
    axis = call.axis(call.number("axis", default=1 if is_old else -1), rank=len(shape))
    columns = math.prod(shape[axis:]) if is_old else shape[axis]
    elements = call.total(shape)
    kernel = SoftmaxShape(rows=elements // max(columns, 1), columns=columns)
    return Result(outputs=(shape,), steps=(Step(shape=kernel, elements=elements),))


def recurrent(call: OnnxCall) -> Result:
    """Rule of `LSTM`, `GRU`, `RNN`; time comes first unless `layout` is 1.

    ONNX Runtime's `DynamicQuantizeLSTM` has its weights turned.
    """
    first, second, features = call.shape(0, rank=3)
    is_batch_first = call.number("layout", default=0) == 1
    timesteps, samples = (second, first) if is_batch_first else (first, second)
    call.check_batch(samples)
    directions = call.shape(1, rank=3)[0]
    hidden = call.shape(2, rank=3)[1 if call.node.op_type.startswith("Dynamic") else 2]
    wanted = call.node.outputs
    keeps = bool(wanted) and wanted[0] != ""
    shape = RecurrentShape(
        cell=_CELLS[call.node.op_type], batch=call.count(samples), timesteps=timesteps,
        input=features, hidden=hidden, is_bidirectional=directions == 2, return_sequences=keeps,
    )  # fmt: skip
    every = (timesteps, directions, samples, hidden)
    last = (directions, samples, hidden)
    if is_batch_first:
        every, last = (samples, timesteps, directions, hidden), (samples, directions, hidden)
    elements = call.total(every if keeps else last)
    # Beside weights and biases, an LSTM may look at its state.
    step = Step(shape=shape, elements=elements, weights=call.take(1, 2, 3, 7))
    return Result(outputs=(every, last, last)[: max(1, len(wanted))], steps=(step,))


def look_up(call: OnnxCall) -> Result:
    """Rule of `Gather` in a table of weights: an embedding."""
    vocabulary, *row = call.shape(0)
    places = call.shape(1)
    output = (*places, *row)
    shape = EmbeddingShape(indices=call.total(places), dim=math.prod(row), vocabulary=vocabulary)
    step = Step(shape=shape, elements=call.total(output), weights=call.take(0))
    return Result(outputs=(output,), steps=(step,))


RULES: dict[str, OnnxRule] = {
    **dict.fromkeys(
        ("Conv", "ConvInteger", "QLinearConv", "FusedConv", "DeformConv"), convolution
    ),
    "ConvTranspose": transposed,
    **dict.fromkeys(("Gemm", "FusedGemm"), gemm),
    **dict.fromkeys(("MatMul", "MatMulInteger", "QLinearMatMul"), product),
    "BatchNormalization": batch_normalisation,
    **dict.fromkeys(
        (
            "LayerNormalization", "InstanceNormalization", "GroupNormalization",
            "SimplifiedLayerNormalization", "RMSNormalization", "LpNormalization", "LRN",
            "MeanVarianceNormalization",
        ),
        other_normalisation,
    ),
    **dict.fromkeys(("MaxPool", "AveragePool", "LpPool"), pooling),
    **dict.fromkeys(("GlobalMaxPool", "GlobalAveragePool", "GlobalLpPool"), global_pooling),
    **dict.fromkeys(("Softmax", "LogSoftmax"), softmax),
    **dict.fromkeys(tuple(_CELLS), recurrent),
}  # fmt: skip
