"""Which of several ways is the fastest on a device: tried once, kept by the parent between runs.

A way that is known from an earlier run is timed alone; it is taken while that figure is no worse.
Leaves to others: what the ways are and how one is timed (`opencl_*`), keeping them (the parent).
"""

import math

# A kept way is tried against the others again when its time has grown by more than this.
TOLERANCE = 1.10


def _valid(known):
    """Return the entries that make sense; what a parent kept may come from anywhere."""
    found = {}
    for name, entry in known.items() if isinstance(known, dict) else ():
        if not isinstance(entry, dict):
            continue
        index, count = entry.get("index"), entry.get("count")
        seconds, trial = entry.get("seconds"), entry.get("trial")
        is_whole = all(type(value) is int for value in (index, count))
        is_number = all(type(value) in (int, float) for value in (seconds, trial))
        if not is_whole or not is_number or not 0 <= index < count:
            continue
        if math.isfinite(seconds) and seconds > 0 and math.isfinite(trial) and trial > 0:
            found[name] = {"index": index, "count": count, "seconds": seconds, "trial": trial}
    return found


class Choices:
    """The choices of one device.

    Args:
        known: what `learned` gave in an earlier run; what is malformed is ignored.

    Attributes:
        learned: choices that were tried in this run, by name.
        n_confirmed: how many known ones were timed and taken.
    """

    def __init__(self, known=None):
        self._known = _valid(known)
        self._settled = {}
        self.learned = {}
        self.n_confirmed = 0

    def pick(self, key, count, time_one, time_all):
        """Return the index of the fastest of `count` ways.

        Args:
            key: tuple of words and numbers that says what is computed.
            count: how many ways there are.
            time_one: function of an index and the size of a trial, gives seconds, or None when
                that way cannot be run.
            time_all: function that gives the best index, its seconds, and the size of a trial.
        """
        name = "/".join(str(part) for part in key)
        if name not in self._settled:
            known = self._known.get(name)
            if known is not None and known["count"] == count and _is_good(known, time_one):
                self._settled[name] = known["index"]
                self.n_confirmed += 1
            else:
                index, seconds, trial = time_all()
                self._settled[name] = index
                self.learned[name] = {
                    "index": index, "count": count, "seconds": seconds, "trial": trial,
                }  # fmt: skip
        return self._settled[name]


def _is_good(known, time_one):
    """Return whether a known way is as fast as it was; a second try forgives a busy moment."""
    for _ in range(2):
        seconds = time_one(known["index"], known["trial"])
        if seconds is None:
            return False
        if seconds <= TOLERANCE * known["seconds"]:
            return True
    return False
