"""What a card says: a title, facts with their values, notes and lines to be copied.

Leaves to others: making the cards (`ui.models.machine_cards`, `ui.models.workload_cards`),
drawing them (`ui.widgets.card`).
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CardFact:
    """One line of a card.

    Attributes:
        tip: what it means, for the pointer; "" for nothing.
        path: dotted name under which the user may replace the value, "" where that is not so.
        is_own: whether the user has replaced it; is_bad: whether it needs attention.
    """

    label: str
    value: str
    tip: str = ""
    path: str = ""
    is_own: bool = False
    is_bad: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """Something missing, and what mends it ("" where nothing is known)."""

    text: str
    remedy: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A card: its title, a quiet second line, facts and what is missing."""

    title: str
    subtitle: str = ""
    facts: tuple[CardFact, ...] = ()
    remedies: tuple[Remedy, ...] = ()
