"""Rows with the file and line that they stand on, so that a fault can name its place.

Leaves to others: reading them (`advisor.knowledge.validate`), finding faults in them.
"""

import re
from dataclasses import dataclass
from typing import Any

from advisor.knowledge.rows import RowFault


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedRow:
    """A row and where it stands."""

    row: Any
    file: str
    line: int

    def fault(self, problem: str, *, field: str) -> RowFault:
        """Return a fault in a field of this row."""
        value = str(getattr(self.row, field))
        return RowFault(file=self.file, line=self.line, field=field, value=value, problem=problem)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedTable:
    """The rows of a table that could be read.

    Attributes:
        is_whole: False when it has faults: what is missing among the rows then proves nothing.
    """

    rows: tuple[PlacedRow, ...]
    is_whole: bool


Placed = dict[str, PlacedTable]


def file_fault(file: str, problem: str, *, line: int = 1) -> RowFault:
    """Return a fault of a whole file, or of a whole line of it."""
    return RowFault(file=file, line=line, field=None, value=None, problem=problem)


def unreadable(file: str, error: Exception) -> RowFault:
    """Return the fault of a file that could not be read, at the line that the error names."""
    found = re.match(rf"{re.escape(file)}:(\d+): ", str(error))
    if found is None:
        return file_fault(file, str(error))
    return file_fault(file, str(error)[found.end() :], line=int(found[1]))
