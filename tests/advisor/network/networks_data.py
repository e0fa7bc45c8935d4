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
