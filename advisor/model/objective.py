"""What the user wants most: the one part of an advice that the words of a command need.

Leaves to others: the advice (`advisor.model.recommendation`).
"""

from enum import StrEnum


class Objective(StrEnum):
    """What the user wants most."""

    FASTEST = "fastest"
    CHEAPEST = "cheapest"
    BALANCED = "balanced"
