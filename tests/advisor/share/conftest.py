"""The bundled tables, read once for all tests of sharing."""

import pytest

from advisor.knowledge.store import load_knowledge
from advisor.share.vocabulary import vocabulary_of


@pytest.fixture(scope="session")
def knowledge():
    return load_knowledge()


@pytest.fixture(scope="session")
def vocabulary(knowledge):
    return vocabulary_of(knowledge)
