"""Published times of like devices that are too far apart to tell a third one's.

One program may have computed with the matrix units of one graphics card and not with those of its
sibling, by its version or driver; no data sheet tells which. Where two devices of one architecture
are more than 9 times apart for the same job, whatever lies between is more than 3 times off one.
Leaves to others: the times and their law of thumb (`advisor.predict.nearby`), who is warned
(`advisor.predict.answers`).
"""

import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence

from advisor.model.quantity import Phase
from advisor.predict.anchors import Anchor, Device, Run

# Twice a factor of 3: a time that may be off by more is told with a warning.
_LIMIT_LOG = 2.0 * math.log(3.0)
# Batches that differ by no more are the same job.
_SAME_BATCH_LOG = math.log(1.5)

_Key = tuple[object, ...]


class Contradictions:
    """Pairs of experiments of like devices that are more than 9 times apart for the same job.

    Args:
        anchors: the experiments.
        logs: logarithms of their times over the law of thumb.
    """

    def __init__(self, anchors: Sequence[Anchor], logs: Sequence[float]) -> None:
        jobs: dict[tuple[_Key, str, Phase], list[int]] = defaultdict(list)
        for place, anchor in enumerate(anchors):
            if anchor.device.architecture is not None:
                key = _key(anchor.device, anchor.run)
                jobs[key, anchor.run.network, anchor.run.phase].append(place)
        self._pairs: dict[_Key, list[tuple[int, int]]] = defaultdict(list)
        for (key, _network, _phase), places in jobs.items():
            self._pairs[key].extend(_far_apart(places, anchors, logs))

    def about(self, device: Device, run: Run, *, left_out: Collection[int] = ()) -> bool:
        """Return whether what is known of devices like this one contradicts itself.

        Args:
            device: that is asked for.
            run: what runs on it.
            left_out: places of experiments that must have no say.
        """
        if device.architecture is None:
            return False
        pairs = self._pairs.get(_key(device, run), ())
        return any(one not in left_out and other not in left_out for one, other in pairs)


def _key(device: Device, run: Run) -> _Key:
    return run.framework, run.precision, device.kind, device.architecture


def _far_apart(
    places: list[int], anchors: Sequence[Anchor], logs: Sequence[float]
) -> Iterator[tuple[int, int]]:
    """Yield the pairs of other devices whose times for one network are too far apart."""
    ordered = sorted(places, key=lambda place: logs[place])
    for at, low in enumerate(ordered):
        for high in reversed(ordered[at + 1 :]):
            if logs[high] - logs[low] <= _LIMIT_LOG:
                break
            one, other = anchors[low], anchors[high]
            batches = math.log(one.run.batch_size / other.run.batch_size)
            if one.device.name != other.device.name and abs(batches) <= _SAME_BATCH_LOG:
                yield low, high
