"""How results of others look as rows of our dataset: names, and a note of a fixed form.

Collector and client hold the same form, so that no free text comes with pulled rows.
Leaves to others: making the rows (`advisor.share.collector.export`), taking them
(`advisor.share.pull`).
"""

import re
from dataclasses import dataclass

from advisor.model.published import ResultPhase
from advisor.share.kernels import is_kernel

COMMUNITY = "community"
LEAST_GROUP = 5

_DIRECTIONS = ("input gradient", "weight gradient", "backward", "forward and backward", "update")
_FIGURE = r"[0-9.]+(?:e[+-][0-9]+)?"
_NOTE = re.compile(
    rf"(?:(?:{'|'.join(_DIRECTIONS)}); )?"
    rf"community median of ([0-9]+) uploads, middle half {_FIGURE} to {_FIGURE}"
    r"(?:; input [0-9]+)?(?:; (?:linux|windows|macos|other))?(?:; [0-9]+ CPU threads)?"
)
_STEP = re.compile(r"step ([a-z0-9.-]+) (training|inference) b([0-9]+)")
_LSTM = re.compile(r"(lstm h[0-9]+ n[0-9]+ t[0-9]+) i([0-9]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class CommunityWork:
    """What was timed, in the columns of a published row; `detail` belongs into the note."""

    phase: ResultPhase
    name: str
    batch_size: int | None = None
    detail: str | None = None


def workload_of(kernel: str) -> CommunityWork:
    """Return the columns of a published row for a kernel's or a step's name."""
    step = _STEP.fullmatch(kernel)
    if step is not None:
        return CommunityWork(phase=ResultPhase(step[2]), name=step[1], batch_size=int(step[3]))
    lstm = _LSTM.fullmatch(kernel)
    if lstm is not None:
        return CommunityWork(phase=ResultPhase.KERNEL, name=lstm[1], detail=f"input {lstm[2]}")
    return CommunityWork(phase=ResultPhase.KERNEL, name=kernel)


def is_community_kernel(name: str) -> bool:
    """Return whether a row of a kernel may have this name."""
    return is_kernel(name) or is_kernel(f"{name} i1")


def note_of(
    *,
    direction: str | None,
    detail: str | None,
    n: int,
    low: float,
    high: float,
    system: str | None,
    device_threads: int | None,
) -> str:
    """Return what stands in the note of a row."""
    words = [] if direction in (None, "forward") else [str(direction).replace("_", " ")]
    words.append(f"community median of {n} uploads, middle half {low:g} to {high:g}")
    words += [word for word in (detail, system) if word]
    words += [f"{device_threads} CPU threads"] if device_threads else []
    return "; ".join(words)


def uploads_in_note(note: str | None) -> int | None:
    """Return how many uploads a row stands for; None where its note is not of our form."""
    match = _NOTE.fullmatch(note or "")
    return int(match[1]) if match else None
