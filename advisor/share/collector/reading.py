"""Reading the collector's figures, and keeping what is published for a while.

Leaves to others: what may be published (`aggregates`).
"""

import dataclasses
import threading
from collections.abc import Callable

from sqlalchemy import Connection, Engine, select

from advisor.share.collector.aggregates import Aggregate, Figures, aggregates_of
from advisor.share.collector.series import Series
from advisor.share.collector.tables import FigureRow, MergedRow, SeriesRow

_NAMES = tuple(field.name for field in dataclasses.fields(Series))
_AT_ONCE = 10_000


def read_figures(connection: Connection) -> dict[Series, Figures]:
    """Return all figures by series."""
    found: dict[int, Figures] = {}
    statement = select(FigureRow.series_number, FigureRow.upload_number, FigureRow.value)
    rows = connection.execution_options(yield_per=_AT_ONCE).execute(statement)
    for series, upload, value in rows:
        figures = found.get(series)
        if figures is None:
            figures = found[series] = Figures()
        figures.uploads.append(upload)
        figures.values.append(value)
    for series, bin_, count in connection.execute(
        select(MergedRow.series_number, MergedRow.bin, MergedRow.count)
    ):
        found.setdefault(series, Figures()).merged[bin_] = count
    columns = [getattr(SeriesRow, name) for name in _NAMES]
    named = connection.execute(select(SeriesRow.number, *columns))
    return {
        Series(**dict(zip(_NAMES, words, strict=True))): found[number]
        for number, *words in named
        if number in found
    }


class Published:
    """The groups that are published, read anew when they are older than allowed.

    Args:
        engine: of the database.
        least: uploads in a group.
        keep_s: how long an answer stays in use.
        clock: seconds, monotonic.
    """

    def __init__(
        self, engine: Engine, *, least: int, keep_s: float, clock: Callable[[], float]
    ) -> None:
        self._engine = engine
        self._least = least
        self._keep_s = keep_s
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: tuple[float, tuple[Aggregate, ...]] | None = None

    def aggregates(self) -> tuple[Aggregate, ...]:
        """Return what is published."""
        with self._lock:
            now = self._clock()
            if self._kept is None or now - self._kept[0] >= self._keep_s:
                with self._engine.connect() as connection:
                    figures = read_figures(connection)
                self._kept = (now, aggregates_of(figures, least=self._least))
            return self._kept[1]
