"""Asking whoever measures to stop.

Leaves to others: what becomes of a worker then (`probes.bench.process`).
"""

import contextlib
import threading
from collections.abc import Iterator


class CancelToken:
    """Asks whatever was given this token to stop; may be used from any thread."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._is_urgent = threading.Event()
        self._n_followers = 0

    def cancel(self) -> None:
        """Ask to stop; asking twice is asking once."""
        self._event.set()

    @property
    def is_cancelled(self) -> bool:
        """Whether it was asked."""
        return self._event.is_set()

    @property
    def is_urgent(self) -> bool:
        """Whether it was asked to stop without waiting for anybody."""
        return self._is_urgent.is_set()

    def hurry(self) -> bool:
        """Ask not to wait for a worker that was asked to stop.

        Returns:
            False: nobody follows this token now, or nobody did when it was asked before.
        """
        if self._n_followers == 0 or self.is_urgent:
            return False
        self._is_urgent.set()
        return True

    @contextlib.contextmanager
    def followed(self) -> Iterator[None]:
        """Say meanwhile that whatever was given this token looks at it."""
        self._n_followers += 1
        try:
            yield
        finally:
            self._n_followers -= 1


def followed_by(token: CancelToken | None) -> contextlib.AbstractContextManager[None]:
    """Say meanwhile that a token is looked at, if there is one."""
    return contextlib.nullcontext() if token is None else token.followed()
