"""The layers of a Keras model as they stand in its file, one by one.

Leaves to others: their wiring (`advisor.network.keras_wiring`), what they compute
(`advisor.network.dispatch`).
"""

from collections.abc import Mapping
from typing import Any

from advisor.errors import NetworkFileError
from advisor.network.call import Recorded
from advisor.network.fields import describe, plain_name
from advisor.network.keras_references import recorded_shape, without_batch

# Packages whose layers and operations are known by their names: keras, keras_hub, tensorflow.
_MODULES = ("keras", "tf_keras", "tensorflow", "builtins")


def layer_parts(entry: Any, *, position: int) -> tuple[str, str, dict[str, Any]]:
    """Return name, class and configuration of an entry of "layers"."""
    if not isinstance(entry, dict) or not isinstance(entry.get("class_name"), str):
        raise NetworkFileError(f"layer {position + 1} has no class: found {describe(entry)}")
    config = entry.get("config")
    if isinstance(config, list):
        config = {"layers": config}
    if not isinstance(config, dict):
        raise NetworkFileError(f"layer {position + 1} has no configuration")
    name = config.get("name") or entry.get("name") or f"layer_{position + 1}"
    if not isinstance(name, str):
        raise NetworkFileError(f"layer {position + 1} has a name that is no text")
    class_name = plain_name(entry["class_name"])
    return name, f"Custom>{class_name}" if _is_own(entry) else class_name, config


def take_name(name: str, names: set[str]) -> None:
    """Add the name of a layer to those of its model, which must differ."""
    if name in names:
        raise NetworkFileError(f"two layers are called {name!r}: Keras could not load it either")
    names.add(name)


def _is_own(entry: Mapping[str, Any]) -> bool:
    """Whether a class is the user's, whatever its name: Keras 3 writes where each comes from."""
    if "module" not in entry:
        return False
    module = entry["module"]
    return not (isinstance(module, str) and module.split(".")[0].startswith(_MODULES))


def calls_operation(entry: Mapping[str, Any]) -> bool:
    """Whether an entry is a function of `keras.ops`: some have the name of a layer."""
    module = entry.get("module")
    return isinstance(module, str) and "ops" in module.split(".")


def is_model(serialised: Mapping[str, Any]) -> bool:
    """Whether a serialised layer is a model of its own."""
    config = serialised.get("config")
    has_layers = isinstance(config, list) or (isinstance(config, dict) and "layers" in config)
    return has_layers and serialised.get("class_name") not in ("StackedRNNCells",)


def built_for(others: list[Any]) -> tuple[Recorded | None, ...]:
    """Return the shape that the next layer was built for, which is what this one gives it."""
    built = others[0].get("build_config") if others and isinstance(others[0], dict) else None
    stated = built.get("input_shape") if isinstance(built, dict) else None
    shape = without_batch(recorded_shape(stated), is_fixed=True)
    return () if shape is None else (shape,)
