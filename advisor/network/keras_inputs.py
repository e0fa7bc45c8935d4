"""Shapes of what a Keras model is fed, and what to assume where they are free.

Leaves to others: the layers behind the input (`advisor.network.keras_config`).
"""

from collections.abc import Callable, Mapping
from typing import Any

from advisor.errors import NetworkFileError
from advisor.network.call import Shape
from advisor.network.fields import MAX_DIMENSION, describe, is_integer

# Assumed where a model leaves a size open: side of an image, steps of a sequence, side of a volume.
ASSUMED_IMAGE_SIDE = 224
ASSUMED_TIMESTEPS = 128
ASSUMED_VOLUME_SIDE = 64

_BATCH_SHAPES = ("batch_shape", "batch_input_shape")


def _assumed_size(rank: int) -> int:
    return {3: ASSUMED_IMAGE_SIDE, 4: ASSUMED_VOLUME_SIDE}.get(rank, ASSUMED_TIMESTEPS)


def _fill(sizes: list[Any], *, where: str, note: Callable[[str], None]) -> Shape:
    """Return sizes as a shape, with free ones assumed and noted."""
    filled = []
    for stated in sizes:
        size = _assumed_size(len(sizes)) if stated is None else stated
        if not is_integer(size) or not 1 <= size <= MAX_DIMENSION:
            raise NetworkFileError(f"{where}: {describe(sizes)} is not a shape")
        filled.append(size)
    if None in sizes:
        assumed = " x ".join(str(size) for size in filled)
        note(f"The size of {where} is not fixed in the file: taken as {assumed}.")
    return tuple(filled)


def _find(config: Mapping[str, Any]) -> list[Any] | None:
    """Return the per-sample sizes that a configuration states, None when it states none."""
    for name in _BATCH_SHAPES:
        value = config.get(name)
        if isinstance(value, list) and value:
            return value[1:]
    for name in ("shape", "input_shape"):
        value = config.get(name)
        if isinstance(value, list):
            return value
    if is_integer(config.get("input_dim")) and "output_dim" not in config:
        return [config["input_dim"]]
    return None


def input_shape(config: Mapping[str, Any], *, where: str, note: Callable[[str], None]) -> Shape:
    """Return the per-sample shape of an input layer.

    Raises:
        NetworkFileError: when it states none.
    """
    sizes = _find(config)
    if sizes is None:
        raise NetworkFileError(f"{where} has no shape")
    return _fill(sizes, where=where, note=note)


def sequential_shape(
    body: Mapping[str, Any], *, model: Mapping[str, Any], note: Callable[[str], None]
) -> Shape:
    """Return the per-sample shape of what a sequential model is fed.

    It stands in the first layer, in the model, or in what the model was built with.

    Raises:
        NetworkFileError: when the model was saved before it was built.
    """
    first: Any = body["layers"][0]
    while isinstance(first, dict) and isinstance(first.get("config"), dict):
        config = first["config"]
        sizes = _find(config)
        if sizes is not None:
            return _fill(sizes, where="the input", note=note)
        inner = config.get("layers") or [config.get("layer")]
        first = inner[0] if isinstance(inner, list) else None
    for source in (body.get("build_input_shape"), _built_with(model), _built_with(body)):
        if isinstance(source, list) and source:
            return _fill(source[1:], where="the input", note=note)
    raise NetworkFileError(
        "the model does not say what it is fed: give its first layer an input shape "
        "(keras.Input), then save it again"
    )


def _built_with(config: Mapping[str, Any]) -> Any:
    built = config.get("build_config")
    return built.get("input_shape") if isinstance(built, dict) else None
