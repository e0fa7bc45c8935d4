"""Writes `resources/data/networks/<name>.json[.gz]`: the bundled networks without weights.

    python -m tools.build_networks [NAME ...]

Needs Keras; run by hand after a change in `tools/bundled_models.py`. A second run gives the same
bytes. What a layer takes by default is left out, so are initialisers and number formats: the
precision is the choice of whoever runs the model. Operations written outside of layers are
replaced by equal layers, so that every Keras 3 can load the file.
Leaves to others: the facts about the networks (`resources/data/networks/networks.csv`).
"""

import gzip
import inspect
import io
import json
import sys
from pathlib import Path
from typing import Any

import keras

from tools.bundled_models import MODELS

_FOLDER = Path(__file__).resolve().parent.parent / "resources" / "data" / "networks"
# A longer text is packed.
_PLAIN_CHARS = 16_000
# Keras reads these without asking whether they are there.
_KEPT = {"Rescaling": ("scale", "offset")}
# Keras makes the layer of the other direction from the first.
_DROPPED = ("backward_layer", "dtype", "trainable", "seed", "sparse", "ragged", "optional")


def _defaults(class_name: str, module: str) -> dict[str, Any]:
    cls = getattr(keras.layers if module == "keras.layers" else keras, class_name)
    parameters = inspect.signature(cls.__init__).parameters.values()
    return {p.name: p.default for p in parameters if p.default is not inspect.Parameter.empty}


def _is_default(name: str, value: Any, defaults: dict[str, Any]) -> bool:
    if name in _DROPPED or name.endswith(("_initializer", "_regularizer", "_constraint")):
        return True
    plain = list(value) if isinstance(value, tuple) else value
    default = defaults.get(name, inspect.Parameter.empty)
    default = list(default) if isinstance(default, tuple) else default
    if isinstance(plain, list) and plain == [default] * len(plain) and name != "axis":
        return True  # (1, 1) for 1
    if name in ("data_format",) and plain == "channels_last":
        return True
    return (
        plain is None
        or (plain == default and type(plain) is type(default))
        or (name == "activation" and plain == "linear" and name in defaults)
    )


def _lean_config(layer: dict[str, Any]) -> dict[str, Any]:
    defaults = _defaults(layer["class_name"], layer["module"])
    kept = ("name", "batch_shape", *_KEPT.get(layer["class_name"], ()))
    lean: dict[str, Any] = {}
    for name, value in layer["config"].items():
        if name == "layer":
            lean[name] = _lean_layer(value)
        elif name == "layers":
            lean[name] = [_lean_layer(entry) for entry in value]
        elif name in kept or not _is_default(name, value, defaults):
            lean[name] = value
    if "pool_size" in layer["config"] and lean.get("strides") == layer["config"]["pool_size"]:
        del lean["strides"]
    return lean


def _lean_layer(layer: dict[str, Any]) -> dict[str, Any]:
    return {
        "module": layer["module"],
        "class_name": layer["class_name"],
        "config": _lean_config(layer),
    }


def _history(tensor: Any) -> list[Any] | None:
    if isinstance(tensor, dict) and tensor.get("class_name") == "__keras_tensor__":
        return list(tensor["config"]["keras_history"])
    return None


def _references(node: dict[str, Any]) -> list[list[Any]]:
    """Return the tensors of a call as ["layer", node, tensor, {}], the short form."""
    arguments = [*node["args"], *node["kwargs"].values()]
    flat = [x for entry in arguments for x in (entry if isinstance(entry, list) else [entry])]
    return [[*history, {}] for history in map(_history, flat) if history is not None]


def _constant(node: dict[str, Any]) -> float:
    arguments = [*node["args"], *node["kwargs"].values()]
    (value,) = [x for x in arguments if isinstance(x, int | float)]
    return float(value)


def _replaced(layer: dict[str, Any]) -> list[dict[str, Any]]:
    """Return layers that every Keras 3 knows and that compute the same."""
    name, (node,) = layer["name"], layer["inbound_nodes"]
    given = _references(node)

    def entry(class_name: str, config: dict[str, Any], inbound: list[Any], own: str) -> Any:
        return {
            "module": "keras.layers",
            "class_name": class_name,
            "config": {"name": own, **config},
            "name": own,
            "inbound_nodes": [inbound],
        }

    match layer["class_name"]:
        case "Add" if len(given) == 1:
            return [entry("Rescaling", {"scale": 1.0, "offset": _constant(node)}, given, name)]
        case "Multiply" if len(given) == 1:
            return [entry("Rescaling", {"scale": _constant(node), "offset": 0.0}, given, name)]
        case "Add" | "Multiply":
            return [entry(layer["class_name"], {}, given, name)]
        case "CustomScaleLayer":
            scaled, scale = f"{name}_scaled", layer["config"]["scale"]
            first, second = given
            return [
                entry("Rescaling", {"scale": scale, "offset": 0.0}, [second], scaled),
                entry("Add", {}, [first, [scaled, 0, 0, {}]], name),
            ]
    raise ValueError(f"no replacement for {layer['class_name']}")


def _lean_scale(layer: dict[str, Any]) -> dict[str, Any]:
    """Return ConvNeXt's trainable factor of each channel as a layer that every Keras 3 knows."""
    shape = layer["build_config"]["input_shape"]
    name = layer["config"]["name"]
    config = {"name": name, "equation": "abcd,d->abcd", "output_shape": shape[1:]}
    return {"module": "keras.layers", "class_name": "EinsumDense", "config": config}


def _lean_entries(layer: dict[str, Any]) -> list[dict[str, Any]]:
    if layer["class_name"] == "LayerScale":
        bodies = [_lean_scale(layer)]
    elif layer["module"] not in ("keras.layers", "keras"):
        return _replaced(layer)
    else:
        bodies = [_lean_layer(layer)]
    inbound = [_references(node) for node in layer["inbound_nodes"]]
    return [{**body, "name": layer["name"], "inbound_nodes": inbound} for body in bodies]


def lean_model(model: Any) -> dict[str, Any]:
    """Return the configuration of a model without anything that is default."""
    full = json.loads(model.to_json())
    config = full["config"]
    if full["class_name"] == "Sequential":
        layers = [_lean_layer(layer) for layer in config["layers"]]
        body: dict[str, Any] = {"name": config["name"], "layers": layers}
    else:
        layers = [lean for layer in config["layers"] for lean in _lean_entries(layer)]
        body = {
            "name": config["name"],
            "layers": layers,
            "input_layers": config["input_layers"],
            "output_layers": config["output_layers"],
        }
    return {"module": full["module"], "class_name": full["class_name"], "config": body}


def write_network(name: str, *, folder: Path = _FOLDER) -> Path:
    """Write the file of one network and return its path."""
    keras.utils.clear_session()  # layer names count from the beginning
    text = json.dumps(lean_model(MODELS[name]()), separators=(",", ":"), ensure_ascii=False)
    plain, packed = folder / f"{name}.json", folder / f"{name}.json.gz"
    if len(text) <= _PLAIN_CHARS:
        plain.write_text(text + "\n", encoding="utf-8")
        return plain
    buffer = io.BytesIO()
    # mtime 0 and no file name: the same text gives the same bytes.
    with gzip.GzipFile(filename="", mode="wb", fileobj=buffer, mtime=0) as stream:
        stream.write(text.encode("utf-8"))
    packed.write_bytes(buffer.getvalue())
    return packed


def main(names: list[str]) -> None:
    """Write the networks of the given names, all of them without names."""
    for name in names or sorted(MODELS):
        path = write_network(name)
        sys.stdout.write(f"{path.name}: {path.stat().st_size} bytes\n")


if __name__ == "__main__":
    main(sys.argv[1:])
