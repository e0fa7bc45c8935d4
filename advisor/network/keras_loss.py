"""The loss that a Keras file was compiled with, by name.

Leaves to others: which loss a network without one gets (`advisor.predict.loss`, `probes.workers`).
"""

from typing import Any

_CLASSES = {
    "SparseCategoricalCrossentropy": "sparse_categorical_crossentropy",
    "CategoricalCrossentropy": "categorical_crossentropy",
    "BinaryCrossentropy": "binary_crossentropy",
    "MeanSquaredError": "mse",
    "MeanAbsoluteError": "mae",
}


def compiled_loss(config: Any) -> str | None:
    """Return the loss in the parsed JSON of a Keras file; None without one or for one of code."""
    compiled = config.get("compile_config") if isinstance(config, dict) else None
    return loss_name(compiled.get("loss")) if isinstance(compiled, dict) else None


def loss_name(entry: Any) -> str | None:
    """Return the name of a loss as a Keras file writes it; None for one that holds code."""
    if isinstance(entry, str):
        return entry
    if not isinstance(entry, dict):
        return None
    name, inner = entry.get("class_name"), entry.get("config")
    if name == "function" and isinstance(inner, str):
        return inner
    # Losses on logits are chosen from the last layer, which then has no activation.
    if isinstance(inner, dict) and inner.get("from_logits"):
        return None
    return _CLASSES.get(str(name))
