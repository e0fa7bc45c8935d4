"""Convolutions of one to three dimensions: plain, grouped, transposed, depthwise, separable.

Leaves to others: recurrent convolutions (`rules_recurrent`).
Shapes are given channels last whatever the file's order: the work is the same.
"""

import math

from advisor.model.kernel import ConvShape
from advisor.network.activations import fused_activation
from advisor.network.call import Call, Result, Shape, Step
from advisor.network.kernel_weights import read_kernel
from advisor.network.windows import (
    Image,
    Window,
    read_image,
    read_rank,
    read_window,
    transposed_output,
    window_output,
)


def _bias(call: Call, channels: int) -> tuple[int, ...]:
    return (channels,) if call.fields.flag("use_bias", default=True) else ()


def _shape(
    call: Call,
    image: Image,
    window: Window,
    *,
    output: Shape,
    filters: int,
    groups: int = 1,
    as_groups: bool = False,
) -> ConvShape:
    return ConvShape(
        n=call.batch,
        c=image.channels,
        spatial=image.spatial,
        k=filters,
        kernel=window.kernel,
        strides=window.strides,
        output=output,
        dilation=window.dilation,
        groups=groups,
        as_groups=as_groups,
    )


def convolution(call: Call) -> Result:
    """Rule of `Conv1D`, `Conv2D`, `Conv3D`."""
    rank = read_rank(call.class_name)
    image, window = read_image(call, rank), read_window(call, rank)
    filters = call.fields.integer("filters")
    groups = call.fields.integer("groups", default=1)
    if image.channels % groups or filters % groups:
        raise call.fields.refuse(
            f"{image.channels} channels and {filters} filters do not divide into {groups} groups"
        )
    spatial = window_output(call, window, spatial=image.spatial)
    output = image.shape(spatial, channels=filters)
    kernel = read_kernel(
        call, rows=math.prod(window.kernel) * (image.channels // groups), columns=filters
    )
    shape = _shape(
        call, image, window, output=spatial, filters=filters, groups=groups, as_groups=groups > 1
    )
    # Zeros before the first moment make a copy of the input.
    before = (call.elementwise("copy", call.input),) if window.padding == "causal" else ()
    step = Step(
        shape=shape,
        elements=call.total(output),
        weights=(*kernel.weights, *_bias(call, filters)),
        frozen=kernel.frozen,
        reads=(len(before) - 1,),
    )
    steps = (*before, *kernel.steps, step, *fused_activation(call, output))
    return Result(outputs=(output,), steps=steps)


def transposed(call: Call) -> Result:
    """Rule of `Conv1DTranspose`, `Conv2DTranspose`, `Conv3DTranspose`."""
    rank = read_rank(call.class_name)
    image, window = read_image(call, rank), read_window(call, rank)
    filters = call.fields.integer("filters")
    spatial = transposed_output(call, window, spatial=image.spatial)
    output = image.shape(spatial, channels=filters)
    shape = ConvShape(
        n=call.batch,
        c=image.channels,
        spatial=image.spatial,
        k=filters,
        kernel=window.kernel,
        strides=window.strides,
        output=spatial,
        dilation=window.dilation,
        is_transposed=True,
    )
    kernel = math.prod(window.kernel) * image.channels * filters
    step = Step(shape=shape, elements=call.total(output), weights=(kernel, *_bias(call, filters)))
    return Result(outputs=(output,), steps=(step, *fused_activation(call, output)))


def _depthwise_step(
    call: Call, image: Image, window: Window, *, spatial: Shape, bias: tuple[int, ...]
) -> Step:
    channels = image.channels * call.fields.integer("depth_multiplier", default=1)
    return Step(
        shape=_shape(call, image, window, output=spatial, filters=channels, groups=image.channels),
        elements=call.total((*spatial, channels)),
        weights=(math.prod(window.kernel) * channels, *bias),
    )


def depthwise(call: Call) -> Result:
    """Rule of `DepthwiseConv1D`, `DepthwiseConv2D`."""
    rank = read_rank(call.class_name)
    image, window = read_image(call, rank), read_window(call, rank)
    channels = image.channels * call.fields.integer("depth_multiplier", default=1)
    spatial = window_output(call, window, spatial=image.spatial)
    output = image.shape(spatial, channels=channels)
    step = _depthwise_step(call, image, window, spatial=spatial, bias=_bias(call, channels))
    return Result(outputs=(output,), steps=(step, *fused_activation(call, output)))


def separable(call: Call) -> Result:
    """Rule of `SeparableConv1D`, `SeparableConv2D`: a depthwise step, then a 1x1 one."""
    rank = read_rank(call.class_name)
    image, window = read_image(call, rank), read_window(call, rank)
    filters = call.fields.integer("filters")
    spatial = window_output(call, window, spatial=image.spatial)
    first = _depthwise_step(call, image, window, spatial=spatial, bias=())
    middle = image.channels * call.fields.integer("depth_multiplier", default=1)
    ones = (1,) * rank
    output = image.shape(spatial, channels=filters)
    second = Step(
        shape=ConvShape(
            n=call.batch,
            c=middle,
            spatial=spatial,
            k=filters,
            kernel=ones,
            strides=ones,
            output=spatial,
            dilation=ones,
        ),
        elements=call.total(output),
        weights=(middle * filters, *_bias(call, filters)),
    )
    return Result(outputs=(output,), steps=(first, second, *fused_activation(call, output)))


RULES = {
    **dict.fromkeys(("Conv1D", "Conv2D", "Conv3D", "Convolution2D"), convolution),
    **dict.fromkeys(("Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose"), transposed),
    **dict.fromkeys(("DepthwiseConv1D", "DepthwiseConv2D"), depthwise),
    **dict.fromkeys(("SeparableConv1D", "SeparableConv2D"), separable),
}
