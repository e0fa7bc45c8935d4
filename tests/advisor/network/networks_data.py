"""The bundled facts and small models that the tests of this folder share."""

import json
from pathlib import Path
from typing import Any

from advisor.knowledge.rows import parse_rows
from advisor.model.published import NetworkFacts
from advisor.network.keras_config import network_from_config

DATA = Path(__file__).parents[3] / "resources" / "data" / "networks"
NETWORKS = parse_rows(
    (DATA / "networks.csv").read_text(encoding="utf-8"), NetworkFacts, file="networks.csv"
)


def layer(class_name: str, **config: Any) -> dict[str, Any]:
    """A layer as it stands in a file."""
    return {"class_name": class_name, "config": config}


def sequential(shape: tuple[int | None, ...], *layers: dict[str, Any]) -> dict[str, Any]:
    """A sequential model of Keras 3 that is fed `shape` (without the batch)."""
    feed = layer("InputLayer", batch_shape=[None, *shape], name="feed")
    return {"class_name": "Sequential", "config": {"name": "small", "layers": [feed, *layers]}}


def functional(
    feeds: dict[str, tuple[int | None, ...]],
    calls: dict[str, tuple[dict[str, Any], list[Any]]],
    outputs: list[str],
) -> dict[str, Any]:
    """A functional model in the short form of Keras 2: name -> (layer, names it is applied to)."""
    entries = [
        {
            **layer("InputLayer", batch_shape=[None, *shape], name=name),
            "name": name,
            "inbound_nodes": [],
        }
        for name, shape in feeds.items()
    ]
    for name, (body, sources) in calls.items():
        inbound = [[[source, 0, 0, {}] for source in sources]]
        config = {"name": name, **body["config"]}
        entries.append({**body, "config": config, "name": name, "inbound_nodes": inbound})
    config = {
        "name": "net",
        "layers": entries,
        "input_layers": [[name, 0, 0] for name in feeds],
        "output_layers": [[name, 0, 0] for name in outputs],
    }
    return {"class_name": "Functional", "config": config}


def encoded(config: Any) -> bytes:
    return json.dumps(config).encode()


def built(config, *, batch=2, is_training=True):
    return network_from_config(config, name="net", batch_size=batch, is_training=is_training)


def array(*sizes: int) -> dict[str, Any]:
    """An array of zeros as it stands in the arguments of an operation."""
    value: Any = 0.0
    for size in reversed(sizes):
        value = [value] * size
    return {"class_name": "__numpy__", "config": {"value": value, "dtype": "float32"}}


def operation(op: str, *given: Any, made: list[list[int | None]] | None = None, **config: Any):
    """The network of a function of `keras.ops`: a tuple of sizes stands for an input of it.

    Args:
        op: class of the operation.
        given: its arguments in order: inputs, arrays, or anything else.
        made: recorded shapes of its results, which are read by another operation; None: they are
            the outputs of the model.
        config: its configuration.
    """
    layers: list[dict[str, Any]] = []

    def tensor(name: str, shape: list[int | None], result: int = 0) -> dict[str, Any]:
        history = {"shape": shape, "keras_history": [name, 0, result]}
        return {"class_name": "__keras_tensor__", "config": history}

    def feed(shape: tuple[int, ...]) -> dict[str, Any]:
        name = f"in{len(layers)}"
        body = layer("InputLayer", batch_shape=[None, *shape], name=name)
        layers.append({**body, "name": name, "inbound_nodes": []})
        return tensor(name, [None, *shape])

    def node(name: str, args: list[Any]) -> dict[str, Any]:
        return {"name": name, "inbound_nodes": [{"args": args, "kwargs": {}}]}

    args = [feed(one) if isinstance(one, tuple) else one for one in given]
    feeds = [one["name"] for one in layers]
    body = {**layer(op, name="op", **config), "module": "keras.src.ops.numpy"}
    layers.append({**body, **node("op", args)})
    ends = [["op", 0, 0]]
    if made is not None:
        ends = [[f"after{result}", 0, 0] for result in range(len(made))]
        for result, shape in enumerate(made):
            name = f"after{result}"
            layers.append(
                {**layer("Identity", name=name), **node(name, [tensor("op", shape, result)])}
            )
    wiring = {"input_layers": [[name, 0, 0] for name in feeds], "output_layers": ends}
    return built({"class_name": "Functional", "config": {"layers": layers, **wiring}})
