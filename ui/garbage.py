"""Memory that only cycles hold is freed on the window's thread, in small portions.

Python frees cycles on whatever thread allocates next. A widget that is freed beside the window's
thread may take the program down, and a search over everything halts the window for a moment.
Leaves to others: everything else; a process without a window needs none of this.
"""

import gc

from PySide6.QtCore import QObject, QTimer

_PERIOD_MS = 1000
# New objects, searches of the young and searches of the older ones that make a search worthwhile.
_THRESHOLDS = (5_000, 8, 20)


class GarbageSearch(QObject):
    """Takes the search for garbage over from Python, until `stop`."""

    def __init__(self, parent: QObject | None = None) -> None:
        """Start."""
        super().__init__(parent)
        self._was_enabled = gc.isenabled()
        gc.disable()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.search)
        self._timer.start(_PERIOD_MS)

    def search(self) -> int | None:
        """Search as much as is worthwhile; return the oldest generation searched, None for none."""
        counts = gc.get_count()
        for generation in (2, 1, 0):
            if counts[generation] > _THRESHOLDS[generation]:
                gc.collect(generation)
                return generation
        return None

    def keep_what_is_loaded(self) -> None:
        """Leave all that is there by now out of later searches."""
        gc.freeze()

    def stop(self) -> None:
        """Give the search back to Python."""
        self._timer.stop()
        if self._was_enabled:
            gc.enable()
