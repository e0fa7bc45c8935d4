"""Two bundled networks for the tests of the form."""

from advisor.model.published import NetworkFacts
from ui.journey import DEFAULT_NETWORK


def _facts(name, title, **changes):
    values = {
        "name": name, "title": title, "aliases": (), "family": "cnn", "dataset": None,
        "samples": 60_000, "classes": 10, "batch_size": 64, "epochs": 12, "optimizer": "sgd",
        "parameters": 1000, "multiply_adds_per_sample": None, "source": "here", "note": None,
    }  # fmt: skip
    return NetworkFacts(**{**values, **changes})


NETWORKS = (
    _facts("small", "A small network"),
    _facts(DEFAULT_NETWORK, "The default network", samples=None, batch_size=32, epochs=20),
)
