"""The bundled networks: Keras configurations by name, without weights.

The worker that trains a network really uses the same text, so that what is predicted is what runs.
Leaves to others: the facts about them (`NetworkFacts`, `advisor.knowledge`), making the files
(`tools/build_networks.py`).
"""

import difflib
import gzip
import importlib.resources
from collections.abc import Iterable

from advisor.errors import InputError, NetworkFileError
from advisor.model.published import NetworkFacts
from advisor.network.reading import MAX_CONFIG_BYTES

_FOLDER = ("data", "networks")


def find_network(name: str, *, networks: Iterable[NetworkFacts]) -> NetworkFacts:
    """Return the facts of a network by its name or by one of its other names.

    Raises:
        InputError: when there is none of that name; lists those that come close.
    """
    known = tuple(networks)
    wanted = _simplified(name)
    for facts in known:
        if wanted in map(_simplified, (facts.name, facts.title, *facts.aliases)):
            return facts
    names = {_simplified(x): facts.name for facts in known for x in (facts.name, *facts.aliases)}
    close = [names[x] for x in difflib.get_close_matches(wanted, names, n=3, cutoff=0.5)]
    hint = f"did you mean {' or '.join(dict.fromkeys(close))}? " if close else ""
    raise InputError(
        f"no bundled network is called {name!r}: {hint}"
        "`dl-advisor networks` lists all; --model FILE takes one of your own"
    )


def _simplified(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


def bundled_config_text(name: str) -> str:
    """Return the Keras JSON of a bundled network by its exact name.

    Raises:
        NetworkFileError: when the installation lacks the file.
    """
    folder = importlib.resources.files("resources").joinpath(*_FOLDER)
    plain = folder.joinpath(f"{name}.json")
    if plain.is_file():
        return plain.read_text(encoding="utf-8")
    packed = folder.joinpath(f"{name}.json.gz")
    if not packed.is_file():
        raise NetworkFileError(f"the file of network {name!r} is missing: reinstall DL Advisor")
    with packed.open("rb") as raw, gzip.open(raw) as stream:
        return stream.read(MAX_CONFIG_BYTES).decode("utf-8")
