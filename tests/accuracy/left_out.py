"""Weights of the published times when some of them are left out, without solving all anew."""

import numpy as np

from advisor.predict.anchors import Anchor
from advisor.predict.answers import LeftOut
from advisor.predict.nearby import AnchorTable
from advisor.predict.weights import known_covariance


class Without:
    """Solves a table once, then for any experiments left out (block elimination, exact)."""

    def __init__(self, table: AnchorTable) -> None:
        self._table = table
        self._inverse = np.linalg.inv(known_covariance(table))
        self._weights = self._inverse @ table.logs
        self._known: dict[tuple[str | None, ...], LeftOut] = {}

    def __call__(
        self, *, device: str, network: str | None = None, study: str | None = None
    ) -> LeftOut:
        """Return what the product needs to answer without a device.

        Args:
            device: left out.
            network: only the device's times of this network are left out.
            study: all of this study is left out too.
        """
        key = (device, network, study)
        if key not in self._known:
            self._known[key] = self._solve(key)
        return self._known[key]

    def _solve(self, key: tuple[str | None, ...]) -> LeftOut:
        device, network, study = key

        def is_left_out(anchor: Anchor) -> bool:
            is_asked = network is None or anchor.run.network == network
            is_studied = study is not None and anchor.run.study == study
            return (anchor.device.name == device and is_asked) or is_studied

        rows = np.flatnonzero([is_left_out(anchor) for anchor in self._table.anchors])
        block = self._inverse[np.ix_(rows, rows)]
        weights = self._weights - self._inverse[:, rows] @ np.linalg.solve(
            block, self._weights[rows]
        )
        weights[rows] = 0.0
        return LeftOut(rows=rows, weights=weights)
