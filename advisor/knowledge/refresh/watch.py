"""Ends a transfer from outside: at its deadline, or when the user asks to stop.

A time-out of a socket starts anew with every byte, so that a server that drips can hold a reader
for ever. Here a second thread looks at the clock and shuts the connections of the transfer; the
reader then fails at once.
Leaves to others: what is read (`advisor.knowledge.refresh.fetch`).
"""

import contextlib
import socket
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

LOOK_S = 0.05


class Watch:
    """Shuts the connections registered with it at the deadline or on request.

    Args:
        total_s: time until the deadline.
        should_stop: asked again and again whether the user wants to stop.
    """

    def __init__(self, total_s: float, *, should_stop: Callable[[], bool]) -> None:
        self._until = time.monotonic() + total_s
        self._should_stop = should_stop
        self._sockets: list[socket.socket] = []
        self._lock = threading.Lock()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look, name="price-watch", daemon=True)
        self.is_cancelled = False
        self.is_late = False

    def __enter__(self) -> "Watch":
        """Start looking."""
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop looking and let go of the connections."""
        self._done.set()
        self._thread.join()
        with self._lock:
            for sock in self._sockets:
                sock.close()
            self._sockets.clear()

    def left_s(self) -> float:
        """Return the seconds until the deadline, not below 0."""
        return max(0.0, self._until - time.monotonic())

    def check(self) -> bool:
        """Return whether the transfer may go on."""
        self.is_cancelled = self.is_cancelled or self._should_stop()
        self.is_late = self.is_late or self.left_s() <= 0.0
        return not (self.is_cancelled or self.is_late)

    def pause(self, seconds: float) -> None:
        """Wait, but not beyond the deadline or a wish to stop."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and self.check():
            self._done.wait(min(LOOK_S, max(0.0, until - time.monotonic())))

    def add(self, sock: socket.socket) -> None:
        """Register a connection; a copy of the handle survives the change to TLS."""
        with self._lock:
            self._sockets.append(sock.dup())
        if not self.check():
            self._shut()

    def _look(self) -> None:
        while not self._done.wait(LOOK_S):
            if not self.check():
                self._shut()

    def _shut(self) -> None:
        with self._lock:
            for sock in self._sockets:
                with contextlib.suppress(OSError):
                    sock.shutdown(socket.SHUT_RDWR)


class WatchedAdapter(HTTPAdapter):
    """The usual adapter of `requests`, with every connection registered with a watch."""

    def __init__(self, watch: Watch) -> None:
        self._pools = _pools(watch)
        super().__init__()

    def init_poolmanager(self, *args: Any, **more: Any) -> None:
        """Make the manager of direct connections."""
        super().init_poolmanager(*args, **more)
        self.poolmanager.pool_classes_by_scheme = self._pools

    def proxy_manager_for(self, *args: Any, **more: Any) -> Any:
        """Return the manager of connections through the user's proxy."""
        manager = super().proxy_manager_for(*args, **more)
        manager.pool_classes_by_scheme = self._pools
        return manager


def _pools(watch: Watch) -> dict[str, Any]:
    class WatchedHttp(HTTPConnection):
        def _new_conn(self) -> socket.socket:
            sock = super()._new_conn()
            watch.add(sock)
            return sock

    class WatchedHttps(HTTPSConnection):
        def _new_conn(self) -> socket.socket:
            sock = super()._new_conn()
            watch.add(sock)
            return sock

    class HttpPool(HTTPConnectionPool):
        ConnectionCls = WatchedHttp

    class HttpsPool(HTTPSConnectionPool):
        ConnectionCls = WatchedHttps

    return {"http": HttpPool, "https": HttpsPool}
