"""Predicted times and money, always with basis, interval and evidence.

Leaves to others: making them (`advisor.predict`, `advisor.recommend.cost`).
"""

from dataclasses import dataclass

from advisor.model.quantity import Basis, Interval, Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A figure that a prediction rests on: what it says, in words, and where it stands."""

    statement: str
    source: Source


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeShare:
    """Part of a step that one class of operators takes, in seconds."""

    operator_kind: str
    time_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """Time of a workload under an option: one step, one epoch, the whole job.

    `is_warned` is True when the figure may be off by more than 3 times.
    """

    option_id: str
    step_s: Interval
    epoch_s: Interval
    total_s: Interval
    basis: Basis
    evidence: tuple[Evidence, ...]
    assumptions: tuple[str, ...]
    breakdown: tuple[TimeShare, ...] = ()
    is_warned: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CostPart:
    """One piece of a cost: code ("compute", "disk", "egress", "setup", "redone", ...) and USD."""

    code: str
    usd: Interval
    explanation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Money for the whole job. `total_usd` is None when a needed price is unknown (`missing`)."""

    total_usd: Interval | None
    parts: tuple[CostPart, ...]
    missing: tuple[str, ...]
    price_date: str | None = None
    sources: tuple[Source, ...] = ()
