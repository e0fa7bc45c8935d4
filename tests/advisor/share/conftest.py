"""The bundled tables, read once for all tests of sharing."""

import pytest

from advisor.share.vocabulary import vocabulary_of
from tests.helpers.bundled import bundled_knowledge


@pytest.fixture(scope="session")
def knowledge():
    return bundled_knowledge()


@pytest.fixture(scope="session")
def vocabulary(knowledge):
    return vocabulary_of(knowledge)
