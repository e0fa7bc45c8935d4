"""The facts that the program is shipped with, with the user's own, read once for all who ask.

Leaves to others: reading them (`advisor.knowledge`), where the user's files are (`ui.settings`).
"""

from __future__ import annotations

import datetime as dt
import functools
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

from advisor.knowledge.store import Knowledge, load_knowledge, load_networks
from advisor.model.published import NetworkFacts
from ui.settings import own_rows_folder, prices_folder

if TYPE_CHECKING:
    from advisor.predict.index import KnowledgeIndex

_T = TypeVar("_T")


class Once(Generic[_T]):
    """A function without arguments that is called once, whichever threads ask at a time."""

    def __init__(self, function: Callable[[], _T]) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._lock = threading.Lock()
        self._answers: list[_T] = []

    def __call__(self) -> _T:
        """Return the answer; a second thread waits for the first one's."""
        with self._lock:
            answers = self._answers
            if not answers:
                answers.append(self._function())
            return answers[0]

    def cache_clear(self) -> None:
        """Ask anew the next time; never waits, even while somebody else is asking."""
        self._answers = []


def known_networks() -> tuple[NetworkFacts, ...]:
    """Return the networks that have names, before the rest of the dataset is read."""
    if own_rows_folder().is_dir():
        return bundled_knowledge().networks
    return load_networks()


@Once
def bundled_knowledge() -> Knowledge:
    """Return the bundled dataset with refreshed prices and the user's own rows, read once."""
    from advisor.knowledge.refresh.table import add_refreshed
    from advisor.knowledge.user_folder import add_user_folder

    knowledge = add_refreshed(load_knowledge(), folder=prices_folder())
    return add_user_folder(knowledge, folder=own_rows_folder(), today=dt.date.today())


@Once
def bundled_index() -> KnowledgeIndex:
    """Return what follows from the bundled dataset alone, derived once."""
    from advisor.predict.index import knowledge_index

    return knowledge_index(bundled_knowledge())
