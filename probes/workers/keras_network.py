"""The number format of a network's configuration (Keras, JSON).

Leaves to others: building and running the network (`user_network_model.py`).
"""

# Entries with a number format that compute nothing: what comes in, and what links two layers.
_NOT_COMPUTING = ("InputLayer", "__keras_tensor__")


def with_policy(config, policy):
    """Return a network's configuration with another number format in all layers that compute.

    Input layers and layers of integers keep theirs.
    """
    if isinstance(config, list):
        return [with_policy(entry, policy) for entry in config]
    if not isinstance(config, dict):
        return config
    changed = {key: with_policy(value, policy) for key, value in config.items()}
    inner = changed.get("config")
    is_layer = "class_name" in changed and isinstance(inner, dict) and "dtype" in inner
    if is_layer and changed["class_name"] not in _NOT_COMPUTING and _is_float(inner["dtype"]):
        changed["config"] = dict(inner, dtype=policy)
    return changed


def _is_float(dtype):
    if isinstance(dtype, dict):
        dtype = (dtype.get("config") or {}).get("name")
    return dtype is None or (isinstance(dtype, str) and "float" in dtype)
