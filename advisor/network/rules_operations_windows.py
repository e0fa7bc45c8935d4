"""Operations of `keras.ops` on images: convolutions with given filters, pools, patches, sizes.

Each is told as the layer that does the same, without weights: filters are constants of the file.
Leaves to others: the layers (`rules_convolution`, `rules_pooling`, `rules_arrangement`).
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from advisor.network import rules_arrangement, rules_convolution, rules_pooling
from advisor.network.call import Call, Result, Rule, Shape
from advisor.network.fields import Fields

_RANKS = (1, 2, 3)


def _without_weights(result: Result) -> Result:
    """Return a result whose filters no gradient updates: each kernel reads only its images."""
    steps = tuple(
        replace(
            step, weights=(), frozen=(), is_product=True,
            reads=step.reads if step.reads is not None else (position - 1,),
        )
        for position, step in enumerate(result.steps)
    )  # fmt: skip
    return replace(result, steps=steps)


def _as_layer(call: Call, rule: Rule, class_name: str, config: Mapping[str, Any]) -> Result:
    fields = Fields(config={**call.fields.config, **config}, where=call.fields.where)
    return _without_weights(rule(replace(call, class_name=class_name, fields=fields)))


def _filters(call: Call, position: int = 1) -> Shape | None:
    """Return the shape of the filters where they are a constant for the dimensions of an image."""
    given = call.arguments[position] if position < len(call.arguments) else None
    if given is None or given.is_data or len(given.shape) != len(call.input) + 1:
        return None
    return given.shape if len(given.shape) - 2 in _RANKS and all(given.shape) else None


def _channels(call: Call) -> int:
    is_first = call.fields.raw("data_format") == "channels_first"
    return call.input[0] if is_first else call.input[-1]


def _convolution(call: Call) -> Result | None:
    filters = _filters(call)
    if filters is None:
        return None
    *kernel, width, made = filters
    groups = _channels(call) // width
    if width * groups != _channels(call) or made % groups:
        raise call.fields.refuse(f"its filters {filters} do not fit its input {call.input}")
    config = {"kernel_size": kernel, "filters": made, "groups": groups, "use_bias": False}
    return _as_layer(call, rules_convolution.convolution, f"Conv{len(kernel)}D", config)


def _transposed(call: Call) -> Result | None:
    filters = _filters(call)
    if filters is None:
        return None
    *kernel, made, _width = filters
    config = {"kernel_size": kernel, "filters": made, "use_bias": False}
    name = f"Conv{len(kernel)}DTranspose"
    return _as_layer(call, rules_convolution.transposed, name, config)


def _depthwise(call: Call) -> Result | None:
    filters = _filters(call)
    if filters is None or len(filters) > 4:
        return None
    *kernel, _width, multiplier = filters
    config = {"kernel_size": kernel, "depth_multiplier": multiplier, "use_bias": False}
    name = f"DepthwiseConv{len(kernel)}D"
    return _as_layer(call, rules_convolution.depthwise, name, config)


def _separable(call: Call) -> Result | None:
    filters, points = _filters(call), _filters(call, 2)
    if filters is None or points is None or len(filters) > 4:
        return None
    *kernel, _width, multiplier = filters
    config = {
        "kernel_size": kernel, "depth_multiplier": multiplier, "filters": points[-1],
        "use_bias": False,
    }  # fmt: skip
    name = f"SeparableConv{len(kernel)}D"
    return _as_layer(call, rules_convolution.separable, name, config)


def _patches(call: Call) -> Result | None:
    """Return the patches of an image, which Keras cuts out by a convolution with ones."""
    size = call.fields.raw("size")
    rank = len(call.input) - 1
    if rank not in (2, 3):
        return None
    kernel = call.fields.sequence_of_integers(
        "size", [size] * rank if isinstance(size, int) else size
    )
    config = {
        "kernel_size": list(kernel), "filters": math.prod(kernel) * _channels(call),
        "strides": call.fields.raw("strides") or list(kernel), "use_bias": False,
    }  # fmt: skip
    return _as_layer(call, rules_convolution.convolution, f"Conv{rank}D", config)


def _blurred(call: Call) -> Result | None:
    if len(call.input) != 3:
        return None
    config = {"padding": "same", "strides": 1, "use_bias": False}
    return _as_layer(call, rules_convolution.depthwise, "DepthwiseConv2D", config)


def _pool(rule: Rule, mode: str) -> Callable[[Call], Result | None]:
    def pooled(call: Call) -> Result | None:
        rank = len(call.input) - 1
        if rank not in _RANKS:
            return None
        return rule(replace(call, class_name=f"{mode}Pooling{rank}D"))

    return pooled


def _resized(call: Call) -> Result | None:
    if len(call.input) != 3:
        return None
    height, width = call.fields.integers("size", length=2)
    config = {"height": height, "width": width}
    return _as_layer(call, rules_arrangement.resize, "Resizing", config)


def _sampled(call: Call) -> Result:
    """Return an image whose values are each gathered from four places of another."""
    output = call.recorded[0] if call.recorded else call.input
    return Result(outputs=(output,), steps=(call.elementwise("add", output, n_inputs=4),))


def _grey(call: Call) -> Result:
    is_first = call.fields.raw("data_format") == "channels_first"
    output = (1, *call.input[1:]) if is_first else (*call.input[:-1], 1)
    return Result(outputs=(output,), steps=(call.elementwise("add", output, n_inputs=3),))


_OPERATIONS: dict[str, Callable[[Call], Result | None]] = {
    "conv": _convolution,
    "convtranspose": _transposed,
    "depthwiseconv": _depthwise,
    "separableconv": _separable,
    "extractpatches": _patches,
    "extractpatches3d": _patches,
    "gaussianblur": _blurred,
    "maxpool": _pool(rules_pooling.windowed, "Max"),
    "averagepool": _pool(rules_pooling.windowed, "Average"),
    "adaptivemaxpool": _pool(rules_pooling.adaptive, "AdaptiveMax"),
    "adaptiveaveragepool": _pool(rules_pooling.adaptive, "AdaptiveAverage"),
    "resize": _resized,
    "rgbtograyscale": _grey,
    **dict.fromkeys(
        ("affinetransform", "perspectivetransform", "elastictransform", "mapcoordinates",
         "scaleandtranslate"),
        _sampled,
    ),
}  # fmt: skip


def find_window(name: str, call: Call) -> Result | None:
    """Return an operation on images by its name; None: it is none, or its filters are not known."""
    rule = _OPERATIONS.get(name)
    return None if rule is None or not call.input else rule(call)
