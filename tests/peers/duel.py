"""Our figure and a peer's in turn, several rounds, the order swapped each time."""

import statistics
from collections.abc import Callable
from dataclasses import dataclass, field


class PeerMissing(Exception):
    """A peer is not installed: the message says what to install."""


class PeerFailed(Exception):
    """A peer, or our own kernel, gave no figure: the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Figures of one thing on one device, one of each side for every round.

    Attributes:
        unit: "GFLOP/s" or "GB/s"; more is better.
        peaks: what the hardware could do, in each round; empty when that is not known.
    """

    device: str
    thing: str
    peer: str
    unit: str
    ours: tuple[float, ...]
    theirs: tuple[float, ...]
    peaks: tuple[float, ...] = ()

    @property
    def share(self) -> float | None:
        """The median over the rounds of ours / what the hardware could do in that round."""
        if len(self.peaks) != len(self.ours):
            return None
        return statistics.median(a / b for a, b in zip(self.ours, self.peaks, strict=True))

    @property
    def ratios(self) -> tuple[float, ...]:
        """Ours / theirs of each round."""
        return tuple(a / b for a, b in zip(self.ours, self.theirs, strict=True) if b > 0.0)

    @property
    def ratio(self) -> float | None:
        """The median of the ratios; None without any."""
        return statistics.median(self.ratios) if self.ratios else None

    def as_json(self) -> dict[str, object]:
        """Return the row for a file."""
        return {
            "device": self.device,
            "thing": self.thing,
            "peer": self.peer,
            "unit": self.unit,
            "ours": list(self.ours),
            "theirs": list(self.theirs),
            "ours_median": statistics.median(self.ours),
            "theirs_median": statistics.median(self.theirs),
            "ratio": self.ratio,
            "peaks": list(self.peaks),
            "share_of_peak": self.share,
        }


Figures = dict[str, float]
# Name under which a side tells the bound of all its figures in a round.
PEAK = "peak"


@dataclass(slots=True)
class Contest:
    """Two ways to get figures by name on one device.

    Attributes:
        pairs: name of ours, name of theirs, unit.
        peaks: bounds by the name of ours; one that we tell in a round (`PEAK`) comes first.
        notes: why figures are absent, filled while it runs.
    """

    device: str
    peer: str
    ours: Callable[[], Figures]
    theirs: Callable[[], Figures]
    pairs: tuple[tuple[str, str, str], ...]
    peaks: Figures = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def run_contest(contest: Contest, *, rounds: int) -> tuple[Row, ...]:
    """Return a row for each pair that both sides have in every round.

    Raises:
        PeerMissing: the peer is not there.
        PeerFailed: a side gave nothing at all.
    """
    ours: list[Figures] = []
    theirs: list[Figures] = []
    for number in range(rounds):
        order = [(ours, contest.ours), (theirs, contest.theirs)]
        # Who goes second finds the machine warmer: each does so in turn.
        for into, measure in order if number % 2 == 0 else order[::-1]:
            into.append(measure())
    rows = []
    for mine, other, unit in contest.pairs:
        a = [figures[mine] for figures in ours if mine in figures]
        b = [figures[other] for figures in theirs if other in figures]
        if len(a) < rounds or len(b) < rounds:
            side = "us" if len(a) < rounds else f"{contest.peer} {other}".strip()
            contest.notes.append(f"{contest.device}: no figure for {mine} by {side}")
            continue
        rows.append(
            Row(
                device=contest.device,
                thing=mine,
                peer=f"{contest.peer} {other}".strip(),
                unit=unit,
                ours=tuple(a),
                theirs=tuple(b),
                peaks=_peaks(ours, contest.peaks.get(mine)),
            )
        )
    return tuple(rows)


def _peaks(ours: list[Figures], known: float | None) -> tuple[float, ...]:
    """Return the bound of each round, or none."""
    found = [figures.get(PEAK, known) for figures in ours]
    told = tuple(peak for peak in found if peak is not None)
    return told if len(told) == len(found) else ()
