"""Which of several ways is the fastest on a device: tried once, kept by the parent between runs.

A way that is known from an earlier run is timed alone; it is taken while that figure is the same.
When it is not, the ways are tried again, and the known one among them: where the time to try all
is short, the fastest of those that come first may be much slower.
Told to the parent is only a choice whose result was right and for which every way was tried.
Leaves to others: what the ways are and how one is timed (`opencl_*`), keeping them (the parent).
"""

import math
from collections import namedtuple

import worker_errors

# A kept way is tried against the others again when its time has changed by more than this.
TOLERANCE = 1.10

# What trying gave: pairs of index and seconds, best first; the size of a trial; whether all ways
# were tried.
Tried = namedtuple("Tried", "ranking trial is_complete")


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


def magnitude(value, most=None):
    """Return the binary digits of a size, `most` at most: sizes of one choice differ little."""
    digits = int(value).bit_length()
    return digits if most is None else min(digits, most)


def _name(key):
    return "/".join(str(part) for part in key)


class Choices:
    """The choices of one device.

    Args:
        known: what `learned` gave in an earlier run; what is malformed is ignored.

    Attributes:
        learned: choices that were made in this run and gave a right result, by name; None for
            one that gave a wrong result and is to be forgotten.
        n_confirmed: how many known ones were timed and taken.
    """

    def __init__(self, known=None):
        self._known = _valid(known)
        self._order = {}
        self._fresh = {}
        self._wrong = {}
        self.learned = {}
        self.n_confirmed = 0

    def pick(self, key, count, time_one, time_all):
        """Return the indices of the ways of `count` that can be run, the fastest first.

        Args:
            key: tuple of words and numbers that says what is computed.
            count: how many ways there are.
            time_one: function of an index and the size of a trial, gives seconds, or None when
                that way cannot be run.
            time_all: function that gives what was `Tried`.

        Raises:
            WrongResult: when each way that can be run gave a wrong result.
        """
        name = _name(key)
        if name not in self._order:
            wrong, known = self._wrong.get(name, set()), self._known.get(name)
            is_known = known is not None and known["count"] == count
            if is_known and known["index"] not in wrong and _is_same(known, time_one):
                self._order[name] = [known["index"]]
                self.n_confirmed += 1
            else:
                self._order[name] = self._try(
                    name, count, time_one, time_all, known=known if is_known else None
                )
        return list(self._order[name])

    def _try(self, name, count, time_one, time_all, *, known):
        tried = time_all()
        wrong = self._wrong.get(name, set())
        left = [(index, seconds) for index, seconds in tried.ranking if index not in wrong]
        if known is not None and known["index"] not in {*wrong, *(i for i, _ in tried.ranking)}:
            seconds = time_one(known["index"], tried.trial)
            if seconds is not None:
                left = sorted([*left, (known["index"], seconds)], key=lambda pair: pair[1])
        if not left:
            raise worker_errors.WrongResult("each way to compute it gave a wrong result")
        if tried.is_complete:
            self._fresh[name] = {
                index: {"index": index, "count": count, "seconds": seconds, "trial": tried.trial}
                for index, seconds in left
            }
        return [index for index, _ in left]

    def wrong(self, key):
        """Return the indices of the ways that gave a wrong result in this run."""
        return set(self._wrong.get(_name(key), ()))

    def accept(self, key, index):
        """Note that the result of a way was right."""
        name = _name(key)
        if self._order.get(name, [None])[0] == index and index in self._fresh.get(name, {}):
            self.learned[name] = self._fresh[name][index]

    def reject(self, key, index):
        """Note that the result of a way was wrong: it is not picked again, nor kept."""
        name = _name(key)
        self._wrong.setdefault(name, set()).add(index)
        left = [other for other in self._order.get(name, []) if other != index]
        if left:
            self._order[name] = left
        else:
            self._order.pop(name, None)
        kept = self.learned.get(name) or self._known.get(name)
        if kept is not None and kept["index"] == index:
            self.learned[name] = None


def _is_same(known, time_one):
    """Return whether a known way takes as long as it did; a second try forgives a busy moment."""
    for _ in range(2):
        seconds = time_one(known["index"], known["trial"])
        if seconds is None or seconds < known["seconds"] / TOLERANCE:
            return False
        if seconds <= TOLERANCE * known["seconds"]:
            return True
    return False
