"""How many uploads an address may send in an hour, without knowing the address.

Addresses are hashed with a salt that lives in memory for an hour and is then thrown away with all
counts. Each process counts for itself: with n copies the limit is up to n times as high.
Leaves to others: which address a request has (`app`).
"""

import hashlib
import ipaddress
import secrets
from collections.abc import Callable

WINDOW_S = 3600.0
_MOST_ADDRESSES = 100_000


class Limiter:
    """Counts requests in a window.

    Args:
        most: in a window from one address; 0 for no limit.
        clock: seconds, monotonic.
    """

    def __init__(self, most: int, *, clock: Callable[[], float]) -> None:
        self._most = most
        self._clock = clock
        self._began = clock()
        self._salt = secrets.token_bytes(16)
        self._counts: dict[bytes, int] = {}

    def wait_s(self, address: str) -> float | None:
        """Count a request; return how long its sender must wait, None when it may go on."""
        if self._most == 0:
            return None
        now = self._clock()
        if now - self._began >= WINDOW_S or len(self._counts) >= _MOST_ADDRESSES:
            self._began, self._salt, self._counts = now, secrets.token_bytes(16), {}
        name = hashlib.blake2b(_network(address), key=self._salt, digest_size=16).digest()
        count = self._counts.get(name, 0)
        if count >= self._most:
            return max(1.0, self._began + WINDOW_S - now)
        self._counts[name] = count + 1
        return None


def _network(address: str) -> bytes:
    """Return what a sender cannot change at will: of IPv6 the first half."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return b"unknown"
    return parsed.packed[:8] if parsed.version == 6 else parsed.packed
