"""Functions of TensorFlow in a model of Keras 2, told as the operations of `keras.ops` they are.

Sizes that a model asks of a tensor (`tf.shape(x)[1]`) are numbers here
(`advisor.network.keras_numbers`).
Leaves to others: their arguments (`advisor.network.keras_arguments`), what the operations cost
(`advisor.network.rules_operations`).
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from advisor.network.builder import Tensor
from advisor.network.fields import is_integer
from advisor.network.keras_arguments import Arguments, Given, Operation, given_in_order
from advisor.network.operation_names import BINARY, MIDDLING, REDUCING, SORTING, UNARY

# Layers of Keras 2 around a function of TensorFlow.
FUNCTIONS = ("TFOpLambda", "SlicingOpLambda")

# How Keras 3 writes parts of what stands in brackets.
_SLICE = "__slice__"
_SLICE_NAMES = ("start", "stop", "step")
_OF_MATRICES = ("inv", "pinv", "det", "slogdet", "cholesky", "qr", "svd", "eigh", "eig", "solve")
# Names of the second argument and of those behind it.
_OTHERS = ("x", "y")
_NEEDED: Any = object()


@dataclass(frozen=True, slots=True)
class _Option:
    """An option of an operation: its names in TensorFlow, and what it is without."""

    names: tuple[str, ...]
    default: Any = None


_Rule = Callable[[Arguments], Operation | None]


def _needed(*names: str) -> _Option:
    return _Option(names, _NEEDED)


def _option(*names: str, default: Any = None) -> _Option:
    return _Option(names, default)


def _config(given: Arguments, options: dict[str, _Option]) -> dict[str, Any] | None:
    config = {}
    for ours, option in options.items():
        value = given.option(*option.names, default=option.default)
        if value is _NEEDED:
            return None
        config[ours] = value
    return config


def _told(class_name: str, *others: str, **options: _Option) -> _Rule:
    """Return the rule of a function that is an operation under other names.

    `others`: names of the tensors and constants behind the first one.
    """

    def rule(given: Arguments) -> Operation | None:
        first = given.first if isinstance(given.first, list) else [given.first]
        if not any(isinstance(each, Tensor) for each in first):
            first = [given.first]
        behind = [given.named[name] for name in others if given.named.get(name) is not None]
        found, config = given_in_order([*first, *behind]), _config(given, options)
        if found is None or config is None:
            return None
        return Operation(class_name=class_name, given=found, config=config)

    return rule


def _layout(given: Arguments) -> str:
    """Return where the channels of an image are."""
    stated = str(given.option("data_format", default="NHWC"))
    return "channels_first" if stated.startswith("NC") else "channels_last"


def _of_sides(given: Arguments, *names: str) -> Any:
    """Return sizes for the sides of an image, of which TensorFlow has one for each dimension."""
    value = given.option(*names)
    if not isinstance(value, list) or len(value) < 4:
        return value[0] if isinstance(value, list) and len(value) == 1 else value
    return value[2:] if _layout(given) == "channels_first" else value[1:-1]


def _image(class_name: str, **options: _Option) -> _Rule:
    """Return the rule of a function on an image whose layout it is told."""

    def rule(given: Arguments) -> Operation | None:
        found = _told(class_name, **options)(given)
        layout = {"data_format": _layout(given)}
        return found and replace(found, config={**found.config, **layout})

    return rule


def _windowed(class_name: str, *filters: str) -> _Rule:
    """Return the rule of a convolution with given filters, or of a pool."""

    def rule(given: Arguments) -> Operation | None:
        found = _told(class_name, *filters)(given)
        is_same = class_name == "ConvTranspose"  # as TensorFlow takes it where it is not said
        padding = given.option("padding", default="SAME" if is_same else "VALID")
        wanted = {"Conv": 2, "SeparableConv": 3}.get(class_name, 1 + bool(filters))
        if found is None or not isinstance(padding, str) or len(found.given) != wanted:
            return None
        size = _of_sides(given, "ksize", "window_shape")
        if size is None and not filters:
            return None
        config = {
            "padding": padding.lower(),
            "data_format": _layout(given),
            "pool_size": size,
            "strides": _of_sides(given, "strides", "stride") or 1,
            "dilation_rate": _of_sides(given, "dilations", "rate") or 1,
        }
        return replace(found, config=config)

    return rule


def _patches(given: Arguments) -> Operation | None:
    size = _of_sides(given, "sizes", "ksizes")
    if not isinstance(given.first, Tensor) or size is None:
        return None
    config = {
        "size": size,
        "strides": _of_sides(given, "strides"),
        "dilation_rate": _of_sides(given, "rates") or 1,
        "padding": str(given.option("padding", default="VALID")).lower(),
    }
    return Operation(class_name="ExtractImagePatches", given=(given.first,), config=config)


def _turned(each: Given) -> Given | None:
    """Return an argument with its last two dimensions turned; None: one is that of samples."""
    shape = each.shape if isinstance(each, Tensor) else each
    if len(shape) < 2:
        return None
    turned = (*shape[:-2], shape[-1], shape[-2])
    return replace(each, shape=turned) if isinstance(each, Tensor) else turned


def _product(given: Arguments) -> Operation | None:
    """Return `matmul`: matrices that are turned in it cost no more."""
    found = _told("Matmul", "b")(given)
    if found is None or len(found.given) != 2:
        return None
    sides: list[Given] = []
    for side, each in zip("ab", found.given, strict=True):
        is_turned = any(
            given.named.get(f"{how}_{side}") is True for how in ("transpose", "adjoint")
        )
        turned = _turned(each) if is_turned else each
        if turned is None:
            return None
        sides.append(turned)
    return replace(found, given=tuple(sides))


def _split(given: Arguments) -> Operation | None:
    parts, axis = given.option("num_or_size_splits"), given.option("axis", default=0)
    if not isinstance(given.first, Tensor) or not is_integer(axis):
        return None
    if isinstance(parts, list):
        if not all(is_integer(each) for each in parts) or parts.count(-1) > 1:
            return None
        if -1 in parts:
            whole = (0, *given.first.shape)
            size = whole[axis] if -len(whole) <= axis < len(whole) else 0
            parts = [size - sum(parts) - 1 if each == -1 else each for each in parts]
        parts = list(itertools.accumulate(parts))[:-1]
    config = {"indices_or_sections": parts, "axis": axis}
    return Operation(class_name="Split", given=(given.first,), config=config)


def _key(entry: Any) -> Any:
    """Return a part of what stands in brackets as Keras 3 writes it."""
    if isinstance(entry, dict) and not {*entry} - {*_SLICE_NAMES}:
        return {"class_name": _SLICE, "config": entry}
    return entry


def _indexed(given: Arguments) -> Operation | None:
    spec = given.named.get("slice_spec")
    if not isinstance(given.first, Tensor) or len(given.tensors) > 1:
        return None
    key = [_key(each) for each in spec] if isinstance(spec, list | tuple) else [_key(spec)]
    return Operation(class_name="GetItem", given=(given.first,), config={"key": key})


def _sliced(given: Arguments) -> Operation | None:
    """Return `slice` as brackets."""
    begin, size = given.option("begin"), given.option("size")
    if not isinstance(given.first, Tensor) or not isinstance(begin, list):
        return None
    if not isinstance(size, list) or not all(is_integer(each) for each in (*begin, *size)):
        return None
    bounds = zip(begin, size, strict=False)
    key = [
        {"start": start, "stop": None if length < 0 else start + length} for start, length in bounds
    ]
    config = {"key": [_key(each) for each in key]}
    return Operation(class_name="GetItem", given=(given.first,), config=config)


def _looked_up(given: Arguments) -> Operation | None:
    """Return `gather` and `embedding_lookup`: rows of a constant, or places of a tensor."""
    places = given.named.get("indices", given.named.get("ids"))
    if given.option("batch_dims", default=0) != 0:
        return None
    axis = given.option("axis", default=0)
    if isinstance(places, Tensor):
        found = given_in_order([given.first, places])
        if found is None:
            return None
        return Operation(class_name="Take", given=found, config={"axis": axis})
    if not isinstance(given.first, Tensor):
        return None
    numbers = list(places) if isinstance(places, tuple) else places
    return Operation(
        class_name="Take", given=(given.first,), config={"axis": axis, "indices": numbers}
    )


def _filled(whole: Any) -> Operation | None:
    """Return what makes a tensor of a whole size, samples in front: zeros, random numbers."""
    if not isinstance(whole, list | tuple) or not whole:
        return None
    if not all(is_integer(size) and size > 0 for size in whole):
        return None
    return Operation(class_name="FullLike", given=(Tensor(shape=tuple(whole[1:])),))


def _made(given: Arguments) -> Operation | None:
    stated = given.first if isinstance(given.first, list | tuple) else given.option("shape", "dims")
    return _filled(stated)


def _tiled(given: Arguments) -> Operation | None:
    """Return `tile`, of a constant as well: a class token for each sample."""
    found = _told("Tile", repeats=_needed("multiples"))(given)
    if found is None or found.tensors:
        return found
    times, shape = found.config["repeats"], found.given[0]
    if not isinstance(shape, tuple) or not isinstance(times, list) or len(times) != len(shape):
        return None
    is_known = all(is_integer(each) for each in times)
    return _filled([a * b for a, b in zip(shape, times, strict=True)]) if is_known else None


def _broadcast(given: Arguments) -> Operation | None:
    found = _told("BroadcastTo", shape=_needed("shape"))(given)
    return found if found is None or found.tensors else _filled(found.config["shape"])


def _pooled(given: Arguments) -> Operation | None:
    is_average = str(given.option("pooling_type")).upper() == "AVG"
    return _windowed("AveragePool" if is_average else "MaxPool")(given)


def _one_hot(given: Arguments) -> Operation | None:
    if given.option("axis", default=-1) != -1:
        return None
    return _told("OneHot", num_classes=_needed("depth"))(given)


def _short_spectrum(given: Arguments) -> Operation | None:
    """Return `signal.stft`, which pads each frame to the length of its transform."""
    frame, stride = given.option("frame_length"), given.option("frame_step")
    if not isinstance(given.first, Tensor) or not given.first.shape:
        return None
    if not is_integer(frame) or frame < 1:
        return None
    length = given.option("fft_length", default=1 << (frame - 1).bit_length())
    *outer, size = given.first.shape
    if not is_integer(length) or length < frame:
        return None
    padded = replace(given.first, shape=(*outer, size + length - frame))
    config = {
        "sequence_length": frame, "sequence_stride": stride, "fft_length": length, "center": False,
    }  # fmt: skip
    return Operation(class_name="STFT", given=(padded,), config=config)


_AXIS = _option("axis", "dim", default=-1)
_REDUCED = {"axis": _option("axis", "reduction_indices"), "keepdims": _option("keepdims")}
_FIRST = _option("axis", default=0)
_RULES: dict[str, _Rule] = {
    **{name: _told(name) for name in UNARY},
    **{name: _told(name, *_OTHERS) for name in BINARY},
    **{name: _told(name, **_REDUCED) for name in (*REDUCING, *MIDDLING)},
    **{name: _told(name, axis=_AXIS) for name in (*SORTING, "softmax", "logsoftmax")},
    **{name: _told(name, axis=_option("axis", "dimension", default=0))
       for name in ("argmax", "argmin")},
    **dict.fromkeys(("l2normalize", "normalize"), _told("Normalize", axis=_AXIS)),
    "addn": _told("Add"),
    "biasadd": _told("Add"),
    "reshape": _told("Reshape", newshape=_needed("shape")),
    "transpose": _told("Transpose", axes=_needed("perm")),
    "matrixtranspose": _told(
        "SwapAxes", axis1=_option(default=-2), axis2=_option(default=-1)
    ),
    "squeeze": _told("Squeeze", axis=_option("axis", "squeeze_dims")),
    "expanddims": _told("ExpandDims", axis=_needed("axis", "dim")),
    "concat": _told("Concatenate", axis=_needed("axis")),
    "stack": _told("Stack", axis=_FIRST),
    "unstack": _told("Unstack", axis=_FIRST),
    "tile": _tiled,
    "repeat": _told("Repeat", repeats=_needed("repeats"), axis=_option("axis")),
    "pad": _told("Pad", pad_width=_needed("paddings")),
    "reverse": _told("Flip"),
    **{name: _told("Flip") for name in ("flipleftright", "flipupdown")},
    "roll": _told("Roll"),
    "bandpart": _told("Tril"),
    "topk": _told("TopK", k=_option("k", default=1)),
    "broadcastto": _broadcast,
    "pool": _pooled,
    "separableconv2d": _windowed("SeparableConv", "depthwise_filter", "pointwise_filter"),
    "localresponsenormalization": _told("Normalize", axis=_option(default=-1)),
    **{name: _told(name, "rhs") for name in _OF_MATRICES},
    "onehot": _one_hot,
    "matmul": _product,
    "tensordot": _told("Tensordot", "b", axes=_needed("axes")),
    "split": _split,
    "getitem": _indexed,
    "slice": _sliced,
    **dict.fromkeys(("gather", "embeddinglookup"), _looked_up),
    **dict.fromkeys(
        ("resize", "resizebilinear", "resizenearestneighbor", "resizebicubic"),
        _told("Resize", size=_needed("size")),
    ),
    "rgbtograyscale": _told("RGBToGrayscale"),
    "depthtospace": _image("DepthToSpace", block_size=_needed("block_size")),
    "spacetodepth": _image("SpaceToDepth", block_size=_needed("block_size")),
    "extractpatches": _patches,
    **{f"conv{rank}": _windowed("Conv", "filters", "filter") for rank in ("1d", "2d", "3d")},
    "convolution": _windowed("Conv", "filters", "filter"),
    **{f"conv{rank}transpose": _windowed("ConvTranspose", "filters", "filter")
       for rank in ("1d", "2d", "3d")},
    "depthwiseconv2d": _windowed("DepthwiseConv", "filters", "filter"),
    **{f"maxpool{rank}": _windowed("MaxPool") for rank in ("", "1d", "2d", "3d")},
    **{f"avgpool{rank}": _windowed("AveragePool") for rank in ("", "1d", "2d", "3d")},
    "batchnormalization": _told("BatchNorm", axis=_option(default=-1)),
    "stft": _short_spectrum,
    **dict.fromkeys(("normal", "uniform", "truncatednormal", "zeros", "ones", "fill"), _made),
}  # fmt: skip


def as_operation(given: Arguments) -> Operation | None:
    """Return the operation that a function is; None: it is none, or its arguments do not tell."""
    rule = _RULES.get(given.function)
    return None if rule is None else rule(given)
