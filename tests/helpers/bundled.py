"""The bundled facts and what follows from them, read and derived once for all tests of a process.

They are frozen, so that no test can change them for another.
"""

import functools

from advisor.knowledge.store import Knowledge, load_knowledge
from advisor.predict.index import KnowledgeIndex, knowledge_index


@functools.cache
def bundled_knowledge() -> Knowledge:
    """Return the bundled facts."""
    return load_knowledge()


@functools.cache
def bundled_index() -> KnowledgeIndex:
    """Return what follows from the bundled facts."""
    return knowledge_index(bundled_knowledge())


def index_of(knowledge: Knowledge) -> KnowledgeIndex | None:
    """Return what follows from these facts where it is there; None: whoever asks derives it."""
    is_read = bundled_knowledge.cache_info().currsize > 0
    return bundled_index() if is_read and knowledge is bundled_knowledge() else None
