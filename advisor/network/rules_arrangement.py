"""Layers that only arrange, resize or disturb values: reshape, pad, crop, dropout, rescale.

What moves data is an elementwise copy; what only renames dimensions costs nothing.
Leaves to others: pooling (`rules_pooling`), joining (`rules_merge`).
"""

import math
from dataclasses import replace
from typing import Any

from advisor.model.kernel import TRANSPOSE
from advisor.network.call import Call, Result, Shape
from advisor.network.fields import describe, is_integer
from advisor.network.windows import Image, read_image, read_rank


def passing(call: Call) -> Result:
    """Rule of layers that cost nothing: `Masking`, `ActivityRegularization`, `Identity`."""
    return Result(outputs=call.inputs)


def _copied(call: Call, output: Shape) -> Result:
    return Result(outputs=(output,), steps=(call.elementwise("copy", output),))


def flatten(call: Call) -> Result:
    """Rule of `Flatten`."""
    return Result(outputs=((math.prod(call.input),),))


def resolve_shape(call: Call, target: tuple[int, ...], *, elements: int) -> Shape:
    """Return a target shape with its -1 replaced, checked against the number of elements."""
    known = math.prod(size for size in target if size != -1)
    if target.count(-1) == 1 and known > 0 and elements % known == 0:
        return tuple(elements // known if size == -1 else size for size in target)
    if -1 in target or known != elements:
        raise call.fields.refuse(f"cannot reshape {call.input} to {target}")
    return target


def reshape(call: Call) -> Result:
    """Rule of `Reshape`."""
    target = call.fields.sequence_of_integers("target_shape", call.fields.raw("target_shape"))
    return Result(outputs=(resolve_shape(call, target, elements=math.prod(call.input)),))


def permute(call: Call) -> Result:
    """Rule of `Permute`."""
    dims = call.fields.sequence_of_integers("dims", call.fields.raw("dims"))
    if sorted(dims) != list(range(1, len(call.input) + 1)):
        raise call.fields.refuse(f"'dims' {list(dims)} do not permute its input {call.input}")
    output = tuple(call.input[dim - 1] for dim in dims)
    if [size for size in output if size > 1] == [size for size in call.input if size > 1]:
        return Result(outputs=(output,))
    return Result(outputs=(output,), steps=(call.elementwise(TRANSPOSE, output),))


def repeat(call: Call) -> Result:
    """Rule of `RepeatVector`."""
    (features,) = call.require_rank(1)
    return _copied(call, (call.fields.integer("n"), features))


def _pairs(call: Call, name: str, rank: int) -> tuple[tuple[int, int], ...]:
    """Return (before, after) for each dimension from 1, (1, 1) or ((1, 1), (1, 1))."""
    value: Any = call.fields.raw(name, default=1)
    if is_integer(value):
        value = [value] * rank
    if rank == 1 and isinstance(value, list) and len(value) == 2:
        value = [value]
    if not isinstance(value, list) or len(value) != rank:
        raise call.fields.refuse(f"{name!r} must have {rank} entries, found {describe(value)}")
    pairs = []
    for entry in value:
        both = [entry, entry] if is_integer(entry) else entry
        numbers = call.fields.sequence_of_integers(name, both)
        if len(numbers) != 2 or min(numbers) < 0:
            raise call.fields.refuse(f"{name!r} must be pairs >= 0, found {describe(value)}")
        pairs.append((numbers[0], numbers[1]))
    return tuple(pairs)


def _resized(call: Call, image: Image, spatial: Shape) -> Result:
    if min(spatial) < 1:
        raise call.fields.refuse(f"nothing is left of its input {call.input}")
    return _copied(call, image.shape(spatial, channels=image.channels))


def pad(call: Call) -> Result:
    """Rule of `ZeroPadding1D`, `ZeroPadding2D`, `ZeroPadding3D`."""
    rank = read_rank(call.class_name)
    image = read_image(call, rank)
    pairs = _pairs(call, "padding", rank)
    return _resized(
        call, image, tuple(n + a + b for n, (a, b) in zip(image.spatial, pairs, strict=True))
    )


def crop(call: Call) -> Result:
    """Rule of `Cropping1D`, `Cropping2D`, `Cropping3D`."""
    rank = read_rank(call.class_name)
    image = read_image(call, rank)
    pairs = _pairs(call, "cropping", rank)
    return _resized(
        call, image, tuple(n - a - b for n, (a, b) in zip(image.spatial, pairs, strict=True))
    )


def upsample(call: Call) -> Result:
    """Rule of `UpSampling1D`, `UpSampling2D`, `UpSampling3D`."""
    rank = read_rank(call.class_name)
    image = read_image(call, rank)
    factors = call.fields.integers("size", length=rank, default=2)
    return _resized(call, image, tuple(n * f for n, f in zip(image.spatial, factors, strict=True)))


def resize(call: Call) -> Result:
    """Rule of `Resizing`, `CenterCrop`, `RandomCrop`: a given height and width."""
    image = read_image(call, 2)
    return _resized(call, image, (call.fields.integer("height"), call.fields.integer("width")))


def disturb(call: Call) -> Result:
    """Rule of dropout, noise and random image changes: at work only in training."""
    if not call.is_training or call.fields.raw("rate") == 0:
        return passing(call)
    op = "dropout" if "Dropout" in call.class_name else "noise"
    return Result(outputs=(call.input,), steps=(call.elementwise(op, call.input),))


def rescale(call: Call) -> Result:
    """Rule of `Rescaling` and other layers of one operation on each value."""
    return Result(outputs=(call.input,), steps=(call.elementwise("rescale", call.input),))


def layer_scale(call: Call) -> Result:
    """Rule of `LayerScale` of Keras' ConvNeXt: a trainable factor for each channel."""
    step = call.elementwise("multiply", call.input)
    dim = call.fields.integer("projection_dim")
    return Result(outputs=(call.input,), steps=(replace(step, weights=(dim,)),))


def scaled_sum(call: Call) -> Result:
    """Rule of `CustomScaleLayer` of Keras' InceptionResNetV2: first + factor * second."""
    step = call.elementwise("add", call.input, n_inputs=2)
    return Result(outputs=(call.input,), steps=(step,))


_RANKS = (1, 2, 3)
_DISTURBING = (
    "Dropout", "SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D", "GaussianDropout",
    "GaussianNoise", "AlphaDropout", "StochasticDepth", "RandomFlip", "RandomRotation",
    "RandomZoom", "RandomTranslation", "RandomContrast", "RandomBrightness", "RandomColorJitter",
    "RandomGrayscale", "RandomHue", "RandomSaturation", "RandomSharpness", "RandomShear",
    "RandomPerspective", "RandomGaussianBlur", "RandomErasing", "RandomInvert",
    "RandomPosterization", "RandomColorDegeneration", "RandAugment", "AutoContrast", "AugMix",
    "Equalization", "Solarization", "RandomElasticTransform", "MixUp", "CutMix",
    "ContrastLimitedAdaptiveHistogramEqualization",
)  # fmt: skip
RULES = {
    **dict.fromkeys(
        ("Masking", "ActivityRegularization", "Identity", "InputLayer", "MaxNumBoundingBoxes"),
        passing,
    ),
    "Flatten": flatten,
    "Reshape": reshape,
    "Permute": permute,
    "RepeatVector": repeat,
    **{f"ZeroPadding{rank}D": pad for rank in _RANKS},
    **{f"Cropping{rank}D": crop for rank in _RANKS},
    **{f"UpSampling{rank}D": upsample for rank in _RANKS},
    **dict.fromkeys(("Resizing", "CenterCrop", "RandomCrop"), resize),
    **dict.fromkeys(_DISTURBING, disturb),
    "Rescaling": rescale,
    "LayerScale": layer_scale,
    "CustomScaleLayer": scaled_sum,
}
