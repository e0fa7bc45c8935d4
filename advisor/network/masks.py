"""Which tensors carry a mask of moments to leave out, as Keras hands it on from layer to layer.

A recurrent layer with a mask chooses between old and new states in each time step.
Leaves to others: what that costs (`advisor.network.rules_recurrent`).
"""

from collections.abc import Mapping
from typing import Any

# Layers of Keras 3.15 that say that they support masking and hand on what they were given.
_HANDING_ON = frozenset(
    {
        "Activation", "ActivityRegularization", "Add", "AdditiveAttention", "AlphaDropout",
        "Attention", "Average", "BatchNormalization", "Concatenate", "Dense", "Dot", "Dropout",
        "ELU", "GaussianDropout", "GaussianNoise", "GroupNormalization", "GroupQueryAttention",
        "Identity", "LayerNormalization", "LeakyReLU", "Maximum", "Minimum",
        "MultiHeadAttention", "Multiply", "Normalization", "PReLU", "ReLU", "Rescaling",
        "Softmax", "SpatialDropout1D", "Subtract", "TimeDistributed", "UnitNormalization",
    }
)  # fmt: skip
# These do where they give a result for each moment.
_RECURRENT = frozenset({"LSTM", "GRU", "SimpleRNN", "RNN"})


def gives_mask(class_name: str, config: Mapping[str, Any], *, is_masked: bool) -> bool:
    """Return whether the result of a layer carries a mask; `is_masked`: whether an input does."""
    if class_name == "Masking":
        return True
    if class_name == "Embedding":
        return config.get("mask_zero") is True
    if class_name == "Bidirectional":
        wrapped = config.get("layer")
        inner = wrapped.get("config") if isinstance(wrapped, Mapping) else None
        return is_masked and isinstance(inner, Mapping) and inner.get("return_sequences") is True
    if class_name in _RECURRENT:
        return is_masked and config.get("return_sequences") is True
    return is_masked and class_name in _HANDING_ON
