"""Where the names of points stand in a chart, so that none covers another name or a point.

Leaves to others: drawing (`advisor.report.charts`).
"""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A rectangle of a drawing, in points."""

    left: float
    bottom: float
    right: float
    top: float

    def covers(self, other: "Box") -> bool:
        """Whether the two have more than an edge in common."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.bottom < other.top
            and other.bottom < self.top
        )

    def holds(self, other: "Box") -> bool:
        """Whether the other one is inside."""
        return (
            self.left <= other.left
            and other.right <= self.right
            and self.bottom <= other.bottom
            and other.top <= self.top
        )


def find_place(
    x: float, y: float, *, width: float, height: float, gap: float, taken: Iterable[Box], area: Box
) -> Box | None:
    """Return a free place for a name beside its point, None where there is none.

    Args:
        x: the middle of the point.
        y: the same upright.
        width: of the name.
        height: of the name.
        gap: from the middle of the point to the name.
        taken: what may not be covered; the point itself may be among it.
        area: all of the name lies inside.
    """
    known = tuple(taken)
    middle, low = y - height / 2, x - width / 2
    # Beside it as people read, then above and below, last aslant.
    for left, bottom in (
        (x + gap, middle),
        (x - gap - width, middle),
        (low, y + gap),
        (low, y - gap - height),
        (x + gap / 2, y + gap),
        (x + gap / 2, y - gap - height),
        (x - gap / 2 - width, y + gap),
        (x - gap / 2 - width, y - gap - height),
    ):
        box = Box(left=left, bottom=bottom, right=left + width, top=bottom + height)
        if area.holds(box) and not any(box.covers(each) for each in known):
            return box
    return None
