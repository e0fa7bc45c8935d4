"""How many seconds a session may still take, in all or for each device.

Leaves to others: what is left out when they are used up (`probes.bench.session`).
"""

from collections.abc import Callable, Mapping


class Allowance:
    """Seconds that are left, in all or for the device that is being measured."""

    def __init__(
        self, budget_s: float | Mapping[str, float] | None, *, clock: Callable[[], float]
    ) -> None:
        self._is_shared = not isinstance(budget_s, Mapping)
        self._rest_s: dict[str, float] = {}
        if isinstance(budget_s, Mapping):
            self._rest_s.update(budget_s)
        elif budget_s is not None:
            self._rest_s[""] = budget_s
        self._clock = clock
        self._key = ""
        self._began = clock()
        self._reserve_s = 0.0

    def begin(self, device_id: str, *, reserve_s: float = 0.0) -> None:
        """Begin to count for a device; `reserve_s` is kept for what comes after."""
        self._key = "" if self._is_shared else device_id
        self._began = self._clock()
        self._reserve_s = reserve_s

    def end(self) -> None:
        """Take off what was used since `begin`."""
        rest_s = self.rest_s()
        if rest_s is not None:
            self._rest_s[self._key] = rest_s + self._reserve_s

    def rest_s(self) -> float | None:
        """Return what is left now; None: no limit."""
        rest_s = self._rest_s.get(self._key)
        # A clock that was set back gives nothing back.
        if rest_s is None:
            return None
        return rest_s - self._reserve_s - max(0.0, self._clock() - self._began)
